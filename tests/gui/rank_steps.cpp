// The ranks of a run: opened together, stacked, and trained beside each other.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/window_opener.h"
#include "profiler/base/check.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/transport/listener.h"
#include "profiler/session/program_recorder.h"
#include "profiler/trace/tide.h"
#include "tests/gui/steps.h"
#include "tests/support/fake_rank.h"

namespace tidemark::gui {

namespace fs = std::filesystem;

// The same run as eight ranks.
void OpensRanks(ImGuiTestContext* context) {
  const auto shows = [](const char* name) {
    return [name] { return application().title().find(name) != std::string::npos; };
  };
  fs::create_directories(Artefacts() / "ranks");
  std::vector<fs::path> files;
  for (int rank = 0; rank < 8; ++rank) {
    files.push_back(Artefacts() / "ranks" / ("run.rank" + std::to_string(rank) + ".tide"));
    fs::copy_file(Artefacts() / "saved.tide", files.back(), fs::copy_options::overwrite_existing);
  }
  application().Push(OpenRanks{files});
  IM_CHECK(WaitUntil(context, shows("run.rank0.tide")));  // the first of equals
  application().Push(CompareRanksAt{Run().view->steps().front().number});
  context->ItemClick("##ranks/rank bars");  // in the middle, where no bar is
  context->Yield(2);
  IM_CHECK(shows("run.rank0.tide")());
  application().Push(OpenRank{5});
  IM_CHECK(WaitUntil(context, shows("run.rank5.tide")));
  IM_CHECK(application().view_state().pinned.has_value());
  Picture(context, "ranks");
  context->ItemClick("//###timeline/###stack");
  context->ItemClick("//$FOCUSED/rank");
  const auto plot = [] { return application().frame()->timeline.plot; };
  IM_CHECK(WaitUntil(context, [&] { return plot()->groups.size() == 8; }));
  for (size_t i = 0; i < plot()->grouped.size(); ++i) {  // each as the one that is shown
    const auto& column = plot()->columns[i / 8];
    IM_CHECK_GE(plot()->grouped[i], ValueOf(column.at_peak, timeline::Series::kAllocated));
  }
  IM_CHECK(plot()->group_ranks[3] == 3);
  Picture(context, "stack-by-rank");
  context->ItemClick("//**/legend rank 3");
  IM_CHECK(WaitUntil(context, shows("run.rank3.tide")));
  IM_CHECK(WaitUntil(context, [&] { return plot()->groups.size() == 8; }));
  application().view_state().timeline.stack = {};
  context->ItemClick("##ranks/###close ranks");
  context->Yield(2);
  IM_CHECK(!context->ItemExists("##ranks/rank bars"));
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

namespace {

// A step of a program that takes 3 MiB on its first card and 5 MiB on its second.
fs::path RecordingOfTwoCards() {
  using events::Event;
  using events::EventKind;
  const fs::path file = Artefacts() / "two-cards.tide";
  events::RunDescription description;
  description.title = "two.py on phantom NVIDIA T4";
  description.device = "phantom";
  description.device_name = "NVIDIA T4";
  description.device_bytes = int64_t{15} << 30;
  std::vector<Event> events;
  const auto add = [&](Event event) {
    event.time_ns = static_cast<int64_t>(events.size()) * 1000;
    events.push_back(event);
  };
  Event step;
  step.kind = EventKind::kStepBegin;
  add(step);
  for (uint8_t device = 0; device < 2; ++device) {
    Event segment;
    segment.kind = EventKind::kSegmentAllocate;
    segment.device = device;
    segment.address = 0x10000000 * (device + 1U);
    segment.bytes = segment.rounded_bytes = int64_t{20} << 20;
    add(segment);
    Event block = segment;
    block.kind = EventKind::kAllocate;
    block.bytes = block.rounded_bytes = (3 + 2 * device) << 20;
    add(block);
  }
  step.kind = EventKind::kStepEnd;
  add(step);
  Result<trace::TideWriter> writer = trace::TideWriter::Create(file, description);
  TIDEMARK_CHECK(writer && writer->Append(events) && writer->Close());
  return file;
}

}  // namespace

// Of a program's cards one alone: in all panels, by the word beside the stack's, or by its name.
void ShowsOneCard(ImGuiTestContext* context) {
  application().Push(OpenRecording{RecordingOfTwoCards()});
  const auto shows = [](const char* recording, int64_t mebibytes) {
    return [=] {
      return Run().recording == recording &&
             ValueOf(Run().view->PeakIn(timeline::Series::kAllocated, 0, Run().view->end()).values,
                     timeline::Series::kAllocated) == mebibytes << 20;
    };
  };
  IM_CHECK(WaitUntil(context, shows("two-cards.tide", 8)));
  context->Yield(2);
  IM_CHECK_STR_EQ(application().frame()->program->state.c_str(), "an opened file");
  Picture(context, "all-cards");
  context->ItemClick("//###timeline/###cards");
  context->ItemClick("//$FOCUSED/cuda:1");
  IM_CHECK(WaitUntil(context, shows("two-cards.tide, cuda:1", 5)));
  context->Yield(3);
  IM_CHECK_EQ(application().frame()->memory_map.state->segments.size(), 1U);
  Picture(context, "one-card");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  context->Yield(2);
  context->KeyChars("show cuda:0 alone");
  context->Yield(2);
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, shows("two-cards.tide, cuda:0", 3)));
  application().Push(ShowCard{});
  IM_CHECK(WaitUntil(context, shows("two-cards.tide", 8)));
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

// The same of a program that goes on: it is not ended by it, and what comes next is shown, too.
void ShowsOneCardLive(ImGuiTestContext* context) {
  session::RecorderOptions options;
  options.first_only = true;
  options.is_watched = true;
  options.description.title = "two.py on phantom NVIDIA T4";
  options.description.command = "python two.py";
  const Result<std::unique_ptr<session::ProgramRecorder>> recorder = session::ProgramRecorder::Start(options);
  IM_CHECK(recorder.ok());
  const std::string& entry = (*recorder)->environment_entry();
  auto ring = transport::AskForRing(entry.substr(entry.find('=') + 1));
  IM_CHECK(ring.ok() && ring->has_value());
  int64_t time_ns = 0;
  const auto allocate = [&](uint8_t device, int64_t mebibytes) {
    events::Event event;
    event.time_ns = ++time_ns;
    event.kind = events::EventKind::kAllocate;
    event.device = device;
    event.address = 0x10000000 * static_cast<uint64_t>(time_ns);
    event.bytes = event.rounded_bytes = mebibytes << 20;
    return (*ring)->Push(event);
  };
  const auto shows = [](int64_t mebibytes) {
    return [=] {
      return Run().view != nullptr &&
             ValueOf(Run().view->PeakIn(timeline::Series::kAllocated, 0, Run().view->end()).values,
                     timeline::Series::kAllocated) == mebibytes << 20;
    };
  };
  IM_CHECK(allocate(0, 3));
  application().ShowRun((*recorder)->first());
  IM_CHECK(WaitUntil(context, shows(3)));
  IM_CHECK(!context->ItemExists("//###timeline/###cards"));
  IM_CHECK(allocate(1, 5));
  IM_CHECK(WaitUntil(context, shows(8)));
  context->Yield(2);
  context->ItemClick("//###timeline/###cards");
  context->ItemClick("//$FOCUSED/cuda:1");
  IM_CHECK(WaitUntil(context, shows(5)));
  IM_CHECK_STR_EQ(Run().description.title.c_str(), "two.py on phantom NVIDIA T4, cuda:1");
  IM_CHECK(allocate(0, 7) && allocate(1, 2));
  IM_CHECK(WaitUntil(context, shows(7)));
  Picture(context, "one-card-live");
  // What is noted of a card is noted of the run, and kept with it.
  application().Push(
      KeepBookmark{application().shown_process(), Run().view->TimeOf(Run().view->end() - 1), "of cuda:1"});
  const auto is_noted = [] { return application().frame()->bookmarks.size() == 1; };
  IM_CHECK(WaitUntil(context, is_noted));
  (*recorder)->End(0);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == session::RunState::kFinished; }));
  application().Push(ShowCard{});
  IM_CHECK(WaitUntil(context, shows(17)));
  IM_CHECK(WaitUntil(context, is_noted));
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  const auto is_bookmarks_file = [](const auto& file) {
    return file.path().string().ends_with(".tide.bookmarks.json");
  };
  IM_CHECK(std::ranges::any_of(std::filesystem::directory_iterator(KeptRuns()), is_bookmarks_file));
  IM_CHECK(Run().shown_cards.all.empty() && !Run().shown_cards.alone);
  IM_CHECK(WaitForSteps(context, 2));
}

