// Files: exported, dropped, saved and opened, laid over the run.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "profiler/session/followed_run.h"
#include "profiler/trace/tide.h"
#include "tests/gui/steps.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;
using session::RunState;

// As they stand beside each other where this panel is.
std::vector<ImGuiID> TabsBeside(ImGuiTestContext* context, const char* panel) {
  std::vector<ImGuiID> tabs;
  for (const ImGuiTabItem& tab : context->WindowInfo(panel).Window->DockNode->TabBar->Tabs)
    tabs.push_back(tab.Window->ID);
  return tabs;
}

}  // namespace

void Exports(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "export.json";
  std::error_code ignored;
  fs::remove(file, ignored);
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  context->Yield(3);
  Picture(context, "export-dialog");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  context->KeyChars(file.c_str());
  context->KeyPress(ImGuiKey_Enter);
  const auto exported = [&] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text.find("Exported") != std::string::npos;
  };
  IM_CHECK(WaitUntil(context, exported));
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  IM_CHECK_GT(text.size(), 1000U);
  IM_CHECK(text.find("traceEvents") != std::string::npos);
}

namespace {

void WriteNetwork(const fs::path& file, bool is_wide) {
  const char* const hidden = R"({"name": "wide", "kind": "linear", "in": 3072, "out": 1024},)";
  std::ofstream(file)
      << R"({"title": "Dropped", "description": "One layer.", "input": [3, 32, 32], "classes": 10,
    "layers": [{"name": "rows", "kind": "flatten"}, )"
      << (is_wide ? hidden : "") << R"({"name": "only", "kind": "linear", "in": )" << (is_wide ? 1024 : 3072)
      << R"(, "out": 10}]})";
}

// Edited and dropped again it is trained anew, and theory is of the file as it is now.
void TakesItsEditedFile(ImGuiTestContext* context, const fs::path& file) {
  constexpr int64_t kWide = 10'000'000;
  const auto all_say = [](bool is_wide) {
    const auto& rows = application().frame()->breakdown.breakdown->rows;
    const auto row =
        std::ranges::find(rows, events::Category::kParameter, &presenters::BreakdownRow::category);
    return row != rows.end() &&
           std::ranges::all_of(
               std::vector{row->textbook_bytes, row->phantom_bytes, row->measured_bytes},
               [&](const std::optional<int64_t>& bytes) { return bytes && (*bytes > kWide) == is_wide; });
  };
  IM_CHECK(WaitUntil(context, [&] { return all_say(false); }));
  WriteNetwork(file, true);
  application().TakeDropped({file}, false);
  IM_CHECK(WaitUntil(
      context, [&] { return all_say(true); }, 30));
  WriteNetwork(file, false);
  application().TakeDropped({file}, false);
  IM_CHECK(WaitUntil(context, [&] { return all_say(false); }));
}

}  // namespace

// A network of one's own, and CIFAR-10 for it; a network that does not take it leaves it behind.
void TakesWhatIsDropped(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  const fs::path file = Artefacts() / "dropped.json";
  WriteNetwork(file, false);
  const auto has_layer = [] {
    const auto& rows = *application().frame()->layers.rows;
    return rows.size() == 2 && rows.back().name == "only" && rows.back().parameters == 30'730;
  };
  application().TakeDropped({file}, false);
  IM_CHECK(WaitUntil(context, has_layer));
  TakesItsEditedFile(context, file);
  const fs::path folder = Artefacts() / "cifar-10";
  fs::create_directories(folder);
  std::ofstream(folder / "data_batch_1.bin", std::ios::binary) << std::string(10 * 3073, '\x05');
  application().TakeDropped({folder}, false);
  IM_CHECK(WaitUntil(context, [&] { return application().settings().data == folder.string(); }));
  IM_CHECK(
      WaitUntil(context, [] { return Run().live && Run().view->markers().back().text.find("data") == 0; }));
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "dropped");
  application().Push(ActionId::kChooseData);
  context->Yield(3);
  Picture(context, "data-dialog");
  context->KeyPress(ImGuiKey_Escape);
  networks::TrainingSettings other = application().settings();
  other.network = "dcgan";
  application().Push(ChangeSettings{other});
  IM_CHECK(WaitUntil(context, [] { return application().frame()->layers.rows->size() == 21; }));
  IM_CHECK(!application().settings().data.empty());
  IM_CHECK(WaitForSteps(context, 2));
  Picture(context, "two-networks");
  other.network = "mlp";
  application().Push(ChangeSettings{other});
  IM_CHECK(WaitUntil(context, [] { return application().settings().data.empty(); }));
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, [&before] { return application().settings() == before; }));
  IM_CHECK(WaitForSteps(context, 2));
}

