// Techniques that are tried on a program of a person's.
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/cli/programs/technique_trials.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/program_recorder.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {

using session::TechniqueAnswer;
using session::TechniqueOrder;

namespace {

constexpr int64_t kGibibyte = int64_t{1} << 30;

const ProgramTechniques* Found() { return application().frame()->fit.techniques.found; }

size_t Answers() {
  size_t answers = 0;
  if (Found() == nullptr) return 0;
  for (size_t i = 1; i < Found()->rows.size(); ++i) answers += Found()->rows[i].answer ? 1 : 0;
  return answers;
}

bool HasRunOut() { return Run().status.out_of_memory && Run().status.state == session::RunState::kFailed; }

void Start(ImGuiTestContext* context, const std::string& arguments) {
  session::ProgramOrder order;
  order.command = kLargeProgram + arguments;
  order.card = "l4";
  order.recording = "large.tide";
  application().Push(StartProgram{order});
  IM_CHECK(WaitUntil(context,
                     [&] { return Run().description.command == kLargeProgram + arguments && HasRunOut(); }));
}

Result<std::vector<std::string>> TryInName(const std::vector<TechniqueOrder>& orders,
                                           const session::TechniqueAnswered& answered,
                                           const session::StartWatch& watch) {
  const bool is_slow = orders.front().program.command.ends_with("--slow");
  watch.told("running it with --amp bf16, 1 of 3 · 4 s");
  answered(0, {false, true, "Tried to allocate 4.00 GiB."});
  answered(1, {true, false, "", 18 * kGibibyte, {19 * kGibibyte}});
  while (is_slow && watch.goes_on()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (is_slow) return std::vector<std::string>();
  answered(2, {true, false, "", 12 * kGibibyte, {14 * kGibibyte}, {}, {"--amp bf16"}});
  answered(0, {false, true, "Tried to allocate 4.00 GiB.", 0, {}, {26 * kGibibyte}});
  return std::vector<std::string>{"large.py:26 read a result that no kernel had computed: it was zero."};
}

}  // namespace

// After an out of memory; what was found stays while the program is shown, with whatever techniques.
void TriesTechniques(ImGuiTestContext* context) {
  Start(context, " --slow");
  IM_CHECK(WaitUntil(
      context, [] { return application().frame()->findings.can_try_techniques; }, 10));
  IM_CHECK(WaitUntil(context, [] {
    const RunFindings* const found = application().frame()->findings.found;
    return found != nullptr && found->shortage;
  }));
  context->WindowFocus("//###findings");
  context->Yield(4);
  Picture(context, "out-of-memory-of-a-program");
  // It moves until the banner has its room and the page its height.
  context->ScrollToItemY("//###findings/**/Try techniques");
  context->Yield(30);
  context->ItemClick("//###findings/**/Try techniques");
  IM_CHECK(WaitUntil(context, [] { return Answers() == 2; }));
  IM_CHECK(Found()->goes_on);
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//###jobs/**/Cancel"); }));
  context->Yield(4);
  Picture(context, "techniques-so-far");
  context->ItemClick("//###jobs/**/Cancel");
  IM_CHECK(WaitUntil(context, [] { return !Found()->goes_on; }));
  IM_CHECK_EQ(Answers(), 2U);
  Start(context, "");
  IM_CHECK(Found() == nullptr);  // it was of another program
  context->WindowFocus("//###fit");
  context->ItemClick("//**/###try techniques");
  IM_CHECK(WaitUntil(context, [] { return Answers() == 3 && !Found()->goes_on; }));
  IM_CHECK(Found()->rows[0].answer && Found()->rows[0].answer->ran_out);
  IM_CHECK_EQ(Found()->notes.size(), 1U);
  context->Yield(4);
  Picture(context, "techniques");
  context->ItemClick("//**/$$2/Run it so");
  IM_CHECK(WaitUntil(context, [] { return LastOrder().checkpoint == "blocks"; }));
  IM_CHECK_STR_EQ(LastOrder().amp.c_str(), "");
  IM_CHECK_STR_EQ(LastOrder().recording.c_str(), "");  // that is of the run as it was
  IM_CHECK(WaitUntil(context, [] {
    const auto& to_try = *application().frame()->fit.techniques.to_try;
    return !to_try.empty() && to_try.front().program.checkpoint == "blocks";
  }));
  IM_CHECK(Found() != nullptr);
  context->Yield(4);
  Picture(context, "techniques-run-so");
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(Found() == nullptr);
}

session::TechniqueTrials TrialsInName() { return {cli::TechniqueTrials().of, TryInName}; }

Result<std::shared_ptr<session::Run>> RunOutOfMemory(const session::ProgramOrder& order) {
  session::RecorderOptions options;
  options.first_only = true;
  options.is_watched = true;
  options.description.title = "large.py on phantom NVIDIA L4";
  options.description.command = order.command;
  options.description.device = "phantom";
  options.description.device_name = "NVIDIA L4";
  Result<std::unique_ptr<session::ProgramRecorder>> recorder = session::ProgramRecorder::Start(options);
  if (!recorder) return recorder.error();
  const std::string& entry = (*recorder)->environment_entry();
  auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
  if (!ring || !*ring) return Error{"The recorder gave no ring."};
  events::Event event;
  for (const events::EventKind kind : {events::EventKind::kSegmentAllocate, events::EventKind::kAllocate}) {
    event.time_ns += 1;
    event.kind = kind;
    event.address = 512;
    event.bytes = event.rounded_bytes = 21 * kGibibyte;
    if (!(*ring)->Push(event)) return Error{"The ring is full."};
  }
  event.time_ns += 1;
  event.kind = events::EventKind::kOutOfMemory;
  event.bytes = 4 * kGibibyte;
  event.rounded_bytes = kGibibyte;
  if (!(*ring)->Push(event)) return Error{"The ring is full."};
  (*recorder)->End(1);
  const std::shared_ptr<session::ProgramRecorder> kept = std::move(*recorder);
  return std::shared_ptr<session::Run>(kept, kept->first().get());
}

}  // namespace tidemark::gui
