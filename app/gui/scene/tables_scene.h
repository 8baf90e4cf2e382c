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

namespace tidemark::gui {

// What the tables are made from.
struct TablesAsked {
  uint64_t number = 0;  // one more each time: nothing else tells two askings apart
  std::optional<presenters::PeakMoment> moment;
  std::optional<textbook::Estimate> textbook;
  std::optional<session::Prediction> prediction;
  bool at_peak = true;

  bool operator==(const TablesAsked& other) const { return number == other.number; }
};
struct MomentTables {
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
  // `card` "" = no phantom's prediction.
  void Prepare(const SceneInput& input, const ViewState& state, Estimates& estimates, const std::string& card,
               Frame& frame);
  // The latest, of a recording or a program that is over the run's; as of the last Prepare.
  const std::optional<presenters::PeakMoment>& peak() const { return peak_; }
  const std::optional<presenters::MeasuredPeak>& measured() const { return measured_; }  // the same
  bool pending() const { return tables_.pending() || throttle_.due(); }

 private:
  bool AreDue(const SceneInput& input, const ViewState& state, const Estimates& estimates);
  void Ask(const SceneInput& input, Estimates& estimates, const std::string& card);
  void Note(const SceneInput& input, const Estimates& estimates, Frame& frame) const;

  // What the tables were made from.
  std::shared_ptr<const timeline::View> shown_view_;
  uint64_t estimates_version_ = 0;
  ByteUnit unit_ = ByteUnit::kMegabytes;
  TablesAsked asked_;
  Throttle throttle_;
  std::optional<presenters::PeakMoment> peak_;
  std::optional<presenters::MeasuredPeak> measured_;
  std::optional<timeline::EventIndex> pinned_;
  Lookup<TablesAsked, MomentTables> tables_;
};

}  // namespace tidemark::gui
