#include "app/gui/scene/comparison_scene.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "app/gui/scene/cursors.h"
#include "app/presenters/comparison/comparison_text.h"
#include "app/presenters/comparison/difference_tree.h"
#include "app/presenters/comparison/same_place.h"
#include "app/presenters/moment/settings_change.h"
#include "profiler/base/progress.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNothingToCompare =
    "There is nothing to compare yet. Lay a second run over this one with Compare with… (Ctrl+Shift+O), or "
    "drag over the timeline with Shift: what is alive at its end and was not at its beginning stands here.";
constexpr const char* kNothingChangedYet =
    "There is nothing to compare yet. Lay a second run over this one with Compare with… (Ctrl+Shift+O), drag "
    "over the timeline with Shift for two of its moments, or change a setting: two steps later, before and "
    "after stand here.";

uint64_t EventsOf(const ComparisonAsked& asked) {
  const uint64_t own = asked.view->end() - asked.view->first();
  return asked.compared == nullptr ? own : own + asked.compared->end() - asked.compared->first();
}

// Nothing where `progress` ended it.
std::optional<ShownComparison> Compare(const ComparisonAsked& asked, const Progress& progress) {
  bool goes_on = true;
  const auto look = [&](double share) { return goes_on = progress(share); };
  ShownComparison shown;
  if (asked.compared != nullptr) {
    shown.settings = presenters::SettingsDifference(*asked.view, *asked.compared);
    const auto same = asked.requests == nullptr ? std::span<const presenters::SameEvent>()
                                                : std::span(asked.requests->same);
    shown.sides = presenters::CompareRunsAt(*asked.view, *asked.compared, asked.compared_title, asked.moment,
                                            same, look);
  } else if (asked.cursors) {
    shown.sides = presenters::CompareMoments(*asked.view, asked.cursors->first, asked.cursors->second, look);
  } else if (const auto change = presenters::LatestChange(*asked.view)) {
    shown.sides = presenters::CompareChange(*asked.view, *change, asked.unit, look);
  }
  return goes_on ? std::optional(std::move(shown)) : std::nullopt;
}

// Nothing where `progress` ended it.
std::optional<std::shared_ptr<const ComparedRequests>> CompareRequests(const StreamsAsked& asked,
                                                                       const Progress& progress) {
  bool goes_on = true;
  const auto look = [&](double share) { return goes_on = progress(share); };
  const presenters::StreamsCompared streams =
      presenters::CompareStreams(*asked.view, *asked.compared, presenters::ComparedSteps::kAll, look);
  if (!goes_on) return std::nullopt;
  auto requests = std::make_shared<ComparedRequests>();
  requests->summary =
      presenters::SummaryOf(streams, *asked.view, "this run", *asked.compared, asked.compared_title);
  if (presenters::AlignByAllocations(*asked.view, *asked.compared))
    requests->same = presenters::SameEvents(*asked.view, *asked.compared, streams);
  return requests;
}

std::vector<std::string> NotesOnTwo(const std::vector<std::string>& shown, const ComparedRun& compared) {
  std::vector<std::string> notes = presenters::NotesOfOne("this run", shown, compared.notes);
  std::ranges::move(presenters::NotesOfOne(compared.title, compared.notes, shown), std::back_inserter(notes));
  return notes;
}

}  // namespace

void ComparisonScene::BeginFrame(const ViewState& state, const presenters::SelectedOwners& selected,
                                 Frame& frame) {
  comparison_.BeginFrame();
  streams_.BeginFrame();
  tree_.BeginFrame();
  throttle_.BeginFrame();
  streams_throttle_.BeginFrame();
  frame.comparison = {nullptr, false, state.unit, kNothingToCompare, &selected, nullptr, "", {}};
}

// All of both runs are looked at, so one that goes on is so every two seconds only.
void ComparisonScene::PrepareRequests(const SceneInput& input, const ViewState& state, Frame& frame) {
  alignment_.reset();
  if (!input.compared) return;
  const bool aligns = presenters::AlignByAllocations(*input.view, *input.compared->view);
  if (!aligns && !state.comparison.drawn) return;
  StreamsAsked asked{input.view, input.compared->view, input.compared->title};
  const auto rest = std::max<Throttle::Clock::duration>(2s, 10 * streams_.took());
  const bool by_hand = asked.compared != streams_asked_.compared;
  if (streams_throttle_.Takes(asked != streams_asked_, by_hand, rest)) streams_asked_ = std::move(asked);
  const uint64_t events = streams_asked_.view->end() - streams_asked_.view->first() +
                          streams_asked_.compared->end() - streams_asked_.compared->first();
  streams_.Ask(
      streams_asked_, events <= kMostLookedAtInAFrame,
      [](const StreamsAsked& wanted, const auto& progress) { return CompareRequests(wanted, progress); });
  if (const auto line = streams_.Line("Comparing request by request", 300ms)) frame.jobs.push_back(*line);
  if (!streams_.question() || streams_.question()->compared != streams_asked_.compared) return;
  frame.comparison.streams = &(*streams_.answer())->summary;
  if (aligns) alignment_ = *streams_.answer();
}

