// What there is to know of a program that is not ours: how it was started, on what card, how far it is, what
// it took. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/program_order.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/run.h"
#include "profiler/timeline/graph_replays.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// A program has no settings of ours.
bool IsProgram(const events::RunDescription& description);

// What ran, without what it ran on: "train.py" of "train.py on phantom NVIDIA T4"; of an imported file its
// name.
std::string NameOfProgram(const events::RunDescription& description);
// The run's title with another name of what ran: "VGG-16 on phantom NVIDIA H200". As it is where it names no
// device.
std::string TitleWithName(const events::RunDescription& description, const std::string& name);

// Whether what its blocks hold is inferred from what autograd and optimizers do (profiler/capture/roles): of
// such a program, recorded by us. Others' files tell it themselves, or not.
bool InfersContents(const events::RunDescription& description);
inline constexpr const char* kContentsAreInferred =
    "what blocks hold is inferred from what autograd and optimizers do";

// What tells on which cards a program fits, and what would make it, as it would be typed. `cards_used`: how
// many of one it took memory on. `known`: all cards; a run's that is none of them is called NAME.
std::string FitCommand(const events::RunDescription& description, size_t cards_used,
                       const std::vector<phantom::Card>& known);

// How often a program called a model without gradients (profiler/capture/operators/layer_scopes.h) where it
// has no step that tells how far it came; 0 of any other run, as of one that runs backward and never steps.
// O(phases).
int64_t PassesWithoutSteps(const timeline::View& view, const session::RunStatus& status,
                           const events::RunDescription& description);

// " (a step ends with ...)" of a program with no step, to follow the number; "" of any other run. What ends a
// step, profiler/capture/course/course.h says.
std::string WhyNoStep(const session::RunStatus& status, const events::RunDescription& description);

// Where every run of several took just as much memory, a sentence that doubts it; else "". `allocated_peaks`:
// bytes; none of a run that did not come to its end.
std::string DoubtOfSweep(const std::string& option,
                         const std::vector<std::optional<int64_t>>& allocated_peaks);

// How full a card is with what fits: "nearly full: PyTorch empties its cache"; "" where there is room to
// spare. And all of it: "fits, but nearly full: PyTorch empties its cache".
inline constexpr const char* kNearlyFull = "nearly full: PyTorch empties its cache";
std::string HowFull(const session::HeldOfCard& held, const phantom::Card& card);
std::string FitsInWords(const session::HeldOfCard& held, const phantom::Card& card);

// What a program came to on a card with techniques: "fits", "does not fit" or "no answer". Which of its
// techniques changed nothing. And why there is no answer, or else how full the card is and those; "" where
// there is nothing to say.
std::string VerdictOf(const session::TechniqueAnswer& answer);
std::string ChangedNothing(const session::TechniqueAnswer& answer);
std::string WhyVerdict(const session::TechniqueAnswer& answer, const phantom::Card& card);

// "at least 2.65 GiB short", of a program for which the card had no room, by what it allocates; where that
// would have had room beside the context, and only segments had none, "at most 200.0 MiB short". "" where it
// is not known.
std::string HowMuchShort(const session::Need& needed, const phantom::Card& card, ByteUnit unit);
// The same of one that ran out, or what else it takes to fit: "with PYTORCH_CUDA_ALLOC_CONF=... it has room".
std::string WhatIsShort(const session::TechniqueAnswer& answer, const phantom::Card& card, ByteUnit unit);

// "20, in 10 of 12 steps, up to 2 in one", of CUDA graphs.
std::string ReplaysInWords(const timeline::GraphReplays& replays);

struct Fact {
  std::string title;
  std::string text;
  std::string exact = {};  // what the text rounds
};
inline constexpr const char* kCommandFact = "Command";  // its text is as it would be typed
struct ProgramFacts {
  std::vector<Fact> facts;
  std::vector<std::string> notes;  // what to doubt
};
// How far the order of addresses moves what was reserved; none where that is not worked out (yet), or has no
// say.
using Band = std::optional<Result<session::ReservedBand>>;
// `known`: all cards, of which the run's may be one. `replays`: the view's. O(chunks + log events), of a
// program without steps + phases.
ProgramFacts MakeProgramFacts(const timeline::View& view, const events::RunDescription& description,
                              const session::RunStatus& status, const std::vector<phantom::Card>& known,
                              const timeline::GraphReplays& replays, const Band& band, ByteUnit unit);

}  // namespace tidemark::presenters
