// Ctrl+K: every command, panel and control by its name, every network and card that may be chosen, samples,
// what was opened last, and the run's layers, found by typing parts of it.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/gui/panels/run_controls.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "profiler/lessons/lesson.h"
#include "profiler/trace/samples.h"

namespace tidemark::gui {

struct CommandPaletteState {
  bool open = false;   // asked for, until it is closed in whatever way
  bool shown = false;  // its popup has been opened
  bool focus = false;
  int selected = 0;
  std::array<char, 128> text{};
};

// What there is to pick; for one frame.
struct PaletteOffer {
  std::function<bool(ActionId)> enabled;
  std::vector<NamedControl> controls;  // those that are there
  const Frame& frame;                  // what they choose from is in it
  const std::vector<lessons::Lesson>& lessons;
  const std::vector<trace::Sample>& samples;
  const ViewState& view;
};

void DrawCommandPalette(const PaletteOffer& offer, CommandPaletteState& state, CommandQueue& queue);

// Why an action is not to be had that is not enabled, and what makes it so.
std::string WhyNot(ActionId action);

// Do the letters of `query` occur in `text` in this order, whatever their case? Spaces in the query are
// skipped. The score is smaller for better matches; < 0 = no match. Pure.
int MatchScore(std::string_view query, std::string_view text);
// The same of what has a sentence of help, too: a word of it comes after names that begin so, and before
// those in which the letters are strewn.
int MatchScore(std::string_view query, std::string_view name, std::string_view help);

}  // namespace tidemark::gui
