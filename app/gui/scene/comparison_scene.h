// Two runs side by side, or one at two moments (the cursors', or before and after its settings changed), and
// both request by request. UI thread
// only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/background/lookup.h"
#include "app/gui/background/throttle.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/comparison/side_by_side.h"

namespace tidemark::gui {

// Request by request; only of two runs.
struct StreamsAsked {
  std::shared_ptr<const timeline::View> view;
  std::shared_ptr<const timeline::View> compared;
  std::string compared_title;

  bool operator==(const StreamsAsked&) const = default;
};
struct ComparedRequests {
  presenters::StreamsSummary summary;
  std::vector<presenters::SameEvent> same;  // where the runs are aligned by these; else none
};
// What the comparison was made from.
struct ComparisonAsked {
  std::shared_ptr<const timeline::View> view;
  std::shared_ptr<const timeline::View> compared;
  std::string compared_title;
  std::optional<timeline::EventIndex> moment;
  std::optional<std::pair<timeline::EventIndex, timeline::EventIndex>> cursors;  // without a second run
  std::shared_ptr<const ComparedRequests> requests;  // where the runs are aligned by them
  ByteUnit unit = ByteUnit::kMegabytes;

  bool operator==(const ComparisonAsked&) const = default;
};
struct ShownComparison {
  // None: there is no such place in the other run, or nothing to compare with.
  std::optional<presenters::SideBySide> sides;
  std::string settings;  // the second run's, as far as they are others
};

// Where the two differ, as a tree.
struct DifferenceAsked {
  std::shared_ptr<const presenters::TwoMoments> moments;
  std::shared_ptr<const timeline::View> view;  // that they point to
  std::shared_ptr<const timeline::View> compared;
  presenters::Selection selection;
  TreeGrouping grouping = TreeGrouping::kCategory;

  bool operator==(const DifferenceAsked&) const = default;
};

class ComparisonScene {
 public:
  // What the panel says where there is nothing to compare.
  void BeginFrame(const ViewState& state, const presenters::SelectedOwners& selected, Frame& frame);
  // What the two runs ask for, where the panel shows it or they are aligned by it.
  void PrepareRequests(const SceneInput& input, const ViewState& state, Frame& frame);
  // Null where they are not aligned by it, and until it is known.
  const std::shared_ptr<const ComparedRequests>& alignment() const { return alignment_; }
  // Whether there is anything to compare: what else tells of it is prepared after this.
  void TellWhetherCompared(const SceneInput& input, const ViewState& state, Frame& frame);
  // After PrepareRequests, and after what is alive at the moment.
  void Prepare(const SceneInput& input, ViewState& state, Frame& frame);
  bool pending() const {
    return comparison_.pending() || streams_.pending() || tree_.pending() || throttle_.due() ||
           streams_throttle_.due();
  }

 private:
  void PrepareSides(const SceneInput& input, const ViewState& state, Frame& frame);
  void PrepareTree(const ViewState& state, Frame& frame);

  Lookup<StreamsAsked, std::shared_ptr<const ComparedRequests>> streams_{Overtaken::kIsGivenUp};
  StreamsAsked streams_asked_;
  Throttle streams_throttle_;
  std::shared_ptr<const ComparedRequests> alignment_;
  Lookup<ComparisonAsked, ShownComparison> comparison_;
  ComparisonAsked comparison_asked_;
  Throttle throttle_;
  Lookup<DifferenceAsked, presenters::LiveTree> tree_;
};

}  // namespace tidemark::gui