// It was a file when it was listed.
void EntersWhatBecameAFolder(ImGuiTestContext* context) {
  const fs::path folder = Artefacts() / "listed";
  const fs::path changed = folder / "a recording of before.tide";
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const fs::path& file : {changed, folder / "another recording.tide"}) std::ofstream(file) << "12345";
  const fs::path before = std::exchange(application().view_state().last_folder, folder);
  application().Push(ActionId::kOpen);
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//**/###a recording of before.tide"); }));
  fs::remove(changed);
  fs::create_directories(changed);
  std::ofstream(changed / "inside.tide") << "12345";
  context->ItemDoubleClick("//**/###a recording of before.tide");
  IM_CHECK(WaitUntil(
      context, [&] { return context->ItemExists("//**/###inside.tide"); }, 10));
  IM_CHECK(!context->ItemExists("//**/###another recording.tide"));
  context->ItemClick("//file dialog/Cancel");
  application().view_state().last_folder = before;
}

// What is lost is said, in the Run log, too, where it stays.
void OpensWhatWasCut(ImGuiTestContext* context) {
  const fs::path whole = Artefacts() / "saved.tide";
  const fs::path cut = Artefacts() / "cut.tide";
  fs::copy_file(whole, cut, fs::copy_options::overwrite_existing);
  // Of a short run the first whole chunk of events is most of the file.
  fs::resize_file(cut, fs::file_size(whole) * 19 / 20);
  application().Push(OpenRecording{cut});
  const auto latest = [] {
    const auto& lines = *application().frame()->run_log.lines;
    return lines.empty() ? presenters::LogLine() : lines.back();
  };
  IM_CHECK(WaitUntil(context, [&] { return latest().text.find("as far as it goes") != std::string::npos; }));
  IM_CHECK(latest().level == presenters::LogLevel::kWarning);
  IM_CHECK_GT(latest().text.size(), ("Opened " + cut.string() + " as far as it goes. ").size());
  const std::string complaint = "The table of texts is no JSON object.";  // of the settings: not of one run
  application().Complain(complaint);
  application().Push(OpenRecording{whole});
  IM_CHECK(WaitUntil(context, [&] { return latest().text == "Opened " + whole.string() + "."; }));
  IM_CHECK(std::ranges::count(*application().frame()->run_log.lines, complaint, &presenters::LogLine::text) ==
           1);
}