// Two processes on the CPU, beside each other: one is shown, then the other.
void TrainsOnRanks(ImGuiTestContext* context) {
  const networks::DeviceChoice phantom = Run().device;
  const networks::TrainingSettings alone = application().settings();
  networks::TrainingSettings ranked = alone;
  ranked.network = "smaller-conv-net";
  ranked.batch = 4;
  application().Push(ChooseDevice{{networks::DeviceKind::kCpu, 0, phantom.card}});
  IM_CHECK(WaitUntil(context, [] { return Run().live && Run().description.device == "cpu"; }));
  ranked.ranks = 2;
  application().Push(ChangeSettings{ranked});  // which takes other processes
  const auto shows = [](const char* rank) {
    return [rank] { return Run().live && Run().description.title.find(rank) != std::string::npos; };
  };
  IM_CHECK(WaitUntil(context, shows("rank 0 of 2")));
  IM_CHECK(WaitForSteps(context, 3));
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("##ranks/rank bars"); }));
  application().Push(OpenRank{1});
  IM_CHECK(WaitUntil(context, shows("rank 1 of 2")));
  IM_CHECK_EQ(Run().description.rank, 1);
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "ranks-live");
  context->ItemClick("//##ranks/###close ranks");
  IM_CHECK(WaitUntil(context, [&] { return !context->ItemExists("//##ranks/rank bars"); }));
  IM_CHECK(shows("rank 1 of 2")());
  application().Push(ActionId::kRankStrip);
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//##ranks/rank bars"); }));
  application().view_state().timeline.stack = {presenters::StackBy::kRank, ""};
  const auto plot = [] { return application().frame()->timeline.plot; };
  IM_CHECK(WaitUntil(context, [&] { return plot()->groups.size() == 2; }));
  int64_t highest = 0;  // of the one that is not shown, from the first frame on
  for (size_t i = 0; i < plot()->grouped.size(); i += 2) highest = std::max(highest, plot()->grouped[i]);
  IM_CHECK_GT(highest, 0);
  application().view_state().timeline.stack = {};
  ranked.pipeline = networks::PipelineSchedule::kOneForwardOneBackward;
  ranked.accumulate = 2;
  application().Push(ChangeSettings{ranked});
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "stages-live");
  application().Push(ChooseDevice{phantom});
  application().Push(ChangeSettings{alone});
  IM_CHECK(WaitUntil(context, [] { return Run().live && Run().description.device == "phantom"; }));
  IM_CHECK(WaitUntil(context, [&] { return !context->ItemExists("##ranks/rank bars"); }));
  IM_CHECK(WaitForSteps(context, 2));
}

