#include "app/cli/reports/run_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "app/cli/reports/run_bridge.h"
#include "app/presenters/comparison/stretches.h"
#include "app/presenters/picture/picture.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/networks/script_files.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::cli {
namespace {

// What the phantom of the run's card says; nothing where it cannot be asked.
class PhantomOfRun {
 public:
  PhantomOfRun(const events::RunDescription& description, const std::function<bool()>& goes_on)
      : rank_(description.rank), allocator_(description.allocator_settings), goes_on_(goes_on) {
    const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
    if (!cards || description.device == "cpu") return;
    card_ = session::CardOf(description.device_name, description.device_bytes, *cards);
    if (!card_) return;
    session::PredictorOptions options;
    options.memory_bytes = card_->memory_bytes;
    predictor_.emplace(options);
  }

  void Tell(const networks::TrainingSettings& settings, presenters::SettingsEstimate& estimate) {
    // Of a pipeline's stages it is asked about the first.
    if (!predictor_ || (rank_ > 0 && networks::UsesPipeline(settings))) return;
    const Result<session::Prediction> answer =
        predictor_->AskAndWait(settings, {card_->name, allocator_}, goes_on_);
    if (!answer || !answer->sentence.empty()) return;
    estimate.phantom_allocated_bytes = answer->allocated_peak_bytes;
    estimate.phantom_reserved_bytes = answer->reserved_peak_bytes;
  }

 private:
  int32_t rank_;
  std::string allocator_;
  const std::function<bool()>& goes_on_;
  std::optional<phantom::Card> card_;
  std::optional<session::Predictor> predictor_;
};

// Of a network that cannot be read there is none.
presenters::PictureTheory TheoryOf(const session::Run& run, const std::function<bool()>& goes_on) {
  const events::RunDescription description = run.description();
  const std::shared_ptr<const timeline::View> view = run.view();
  presenters::PictureTheory theory;
  theory.capacity = session::CapacityOf(description, *view);
  if (presenters::IsProgram(description)) return theory;
  PhantomOfRun phantom(description, goes_on);
  for (const std::string& json : view->settings()) {
    presenters::SettingsEstimate& estimate = theory.estimates.emplace_back();
    const auto settings = networks::SettingsFromJson(json);
    if (!settings) continue;
    const Result<networks::Network> network = networks::FindNamedByFile(settings->network);
    if (!network) continue;
    const int rank = networks::RankAmong(*settings, description.rank);
    estimate.textbook_bytes = textbook::EstimateMemory(*network, *settings, rank).total_bytes;
    phantom.Tell(*settings, estimate);
  }
  return theory;
}

}  // namespace

Result<std::string> PictureOf(const session::Run& run, const presenters::PictureView& view,
                              const std::string& title, const std::optional<presenters::SecondRun>& second,
                              const presenters::PictureSight& sight, const std::function<bool()>& goes_on) {
  if (view.key == "breakdown") return presenters::BreakdownPicture(*run.view(), title);
  if (view.key == "map") return presenters::MapPicture(*run.view(), title);
  if (view.key == "bridge") {
    const Result<presenters::Bridge> bridge = BridgeOf(run);
    if (!bridge) return Error{bridge.error().message + " Choose the timeline, the breakdown or the map."};
    return presenters::BridgePicture(*bridge, title);
  }
  const presenters::PictureTheory theory = TheoryOf(run, goes_on);
  if (goes_on && !goes_on()) return Error{"Stopped as asked."};
  return presenters::TimelinePicture(*run.view(), title, theory, second, sight);
}

std::vector<presenters::PlotMarker> MarkersOf(const timeline::View& view,
                                              const std::vector<trace::Bookmark>& bookmarks) {
  std::vector<presenters::PlotMarker> markers;
  if (view.empty()) return markers;
  for (const trace::Bookmark& bookmark : bookmarks) {
    const timeline::EventIndex index = std::min(view.IndexAt(bookmark.time_ns), view.end() - 1);
    markers.push_back({static_cast<double>(index), bookmark.text, ""});
  }
  return markers;
}

Result<presenters::EventRange> RangeOfSteps(const timeline::View& view, int64_t first, int64_t last) {
  const auto& steps = view.steps();
  std::optional<presenters::EventRange> range;
  for (size_t i = presenters::ComparedPartOf(view).first_step; i < steps.size(); ++i) {
    if (steps[i].number < first || steps[i].number > last) continue;
    if (!range) range = presenters::EventRange{steps[i].begin, steps[i].begin};
    range->end = std::min(steps[i].end + 1, view.end());
  }
  if (range) return *range;
  if (steps.empty()) return Error{"Nobody told where steps begin in this run. Leave --steps out."};
  return Error{fmt::format("The run's last step is {}; it has none that --steps asks for.",
                           FormatNumber(steps.back().number))};
}

}  // namespace tidemark::cli