void SavesAndOpens(ImGuiTestContext* context) {
  // It may be the first test of a window: panels are docked and steps are there in a while, and the run
  // holds.
  IM_CHECK(WaitUntil(context, [] { return CompleteSteps() >= 2; }));
  if (Run().status.state == RunState::kRunning) context->KeyPress(ImGuiKey_Space);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state != RunState::kRunning; }));
  const std::vector<ImGuiID> tabs = TabsBeside(context, "//###bridge");
  const fs::path file = Artefacts() / "saved.tide";
  std::error_code ignored;
  fs::remove(file, ignored);
  const int64_t steps = CompleteSteps();
  application().Push(KeepBookmark{application().shown_process(), Run().view->TimeOf(Run().view->end() - 1),
                                  "where it was saved"});
  IM_CHECK(WaitUntil(context, [] {
    const auto& named = application().frame()->bookmarks;
    return !named.empty() && named.back().text == "where it was saved";
  }));
  const size_t bookmarks = application().frame()->bookmarks.size();
  application().Push(SaveRecording{file});
  IM_CHECK(WaitUntil(context, [&] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text.rfind("Saved", 0) == 0;
  }));
  // After a name that is wrong the right one is typed in its place, however the wrong one was taken.
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
  context->Yield(3);
  for (const std::string& name : {std::string("no-such-file"), file.string()}) {
    context->KeyChars(name.c_str());
    context->KeyPress(ImGuiKey_Enter);
    context->Yield(2);
    if (name != file) Picture(context, "open-dialog");
    if (name != file) context->ItemClick("//file dialog/Open");
    context->Yield(2);
  }
  IM_CHECK(WaitUntil(context, [] { return !Run().live && Run().view != nullptr && !Run().view->empty(); }));
  IM_CHECK_EQ(CompleteSteps(), steps);
  IM_CHECK(WaitUntil(context, [&] { return application().frame()->bookmarks.size() == bookmarks; }));
  // What had nothing to show for a moment is where it was.
  context->Yield(4);
  IM_CHECK(TabsBeside(context, "//###bridge") == tabs);
  // The controls say what they are of, and take what the recording was trained with.
  const auto controls = [] { return application().frame()->run_controls; };
  IM_CHECK_STR_EQ(controls().recording.c_str(), "saved.tide");
  IM_CHECK(controls().recorded.has_value());
  application().Push(RecordKernels{true});
  context->Yield(3);
  IM_CHECK(controls().kernels);
  IM_CHECK_STR_EQ(controls().recording.c_str(), "saved.tide");
  IM_CHECK(!application().scene_input().starting);
  application().Push(RecordKernels{false});
  const networks::TrainingSettings recorded = *controls().recorded;
  networks::TrainingSettings other = recorded;
  other.batch = 2 * recorded.batch;
  application().Push(ChangeSettings{other});
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == other; }));
  context->Yield(2);
  Picture(context, "recording");
  context->ItemClick("//**/Take its settings");
  IM_CHECK(WaitUntil(context, [&] { return application().settings() == recorded; }));
  // What is begun with settings that were found for it is begun on its card, whatever was chosen since.
  const networks::DeviceChoice own = Run().device;
  networks::DeviceChoice next = own;
  next.card = "gtx-1650";
  application().Push(ChooseDevice{next});
  IM_CHECK(WaitUntil(context, [&] { return Run().device == next; }));
  context->Yield(2);
  IM_CHECK_STR_EQ(controls().recording.c_str(), "saved.tide");
  IM_CHECK(!application().scene_input().starting);
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [&] { return Run().device == next && Run().live; }));
  // The latest that is asked for is shown, whichever is read first.
  const fs::path asked_first = Artefacts() / "asked-first.tide";
  fs::copy_file(file, asked_first, fs::copy_options::overwrite_existing);
  application().Push(OpenRecording{asked_first});
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(context, [] { return !Run().live && Run().view != nullptr && !Run().view->empty(); }));
  IM_CHECK(WaitUntil(context, [&] { return controls().recording == "saved.tide"; }));
  IM_CHECK(WaitUntil(context, [] { return application().frame()->jobs.empty(); }));
  context->Yield(2);
  IM_CHECK_STR_EQ(controls().recording.c_str(), "saved.tide");
  application().Push(StartAgain{recorded, {}});
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK_STR_EQ(Run().device.card.c_str(), own.card.c_str());
  IM_CHECK(WaitForSteps(context, 2));
}