// A launcher that somebody started, and its ranks as they come: the lowest is shown until another is asked
// for.
void WatchesRanks(ImGuiTestContext* context) {
  session::RecorderOptions options;
  options.is_watched = true;
  options.description.title = "train.py";
  options.description.command = "torchrun --nproc-per-node 3 train.py";
  const Result<std::unique_ptr<session::ProgramRecorder>> recorder = session::ProgramRecorder::Start(options);
  IM_CHECK(recorder.ok());
  const std::string& entry = (*recorder)->environment_entry();
  const auto shows = [](const char* rank) {
    return [rank] { return Run().description.title.find(rank) != std::string::npos; };
  };
  application().ShowRun((*recorder)->watched());
  IM_CHECK_EQ(RunFakeRank(entry, -1, 0), 0);
  IM_CHECK_EQ(RunFakeRank(entry, 2, 3), 0);
  IM_CHECK(WaitUntil(context, shows("rank 2 of 3")));
  context->Yield(4);
  IM_CHECK(!context->ItemExists("//##ranks/rank bars"));  // nothing to hold it against
  IM_CHECK_EQ(RunFakeRank(entry, 0, 3), 0);
  IM_CHECK(WaitUntil(context, shows("rank 0 of 3")));
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//##ranks/rank bars"); }));
  application().Push(OpenRank{2});
  IM_CHECK(WaitUntil(context, shows("rank 2 of 3")));
  IM_CHECK_EQ(RunFakeRank(entry, 1, 3), 0);
  IM_CHECK(WaitUntil(context, [] {
    const auto& ranks = Run().ranks;
    return ranks != nullptr && ranks->ranks.size() == 3 && ranks->ranks[2].allocated == 3 << 20;
  }));
  IM_CHECK(shows("rank 2 of 3")());
  IM_CHECK_EQ(*Run().shown_rank, 2U);
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//##ranks/rank bars"); }));
  Picture(context, "ranks-watched");
  (*recorder)->End(0);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == session::RunState::kFinished; }));
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

