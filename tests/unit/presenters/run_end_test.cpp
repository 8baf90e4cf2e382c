#include "app/presenters/run/run_end.h"

#include "app/presenters/moment/level_chain.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using session::RunState;
using session::RunStatus;

void Lose(Training& training, events::Source source, int64_t events) {
  training.Add(events::EventKind::kLoss, 0, events).source = source;
}

RunStatus StatusOf(RunState state, const char* sentence) {
  RunStatus status;
  status.state = state;
  status.sentence = sentence;
  return status;
}

}  // namespace

TEST_CASE("What was lost is told with its sources and since when") {
  Training training;
  training.Add(events::EventKind::kMarker);
  CHECK(LossText(*training.Publish()).empty());
  Lose(training, events::Source::kDriver, 1);
  CHECK(LossText(*training.Publish()).starts_with("1 event was lost (driver)"));
  Lose(training, events::Source::kAllocator, 1200);
  const std::string text = LossText(*training.Publish());
  CHECK(text.starts_with("1,201 events were lost ("));
  CHECK(text.find("allocator") != std::string::npos);
  CHECK(text.ends_with("; the curves have gaps there."));
}

TEST_CASE("A run that ended badly says why, and what was lost of it") {
  Training training;
  training.Add(events::EventKind::kMarker);
  CHECK(NoticeOfRun(StatusOf(RunState::kRunning, ""), training.Publish().get()).sentence.empty());
  CHECK_FALSE(NoticeOfRun(StatusOf(RunState::kRunning, ""), nullptr).bad);
  CHECK(NoticeOfRun(StatusOf(RunState::kRunning, "Rank 2 is gone."), nullptr).sentence == "Rank 2 is gone.");
  CHECK(NoticeOfRun(StatusOf(RunState::kRunning, "Rank 2 is gone."), nullptr).bad);
  CHECK(NoticeOfRun(StatusOf(RunState::kFinished, "Done."), nullptr).sentence.empty());
  CHECK(NoticeOfRun(StatusOf(RunState::kDied, ""), nullptr).sentence ==
        "The run has ended unexpectedly. What it reported is kept.");
  Lose(training, events::Source::kDriver, 3);
  const EndNotice notice = NoticeOfRun(StatusOf(RunState::kFailed, "It failed."), training.Publish().get());
  CHECK(notice.bad);
  CHECK(notice.sentence.starts_with("It failed. 3 events were lost (driver)"));
}

TEST_CASE("Of a program that ended for lack of memory it is told what was lacking, once") {
  Training training;
  events::Event& failed = training.Add(events::EventKind::kOutOfMemory, 0, int64_t{3} << 30);
  failed.rounded_bytes = int64_t{2} << 30;
  RunStatus status = StatusOf(RunState::kFailed, "The program ended with exit code 1.");
  status.out_of_memory = true;
  CHECK(NoticeOfRun(status, training.Publish().get()).sentence ==
        "Memory ran out: 3.00 GiB asked for, 2.00 GiB free. The program ended with exit code 1.");
  status.sentence = "CUDA out of memory. Tried to allocate 3.00 GiB.";
  CHECK(NoticeOfRun(status, training.Publish().get()).sentence == status.sentence);
}

TEST_CASE("Of a recording that is followed it is told how it ended, and that nothing comes any more") {
  Training training;
  training.Add(events::EventKind::kMarker);
  const auto view = training.Publish();
  events::RunDescription description;
  const auto notice = [&](RunState state, const char* sentence) {
    return NoticeOfFollowed(StatusOf(state, sentence), description, view.get());
  };
  CHECK(notice(RunState::kRunning, "").sentence.empty());
  CHECK(notice(RunState::kRunning, "Nothing records.").sentence == "Nothing records.");
  CHECK_FALSE(notice(RunState::kRunning, "Nothing records.").bad);
  const std::string complete = "The run has ended in order, and its recording is complete.";
  CHECK(notice(RunState::kFinished, "").sentence == complete);
  CHECK_FALSE(notice(RunState::kFinished, "").bad);
  session::RunStatus left = StatusOf(RunState::kFinished, "");
  left.cut_off = true;  // by who followed it
  CHECK(NoticeOfFollowed(left, description, view.get()).sentence.empty());
  CHECK(notice(RunState::kFinished, "It is cut.").bad);
  CHECK(notice(RunState::kFailed, "It is no recording.").sentence == "It is no recording.");
  description.ending = "The program ended with exit code 1.";
  CHECK(notice(RunState::kFinished, "").sentence == description.ending);
  CHECK(notice(RunState::kFinished, "").bad);
  description.ending.clear();
  Lose(training, events::Source::kDriver, 3);
  const EndNotice lost =
      NoticeOfFollowed(StatusOf(RunState::kFinished, ""), description, training.Publish().get());
  CHECK(lost.sentence.starts_with(complete + " 3 events were lost"));
  CHECK_FALSE(lost.bad);
}

TEST_CASE("Of a recording that is opened it is told how its run ended, as of that run") {
  Training training;
  training.Add(events::EventKind::kMarker);
  events::RunDescription description;
  RunStatus status = StatusOf(RunState::kFinished, "");
  CHECK(NoticeOfOpened(status, description, training.Publish().get()).sentence.empty());
  status.sentence = "It is cut.";  // which is told as it is opened
  CHECK(NoticeOfOpened(status, description, training.Publish().get()).sentence.empty());
  events::Event& failed = training.Add(events::EventKind::kOutOfMemory, 0, int64_t{3} << 30);
  failed.rounded_bytes = int64_t{2} << 30;
  status.out_of_memory = true;
  const auto view = training.Publish();
  const EndNotice unsaid = NoticeOfOpened(status, description, view.get());
  CHECK(unsaid.bad);
  CHECK(unsaid.sentence == "Memory ran out: 3.00 GiB asked for, 2.00 GiB free.");
  description.command = "python train.py";  // of a program an end that is not bad is told by none
  CHECK_FALSE(NoticeOfOpened(status, description, view.get()).bad);
  status.cut_off = true;
  CHECK(NoticeOfOpened(status, description, view.get()).bad);
  CHECK(EndingInWords(status, "", *view).empty());
  CHECK(EndingInWords(status, "It ended with exit code 1.", *view) ==
        "Memory ran out: 3.00 GiB asked for, 2.00 GiB free. It ended with exit code 1.");
  RunStatus live = StatusOf(RunState::kFailed, "The program ended with exit code 1.");
  live.out_of_memory = true;
  description.ending = live.sentence;
  CHECK(NoticeOfOpened(status, description, view.get()).sentence == NoticeOfRun(live, view.get()).sentence);
}

}  // namespace tidemark::presenters