// By the menus, as a person does.
void OpensSamplesAndRecentFiles(ImGuiTestContext* context) {
  const fs::path folder = application().view_state().last_folder;
  const std::vector<Opening>& recent = application().view_state().recent;
  IM_CHECK(!recent.empty());
  IM_CHECK(TitleOf(recent.front()) == "saved.tide");
  const size_t known = recent.size();
  context->MenuAction(ImGuiTestAction_Open, "//##MainMenuBar/File/Samples");
  context->Yield(2);
  Picture(context, "samples-menu");
  context->MenuClick("//##MainMenuBar/File/Samples/ResNet-50 on an H200, fp16");
  IM_CHECK(WaitUntil(
      context, [] { return Run().recording == "resnet-50-amp.tide"; }, 30));
  context->MenuClick("//##MainMenuBar/Compare/Compare with a sample/ResNet-50 on an H200");
  IM_CHECK(WaitUntil(
      context, [] { return Run().compared && Run().compared->title == "resnet-50.tide"; }, 30));
  context->Yield(4);
  Picture(context, "two-samples");
  IM_CHECK(application().view_state().last_folder == folder);
  IM_CHECK_EQ(recent.size(), known);
  application().Push(ActionId::kStopComparing);
  context->MenuAction(ImGuiTestAction_Open, "//##MainMenuBar/File/Open recent");
  context->Yield(2);
  Picture(context, "recent-menu");
  context->MenuClick("//##MainMenuBar/File/Open recent/saved.tide##0");
  IM_CHECK(WaitUntil(context, [] { return Run().recording == "saved.tide"; }));
  IM_CHECK_EQ(recent.size(), known);
  context->MenuClick("//##MainMenuBar/File/Open recent/Clear this list");
  IM_CHECK(WaitUntil(context, [&] { return recent.empty(); }));
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

namespace {

std::vector<std::string> Kept() {
  std::error_code none;
  std::vector<std::string> files;
  for (fs::directory_iterator it(KeptRuns(), none), end; !none && it != end; ++it) {
    if (it->path().extension() == ".tide") files.push_back(it->path().string());
  }
  return files;
}
size_t CountKept() { return Kept().size(); }
std::string LatestKept() {
  const std::vector<std::string> files = Kept();
  return files.empty() ? "" : *std::ranges::max_element(files);
}

}  // namespace

// A run that nobody saved is there again, whatever was opened over it.
void KeepsWhatNobodySaved(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "saved.tide";
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
  const size_t before = CountKept();
  const int64_t steps = CompleteSteps();
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(context, [] { return Run().recording == "saved.tide"; }));
  IM_CHECK(WaitUntil(context, [&] { return CountKept() == before + 1; }));
  const auto is_told = [] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text.find("Earlier runs") != std::string::npos;
  };
  IM_CHECK(WaitUntil(context, is_told));
  application().Push(ActionId::kEarlierRuns);
  context->Yield(3);
  Picture(context, "earlier-runs");
  context->KeyChars(LatestKept().c_str());
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return !Run().live && Run().recording != "saved.tide"; }));
  IM_CHECK_GE(CompleteSteps(), steps);
  IM_CHECK(application().view_state().last_folder != KeptRuns());
  // One may be compared with, too.
  application().Push(ActionId::kCompareWith);
  context->Yield(3);
  context->ItemClick("//**/###kept runs");
  context->Yield(2);
  Picture(context, "compare-with-an-earlier-run");
  context->KeyCharsReplace(LatestKept().c_str());
  context->KeyPress(ImGuiKey_Enter);
  IM_CHECK(WaitUntil(context, [] { return Run().compared.has_value(); }));
  IM_CHECK(application().view_state().last_folder != KeptRuns());
  application().Push(ActionId::kStopComparing);
  IM_CHECK(WaitUntil(context, [] { return !Run().compared.has_value(); }));
  // What a file holds is not kept a second time.
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
  IM_CHECK_EQ(CountKept(), before + 1);
  context->KeyPress(ImGuiKey_Space);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
  const fs::path own = Artefacts() / "saved-before-leaving.tide";
  fs::remove(own);
  application().Push(SaveRecording{own});
  const auto is_saved = [&] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text == "Saved " + own.string() + ".";
  };
  IM_CHECK(WaitUntil(context, is_saved));
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(context, [] { return Run().recording == "saved.tide"; }));
  Rest(context, 0.5);
  IM_CHECK_EQ(CountKept(), before + 1);
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

