// The tables and the bridge: of one moment, the peak that is told or the one that a person has pinned. UI
// thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/estimates.h"
#include "app/gui/background/lookup.h"
#include "app/gui/background/throttle.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/moment/breakdown.h"
#include "app/presenters/moment/layer_table.h"
#include "app/presenters/moment/peak_moment.h"
#include "profiler/session/predictor.h"

namespace tidemark::gui {

// What the tables depend on.
struct TablesAsked {
  std::shared_ptr<const timeline::View> view;
  std::optional<timeline::EventIndex> pinned;
  bool is_program = false;
  bool is_over = false;  // a recording, or a program's run
  bool on_cpu = false;
  int rank = 0;
  session::PhantomSetup phantom;        // whose prediction is beside it
  networks::TrainingSettings settings;  // where the run tells none
  uint64_t estimates = 0;               // their version

  bool operator==(const TablesAsked&) const = default;
};
// What they are made from: it follows from what was asked.
struct TablesSource {
  std::optional<presenters::PeakMoment> moment;
  std::optional<textbook::Estimate> textbook;
  std::optional<session::Prediction> prediction;
  std::optional<phantom::Card> card;  // of the prediction
  bool at_peak = true;
};
struct MomentTables {
  std::shared_ptr<const TablesSource> source;
  presenters::Breakdown breakdown;
  std::vector<presenters::LayerRow> layers;
  presenters::Bridge bridge;
  bool bridge_predicted = false;
};

class TablesScene {
 public:
  // What the panels show without a run.
  void BeginFrame(const SceneInput& input, const ViewState& state, const presenters::SelectedOwners& selected,
                  Frame& frame);
  // `phantom`: whose prediction is beside it; with no card there is none.
  void Prepare(const SceneInput& input, const ViewState& state, Estimates& estimates,
               const session::PhantomSetup& phantom, Frame& frame);
  // The latest, of a recording or a program that is over the run's; as of the last Prepare.
  const std::optional<presenters::PeakMoment>& peak() const { return peak_; }
  const std::optional<presenters::MeasuredPeak>& measured() const { return measured_; }  // the same
  bool pending() const { return tables_.pending() || throttle_.due(); }

 private:
  void FindPeak();
  TablesSource FindSource(Estimates& estimates, const std::vector<phantom::Card>& cards) const;
  void Note(const SceneInput& input, const Estimates& estimates, Frame& frame) const;

  TablesAsked asked_;
  std::shared_ptr<const TablesSource> source_ = std::make_shared<TablesSource>();  // as of what was asked
  Throttle throttle_;
  std::optional<presenters::PeakMoment> peak_;
  std::optional<presenters::MeasuredPeak> measured_;
  Lookup<TablesAsked, MomentTables> tables_;
};

}  // namespace tidemark::gui
