// The answers of `estimate`, `train` and `info`, as JSON for programs and as tables for people. Pure
// functions. JSON sizes are bytes; tables say their unit in their header.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/advice/step_time.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/predictor.h"
#include "profiler/session/reserved_band.h"
#include "profiler/textbook/checkpoint_curve.h"
#include "profiler/textbook/on_paper.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::cli {

using Json = nlohmann::ordered_json;

// `layers` are those with parameters; a layer without them (a ReLU) is in it only if it keeps something of
// its own.
Json TextbookJson(const textbook::Estimate& estimate);
// Of a prediction, or of what a run measured: the same keys. `by_category_at_peak` sums to the allocated
// peak. What is reserved is null where nobody told, as on the CPU and by cudaMallocAsync.
Json PeaksJson(const session::Prediction& peaks);
// Of a run that nobody told the blocks of (timeline::View::tells_blocks): null is what would tell of them.
void LeaveOutBlocks(Json& peaks);
// Its name, its memory and what its context takes of that.
Json CardJson(const phantom::Card& card);
// Adds what all of a run takes of a card, null where that is not known.
void AddNeedJson(const session::Need& needed, Json& json);
// One object, indented; text that is not UTF-8 (from a foreign file) is replaced, not refused.
std::string TextOf(const Json& json);

// A title, its exact bytes, and the same in MiB or GiB.
std::string BytesRow(std::string_view title, int64_t bytes);
// The categories at a peak, in bytes, then the levels; what was asked for where that is told
// (View::tells_requested).
std::string PeakRows(const session::Prediction& peaks, bool tells_requested);

struct ReportColumn {
  std::string title;  // "phantom"
  session::Prediction peaks;
};
// Categories by textbook and columns, in MB, then the levels: allocated, requested, reserved.
std::string PeaksTable(const textbook::Estimate& estimate, const std::vector<ReportColumn>& columns);
// Under it, in its MB: what comes on top of PyTorch's figures, and how much of the card that is.
std::string CardRowsOfTable(const session::CardFit& fit);
// Every term with its formula, the total, and the common saying about FP16, marked as one.
std::string TermsTable(const textbook::Estimate& estimate);
std::string LayersTable(const textbook::Estimate& estimate);
// In which types autocast had the layers' operators compute, measured; "" without autocast.
std::string TypesTable(const textbook::Estimate& estimate, const session::Prediction& measured);
// How much each way to checkpoint keeps and runs again, as a table with bars.
std::string CurveTable(const std::vector<textbook::CurvePoint>& curve);
// One rank's bytes with techniques that are not run here.
std::string PaperTable(const std::vector<textbook::PaperLine>& lines, int64_t ranks);
// A pipeline's stages, their layers and what each needs; `phantom` has as many peaks, or none.
std::string StagesTable(const std::vector<textbook::StageEstimate>& stages,
                        const std::vector<session::Prediction>& phantom, double bubble);
Json StagesJson(const std::vector<textbook::StageEstimate>& stages,
                const std::vector<session::Prediction>& phantom);
// A row for each of a pipeline's ranks, or one. Without what takes none of them any time.
std::string TimesTable(const std::string& card, const std::vector<advice::StepTime>& ranks);
Json TimeJson(const advice::StepTime& time);
Json CurveJson(const std::vector<textbook::CurvePoint>& curve);
Json PaperJson(const std::vector<textbook::PaperLine>& lines);
// "batch 64 · accumulate 1 · amp off · checkpoint none · Adam", and the techniques in use.
std::string SettingsLine(const networks::TrainingSettings& settings);

// What to do when it does not fit.
inline constexpr std::string_view kOutOfMemoryAdvice =
    "tidemark fit, with the same options, searches what makes it fit: smaller batches with --accumulate, "
    "--amp, --checkpoint, other cards.";

// That memory ran out so often and the run went on; "" if it never did. Of networks of ours.
std::string SurvivedRow(int64_t times);

// That they are missing from the phantom's figures; `why` as session::Prediction has it.
std::string NoteWithoutWorkspaces(const std::string& why);
// What the phantom's figures hold and what not. A sentence for people and for JSON's "note".
std::string PhantomNote(const std::string& without_workspaces, const std::vector<std::string>& unknown_sizes);

// While a run or a prediction waits for cuDNN.
inline constexpr std::string_view kAskingCudnn =
    "asking cuDNN for workspaces that nobody asked for before; its answers are kept";

}  // namespace tidemark::cli