// A run that nobody saved is nothing that a window closes over without a word.
void AsksBeforeClosing(ImGuiTestContext* context) {
  const auto is_asked = [] { return ImGui::IsPopupOpen("", kAnyPopup); };
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Q);
  IM_CHECK(WaitUntil(context, is_asked));
  context->Yield(3);
  Picture(context, "closing");
  const ImGuiContext& keys = *ImGui::GetCurrentContext();
  IM_CHECK_EQ(keys.NavId, context->ItemInfo("//**/Keep and close").ID);  // Enter presses it
  IM_CHECK(keys.NavCursorVisible);
  context->KeyPress(ImGuiKey_Escape);
  IM_CHECK(WaitUntil(context, [&] { return !is_asked(); }));
  IM_CHECK(!application().wants_to_quit());
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Q);
  IM_CHECK(WaitUntil(context, is_asked));
  context->Yield(3);
  context->ItemClick("//**/Cancel");
  IM_CHECK(WaitUntil(context, [&] { return !is_asked(); }));
  IM_CHECK(!application().wants_to_quit());
  IM_CHECK(Run().live);
}

// What was opened is gone with the start of a run: a moment that is named then is no more of its file.
void LeavesAFileForAStart(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "left-for-a-start.tide";
  fs::copy_file(Artefacts() / "saved.tide", file, fs::copy_options::overwrite_existing);
  const fs::path beside = file.string() + ".bookmarks.json";
  fs::remove(beside);
  application().view_state().timeline.magnified = 2;
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(context, [] { return Run().recording == "left-for-a-start.tide"; }));
  IM_CHECK_EQ(application().view_state().timeline.magnified, 1);
  const int64_t last = Run().view->TimeOf(Run().view->end() - 1);
  const auto of_file = application().shown_process();
  application().Push(KeepBookmark{of_file, last, "of the file"});
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(beside); }));
  fs::remove(beside);
  application().Push(ActionId::kNewRun);
  application().Push(KeepBookmark{of_file, last, "while a run starts"});
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(!fs::exists(beside));
  IM_CHECK(WaitForSteps(context, 2));
}

// All but a recording's end is there; then that comes too.
void FollowsARecording(ImGuiTestContext* context) {
  constexpr size_t kClosingChunk = 48;
  std::ifstream in(Artefacts() / "saved.tide", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const fs::path file = Artefacts() / "growing.tide";
  const networks::TrainingSettings settings = application().settings();
  std::ofstream out(file, std::ios::binary);
  out << whole.substr(0, whole.size() - kClosingChunk) << std::flush;
  auto run = session::FollowedRun::Open(file);
  IM_CHECK(run.ok());
  application().Follow(std::move(*run), file);
  IM_CHECK(WaitUntil(context, [] { return Run().view != nullptr && !Run().view->empty(); }));
  context->Yield(2);  // all of it may have been there at once, before there is a frame of it
  IM_CHECK_STR_EQ(application().frame()->run_controls.recording.c_str(), "growing.tide");
  IM_CHECK(Follows(Run()));
  IM_CHECK(!Run().live && !Run().can_stop);
  Picture(context, "followed");
  out << whole.substr(whole.size() - kClosingChunk) << std::flush;
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kFinished; }));
  IM_CHECK(!Follows(Run()));
  IM_CHECK_STR_EQ(Run().status.sentence.c_str(), "");
  application().Push(StartAgain{settings, {}});
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

