// Two runs side by side, or one before and after its settings changed, and both request by request. UI thread
// only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/gui/background/lookup.h"
#include "app/gui/background/throttle.h"
#include "app/gui/scene/scene_input.h"
#include "app/gui/view/frame.h"
#include "app/gui/view/view_state.h"
#include "app/presenters/side_by_side.h"

namespace tidemark::gui {

// What the comparison was made from.
struct ComparisonAsked {
  std::shared_ptr<const timeline::View> view;
  std::shared_ptr<const timeline::View> compared;
  std::string compared_title;
  std::optional<timeline::EventIndex> moment;
  ByteUnit unit = ByteUnit::kMegabytes;

  bool operator==(const ComparisonAsked&) const = default;
};
// Request by request; only of two runs.
struct StreamsAsked {
  std::shared_ptr<const timeline::View> view;
  std::shared_ptr<const timeline::View> compared;
  std::string compared_title;

  bool operator==(const StreamsAsked&) const = default;
};
struct ShownComparison {
  // None: there is no such place in the other run, or nothing to compare with.
  std::optional<presenters::SideBySide> sides;
  std::string settings;  // the second run's, as far as they are others
};

class ComparisonScene {
 public:
  // What the panel says where there is nothing to compare.
  void BeginFrame(const ViewState& state, const presenters::SelectedOwners& selected, Frame& frame);
  void Prepare(const SceneInput& input, ViewState& state, Frame& frame);
  bool pending() const {
    return comparison_.pending() || streams_.pending() || throttle_.due() || streams_throttle_.due();
  }

 private:
  void CompareRequests(const SceneInput& input, Frame& frame);

  Lookup<StreamsAsked, presenters::StreamsSummary> streams_{Overtaken::kIsGivenUp};
  StreamsAsked streams_asked_;
  Throttle streams_throttle_;
  Lookup<ComparisonAsked, ShownComparison> comparison_;
  ComparisonAsked comparison_asked_;
  Throttle throttle_;
};

}  // namespace tidemark::gui
