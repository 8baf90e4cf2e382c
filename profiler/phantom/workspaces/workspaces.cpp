#include "profiler/phantom/workspaces/workspaces.h"

#include <utility>

namespace tidemark::phantom::workspaces {
namespace {

// A process that dies over one question is started again for the next; one that dies over and over is not.
constexpr int kMostStarts = 4;

// One file for each cuDNN, card and format.
std::filesystem::path CacheFile(const Workspaces::Setup& setup) {
  if (!setup.library || setup.answers_folder.empty()) return {};
  return setup.answers_folder / (HexOf(KeyOf(std::to_string(kAnswersFormat) + "\n" + setup.library->identity +
                                             "\n" + setup.device_properties)) +
                                 ".answers");
}

}  // namespace

Workspaces::Workspaces(Setup setup) : setup_(std::move(setup)), cache_file_(CacheFile(setup_)) {}

std::optional<HeuristicsAnswer> Workspaces::Heuristics(const std::string& tree) {
  const std::optional<std::string> bytes = Ask({Question::kHeuristics, tree});
  return bytes ? DecodeHeuristics(*bytes) : std::nullopt;
}

std::optional<PlanAnswer> Workspaces::Plan(const std::string& tree, int configuration) {
  const std::optional<std::string> bytes = Ask({configuration, tree});
  return bytes ? DecodePlan(*bytes) : std::nullopt;
}

std::optional<std::string> Workspaces::PlanJson(const std::string& tree, int configuration) {
  return Ask({Question::AsJson(configuration), tree});
}

std::optional<std::string> Workspaces::Ask(const Question& question) {
  const std::string bytes = Encode(question);
  const Key key = KeyOf(bytes);
  const MutexLock lock(mutex_);
  if (!setup_.library) {
    GiveUp(setup_.library.error().message);
    return std::nullopt;
  }
  if (!answers_) answers_.emplace(cache_file_);
  if (const auto known = answers_->Find(key)) return std::string(*known);
  answers_->ReadNew();
  if (const auto known = answers_->Find(key)) return std::string(*known);
  const auto asked = std::chrono::steady_clock::now();
  std::optional<std::string> answer = AskOracle(bytes);
  NoteAsking(asked);
  return answer;
}

// Of other settings, later, it is told again.
void Workspaces::NoteAsking(std::chrono::steady_clock::time_point asked) {
  if (asked - answered_at_ > setup_.quiet) {
    asked_for_ = {};
    said_asking_ = false;
  }
  answered_at_ = std::chrono::steady_clock::now();
  asked_for_ += answered_at_ - asked;
  if (asked_for_ > setup_.worth_telling && !std::exchange(said_asking_, true)) setup_.asking();
}

// The process writes its answers to the file itself, from which they come back here too.
std::optional<std::string> Workspaces::AskOracle(const std::string& question) {
  if (gave_up_ || !StartOracle()) return std::nullopt;
  Result<std::string> answer = oracle_->Ask(question);
  if (answer) return std::move(*answer);
  if (!std::exchange(said_not_known_, true)) setup_.not_known(answer.error().message);
  return std::nullopt;
}

bool Workspaces::StartOracle() {
  if (oracle_ && oracle_->IsOurs()) return true;
  oracle_.reset();
  if (++starts_ > kMostStarts) {
    GiveUp("the process that asks cuDNN ended again and again");
    return false;
  }
  const Opening opening{setup_.library->file.string(), setup_.device_properties, cache_file_.string()};
  Result<OracleProcess> started = OracleProcess::Start(setup_.oracle, setup_.library->folders, opening);
  if (!started) {
    GiveUp(started.error().message);
    return false;
  }
  oracle_.emplace(std::move(*started));
  return true;
}

void Workspaces::GiveUp(const std::string& reason) {
  gave_up_ = reason;
  if (!std::exchange(said_not_known_, true)) setup_.not_known(reason);
}

}  // namespace tidemark::phantom::workspaces