// A program's recording, whose recorder stops and goes on, and whose program ends with an error.
void TellsHowWhatItFollowsEnds(ImGuiTestContext* context) {
  const fs::path file = Artefacts() / "followed.tide";
  events::RunDescription description;
  description.title = "train.py";
  description.command = "python train.py";
  auto writer = trace::TideWriter::Create(file, description);
  IM_CHECK(writer.ok());
  events::Event event;
  event.time_ns = 1;
  event.kind = events::EventKind::kAllocate;
  event.address = 512;
  event.bytes = event.rounded_bytes = 1 << 30;
  IM_CHECK(writer->Append({&event, 1}).ok() && writer->Flush().ok());
  auto run = session::FollowedRun::Open(file);
  IM_CHECK(run.ok());
  application().Follow(std::move(*run), file);
  IM_CHECK(WaitUntil(context, [] { return Run().view != nullptr && !Run().view->empty(); }));
  context->Yield(4);
  IM_CHECK(!context->ItemExists("//###banner/###close banner"));
  const std::string ending = "The program ended with exit code 1.";
  std::vector<events::Event> last;
  event.kind = events::EventKind::kLoss;
  event.source = events::Source::kDriver;
  event.bytes = 12;
  last.push_back(event);
  events::CutName({.time_ns = 3, .kind = events::EventKind::kName}, 1, ending,
                  [&](const events::Event& piece) { last.push_back(piece); });
  last.push_back({.time_ns = 4, .name = 1, .kind = events::EventKind::kMarker});
  description.ending = ending;
  IM_CHECK(writer->Append(last).ok() && writer->Describe(description).ok() && writer->Close().ok());
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kFinished; }));
  IM_CHECK(WaitUntil(context, [&] { return context->ItemExists("//###banner/###close banner"); }));
  IM_CHECK(!context->ItemExists("//###banner/Start again"));
  IM_CHECK_STR_EQ(application().frame()->timeline.failure.c_str(), ending.c_str());
  Picture(context, "followed-ended");
  // One whose recorder is killed.
  const fs::path left = Artefacts() / "left.tide";
  {
    auto killed = trace::TideWriter::Create(left, description);
    IM_CHECK(killed.ok() && killed->Append(last).ok() && killed->Flush().ok());
  }
  auto followed = session::FollowedRun::Open(left);
  IM_CHECK(followed.ok());
  application().Follow(std::move(*followed), left);
  IM_CHECK(WaitUntil(context, [] { return !Run().status.sentence.empty(); }));
  context->Yield(4);
  IM_CHECK(context->ItemExists("//###banner/###close banner"));
  IM_CHECK(Follows(Run()));
  Picture(context, "followed-left");
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(WaitForSteps(context, 2));
}

