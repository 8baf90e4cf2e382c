#include "app/presenters/plot/stacking.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "app/presenters/plot/layer_groups.h"
#include "profiler/base/natural_order.h"
#include "profiler/base/wrapping.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/block_layer.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/steps.h"

namespace tidemark::presenters {
namespace {

using events::EventIndex;
using timeline::LiveBlock;
using timeline::Series;
using timeline::View;

constexpr size_t kMostTextSearched = 256;

// What a block's group is called.
using TitleOf = std::function<std::string(const View&, const LiveBlock&)>;

std::string Found(const std::regex& expression, const View& view, const LiveBlock& block) {
  for (const std::string_view name : {view.name(block.name), LayerOf(view, block), view.name(block.op)}) {
    const std::string text(name.substr(0, kMostTextSearched));
    std::smatch match;
    if (text.empty() || !std::regex_search(text, match, expression)) continue;
    const std::string found = match.size() > 1 && match[1].matched ? match[1].str() : match[0].str();
    return found.empty() ? "matches" : found;
  }
  return "no match";
}

Result<std::regex> Compiled(const std::string& text) {
  const auto unreadable = [&text](const char* why) {
    return Error{"\"" + text + "\" is not a regular expression that can be used here (" + why +
                 "). Try for example conv|relu, or layer([0-9]+) for a group per number."};
  };
  try {
    // Polynomial: whatever a person types, a frame does not wait for it (libstdc++'s matcher by breadth).
    return std::regex(text, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    switch (error.code()) {
      case std::regex_constants::error_paren:
        return unreadable("a parenthesis is open");
      case std::regex_constants::error_brack:
        return unreadable("a bracket is open");
      case std::regex_constants::error_badrepeat:
        return unreadable("there is nothing to repeat before *, + or ?");
      case std::regex_constants::error_backref:
      case std::regex_constants::error_complexity:
        return unreadable("it refers back to what it found");
      case std::regex_constants::error_space:
        return unreadable("it is too large");
      default:
        return unreadable("its syntax is not ECMAScript's");
    }
  }
}

Result<TitleOf> TitlesFor(const StackOrder& order) {
  switch (order.by) {
    case StackBy::kOperator:
      return TitleOf(OperatorTitle);
    case StackBy::kLine:
      return TitleOf(LineTitle);
    case StackBy::kPhase:
      return TitleOf(PhaseTitle);
    case StackBy::kStream:
      return TitleOf([](const View&, const LiveBlock& block) { return StreamTitle(block.stream); });
    case StackBy::kCategory:
    case StackBy::kLayer:
    case StackBy::kRank:
    case StackBy::kExpression:
      break;
  }
  const Result<std::regex> expression = Compiled(order.expression);
  if (!expression) return expression.error();
  // Each combination of names is searched once, however many blocks have it.
  using Names = std::tuple<events::NameId, events::NameId, events::NameId, events::Category>;
  auto known = std::make_shared<std::map<Names, std::string>>();
  return TitleOf([expression = *expression, known](const View& view, const LiveBlock& block) {
    const auto [place, fresh] = known->try_emplace(Names{block.name, block.layer, block.op, block.category});
    if (fresh) place->second = Found(expression, view, block);
    return place->second;
  });
}

// The moments at which groups are weighed.
std::vector<EventIndex> TellingMoments(const View& view) {
  std::vector<EventIndex> moments;
  if (view.empty()) return moments;
  moments.push_back(timeline::HighestMoment(view, view.first(), view.end()));
  moments.push_back(view.end() - 1);
  if (const timeline::Step* step = timeline::LastCompleteStep(view)) moments.push_back(step->peak);
  return moments;
}

// For layers within the first step as well: what an optimizer begins to keep belongs to none until it is
// told.
std::vector<EventIndex> MomentsOfLayers(const View& view) {
  constexpr EventIndex kParts = 8;
  std::vector<EventIndex> moments = TellingMoments(view);
  if (view.empty() || view.steps().empty()) return moments;
  const timeline::Step& step = view.steps().front();
  const EventIndex begin = std::max(view.first(), step.begin);
  const EventIndex end = std::clamp(step.end, begin, view.end() - 1);
  for (EventIndex part = 1; part < kParts; ++part) moments.push_back(begin + (end - begin) * part / kParts);
  return moments;
}

// At each of some moments.
std::vector<std::map<std::string, int64_t>> BytesByTitle(const View& view, const TitleOf& title_of,
                                                         const std::vector<EventIndex>& moments) {
  std::vector<std::map<std::string, int64_t>> bytes_at;
  for (const EventIndex moment : moments) {
    std::map<std::string, int64_t>& here = bytes_at.emplace_back();
    const timeline::State state = view.StateAt(moment);
    for (const LiveBlock& block : timeline::CountedBlocks(state))
      AddTo(here[title_of(view, block)], block.rounded_bytes);
  }
  return bytes_at;
}

std::vector<std::string> LargestTitles(const View& view, const TitleOf& title_of) {
  std::map<std::string, int64_t, NaturalOrder> most;
  for (const auto& here : BytesByTitle(view, title_of, TellingMoments(view))) {
    for (const auto& [title, bytes] : here) most[title] = std::max(most[title], bytes);
  }
  std::vector<std::pair<int64_t, std::string>> order;
  order.reserve(most.size());
  for (const auto& [title, bytes] : most) order.emplace_back(bytes, title);
  std::ranges::stable_sort(order, std::greater(), &std::pair<int64_t, std::string>::first);
  std::vector<std::string> titles;
  for (const auto& [bytes, title] : order) {
    if (titles.size() + 1 < kMostStackGroups) titles.push_back(title);
  }
  titles.emplace_back(kOtherGroups);
  return titles;
}

bool TellsLinesAround(const View& view, EventIndex moment) {
  constexpr EventIndex kLookedAt = 1000;
  const EventIndex end = std::min(view.end(), moment + kLookedAt);
  for (EventIndex index = std::max(view.first() + kLookedAt, moment) - kLookedAt; index < end; ++index) {
    const events::Event& event = view.event(index);
    if (event.kind == events::EventKind::kAllocate && !events::InnermostLine(view.name(event.op)).empty())
      return true;
  }
  return false;
}

// What decides of a block's group; each combination is looked at once.
struct Looks {
  events::NameId name = 0;
  events::NameId layer = 0;
  events::NameId op = 0;
  events::Category category = events::Category::kUnknown;
  uint64_t stream = 0;
  std::string phase;  // where it does

  bool operator==(const Looks&) const = default;
};
struct HashOfLooks {
  size_t operator()(const Looks& looks) const {
    size_t hash = looks.phase.empty() ? 0 : std::hash<std::string>()(looks.phase);
    for (const uint64_t part : {uint64_t{looks.name}, uint64_t{looks.layer}, uint64_t{looks.op},
                                static_cast<uint64_t>(looks.category), looks.stream})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15 ^ hash >> 29;
    return hash;
  }
};

struct Groups {
  std::vector<std::string> titles;  // the last is of all others
  std::vector<std::string> names;   // of the groups before it, as name_of tells them
  TitleOf name_of;
};

Result<Groups> GroupsFor(const View& view, const StackOrder& order) {
  if (order.by == StackBy::kLayer) {
    const LayerGroups layers =
        GroupsOfLayers(BytesByTitle(view, LayerOrKindOf, MomentsOfLayers(view)), kMostStackGroups);
    return Groups{layers.titles, layers.groups, [layers](const View& now, const LiveBlock& block) {
                    return layers.NameOf(LayerOrKindOf(now, block));
                  }};
  }
  Result<TitleOf> title_of = TitlesFor(order);
  if (!title_of) return title_of.error();
  std::vector<std::string> titles = LargestTitles(view, *title_of);
  std::vector<std::string> names(titles.begin(), titles.end() - 1);
  return Groups{std::move(titles), std::move(names), std::move(*title_of)};
}

}  // namespace

Result<Stacking> MakeStacking(const View& view, const StackOrder& order) {
  const Result<Groups> groups = GroupsFor(view, order);
  if (!groups) return groups.error();
  Stacking stacking;
  stacking.titles = groups->titles;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < groups->names.size(); ++i) places.emplace(groups->names[i], i);
  auto known = std::make_shared<std::unordered_map<Looks, size_t, HashOfLooks>>();
  const bool by_phase = order.by == StackBy::kPhase;
  const size_t other = stacking.titles.size() - 1;
  stacking.group_of = [=, name_of = groups->name_of](const View& now, const LiveBlock& block) {
    const Looks looks{block.name,     block.layer,  block.op,
                      block.category, block.stream, by_phase ? PhaseTitle(now, block) : std::string()};
    const auto [place, fresh] = known->try_emplace(looks, other);
    if (fresh) {
      const auto found = places.find(name_of(now, block));
      if (found != places.end()) place->second = found->second;
    }
    return place->second;
  };
  return stacking;
}

StackBy MostTelling(const View& view) {
  if (view.empty()) return StackBy::kCategory;
  const EventIndex peak = timeline::HighestMoment(view, view.first(), view.end());
  const timeline::SeriesValues values = view.ValuesAt(peak);
  const int64_t all = ValueOf(values, Series::kAllocated);
  const int64_t told = all - ValueOf(values, timeline::SeriesOf(events::Category::kUnknown));
  constexpr int64_t kNearlyAll = 20;  // all but a twentieth
  return told <= all / kNearlyAll && TellsLinesAround(view, peak) ? StackBy::kLine : StackBy::kCategory;
}

View::StateEffort EffortOfStacking(const View& view) {
  View::StateEffort effort;
  for (const EventIndex moment : MomentsOfLayers(view)) effort = effort + view.EffortOfState(moment);
  return effort;
}

void AddGroups(const View& view, const GroupSums& sums, const std::vector<std::string>& titles,
               TimelinePlot& plot) {
  plot.groups.clear();
  plot.grouped.clear();
  const size_t groups = titles.size();
  std::vector<int64_t> grouped(plot.columns.size() * groups);
  for (size_t k = 0; k < plot.columns.size(); ++k) {
    const EventIndex at = std::max(plot.columns[k].peak, view.first());
    if (at < sums.first() || at >= sums.end()) return;
    sums.At(view, at, std::span(grouped).subspan(k * groups, groups));
  }
  plot.groups = titles;
  plot.grouped = std::move(grouped);
}

GroupSums SumsOfSelected(const Selection& selection) {
  constexpr size_t kNotSelected = events::kCategoryCount;
  return GroupSums(kNotSelected + 1, [selection](const View& view, const LiveBlock& block) {
    return Selects(selection, view, block) ? static_cast<size_t>(block.category) : kNotSelected;
  });
}

void AddSelected(const View& view, const GroupSums& sums, TimelinePlot& plot) {
  plot.selected.clear();
  std::vector<std::array<int64_t, events::kCategoryCount>> selected(plot.columns.size());
  std::vector<int64_t> here(sums.groups());
  for (size_t k = 0; k < plot.columns.size(); ++k) {
    const EventIndex at = std::max(plot.columns[k].peak, view.first());
    if (at < sums.first() || at >= sums.end()) return;
    sums.At(view, at, here);
    std::copy_n(here.begin(), events::kCategoryCount, selected[k].begin());
  }
  plot.selected = std::move(selected);
}

}  // namespace tidemark::presenters
