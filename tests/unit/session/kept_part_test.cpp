// Which part of a run is kept: where it begins, what is said of it, and what stands in its file.
#include "profiler/session/kept_part.h"

#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "profiler/session/recording.h"
#include "profiler/trace/bookmarks.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;
using timeline::Stream;

constexpr uint64_t kParameter = 0x1000;
constexpr uint64_t kActivation = 0x100000;

void AddStep(Stream& stream, int64_t number, int64_t bytes = 1024) {
  stream.BeginStep(number);
  stream.Allocate(kActivation, bytes, events::Category::kActivation);
  stream.Free(kActivation);
  stream.EndStep(number);
}

// A parameter, and so many steps.
Stream Training(int64_t steps) {
  Stream stream;
  stream.Name("train.py");
  stream.Allocate(kParameter, 4096, events::Category::kParameter);
  for (int64_t step = 0; step < steps; ++step) AddStep(stream, step);
  return stream;
}

std::vector<int64_t> NumbersOf(const timeline::View& view) {
  std::vector<int64_t> numbers;
  for (const timeline::Step& step : view.steps()) numbers.push_back(step.number);
  return numbers;
}

struct Read {
  std::shared_ptr<const timeline::View> view;
  events::RunDescription description;
};
Read ReadBack(const std::filesystem::path& file) {
  timeline::Builder builder;
  const auto summary = trace::ReadTide(file, [&](auto events) { builder.Append(events); });
  REQUIRE(summary.ok());
  CHECK(summary->complete);
  return {builder.Publish(), summary->description};
}

int64_t Unmatched(const timeline::View& view) {
  const timeline::Health& health = view.health();
  return static_cast<int64_t>(health.unmatched_steps + health.unmatched_frees + health.double_allocations);
}

std::unique_ptr<Recording> Started(const std::filesystem::path& file, const KeptPart& kept) {
  Result<std::unique_ptr<Recording>> recording = StartRecording(file, {}, kept);
  REQUIRE(recording.ok());
  return std::move(*recording);
}

void Feed(Recording& recording, timeline::Builder& builder, std::span<const Event> events) {
  constexpr size_t kBatch = 1000;
  while (!events.empty()) {
    const auto batch = events.first(std::min(events.size(), kBatch));
    CHECK(recording.Append(batch, builder).ok());
    events = events.subspan(batch.size());
  }
}

}  // namespace

TEST_CASE("The last steps begin with a step; all of a run is kept that has no more") {
  const auto view = Training(20).Publish();
  CHECK(LastPartOf(*view, {.steps = 5}).begin == view->steps()[15].begin);
  CHECK(LastPartOf(*view, {.steps = 5}).end == view->end());
  CHECK(LastPartOf(*view, {.steps = 20}).begin == 0);
  CHECK(LastPartOf(*view, {.steps = 100}).begin == 0);
  CHECK(LastPartOf(*timeline::Builder().Publish(), {.steps = 5}).end == 0);
}

TEST_CASE("A step under way comes after the last ones, and is none of them") {
  Stream stream = Training(20);
  stream.BeginStep(20);
  stream.Add(EventKind::kOutOfMemory, 0, 1 << 30);
  const auto view = stream.Publish();
  const trace::Part part = LastPartOf(*view, {.steps = 5});
  CHECK(part.begin == view->steps()[15].begin);
  const auto kept = ViewOf(*view, part);
  CHECK(NumbersOf(*kept) == std::vector<int64_t>{15, 16, 17, 18, 19, 20});
  CHECK(kept->out_of_memory().size() == 1);
  CHECK(NoteOfPart(*view, part, LastOfRun{.steps = 5}) ==
        "Only a part of the run is in it: steps 15 to 19 of 20, and what followed. The 62 events before were "
        "let go.");
}

