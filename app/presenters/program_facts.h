// What there is to know of a program that is not ours: how it was started, on what card, how far it is, what
// it took. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/base/format.h"
#include "profiler/events/run_description.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/run.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// A program has no settings of ours.
bool IsProgram(const events::RunDescription& description);

struct Fact {
  std::string title;  // "Command"
  std::string text;
};
struct ProgramFacts {
  std::vector<Fact> facts;
  std::vector<std::string> notes;  // what to doubt
};
// `card`: the run's, where it is known; its memory is told in GiB, as by NVIDIA's tools. O(log events).
ProgramFacts MakeProgramFacts(const timeline::View& view, const events::RunDescription& description,
                              const session::RunStatus& status, const std::optional<phantom::Card>& card,
                              ByteUnit unit);

}  // namespace tidemark::presenters
