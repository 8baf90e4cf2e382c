#include "app/gui/searches/findings_watch.h"

#include <chrono>
#include <thread>

#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

// Whether a job was started, which then has ended.
bool Looked(BackgroundJobs& jobs) {
  if (jobs.jobs().empty()) return false;
  for (int i = 0; i < 10'000 && !jobs.Poll(); ++i) std::this_thread::sleep_for(1ms);
  return true;
}

// What the panel says of a run whose memory ran out though enough was free in pieces.
class TornMemory {
 public:
  static constexpr int64_t kMebibyte = 1 << 20;

  TornMemory() {
    stream_.Add(events::EventKind::kSegmentAllocate, 0x10000000, 128 * kMebibyte);
    stream_.Allocate(0x10000000, 127 * kMebibyte);
    stream_.Add(events::EventKind::kOutOfMemory, 0, 4 * kMebibyte).rounded_bytes = 3 * kMebibyte;
    input.fit = &fit;
    input.trials = &trials_;
    input.glossary = &glossary_;
  }
  std::string Told(const CardMemory& card, const std::string& panel) {
    const RunFindings found = LookForFindings(*stream_.Publish(), ByteUnit::kMebibytes, card);
    input.found = &found;
    return WordsIn(
        {900, 600}, [&] { DrawFindingsPanel(input, queue_); }, panel);
  }

  FindingsInput input;
  presenters::FitAdvice fit;

 private:
  timeline::Stream stream_;
  Trials trials_;
  lessons::Glossary glossary_;
  CommandQueue queue_;
};

}  // namespace

TEST_CASE("What stands out is looked for again where anything that it depends on is another") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  BackgroundJobs jobs;
  FindingsWatch watch(&jobs);
  FindingsWatch::Subject subject{stream.Publish(), ByteUnit::kMegabytes, {}};
  const auto looks = [&](bool goes_on) {
    watch.Look(subject, goes_on);
    return Looked(jobs);
  };
  CHECK(looks(true));
  REQUIRE(watch.found() != nullptr);
  CHECK_FALSE(looks(true));
  CHECK_FALSE(looks(false));
  subject.card.bytes = 16'000'000'000;  // the card's name came later
  CHECK(looks(true));
  subject.unit = ByteUnit::kMebibytes;
  CHECK(looks(true));
  subject.view = stream.Publish();
  CHECK_FALSE(looks(true));  // a second has not passed
  CHECK(looks(false));
}

TEST_CASE_METHOD(Measured, "The rows of what ran out of memory add up to what the card has") {
  TornMemory torn;
  constexpr int64_t kMebibyte = TornMemory::kMebibyte;
  const std::string of_known = torn.Told({173 * kMebibyte, 42 * kMebibyte}, "known");
  CHECK(of_known.find("context and others") != std::string::npos);
  CHECK(of_known.find("42.0 MiB") != std::string::npos);
  CHECK(of_known.find("173.0 MiB") != std::string::npos);
  CHECK(torn.Told({}, "unknown").find("context and others") == std::string::npos);
}

TEST_CASE_METHOD(Measured, "Segments that grow are no advice where a step allocates more than the card has") {
  TornMemory torn;
  torn.input.can_try = true;
  CHECK(torn.Told({}, "not known").find("Try four allocator settings") != std::string::npos);
  torn.input.is_answered = torn.input.can_search = true;
  torn.fit.question.emplace();
  torn.fit.question->card.memory_bytes = 173 * TornMemory::kMebibyte;
  torn.fit.answer.emplace();
  torn.fit.answer->present.need.allocated_peak_bytes = 900 * TornMemory::kMebibyte;
  CHECK(torn.Told({}, "known").find("Try four allocator settings") == std::string::npos);
}

TEST_CASE_METHOD(Measured, "Of a program that ran out of memory the command to type next is told") {
  TornMemory torn;
  CHECK(torn.Told({}, "of a file").find("which cards") == std::string::npos);
  torn.input.fit_command = "tidemark fit --card t4 -- python train.py";
  const std::string told = torn.Told({}, "of a program");
  CHECK(told.find(torn.input.fit_command) != std::string::npos);
  CHECK(told.find("tells which cards the program would fit on, and whether") != std::string::npos);
}

}  // namespace tidemark::gui
