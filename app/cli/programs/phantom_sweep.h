// `tidemark phantom --sweep`: one row for each value of an argument of the user's program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/sweep.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// What the order of addresses, which nobody knows, moves.
using BandOf = std::function<Result<session::ReservedBand>(const session::Run&)>;

struct SweepRow {
  phantom::RunAnswer run;
  std::optional<Result<session::ReservedBand>> band;  // none of a run without peaks
  // On the fullest card; none of a run that was not heard.
  std::optional<int64_t> fullest_reserved_bytes = {};
};

// A row a value. A run that failed has no peaks. `card` with the memory that it has.
std::string SweepTable(const phantom::SweepTask& task, const phantom::Card& card,
                       const std::vector<SweepRow>& rows);

// Runs it and records each of its runs, as far as it takes to replay them; tells the rows in the order of the
// values, as phantom::Sweep does. Any thread.
Status RecordSweep(phantom::SweepTask task, const BandOf& band_of,
                   const std::function<void(const SweepRow&)>& answered,
                   const std::function<bool()>& goes_on);

// Runs it and answers on standard output; the exit code. Ctrl-C ends it with the rows that there are.
// `doubts`: what is told after it, and in JSON's "notes".
int RunSweep(const phantom::SweepTask& task, const phantom::Card& card, bool json,
             const std::function<std::vector<std::string>()>& doubts, const BandOf& band_of);

}  // namespace tidemark::cli