namespace {

// `tidemark record --attach-window -- ...` in this process: what it would open the window with comes here.
class AttachedWindow {
 public:
  explicit AttachedWindow(std::vector<std::string> words) : words_(std::move(words)) {
    exit_code_ = std::async(std::launch::async, [this] {
      std::vector<char*> pointers;
      for (std::string& word : words_) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      return cli::RunCommandLine(static_cast<int>(words_.size()), pointers.data(),
                                 [this](const cli::WindowContent& content) {
                                   content.opened();
                                   run_.set_value(content.run);
                                   closed_.get_future().wait();
                                   return cli::kExitDone;
                                 });
    });
  }
  std::shared_ptr<session::Run> run() { return run_.get_future().get(); }
  int Close() {
    closed_.set_value();
    return exit_code_.get();
  }

 private:
  std::vector<std::string> words_;
  std::promise<std::shared_ptr<session::Run>> run_;
  std::promise<void> closed_;
  std::future<int> exit_code_;
};

}  // namespace

// The command for it, with a launcher of four ranks: all four are in the window, while they go on and after.
void RecordsALauncher(ImGuiTestContext* context) {
  const fs::path goes_on = Artefacts() / "launcher-goes-on";
  std::ofstream(goes_on) << "yes";
  const std::string launcher =
      std::string("for rank in 3 1 0 2; do RANK=$rank WORLD_SIZE=4 LOCAL_RANK=$rank ") + TIDEMARK_FAKE_RANK +
      " \"$" + capture::kProbeSocketVariable + "\" $((rank + 1)) & done; wait; while [ -e '" +
      goes_on.string() + "' ]; do sleep 0.05; done; exit 5";
  AttachedWindow window({"tidemark", "record", "--attach-window", "--", "bash", "-c", launcher});
  application().ShowRun(window.run());
  const auto shows_all = [] {
    const auto& ranks = Run().ranks;
    if (ranks == nullptr || ranks->ranks.size() != 4) return false;
    for (int64_t rank = 0; rank < 4; ++rank) {
      const session::RankPeaks& peaks = ranks->ranks[static_cast<size_t>(rank)];
      if (peaks.rank != rank || peaks.allocated != (rank + 1) << 20) return false;
    }
    return true;
  };
  IM_CHECK(WaitUntil(context, shows_all));
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//##ranks/rank bars"); }));
  IM_CHECK(
      WaitUntil(context, [] { return Run().description.title.find("rank 0 of 4") != std::string::npos; }));
  IM_CHECK(Run().status.state == session::RunState::kRunning);  // its launcher goes on
  Picture(context, "launcher-recorded");
  fs::remove(goes_on);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state > session::RunState::kPaused; }));
  IM_CHECK(shows_all());
  IM_CHECK_EQ(window.Close(), 5);
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

}  // namespace tidemark::gui