TEST_CASE("Of a view that had to let go the first whole step is the beginning, unless it comes late") {
  const auto let_go = Training(20'000).Publish(32'768);
  REQUIRE(let_go->step_under_way());
  CHECK(LastPartOf(*let_go, {.bytes = 1 << 20}).begin == let_go->steps().front().begin);
  Stream late = Training(1);
  late.BeginStep(1);
  for (int i = 0; i < 60'000; ++i) late.BeginPhase(events::Phase::kForward);
  late.EndStep(1);
  AddStep(late, 2);
  const auto view = late.Publish(32'768);
  CHECK(LastPartOf(*view, {.bytes = 1 << 20}).begin == view->first());
}

TEST_CASE("What is told of the first steps later is in the part, with all that it is about") {
  Stream joined;  // a generator and two discriminators
  AddStep(joined, 0);
  AddStep(joined, 1);
  joined.BeginStep(2);
  joined.EndStep(0);
  AddStep(joined, 1);
  const auto one = joined.Publish();
  REQUIRE(NumbersOf(*one) == std::vector<int64_t>{0, 1});
  const auto last = ViewOf(*one, LastPartOf(*one, {.steps = 1}));
  CHECK(NumbersOf(*last) == std::vector<int64_t>{1});
  CHECK(Unmatched(*last) == 0);

  Stream other;  // its second training was taken for the first one's second optimizer
  AddStep(other, 0);
  AddStep(other, 1);
  other.BeginStep(2);
  other.EndStep(0);
  other.BeginStep(1);
  other.EndStep(3);
  AddStep(other, 4);
  const auto view = other.Publish();
  const std::vector<int64_t> all = NumbersOf(*view);
  REQUIRE(all == std::vector<int64_t>{0, 1, 2, 3, 4});
  for (int64_t steps = 1; steps < static_cast<int64_t>(all.size()); ++steps) {
    const auto kept = ViewOf(*view, LastPartOf(*view, {.steps = steps}));
    const auto count = static_cast<std::ptrdiff_t>(kept->steps().size());
    CHECK(count >= steps);
    CHECK(NumbersOf(*kept) == std::vector<int64_t>(all.end() - count, all.end()));
    CHECK(Unmatched(*kept) == 0);
  }
}

TEST_CASE("Some steps are from the beginning of the first to the end of the last, as far as they came") {
  const auto view = Training(20).Publish();
  const auto part = StepsPartOf(*view, {.first = 3, .last = 5});
  REQUIRE(part);
  CHECK(part->begin == view->steps()[3].begin);
  CHECK(part->end == view->steps()[5].end + 1);
  CHECK(StepsPartOf(*view, {.first = 18, .last = 30})->end == view->end());
  CHECK_FALSE(StepsPartOf(*view, {.first = 20, .last = 30}));
  CHECK(NoteOfPart(*view, *part, StepsOfRun{.first = 3, .last = 5}) ==
        "Only a part of the run is in it: steps 3 to 5.");
  CHECK(NoteOfPart(*view, *StepsPartOf(*view, {.first = 18, .last = 30}),
                   StepsOfRun{.first = 18, .last = 30}) ==
        "Only a part of the run is in it: steps 18 to 19. It ended before the others.");
  CHECK(WhyNoStepOf({.first = 20, .last = 20}, 20) ==
        "It ended after step 19, so step 20 could not be recorded, and no file was written. Its steps are "
        "numbered from 0.");
  CHECK(WhyNoStepOf({.first = 1, .last = 2}, 0) ==
        "It came to no step, so steps 1 to 2 could not be recorded, and no file was written.");
}

TEST_CASE("A larger peak before what is kept is told, with its step") {
  Stream stream = Training(10);
  stream.Add(EventKind::kSegmentAllocate, kActivation, 8 << 20);
  AddStep(stream, 10, 4 << 20);
  for (int step = 11; step < 30; ++step) AddStep(stream, step);
  const auto view = stream.Publish();
  const std::string note = NoteOfPart(*view, LastPartOf(*view, {.steps = 5}), LastOfRun{.steps = 5});
  CHECK(note.ends_with(" More was held at other times: 4.0 MiB allocated in step 10."));
  CHECK(HoldsPart({"Another.", note}));
  CHECK_FALSE(HoldsPart({"Another."}));
  CHECK(NoteOfPart(*view, LastPartOf(*view, {.steps = 100}), LastOfRun{.steps = 100}).empty());
}

TEST_CASE("The last steps of a long run are what its file and its run hold; the others are let go of") {
  const trace::Scratch scratch;
  const Stream stream = Training(20'000);
  timeline::Builder builder;
  const auto recording = Started(scratch / "run.tide", LastOfRun{.steps = 20});
  Feed(*recording, builder, stream.events());
  CHECK(builder.Publish()->end() - builder.Publish()->first() < 3 * 16'384);
  trace::WriteFile(trace::BookmarksFileOf(scratch / "run.tide"), "[]");  // of an earlier recording
  const Recording::Closed closed = recording->Close(builder);
  CHECK(closed.written.ok());
  CHECK((closed.has_file && closed.has_end));
  const Read read = ReadBack(scratch / "run.tide");
  REQUIRE(read.view->steps().size() == 20);
  CHECK(read.view->steps().front().number == 19'980);
  CHECK(Unmatched(*read.view) == 0);
  CHECK(read.view->StateAt(read.view->end() - 1).blocks.size() == 1);
  CHECK(read.description.notes == std::vector<std::string>{closed.note});
  CHECK(
      closed.note.starts_with("Only a part of the run is in it: steps 19,980 to 19,999 of 20,000, and what"));
  REQUIRE(closed.part != nullptr);
  CHECK(closed.part->end() == read.view->end());
  CHECK(scratch.FileCount() == 1);
}

TEST_CASE("A size keeps about as much, of a run without steps, too") {
  const trace::Scratch scratch;
  Stream stream;
  stream.Allocate(kParameter, 4096, events::Category::kParameter);
  for (int i = 0; i < 400'000; ++i) {
    stream.Allocate(kActivation + static_cast<uint64_t>(i % 977) * 512, 512);
    stream.Free(kActivation + static_cast<uint64_t>(i % 977) * 512);
  }
  timeline::Builder builder;
  const auto recording = Started(scratch / "run.tide", LastOfRun{.steps = 0, .bytes = 2'000'000});
  Feed(*recording, builder, stream.events());
  const Recording::Closed closed = recording->Close(builder);
  CHECK(closed.written.ok());
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(scratch / "run.tide"));
  CHECK((bytes > 500'000 && bytes < 2'000'000));
  const Read read = ReadBack(scratch / "run.tide");
  CHECK(Unmatched(*read.view) == 0);
  CHECK(read.view->StateAt(read.view->end() - 1).blocks.size() == 1);
}

TEST_CASE("When memory runs out the last steps are saved at once: their recorder may be gone soon") {
  const trace::Scratch scratch;
  const auto file = scratch / "run.tide";
  Stream stream = Training(20'000);
  stream.BeginStep(20'000);
  stream.Add(EventKind::kOutOfMemory, 0, 1 << 30);
  timeline::Builder builder;
  {
    const auto recording = Started(file, LastOfRun{.steps = 2});
    Feed(*recording, builder, stream.events());
  }
  const Read read = ReadBack(file);
  CHECK(NumbersOf(*read.view) == std::vector<int64_t>{19'998, 19'999, 20'000});
  CHECK(read.view->out_of_memory().size() == 1);
  REQUIRE(read.description.notes.size() == 2);
  CHECK(read.description.notes[1] ==
        "Saved while the program went on, in step 20,000: what came later is not in it.");
  CHECK(scratch.FileCount() == 1);
}

TEST_CASE("While a run's last steps are recorded nothing else is under their name") {
  const trace::Scratch scratch;
  const auto file = scratch / "run.tide";
  if (GENERATE(false, true)) REQUIRE(trace::SaveTide(*Training(3).Publish(), {}, file).ok());
  const auto before = std::filesystem::exists(file) ? trace::ReadFile(file) : "";
  timeline::Builder builder;
  const auto recording = Started(file, LastOfRun{.steps = 2});
  const auto is_refused = [&file](const Status& status) {
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().message == file.string() +
                                        " is being recorded right now. Choose another name, or end that "
                                        "recording first.");
  };
  const auto check_all_are_refused = [&] {
    for (const KeptPart& kept : {KeptPart(LastOfRun{.steps = 5}), KeptPart(AllOfRun{})}) {
      const auto second = StartRecording(file, {}, kept);
      is_refused(second.ok() ? Status(Done{}) : second.error());
    }
    is_refused(trace::CanBeRecorded(file));
    is_refused(trace::SaveTide(*Training(3).Publish(), {}, file));
  };
  check_all_are_refused();
  if (before.empty())
    CHECK(ReadBack(file).view->empty());  // a recording already
  else
    CHECK(trace::ReadFile(file) == before);
  Stream stream = Training(20);
  stream.Add(EventKind::kOutOfMemory, 0, 1 << 30);
  Feed(*recording, builder, stream.events());
  while (ReadBack(file).view->out_of_memory().empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  check_all_are_refused();  // it is another file now
  CHECK(recording->Close(builder).written.ok());
  CHECK(NumbersOf(*ReadBack(file).view) == std::vector<int64_t>{18, 19});
  CHECK(trace::CanBeRecorded(file).ok());
  CHECK(scratch.FileCount() == 1);
}

TEST_CASE("Where the end cannot be saved, what was saved before stays, and that is said") {
  const trace::Scratch scratch;
  const auto file = scratch / "run.tide";
  Stream stream = Training(20);
  stream.Add(EventKind::kOutOfMemory, 0, 1 << 30);
  timeline::Builder builder;
  const auto recording = Started(file, LastOfRun{.steps = 2});
  Feed(*recording, builder, stream.events());
  while (ReadBack(file).view->empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto moved = scratch / "moved.tide";
  std::filesystem::rename(file, moved);
  std::filesystem::create_directory(file);  // so that nothing can take its place
  const Recording::Closed closed = recording->Close(builder);
  REQUIRE_FALSE(closed.written.ok());
  CHECK(closed.written.error().message.ends_with(" holds what was saved of the run before its end."));
  CHECK((closed.has_file && !closed.has_end));
  REQUIRE(closed.part != nullptr);
  CHECK(closed.part->steps().size() == 2);
}

TEST_CASE("Steps are written as they come, what is alive before them; after them nothing is") {
  const trace::Scratch scratch;
  const auto file = scratch / "run.tide";
  const Stream stream = Training(10'000);
  timeline::Builder builder;
  const auto recording = Started(file, StepsOfRun{.first = 9'000, .last = 9'500});
  const auto events = std::span(stream.events());
  Feed(*recording, builder, events.first(4 * 9'400));
  CHECK(std::filesystem::exists(file));
  CHECK(builder.Publish()->end() - builder.Publish()->first() < 3 * 16'384);
  Feed(*recording, builder, events.subspan(4 * 9'400));
  const Read before = ReadBack(file);  // it is closed, though the run goes on
  const Recording::Closed closed = recording->Close(builder);
  CHECK(closed.written.ok());
  CHECK((closed.has_file && !closed.has_end));
  REQUIRE(before.view->steps().size() == 501);
  CHECK(before.view->steps().front().number == 9'000);
  CHECK(before.view->steps().back().complete);
  CHECK(Unmatched(*before.view) == 0);
  CHECK(before.view->StateAt(before.view->end() - 1).blocks.size() == 1);
  CHECK(before.description.notes ==
        std::vector<std::string>{"Only a part of the run is in it: steps 9,000 to 9,500."});
  REQUIRE(closed.part != nullptr);
  CHECK(NumbersOf(*closed.part) == NumbersOf(*before.view));
  CHECK(ReadBack(file).view->end() == before.view->end());
}

TEST_CASE("A run's first steps are written once it is settled that they were these") {
  const trace::Scratch scratch;
  const auto file = scratch / "run.tide";
  const int64_t steps = GENERATE(4, 50);
  timeline::Builder builder;
  const auto recording = Started(file, StepsOfRun{.first = 1, .last = 2});
  Feed(*recording, builder, Training(steps).events());
  CHECK(std::filesystem::exists(file) == (steps == 50));
  CHECK(recording->Close(builder).written.ok());
  const Read read = ReadBack(file);
  CHECK(NumbersOf(*read.view) == std::vector<int64_t>{1, 2});
  CHECK(Unmatched(*read.view) == 0);
}

TEST_CASE("A run that ends before the first step leaves no file, and another's as it was") {
  const trace::Scratch scratch;
  const auto file = scratch / "run.tide";
  trace::WriteFile(file, "another");
  timeline::Builder builder;
  const auto recording = Started(file, StepsOfRun{.first = 100, .last = 110});
  Feed(*recording, builder, Training(30).events());
  const Recording::Closed closed = recording->Close(builder);
  REQUIRE_FALSE(closed.written.ok());
  CHECK(closed.written.error().message.starts_with("It ended after step 29, so steps 100 to 110"));
  CHECK_FALSE(closed.has_file);
  REQUIRE(closed.part != nullptr);
  CHECK(closed.part->empty());
  CHECK(trace::ReadFile(file) == "another");
}

TEST_CASE("A run that ends within the steps is recorded to its end") {
  const trace::Scratch scratch;
  timeline::Builder builder;
  const auto recording = Started(scratch / "run.tide", StepsOfRun{.first = 28, .last = 110});
  Stream stream = Training(30);
  stream.BeginStep(30);
  Feed(*recording, builder, stream.events());
  const Recording::Closed closed = recording->Close(builder);
  CHECK((closed.has_file && closed.has_end));
  CHECK(closed.note == "Only a part of the run is in it: steps 28 to 29. It ended before the others.");
  CHECK(NumbersOf(*ReadBack(scratch / "run.tide").view) == std::vector<int64_t>{28, 29, 30});
}

TEST_CASE("Kernels of the last step are told after its end, and those of the next are not") {
  const trace::Scratch scratch;
  timeline::Builder builder;
  const auto recording = Started(scratch / "run.tide", StepsOfRun{.first = 20, .last = 21});
  Stream stream = Training(20);
  const auto add_kernel = [&stream](int64_t begin_ns) {
    stream.Add(EventKind::kKernel, static_cast<uint64_t>(begin_ns)).rounded_bytes = 100;
  };
  const auto now_ns = [&stream] { return stream.events().back().time_ns; };
  AddStep(stream, 20);
  add_kernel(now_ns());
  const size_t in_first_batch = GENERATE(false, true) ? stream.events().size() : 0;  // all is in one, or not
  AddStep(stream, 21);
  const int64_t in_last_ns = now_ns() - 10;
  AddStep(stream, 22);
  add_kernel(in_last_ns);
  add_kernel(now_ns());
  AddStep(stream, 23);
  const std::span<const Event> events = stream.events();
  Feed(*recording, builder, events.first(in_first_batch));
  Feed(*recording, builder, events.subspan(in_first_batch));
  CHECK(recording->Close(builder).written.ok());
  const Read read = ReadBack(scratch / "run.tide");
  CHECK(NumbersOf(*read.view) == std::vector<int64_t>{20, 21});
  REQUIRE(read.view->device_work().size() == 1);
  CHECK(read.view->device_work()[0].count == 2);
}

}  // namespace tidemark::session
