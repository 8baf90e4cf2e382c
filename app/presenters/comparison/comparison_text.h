// How two runs agree request by request, in words: what `tidemark compare` and the Compare panel say of
// stream_comparison.h, and of the doubts about either. `a` and `b` are what the two are called. Pure, any
// thread. O(log events).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/presenters/comparison/stream_comparison.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// "Aligned by step and phase: 4 in both, 2 only in A."
std::string AlignmentText(const StreamsCompared& streams, std::string_view a, std::string_view b);
// "1,878 agree in order, of 2,816 in A and 1,878 in B; 2 differences"
std::string AgreementText(const StreamComparison& stream, std::string_view a, std::string_view b);
// "event 1,204, step 3, forward"
std::string PlaceText(const timeline::View& view, events::EventIndex index);
// What one of the two has where they differ: "event 1,204, step 3, forward: 25,600 bytes, conv1, and 3 more".
std::string SideText(const timeline::View& view, events::EventIndex index, uint64_t only);

// "Note on A: cuDNN's workspaces are not included." for each of the notes on the one run that the other
// lacks: what is told of both makes no difference between them. O(notes of one × of the other).
std::vector<std::string> NotesOfOne(std::string_view name, const std::vector<std::string>& notes,
                                    const std::vector<std::string>& notes_of_other);

// Of the two those that nobody told the blocks of, and why (WhyUntold): "Of B: What is allocated is not
// known. …"; "" where both tell of theirs.
std::string WhyNotCompared(const timeline::View& view_a, std::string_view a, const timeline::View& view_b,
                           std::string_view b);

struct StreamsSummary {
  std::string sentence;
  std::string first_difference;  // "" = there is none
  std::optional<events::EventIndex> first_in_a;
};
StreamsSummary SummaryOf(const StreamsCompared& streams, const timeline::View& view_a, std::string_view a,
                         const timeline::View& view_b, std::string_view b);

}  // namespace tidemark::presenters
