#include "profiler/phantom/programs/warm_program.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "profiler/base/paths.h"
#include "profiler/phantom/programs/program_arguments.h"
#include "profiler/phantom/programs/torch_installation.h"

namespace tidemark::phantom {
namespace {

using Json = nlohmann::json;

std::string InOneLine(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// As runs.py takes it.
Json JsonOf(const std::vector<RunOrder>& orders, const std::vector<std::string>& arguments,
            unsigned at_once) {
  Json runs = Json::array();
  for (const RunOrder& order : orders) {
    runs.push_back(
        {{"value", order.value},
         {"arguments",
          order.argument.empty() ? arguments : WithArgumentFrom(arguments, 0, order.argument, order.value)},
         {"environment", order.environment}});
  }
  return {{"runs", std::move(runs)}, {"at_once", at_once}};
}

std::optional<RunAnswer> AnswerIn(std::string_view line) {
  constexpr std::string_view kPrefix = "tidemark {";
  if (!line.starts_with(kPrefix)) return std::nullopt;
  const Json json = Json::parse(line.substr(kPrefix.size() - 1), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  RunAnswer answer;
  answer.value = json.value("value", int64_t{0});
  answer.process_id = json.value("process", 0);
  answer.allocated_peak_bytes = json.value("allocated_peak_bytes", int64_t{0});
  answer.reserved_peak_bytes = json.value("reserved_peak_bytes", int64_t{0});
  answer.used_cuda = json.value("used_cuda", false);
  answer.out_of_memory = json.value("out_of_memory", false);
  answer.sentence = json.value("sentence", std::string());
  answer.in_vain = json.value("in_vain", std::vector<std::string>());
  return answer;
}

}  // namespace

Result<WarmProgram> WarmProgram::Of(const std::vector<std::string>& program,
                                    const std::vector<std::string>& environment) {
  const Result<PythonStart> python = PythonOf(program);
  if (!python) return python.error();
  Result<PythonEntry> entry = EntryOf(program, python->place);
  if (!entry) return entry.error();
  WarmProgram warm;
  warm.words_ = python->words;
  warm.words_.insert(warm.words_.end(), entry->options.begin(), entry->options.end());
  warm.arguments_.assign(program.begin() + static_cast<std::ptrdiff_t>(entry->arguments), program.end());
  warm.entry_ = std::move(*entry);
  warm.environment_ = environment;
  return warm;
}

Status WarmProgram::Start() {
  std::vector<std::string> words = words_;
  words.insert(words.end(), {"-u", (AssetsFolder() / "python" / "runs.py").string(),
                             InOneLine({{entry_.kind, entry_.what}})});
  Result<std::unique_ptr<RunningCommand>> started = RunningCommand::Start(words, environment_);
  if (!started) return started.error();
  python_ = std::move(*started);
  return Done{};
}

Status WarmProgram::Run(const std::vector<RunOrder>& orders, const RunsWatch& watch) {
  if (orders.empty()) return Done{};
  if (python_ == nullptr) {
    if (Status started = Start(); !started) return started;
  }
  python_->Tell(InOneLine(JsonOf(orders, arguments_, watch.at_once)));
  size_t answers = 0;
  const auto take = [&](std::string_view line) {
    if (const std::optional<RunAnswer> answer = AnswerIn(line)) {
      ++answers;
      watch.answered(*answer);
    }
    return answers < orders.size();
  };
  bool was_ended = false;
  const auto goes_on = [&] {
    was_ended = was_ended || !watch.goes_on();
    return !was_ended;
  };
  if (python_->Read(take, goes_on)) return Done{};
  const std::unique_ptr<RunningCommand> ended = std::move(python_);
  if (was_ended || !watch.goes_on()) return Done{};
  const std::string& said = ended->output();
  return Error{"The runs ended early: " + said.substr(said.size() - std::min<size_t>(said.size(), 300))};
}

}  // namespace tidemark::phantom