// Markers of others than our own runs are theirs, and many.
void ComparisonScene::TellWhetherCompared(const SceneInput& input, const ViewState& state, Frame& frame) {
  const bool has_settings = !input.description.settings_json.empty();
  frame.live_tree.compares = input.compared || EventsUnderCursors(*input.view, state) ||
                             (has_settings && presenters::LatestChange(*input.view));
}

void ComparisonScene::Prepare(const SceneInput& input, ViewState& state, Frame& frame) {
  const bool is_of_panel = std::exchange(state.comparison.drawn, false);
  const bool is_of_tree =
      ShowsDifference(frame.live_tree, state.live_tree) && std::exchange(state.live_tree.drawn, false);
  if (is_of_panel || is_of_tree) PrepareSides(input, state, frame);
  if (is_of_tree) PrepareTree(state, frame);
}

void ComparisonScene::PrepareSides(const SceneInput& input, const ViewState& state, Frame& frame) {
  const bool compares = input.compared.has_value();
  frame.comparison.second_run = compares;
  if (compares) frame.comparison.notes = NotesOnTwo(input.description.notes, *input.compared);
  if (input.live) frame.comparison.empty_reason = kNothingChangedYet;
  if (compares && state.pinned && alignment_ == nullptr &&
      presenters::AlignByAllocations(*input.view, *input.compared->view)) {
    frame.comparison.empty_reason =
        streams_.cancelled() ? "Cancelled. Escape unpins the moment." : "Looking at both sides…";
    return;
  }
  ComparisonAsked asked{input.view,
                        compares ? input.compared->view : nullptr,
                        compares ? input.compared->title : "",
                        state.pinned,
                        compares ? std::nullopt : EventsUnderCursors(*input.view, state),
                        state.pinned ? alignment_ : nullptr,
                        state.unit};
  const bool by_hand = asked.compared != comparison_asked_.compared ||
                       asked.moment != comparison_asked_.moment ||
                       asked.cursors != comparison_asked_.cursors || asked.unit != comparison_asked_.unit;
  if (throttle_.Takes(asked != comparison_asked_, by_hand)) comparison_asked_ = std::move(asked);
  comparison_.Ask(
      comparison_asked_, EventsOf(comparison_asked_) <= kMostLookedAtInAFrame,
      [](const ComparisonAsked& wanted, const auto& progress) { return Compare(wanted, progress); });
  if (const auto line = comparison_.Line("Comparing", 300ms)) frame.jobs.push_back(*line);
  // Until it is there the one before of the same runs is shown.
  const bool is_of_these =
      comparison_.question() && comparison_.question()->compared == comparison_asked_.compared;
  const ShownComparison* const shown = is_of_these ? comparison_.answer() : nullptr;
  frame.comparison.comparison = shown != nullptr && shown->sides ? &*shown->sides : nullptr;
  if (shown != nullptr) frame.comparison.settings = shown->settings;
  if (shown == nullptr) {
    frame.comparison.empty_reason =
        comparison_.cancelled() ? "Cancelled. Another moment is compared again." : "Looking at both sides…";
  } else if (compares) {
    frame.comparison.empty_reason =
        input.compared->title + " has nothing like the pinned moment. Escape unpins it.";
  }
}

// The tree that is shown stays until the one that is asked for is there, if it is of the same runs.
void ComparisonScene::PrepareTree(const ViewState& state, Frame& frame) {
  LiveTreeInput& told = frame.live_tree;
  const presenters::SideBySide* const sides = frame.comparison.comparison;
  if (sides == nullptr) return void(told.empty_reason = frame.comparison.empty_reason);
  told.sides = TreeSidesTitles{sides->title_a, sides->title_b};
  told.moment = sides->moment;
  const ComparisonAsked& of = *comparison_.question();
  const timeline::View& other = of.compared == nullptr ? *of.view : *of.compared;
  told.empty_reason = presenters::WhyNotCompared(*of.view, sides->title_a, other, sides->title_b);
  if (!told.empty_reason.empty()) return;
  const DifferenceAsked asked{sides->moments, of.view, of.compared, state.selection, told.grouping};
  const uint64_t blocks = sides->moments->a.state.blocks.size() + sides->moments->b.state.blocks.size();
  tree_.Ask(asked, FitsInFrame({blocks * KeysOf(asked.grouping).size(), 0}),
            [](const DifferenceAsked& wanted, const auto& progress) {
              return presenters::MakeDifferenceTree(wanted.moments->a, wanted.moments->b,
                                                    KeysOf(wanted.grouping), wanted.selection, progress);
            });
  const bool is_of_these = tree_.question() && tree_.question()->compared == asked.compared;
  told.tree = is_of_these ? tree_.answer() : nullptr;
  if (told.tree == nullptr)
    told.empty_reason =
        tree_.cancelled() ? "Cancelled. Another moment is compared again." : "Looking at both sides…";
  if (const auto line = tree_.Line("Grouping both sides", 300ms)) frame.jobs.push_back(*line);
}

}  // namespace tidemark::gui