namespace {

bool BeginsWith(ImGuiTestContext* context, const networks::TrainingSettings& settings) {
  application().Push(StartAgain{settings, {}});
  context->Yield(2);  // from then on the run before is no longer the one that is live
  return WaitUntil(context, [] { return Run().live; }) && WaitForChosenSettings(context);
}

// Its step, with the moment pinned; back as it was.
void GoesToTheFirstDifference(ImGuiTestContext* context) {
  const auto streams = [] { return application().frame()->comparison.streams; };
  IM_CHECK(WaitUntil(context, [&] { return streams() != nullptr && streams()->first_in_a; }));
  const ViewState& view = application().view_state();
  application().Push(ActionId::kFit);
  Rest(context, 0.6);  // looked at for so long, it is a view to come back to
  const presenters::VisibleRange whole = view.timeline.visible;
  const auto first = streams()->first_in_a;
  context->ItemClick("//**/First difference");
  IM_CHECK(WaitUntil(context, [&] { return view.pinned == first; }));
  context->Yield(2);
  const presenters::VisibleRange seen = view.timeline.visible;
  const double place = presenters::PositionOf(*Run().view, view.timeline.axis, *first);
  IM_CHECK_LE(seen.begin, place);
  IM_CHECK_GE(seen.end, place);
  IM_CHECK_LT(seen.end - seen.begin, whole.end - whole.begin);
  Picture(context, "compare-first-difference");
  application().Push(ActionId::kBack);
  IM_CHECK(WaitUntil(context, [&] { return !view.pinned && view.timeline.whole; }));
}

// What is alive in either of the two, as a flame graph and a tree map; back as it was.
void ShowsTheDifference(ImGuiTestContext* context) {
  const auto tree = [] { return application().frame()->live_tree.tree; };
  ShownTree& shown = application().view_state().live_tree;
  const ShownTree before = shown;
  context->WindowFocus("//###live_tree");
  context->ItemClick("//###live_tree/**/difference");
  IM_CHECK(WaitUntil(context, [&] { return tree() != nullptr && tree()->nodes.front().sides; }));
  const presenters::SideBySide& sides = *application().frame()->comparison.comparison;
  const auto allocated =
      std::ranges::find(sides.levels, timeline::Series::kAllocated, &presenters::ComparedBytes::level);
  IM_CHECK(allocated != sides.levels.end());
  IM_CHECK_EQ(tree()->nodes.front().sides->Difference(), allocated->Difference().value_or(0));
  shown.flame_graph = true;
  context->Yield(2);
  Picture(context, "difference-flame-graph");
  shown.flame_graph = false;
  context->Yield(2);
  Picture(context, "difference-tree-map");
  shown = before;
  IM_CHECK(WaitUntil(context, [&] { return tree() != nullptr && !tree()->nodes.front().sides; }));
  context->WindowFocus("//###compare");
}

// Two runs of their own, the second with twice the batch: what differs is what is said to, and a click on a
// row lights it up.
void SelectsWhatDiffers(ImGuiTestContext* context, const fs::path& scratch) {
  const auto comparison = [] { return application().frame()->comparison; };
  const auto selection = [] { return application().view_state().selection; };
  const networks::TrainingSettings before = application().settings();
  networks::TrainingSettings small = before;
  small.batch = 32;
  networks::TrainingSettings large = before;
  large.batch = 64;
  IM_CHECK(BeginsWith(context, small));
  fs::remove(scratch);
  application().Push(SaveRecording{scratch});
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(scratch); }));
  IM_CHECK(BeginsWith(context, large));
  application().Push(ActionId::kRunOrPause);  // levels that are told of later would move the rows
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
  Rest(context, 0.5);
  application().Push(CompareWith{scratch});
  IM_CHECK(WaitUntil(context, [&] { return comparison().second_run && comparison().comparison != nullptr; }));
  const auto& states = comparison().comparison->states;
  const auto activation =
      std::ranges::find(states.categories, "activation", &presenters::ComparedBytes::title);
  IM_CHECK(activation != states.categories.end());
  IM_CHECK_GT(activation->a.value_or(0), activation->b.value_or(0));
  ShowsTheDifference(context);
  context->ItemClick("//**/by category/activation/##row");
  IM_CHECK(WaitUntil(
      context, [&] { return selection() == presenters::CategorySelected(events::Category::kActivation); }));
  Picture(context, "compare-selected");
  const auto layer = std::ranges::find_if(
      states.layers, [](const presenters::ComparedBytes& row) { return row.selection.any(); });
  IM_CHECK(layer != states.layers.end());
  const presenters::Selection of_layer = layer->selection;
  context->ItemClick(("//**/by layer/" + layer->title + "/##row").c_str());
  IM_CHECK(WaitUntil(context, [&] { return selection() == of_layer; }));
  context->ItemClick(("//**/by layer/" + of_layer.name + "/##row").c_str());
  IM_CHECK(WaitUntil(context, [&] { return !selection().any(); }));
  GoesToTheFirstDifference(context);
  application().Push(ActionId::kStopComparing);
  IM_CHECK(BeginsWith(context, before));
}

const fs::path& SavedOnce(ImGuiTestContext* context) {
  static const fs::path file = Artefacts() / "own.tide";
  fs::remove(file);
  application().Push(SaveRecording{file});
  WaitUntil(context, [] { return fs::exists(file); });
  return file;
}

}  // namespace

