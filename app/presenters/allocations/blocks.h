// An allocation wherever one is shown: as its event tells of it, and how it is called. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// As it was born; `event` is its kAllocate.
timeline::LiveBlock BlockBornAt(const events::Event& event, events::EventIndex index);

// Its tensor's name; where it has none, what it holds and who made it: "temporary of aten::relu".
std::string BlockTitle(const timeline::View& view, const timeline::LiveBlock& block);

// What stands where nobody told.
inline constexpr std::string_view kNoLayer = "no layer";
inline constexpr std::string_view kNoOperator = "no operator";
inline constexpr std::string_view kNoLine = "no line of code";
// Beside that, where it stands for all of a run.
inline constexpr const char* kHowToGetLines =
    "This run tells no lines of code. Record it with --stacks python, or open a snapshot with stacks.";
inline constexpr std::string_view kBornBefore = "born before";  // the first event that the view has

// Of its layer, its operator (of a stack the innermost frame), its line of code, its birth's phase and its
// stream, or one of these.
std::string LayerTitle(const timeline::View& view, const timeline::LiveBlock& block);
std::string OperatorTitle(const timeline::View& view, const timeline::LiveBlock& block);
std::string LineTitle(const timeline::View& view, const timeline::LiveBlock& block);
std::string PhaseTitle(const timeline::View& view, const timeline::LiveBlock& block);
std::string StreamTitle(uint64_t stream);

// A stack's frames, a line each, from the frame `first` outwards; some 14 of them.
std::string StackLines(std::string_view stack, size_t first = 0);
// Those of an operator's name that is a stack; "" where it is the operator alone.
std::string StackIn(std::string_view op);

}  // namespace tidemark::presenters
