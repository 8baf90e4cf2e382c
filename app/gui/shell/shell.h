// What surrounds the panels: menu bar, docking, banner, notices, palette, dialogs, keys. UI thread, inside a
// frame.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/background/opened_ranks.h"
#include "app/gui/commands/commands.h"
#include "app/gui/commands/job_line.h"
#include "app/gui/shell/command_palette.h"
#include "app/gui/shell/file_dialog.h"
#include "app/gui/shell/program_dialog.h"
#include "app/gui/shell/search_window.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/run/run_log.h"

namespace tidemark::gui {

enum class StatusTone : uint8_t { kQuiet, kGood, kBad };

struct Banner {
  std::string sentence;  // "" = no banner
  std::string exact;     // what that rounds, of an out of memory
  bool bad = true;
  std::string smaller_label;  // "With batch 96", "" = not offered
  std::optional<networks::TrainingSettings> smaller;
  std::optional<networks::TrainingSettings> again;  // of our own runs
  std::string again_label = "Start again";
};

// The ranks of one run that were opened together.
struct RanksLine {
  const OpenedRanks* opened = nullptr;  // none: there are no ranks
  ByteUnit unit = ByteUnit::kMegabytes;
};

struct Toast {
  std::string text;
  presenters::LogLevel level = presenters::LogLevel::kInfo;
  std::chrono::steady_clock::time_point until;
};
// From now on as long as it takes to read it, and longer what is bad.
Toast ToastOf(std::string text, presenters::LogLevel level);

struct ShellInput {
  std::string status;  // "running"
  StatusTone tone = StatusTone::kQuiet;
  std::string device;        // "Phantom H200 · 141 GiB"
  int64_t device_bytes = 0;  // its memory to the byte; 0 = not known
  Banner banner;
  std::vector<JobLine> jobs;
  RanksLine ranks;
  SearchInput search;
  bool can_go_back = false;
  bool can_go_forward = false;
  bool can_undo = false;
  bool can_redo = false;
  bool live = false;
  bool can_restart = false;
  bool can_stop = false;
  bool can_run = true;  // Space has something to run or to pause
  bool has_view = false;
  bool has_run = false;  // while one starts, what is in view is of the run before
  bool has_kept_runs = false;
  bool has_layout_before = false;
  bool compares = false;  // there is a second run
  bool starts_programs = false;
  const std::vector<phantom::Card>* cards = nullptr;
  bool has_gpu = false;    // this machine
  bool has_locks = false;  // a code or a lesson holds controls
  bool in_lesson = false;
  bool has_answers = false;         // in lessons: in the one that is open, or in any
  bool is_set_up_to_learn = false;  // settings or layout are the lessons', and others before
  bool in_picture = false;          // this frame becomes a screenshot
  bool in_slow_motion = false;
  bool can_walk = false;  // slow motion has something to begin with
  ControlAccess of_code;  // what the session code holds
  const lessons::Glossary* glossary = nullptr;
  const std::vector<lessons::Lesson>* lessons = nullptr;
  const std::vector<trace::Sample>* samples = nullptr;
  double own_p95_seconds = 0;
};

// The height that a dock node has while a tall panel is in front, and had before.
struct GivenRoom {
  unsigned node = 0;
  float before = 0;
  float after = 0;
};

// The panel that a person had in front where another is for a while: the program has brought that there, or
// the panel has nothing to show.
struct CoveredPanel {
  unsigned node = 0;
  std::string panel;
  std::string by;  // "" = what comes in its place is not there yet
  bool is_gone = false;
};

// What was typed as the colour of each category: a colour, or what is refused as one.
struct ColorsWindowState {
  bool open = false;
  std::array<std::array<char, 16>, events::kCategoryCount> typed{};
};

// Whether what was asked for may end a program that runs, or lose a run or a recording.
struct HeldQuestion {
  struct Choice {
    std::string label;
    HeldAnswer answer = HeldAnswer::kStays;
  };
  bool open = false;
  bool shown = false;
  std::string title;            // "train.py still runs"
  std::string explanation;      // what comes of it
  std::vector<Choice> choices;  // the first is the one that loses nothing
  std::string overtaken;        // where something else is asked first: what is not done; "" = goes unsaid
};

// A height that is kept for a while where another is wanted.
struct Standing {
  float height = 0;
  float waits_seconds = 0;
};

struct ShellState {
  CommandPaletteState palette;
  FileDialogState file_dialog;
  ProgramDialogState program_dialog;
  SearchState search;
  BookmarkState bookmark;
  HeldQuestion held;
  bool keys_open = false;
  bool glossary_open = false;
  bool about_open = false;
  bool class_open = false;
  ColorsWindowState colors;
  bool reset_layout = false;        // the next frame docks all panels where they belong, and sets it back
  bool is_of_other_height = false;  // the window has become low, or is no longer: the layout is not of that
  int order_tabs = 0;               // in so many frames more: panels come back one by one
  // Where each panel's tab stood last, to which it comes back.
  struct TabPlace {
    int place = -1;  // -1 = it had none yet
    bool is_there = false;
    bool comes_back = false;  // to be moved there once Dear ImGui has its tab
  };
  std::array<TabPlace, kPanelCount> tab_places{};
  float layout_width = 0;     // of all panels together, in the frame before; 0 = none yet
  std::string raise_panel;    // shown, and brought before those that share its place; "" = none
  std::string passing_panel;  // raised for a while: what it covers is noted; "" = none
  std::string tall_panel;     // is given room once it is in front; "" = none
  bool tall_has_room = false;
  std::vector<GivenRoom> given_room;
  std::vector<CoveredPanel> covered;  // one of a place
  Standing below_panels;
  bool banner_closed = false;
  std::vector<Toast> toasts;
  bool has_dialog = false;        // in the frame before
  unsigned focused_panel = 0;     // the latest that had the focus, by Dear ImGui's id
  bool focus_is_of_keys = false;  // what had it in the last frame can be reached with them
};

// Everything but the panels' content; calls the panels' draw functions for those that are shown.
void DrawShell(const ShellInput& input, const Frame& frame, ShellState& shell, ViewState& view,
               CommandQueue& queue);

// Where the panels are docked, as Dear ImGui writes it, but for what the program itself has brought to the
// front and given room for a moment.
std::string LayoutToKeep(const ShellState& shell);
// Of panels that are docked anew: what was so before them.
void ForgetPassing(ShellState& shell);

// What `front` has covered since the program brought it there, be it in front itself or what the program
// brought over it; "" where a person has chosen what is in front.
std::string PanelBehind(std::string_view front, const ShellState& shell);

// Whether an action makes sense now; menus and palette grey out what does not.
bool IsEnabled(ActionId action, const ShellInput& input);

}  // namespace tidemark::gui