// A second run goes where another program is shown, and Ctrl+Z lays it over that; where its own network is
// shown it stays.
void EndsAForeignComparison(ImGuiTestContext* context) {
  const auto is_compared = [] { return Run().compared && Run().compared->title == "own.tide"; };
  IM_CHECK(WaitForSteps(context, 2));  // of an empty recording there is nothing to compare
  const fs::path& file = SavedOnce(context);
  application().Push(CompareWith{file});
  IM_CHECK(WaitUntil(context, is_compared));
  application().Push(OpenRecording{file});
  IM_CHECK(WaitUntil(context, [] { return Run().recording == "own.tide"; }));
  IM_CHECK(is_compared());
  session::ProgramOrder order;
  order.command = "python train.py";
  application().Push(StartProgram{order});
  IM_CHECK(WaitUntil(context, [] { return Run().description.command == "python train.py"; }));
  IM_CHECK(WaitUntil(context, [] { return Run().recording.empty(); }));
  IM_CHECK(!Run().compared.has_value());
  Picture(context, "compare-ended");
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(WaitUntil(context, is_compared));
  application().Push(ActionId::kStopComparing);
  IM_CHECK(WaitUntil(context, [] { return !Run().compared.has_value(); }));
  context->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK(WaitUntil(context, is_compared));
  application().Push(ActionId::kNewRun);  // ours again, as the second run is
  IM_CHECK(WaitUntil(context, [] { return Run().live; }));
  IM_CHECK(is_compared());
  application().Push(ActionId::kStopComparing);
  IM_CHECK(WaitForSteps(context, 1));
}

// Before and after the last change of settings first; then a recording beside the live run.
void Compares(ImGuiTestContext* context) {
  const auto comparison = [] { return application().frame()->comparison; };
  application().Push(ActionId::kCompareLayout);
  IM_CHECK(Run().status.state == RunState::kPaused);  // as it will be left
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitForSteps(context, 3));
  IM_CHECK(WaitUntil(context, [&] { return comparison().comparison != nullptr; }));
  IM_CHECK(!comparison().second_run);
  IM_CHECK(comparison().comparison->headline.find(" at peak") != std::string::npos);
  Picture(context, "compare-before-and-after");

  const fs::path file = Artefacts() / "beside.tide";
  fs::remove(file);
  application().Push(SaveRecording{file});
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(file); }));
  application().Push(CompareWith{file});
  IM_CHECK(WaitUntil(context, [&] { return comparison().second_run && comparison().comparison != nullptr; }));
  IM_CHECK_STR_EQ(comparison().comparison->title_b.c_str(), "beside.tide");
  // Request by request, as `tidemark compare` tells it.
  IM_CHECK(WaitUntil(context, [&] { return comparison().streams != nullptr; }));
  IM_CHECK(comparison().streams->sentence.find(" in both") != std::string::npos);
  application().Push(ActionId::kFit);
  IM_CHECK(WaitUntil(context, [] { return !application().frame()->timeline.plot->compared.empty(); }));
  IM_CHECK_STR_EQ(application().frame()->timeline.compared.c_str(), "beside.tide");
  Picture(context, "compare-two-runs");
  context->ItemClick("//**/Stop comparing");
  IM_CHECK(WaitUntil(context, [] { return application().frame()->timeline.plot->compared.empty(); }));
  IM_CHECK(!Run().compared.has_value());
  SelectsWhatDiffers(context, file);
  application().Push(ActionId::kResetLayout);
  context->Yield(4);
  application().Push(CompareWith{file});  // shows the panel, wherever it is
  IM_CHECK(WaitUntil(context, [&] { return comparison().second_run && comparison().comparison != nullptr; }));
  Picture(context, "compare-default-layout");
  application().Push(ActionId::kStopComparing);
  application().Push(ActionId::kFollow);
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == RunState::kPaused; }));
}

}  // namespace tidemark::gui
