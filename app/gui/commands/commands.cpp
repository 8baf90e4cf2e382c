#include "app/gui/commands/commands.h"

#include <imgui.h>

#include "app/gui/widgets/icons.h"
#include "profiler/base/check.h"

namespace tidemark::gui {
namespace {

constexpr int kCtrl = ImGuiMod_Ctrl;
constexpr int kShift = ImGuiMod_Shift;

constexpr Action kActions[] = {
    {ActionId::kNewRun, "New run", icons::kNew, kCtrl | ImGuiKey_N, "Ctrl+N",
     "Stops this run and starts a new one with the settings on the left.", Menu::kFile, false},
    {ActionId::kRunProgram, "Run a program…", icons::kTerminal, kCtrl | kShift | ImGuiKey_N, "Ctrl+Shift+N",
     "Starts a program of yours, on a phantom GPU or on this machine's, and shows its memory while it runs.",
     Menu::kFile, false},
    {ActionId::kOpen, "Open…", icons::kOpen, kCtrl | ImGuiKey_O, "Ctrl+O",
     "Opens a recording, a memory snapshot or a trace, or trains a network file of yours. A file can also be "
     "dropped on the window.",
     Menu::kFile, false},
    {ActionId::kEarlierRuns, "Earlier runs…", icons::kOpen, kCtrl | ImGuiKey_H, "Ctrl+H",
     "Runs that were not saved when the window showed another or was closed: the last 20 are kept, of 4 GiB "
     "at most.",
     Menu::kFile, false},
    {ActionId::kSave, "Save recording as…", icons::kSave, kCtrl | ImGuiKey_S, "Ctrl+S",
     "Writes everything the timeline holds as a .tide file.", Menu::kFile, false},
    {ActionId::kExport, "Export…", icons::kExport, kCtrl | ImGuiKey_E, "Ctrl+E",
     "Writes the run for others: Perfetto, chrome://tracing, memory_viz, CSV, SQLite, a page to read, a "
     "picture.",
     Menu::kFile, true},
    {ActionId::kScreenshot, "Screenshot…", icons::kCamera, ImGuiKey_F12, "F12",
     "Saves the window as a PNG picture.", Menu::kFile, true},
    {ActionId::kQuit, "Quit", icons::kQuit, kCtrl | ImGuiKey_Q, "Ctrl+Q",
     "Closes the window; a run that is under way is stopped.", Menu::kFile, true},

    {ActionId::kRunOrPause, "Run or pause", icons::kRun, ImGuiKey_Space, "Space",
     "Lets the training run, or holds it at the next step boundary.", Menu::kRun, false},
    {ActionId::kStep, "One step", icons::kStep, ImGuiKey_S, "S", "Trains one step and holds.", Menu::kRun,
     false},
    {ActionId::kOperator, "One operator", icons::kOperator, ImGuiKey_O, "O",
     "Runs one operator (a convolution, a ReLU, …) and holds.", Menu::kRun, false},
    {ActionId::kRestart, "Restart", icons::kRestart, ImGuiKey_R, "R",
     "Frees everything on the device and trains from the beginning, with the same settings; a program that "
     "was started here and has ended is run again.",
     Menu::kRun, false},
    {ActionId::kStop, "Stop", icons::kStop, kCtrl | ImGuiKey_Period, "Ctrl+.",
     "Ends the run and gives back all of its memory. What was recorded stays.", Menu::kRun, false},
    {ActionId::kUndo, "Undo the last change of settings", icons::kUndo, kCtrl | ImGuiKey_Z, "Ctrl+Z",
     "Goes back to the settings, the device and the second run before the last change.", Menu::kRun, true},
    {ActionId::kRedo, "Redo", icons::kRedo, kCtrl | ImGuiKey_Y, "Ctrl+Y",
     "Takes the undone change again (Ctrl+Shift+Z does as well).", Menu::kRun, false},
    {ActionId::kChooseData, "Train on CIFAR-10…", icons::kOpen, 0, "",
     "Takes the samples from a folder of CIFAR-10's binary version: choose one of its files, or drop it or "
     "the folder on the window.",
     Menu::kRun, true},
    {ActionId::kSlowMotion, "Slow motion", icons::kOperator, ImGuiKey_M, "M",
     "Walks through one training step, operator by operator; again to leave.", Menu::kRun, true},
    {ActionId::kNextOperator, "Slow motion: next operator", icons::kNext, 0, "",
     "Goes on to the next operator of the step, as Space does.", Menu::kRun, false},
    {ActionId::kPreviousOperator, "Slow motion: operator before", icons::kPrevious, kShift | ImGuiKey_Space,
     "Shift+Space", "Goes back by one operator.", Menu::kRun, false},
    {ActionId::kFirstOperator, "Slow motion: first operator", icons::kPrevious, ImGuiKey_Home, "Home",
     "Goes to where the step begins.", Menu::kRun, false},
    {ActionId::kLastOperator, "Slow motion: last operator", icons::kNext, ImGuiKey_End, "End",
     "Goes to where the step ends.", Menu::kRun, false},

    {ActionId::kFit, "Show the whole run", icons::kFit, ImGuiKey_F, "F",
     "Fits the timeline to everything recorded.", Menu::kView, false},
    {ActionId::kFollow, "Follow the run", icons::kFollow, ImGuiKey_L, "L",
     "Keeps the last steps in sight while they happen.", Menu::kView, false},
    {ActionId::kGoToPeak, "Go to the peak", icons::kPeak, ImGuiKey_P, "P",
     "Shows the moment in sight at which the most is allocated, and pins it.", Menu::kView, false},
    {ActionId::kSwitchAxis, "Axis: events or wall clock", icons::kAxis, ImGuiKey_X, "X",
     "Events give every allocation the same room; the wall clock shows how long things took.", Menu::kView,
     false},
    {ActionId::kStackBy, "Stack by…", icons::kLayers, ImGuiKey_B, "B",
     "What the timeline's stack is made of: categories, layers, operators and others, chosen from a list.",
     Menu::kView, false},
    {ActionId::kUnpin, "Select nothing, unpin the moment", icons::kPin, ImGuiKey_Escape, "Esc",
     "Takes away the selection; where there is none, what is measured; then the pin: panels tell of the peak "
     "again.",
     Menu::kView, false},
    {ActionId::kBack, "Back to the view before", icons::kPrevious, ImGuiKey_Backspace, "Backspace",
     "Zoom, selection, pinned moment, cursors, stacking, the tree's place and the table's filter as they "
     "were "
     "(Alt+Left outside of lessons and the mouse's back button as well).",
     Menu::kView, true},
    {ActionId::kForward, "Forward to the view after", icons::kNext, kShift | ImGuiKey_Backspace,
     "Shift+Backspace", "Undoes going back (Alt+Right outside of lessons as well).", Menu::kView, false},
    {ActionId::kBookmark, "Bookmark this moment…", icons::kBookmark, kCtrl | ImGuiKey_B, "Ctrl+B",
     "Gives the moment that the memory map shows a name; the timeline shows it, and Ctrl+F finds it.",
     Menu::kView, false},
    {ActionId::kSearch, "Find…", icons::kSearch, kCtrl | ImGuiKey_F, "Ctrl+F",
     "Finds layers, operators, categories, allocations by address or size, steps, markers and bookmarks.",
     Menu::kView, false},
    {ActionId::kLightOrDark, "Theme: light or dark", icons::kTheme, kCtrl | kShift | ImGuiKey_L,
     "Ctrl+Shift+L", "Switches between the light and the dark look.", Menu::kView, true},
    {ActionId::kColors, "Colours…", icons::kColors, 0, "",
     "The colours of what blocks hold: choose your own.", Menu::kView, false},
    {ActionId::kSwitchUnit, "Unit: MB or MiB", icons::kUnit, ImGuiKey_U, "U",
     "Units of all sizes: MB is 1,000,000 bytes, MiB is 1,048,576 bytes. Hover any figure for its exact "
     "bytes.",
     Menu::kView, false},
    {ActionId::kLarger, "Larger", icons::kLarger, kCtrl | ImGuiKey_Equal,
     "Ctrl+=", "Makes everything larger.", Menu::kView, false},
    {ActionId::kSmaller, "Smaller", icons::kSmaller, kCtrl | ImGuiKey_Minus, "Ctrl+-",
     "Makes everything smaller.", Menu::kView, false},
    {ActionId::kNormalSize, "Normal size", icons::kSearch, kCtrl | ImGuiKey_0, "Ctrl+0",
     "The screen's own scale.", Menu::kView, false},
    {ActionId::kPanelTabs, "Show panel tabs", icons::kLayout, 0, "",
     "Gives every panel a tab: drag it to rearrange the window.", Menu::kView, true},
    {ActionId::kRankStrip, "Strip of ranks", icons::kHistogram, 0, "",
     "Every rank's peak across the window, where a run has several: hides the strip, and shows it again.",
     Menu::kView, false},
    {ActionId::kResetLayout, "Reset the layout", icons::kLayout, 0, "",
     "Puts all panels back to where they belong.", Menu::kView, false},
    {ActionId::kProfileLayout, "Layout: profile", icons::kChart, 0, "",
     "A run and nothing else: timeline, map, tables and findings. Reset the layout for all panels.",
     Menu::kView, false},
    {ActionId::kLayoutBefore, "Layout: as before", icons::kUndo, 0, "",
     "Your own panels, as you had them before the lesson, slow motion (which ends) or the layout that took "
     "their place; chosen again, that layout.",
     Menu::kView, false},

    {ActionId::kCompareWith, "Compare with…", icons::kCompare, kCtrl | kShift | ImGuiKey_O, "Ctrl+Shift+O",
     "Lays a second run over this one: its curve in the timeline, the differences in the Compare panel. A "
     "file dropped with Shift held does the same.",
     Menu::kCompare, false},
    {ActionId::kStopComparing, "Stop comparing", icons::kClose, 0, "", "Takes the second run away again.",
     Menu::kCompare, false},
    {ActionId::kCompareLayout, "Layout: compare", icons::kCompare, 0, "",
     "The timeline, what is alive, and the Compare panel beside them. Reset the layout for all panels.",
     Menu::kCompare, true},

    {ActionId::kNextPage, "Next page of the lesson", icons::kNext, ImGuiMod_Alt | ImGuiKey_RightArrow,
     "Alt+Right", "Goes on in the Learn panel, and sets up what the page is about.", Menu::kLearn, false},
    {ActionId::kPreviousPage, "Previous page of the lesson", icons::kPrevious,
     ImGuiMod_Alt | ImGuiKey_LeftArrow, "Alt+Left", "Goes back in the Learn panel.", Menu::kLearn, false},
    {ActionId::kBackToOwn, "Back to your own settings", icons::kUndo, 0, "",
     "Leaves the lesson and its layout, and takes back what the lessons have set up since you began with "
     "them.",
     Menu::kLearn, false},
    {ActionId::kStartOver, "Start over…", icons::kRestart, 0, "",
     "Forgets predictions, drawings and tasks of the lesson that is open, or of all where none is.",
     Menu::kLearn, false},
    {ActionId::kGlossary, "What is…", icons::kHelp, kShift | ImGuiKey_F1, "Shift+F1",
     "The words of this window, explained.", Menu::kLearn, true},
    {ActionId::kCopyCode, "Copy as session code", icons::kCopy, kCtrl | kShift | ImGuiKey_C, "Ctrl+Shift+C",
     "Copies settings, card, view and locks as one short line, to paste into a chat.", Menu::kLearn, true},
    {ActionId::kPasteCode, "Use the copied session code", icons::kPaste, kCtrl | kShift | ImGuiKey_V,
     "Ctrl+Shift+V", "Sets everything up as the code on the clipboard says.", Menu::kLearn, false},
    {ActionId::kSaveSession, "Save session as…", icons::kSave, kCtrl | kShift | ImGuiKey_S, "Ctrl+Shift+S",
     "Writes the session code as a file; Open… takes it.", Menu::kLearn, false},
    {ActionId::kForAClass, "For a class…", icons::kLock, 0, "",
     "Locks or hides controls, and copies a session code that does so for others.", Menu::kLearn, false},
    {ActionId::kUnlock, "Unlock all controls", icons::kUnlock, 0, "",
     "Gives back what a session code or a page of a lesson has locked or hidden.", Menu::kLearn, false},
    {ActionId::kLearnLayout, "Layout: learn", icons::kLearn, 0, "",
     "The lessons on the right, the timeline in the middle, all else in tabs below it.", Menu::kLearn, true},

    {ActionId::kPalette, "All commands…", icons::kSearch, kCtrl | ImGuiKey_K, "Ctrl+K",
     "Finds any command by its name.", Menu::kHelp, false},
    {ActionId::kKeys, "Keys", icons::kKeys, ImGuiKey_F1, "F1", "Every key and what it does.", Menu::kHelp,
     false},
    {ActionId::kOwnTime, "Show the window's own time", icons::kGauge, 0, "",
     "How long this program takes for a frame, without OpenGL.", Menu::kHelp, true},
    {ActionId::kAbout, "About Tidemark", icons::kInfo, 0, "", "Version and libraries.", Menu::kHelp, true},
};

}  // namespace

void CommandQueue::Push(Command command) { commands_.push_back(std::move(command)); }
void CommandQueue::Push(ActionId action) { commands_.emplace_back(DoAction{action}); }
std::vector<Command> CommandQueue::Take() { return std::exchange(commands_, {}); }

std::span<const Action> Actions() { return kActions; }

const Action& ActionOf(ActionId id) {
  const auto index = static_cast<size_t>(id);
  TIDEMARK_CHECK(index < std::size(kActions) && kActions[index].id == id);
  return kActions[index];
}

}  // namespace tidemark::gui
