// What the timeline's stack is made of: categories, or layers, operators, phases, streams, lines of code, or
// whatever a person's regular expression finds (ranks: rank_stack.h). The largest become groups of their own,
// all else is one. Pure but for the memory of names that have been looked at; one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/presenters/allocations/group_sums.h"
#include "app/presenters/allocations/selection.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/base/result.h"

namespace tidemark::presenters {

enum class StackBy : uint8_t { kCategory, kLayer, kOperator, kPhase, kStream, kLine, kRank, kExpression };
inline constexpr int kStackByCount = 8;

struct StackOrder {
  StackBy by = StackBy::kCategory;
  // ECMAScript's syntax without back-references. It is looked for in a block's tensor, then its layer, then
  // its operator; the group is what it finds, or its first part in parentheses.
  std::string expression;

  bool operator==(const StackOrder&) const = default;
};

// With one for all others, which comes last ("other", or "other 5 layers"); each has a colour that no
// category has.
inline constexpr size_t kMostStackGroups = 10;
inline constexpr std::string_view kOtherGroups = "other";

struct Stacking {
  std::vector<std::string> titles;  // from the bottom: the largest first; of layers see layer_groups.h
  GroupSums::GroupOf group_of;
};
// Not for kCategory and kRank. The groups are those that are largest at the run's peak, at the last step's
// and at its end. Error: the expression cannot be read; a sentence with what to do.
Result<Stacking> MakeStacking(const timeline::View& view, const StackOrder& order);
// What tells the most where nobody has chosen: categories; the lines of code that asked for the memory where
// they are known and of nearly all of it nobody told what it holds. Looks at few events.
StackBy MostTelling(const timeline::View& view);
// What is looked at for MakeStacking.
timeline::View::StateEffort EffortOfStacking(const timeline::View& view);

// Fills the groups of a plot's columns; nothing where a column has not been taken in yet.
void AddGroups(const timeline::View& view, const GroupSums& sums, const std::vector<std::string>& titles,
               TimelinePlot& plot);
// What is selected, by category (the first kCategoryCount groups), and all else (the last).
GroupSums SumsOfSelected(const Selection& selection);
// The same for what is selected of each category.
void AddSelected(const timeline::View& view, const GroupSums& sums, TimelinePlot& plot);

}  // namespace tidemark::presenters
