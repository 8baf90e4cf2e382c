// What a person can ask of the window: commands, pushed by panels, menus, keys and the palette, executed in
// one place (Application::Execute) after the frame is drawn. UI thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/gui/commands/other_setup.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/moment/memory_map.h"
#include "profiler/events/event.h"
#include "profiler/lessons/session_code.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/program_order.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

// Everything that has a name in the menus and the palette.
enum class ActionId : uint8_t {
  kNewRun,
  kRunProgram,
  kOpen,
  kEarlierRuns,
  kSave,
  kExport,
  kScreenshot,
  kQuit,
  kRunOrPause,
  kStep,
  kOperator,
  kRestart,
  kStop,
  kUndo,
  kRedo,
  kChooseData,
  kSlowMotion,
  kNextOperator,
  kPreviousOperator,
  kFirstOperator,
  kLastOperator,
  kFit,
  kFollow,
  kGoToPeak,
  kSwitchAxis,
  kStackBy,
  kUnpin,
  kBack,
  kForward,
  kBookmark,
  kSearch,
  kLightOrDark,
  kColors,
  kSwitchUnit,
  kLarger,
  kSmaller,
  kNormalSize,
  kPanelTabs,
  kRankStrip,
  kResetLayout,
  kProfileLayout,
  kLayoutBefore,
  kCompareWith,
  kStopComparing,
  kCompareLayout,
  kNextPage,
  kPreviousPage,
  kBackToOwn,
  kStartOver,
  kGlossary,
  kCopyCode,
  kPasteCode,
  kSaveSession,
  kForAClass,
  kUnlock,
  kLearnLayout,
  kPalette,
  kKeys,
  kOwnTime,
  kAbout,
};

enum class Menu : uint8_t { kFile, kRun, kView, kCompare, kLearn, kHelp };

struct Action {
  ActionId id;
  const char* label;  // "Go to the peak"
  const char* icon;
  int chord;         // ImGuiKeyChord; 0 = none
  const char* keys;  // "Ctrl+O"; "" = none
  const char* help;
  Menu menu;
  bool rule_before;  // a line above it in the menu
};
std::span<const Action> Actions();
const Action& ActionOf(ActionId id);

struct DoAction {
  ActionId id;
};
struct ChangeSettings {
  networks::TrainingSettings settings;
};
struct ChooseDevice {
  networks::DeviceChoice device;
};
struct ChoosePace {
  double steps_per_second;  // 0 = as fast as it goes
};
// Whether the run that is trained tells kernels, memory copies and memsets.
struct RecordKernels {
  bool on;
};
// A program of the person's own.
struct StartProgram {
  session::ProgramOrder order;
};
// One for each value of one of its options.
struct StartSweep {
  session::SweepOrder order;
};
struct CloseSweep {};
// Its points, as CSV.
struct CopySweep {};
// On the program that is shown, techniques that it does not use itself.
struct TryTechniques {};
struct OpenRecording {
  std::filesystem::path file;
};
// The ranks of one run, one file each.
struct OpenRanks {
  std::vector<std::filesystem::path> files;
};
// The list of what was opened last.
struct ForgetRecent {};
// One of those that are open.
struct OpenRank {
  int64_t rank;  // its number, as the strip tells it: more may come before it is shown
};
// The step whose peaks the strip shows; none = of the whole recordings.
struct CompareRanksAt {
  std::optional<int64_t> step;
};
// Of a recording on several; none = all of them, added up.
struct ShowCard {
  std::optional<uint8_t> device;
};
// Of everything in the window; 1 = as large as the screen says.
struct ChooseScale {
  float scale = 1;
};
// A second run beside the one that is shown.
struct CompareWith {
  std::filesystem::path file;
};
struct SaveRecording {
  std::filesystem::path file;
};
// As what its ending says.
struct ExportRecording {
  std::filesystem::path file;
};
struct TakeScreenshot {
  std::filesystem::path file;
  std::string panel = {};  // by its name; "" = of the whole window
};
// Asks where to: a panel as it looks, or what it tells of the whole run as a drawing.
struct SavePicture {
  std::string panel;
  std::string drawing;  // of presenters/run_formats.h; "" = as it looks
};
struct ShowPanel {
  std::string panel;  // its name in the table of panels
  bool shown = true;
};
// A control, by its name, into sight.
struct ShowControl {
  std::string name;
};
// The moment that the memory map shows; what is picked there lights up, and stays so if it is picked again.
struct PinMoment {
  events::EventIndex index;
  presenters::Selection selection = {};
};
// Where slow motion stands.
struct GoToOperator {
  size_t stop;
};
// Lights up everywhere; the same again takes it away, and so does nothing.
struct Select {
  presenters::Selection selection;
};
// Selects, and brings the table of the allocations behind it to the front.
struct ListAllocations {
  presenters::Selection selection;  // nothing: all that is alive
  std::string filter = {};          // as one is typed
};
// The rows of that table, as CSV.
struct CopyAllocations {};
// Lights a part of the memory map up, and brings it to the front; the same again takes it away.
struct ShowOnMap {
  presenters::MapPart part;
};
// Into sight, pinned and lit up, as far as there is such a moment or selection.
struct GoToMoment {
  std::optional<events::EventIndex> moment;
  presenters::Selection selection = {};
  bool with_surroundings = false;  // its step from end to end; else the range only moves, where it must
};
// An empty text takes the one at that time away.
struct KeepBookmark {
  std::weak_ptr<const session::Run> of;  // that process of the run that was shown
  int64_t time_ns;
  std::string text;
};
struct StartAgain {
  networks::TrainingSettings settings;
  std::optional<std::string> allocator =
      {};  // PYTORCH_CUDA_ALLOC_CONF of this run and the next; none = as before
};

