// The panel of what a run's memory shows that a person would want to know: why it ran out, if it did, and
// findings. A row leads to its moment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/trials.h"
#include "app/gui/commands/commands.h"
#include "app/presenters/advice/fit_advice.h"
#include "profiler/advice/findings.h"
#include "profiler/advice/owners.h"
#include "profiler/base/format.h"
#include "profiler/lessons/glossary.h"
#include "profiler/session/shortage.h"

namespace tidemark::gui {

// A request that failed, as a page: what was asked, why it was not to be had, who holds the memory.
struct ShortagePage {
  session::Shortage shortage;
  int64_t card_bytes = 0;  // all of the card's memory; 0 = not known
  std::string place;       // "in step 3, backward"
  std::string why;
  std::vector<advice::Owner> owners;
};

struct RunFindings {
  std::vector<advice::Finding> findings;
  std::optional<ShortagePage> shortage;  // the latest
  size_t shortages = 0;
  bool tells_reserved = false;           // the run does
  ByteUnit unit = ByteUnit::kMegabytes;  // that all of it is told in

  // Why memory ran out is one, too.
  size_t count() const { return findings.size() + (shortage ? 1 : 0); }
};

struct FindingsInput {
  const RunFindings* found = nullptr;  // none = nobody has looked yet
  const lessons::Glossary* glossary = nullptr;
  const presenters::FitAdvice* fit = nullptr;
  const Trials* trials = nullptr;
  bool can_try = false;             // there is a run to replay
  bool may_make_room = false;       // that, and memory ran out for want of segments: other settings may help
  bool can_search = false;          // the run is of a network of ours
  bool is_program = false;          // of somebody's, whose command is known
  std::string fit_command;          // of one: what tells which cards it would fit on, as it would be typed
  bool can_try_techniques = false;  // of that, on its card
  bool is_answered = false;         // for this run: the answer of `fit` is
  std::string empty_reason;
};

void DrawFindingsPanel(const FindingsInput& input, CommandQueue& queue);

}  // namespace tidemark::gui
