// What a run came to, as text for people and as JSON for programs: after `tidemark phantom`, and by `tidemark
// info`. Pure functions. Sizes are exact bytes, with MiB or GiB beside them (2^20, 2^30), as PyTorch and
// nvidia-smi tell them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/reports/report.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/advice/owners.h"
#include "profiler/events/run_description.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/free_lists.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {

// What private pools hold, at timeline::MomentBetweenReplays.
struct PoolsReport {
  timeline::PoolBytes held;
  bool at_replay = false;  // a graph's latest, which need not be when most was reserved
  bool may_lend = false;   // the program made some, of which PyTorch does not tell whether they do
};

// Where nobody told of blocks (timeline::View::tells_blocks).
struct UntoldBlocks {
  std::string why;                   // presenters::WhyUntold
  timeline::SeriesValues highest{};  // of each level above the allocator, at any time; 0 = not told
};

struct RunReport {
  std::string peak_title;   // "At the peak of the run"
  bool is_trainer = false;  // of a network of ours: estimate, train and fit take its settings as options
  // What tells on which cards a program fits, and what would make it.
  std::string fit_command = presenters::FitCommand({}, 0, {});
  session::Prediction peaks;
  std::optional<UntoldBlocks> untold;                 // then `peaks` and `fit` tell nothing of what is needed
  bool tells_requested = true;                        // what was asked for, not the sizes of blocks only
  bool infers_categories = false;                     // presenters::InfersContents
  std::optional<Result<session::ReservedBand>> band;  // none on a real card, whose driver had its order
  PoolsReport pools;
  bool tells_pools = true;                   // of the run, events::RunDescription
  std::vector<timeline::DevicePeaks> cards;  // of a run on several; `peaks` adds them up
  std::optional<session::CardFit> fit;       // where the card is known; of several the fullest
  std::vector<session::Shortage> shortages;
  std::vector<advice::Owner> owners;  // the largest at the latest shortage
  std::string ending;                 // why it ended early; "" if it did not
  bool is_cut_off = false;            // what is recorded of it ends before it did
  std::vector<std::string> notes;     // what to doubt
};
RunReport MakeRunReport(const timeline::View& view, const events::RunDescription& description,
                        const session::Prediction& peaks, std::optional<Result<session::ReservedBand>> band,
                        const std::vector<phantom::Card>& known_cards);

// Of a program that is not ours.
std::string PeakTitleOf(const events::RunDescription& description);

std::string RunText(const RunReport& report);
// Of a run that allocated nothing that is told, or came to no step.
std::string RunTextWithoutPeak(const RunReport& report);
// Where its memory ran out, and it was recorded: what to ask of the recording next. Else "".
std::string WaysOutHint(const RunReport& report, const std::string& recording);
// "measured", "cards", "card", "shortages", "ending" and "notes".
void AddRunJson(const RunReport& report, Json& json);

// Parts of them.
std::string EndingRows(const RunReport& report);
std::string CardRows(const RunReport& report);
std::string OutOfMemoryRows(const RunReport& report);
// A sentence of each time, of the first few; empty if memory never ran out.
std::vector<std::string> ShortageSentences(const RunReport& report);
// One line each; what was done in several places of the program is one.
std::string NoteRows(const std::vector<std::string>& notes);

}  // namespace tidemark::cli