// What fits on the card, and at what cost.
struct SearchFit {
  bool of_run =
      false;  // ways out of what the run that is shown ran into, whatever is chosen for the next one
};
// What other settings of PyTorch's allocator would do to the run.
struct TryAllocators {};
struct TryOtherSetup {
  OtherSetup setup;
};
// What ran before in the same process: a file is chosen, and taken.
struct ChooseRunBefore {};
struct TakeRunBefore {
  std::filesystem::path file;
};
// What each way to checkpoint costs, after it was cancelled.
struct PlanCheckpointCurve {};
// Of a lesson; sets the page up, where a run of our own is shown.
struct ShowLessonPage {
  std::string lesson;
  int page;
};
struct SetUpPage {};
// Those from before the lessons.
struct TakeOwnSettings {};
// What the session code holds, by hand.
struct LockControls {
  std::vector<std::string> locked;
  std::vector<std::string> hidden;
};
struct SaveSession {
  std::filesystem::path file;
};
struct UseSession {
  lessons::SessionState state;
};
// What would end a program that runs, or lose a run, is held back until the person says so.
enum class HeldAnswer : uint8_t {
  kStays,  // all is as it was
  kGoesOn,
  kGoesOnOnceKept,   // the run that is shown, among the earlier ones
  kGoesOnOnceSaved,  // that, where the person says
};
struct AnswerHeld {
  HeldAnswer answer = HeldAnswer::kStays;
};

using Command =
    std::variant<DoAction, ChangeSettings, ChooseDevice, ChoosePace, RecordKernels, StartProgram, StartSweep,
                 CloseSweep, CopySweep, TryTechniques, OpenRecording, OpenRanks, ForgetRecent, OpenRank,
                 CompareRanksAt, ShowCard, ChooseScale, CompareWith, SaveRecording, ExportRecording,
                 TakeScreenshot, SavePicture, ShowPanel, ShowControl, PinMoment, GoToOperator, Select,
                 ListAllocations, CopyAllocations, ShowOnMap, GoToMoment, KeepBookmark, StartAgain, SearchFit,
                 TryAllocators, TryOtherSetup, ChooseRunBefore, TakeRunBefore, PlanCheckpointCurve,
                 ShowLessonPage, SetUpPage, TakeOwnSettings, UseSession, LockControls, SaveSession,
                 AnswerHeld>;

class CommandQueue {
 public:
  void Push(Command command);
  void Push(ActionId action);
  std::vector<Command> Take();
  bool empty() const { return commands_.empty(); }

 private:
  std::vector<Command> commands_;
};

}  // namespace tidemark::gui
