#include "app/cli/programs/program_sweep.h"

#include "app/cli/programs/phantom_order.h"
#include "app/cli/programs/phantom_sweep.h"
#include "app/cli/programs/program_launch.h"
#include "app/cli/programs/program_start.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/session/reserved_band.h"

namespace tidemark::cli {
namespace {

session::SweepPoint PointOf(const SweepRow& row) {
  const phantom::RunAnswer& run = row.run;
  session::SweepPoint point;
  point.value = run.value;
  point.has_peaks = run.used_cuda && !run.out_of_memory && run.sentence.empty();
  point.allocated_peak_bytes = run.allocated_peak_bytes;
  point.reserved_peak_bytes = point.least_reserved_bytes = point.most_reserved_bytes =
      run.reserved_peak_bytes;
  if (row.band && row.band->ok()) {
    point.least_reserved_bytes = (*row.band)->bytes.least_bytes;
    point.most_reserved_bytes = (*row.band)->bytes.most_bytes;
  }
  point.out_of_memory = run.out_of_memory;
  point.sentence = run.sentence;
  if (run.sentence.empty() && !run.used_cuda) point.sentence = "it asked the phantom GPU for no memory";
  return point;
}

}  // namespace

Result<std::vector<std::string>> SweepProgram(const session::SweepOrder& order,
                                              const session::SweepListener& listener,
                                              const session::StartWatch& watch) {
  const Result<std::vector<std::string>> words = WordsOf(order.program.command);
  if (!words) return words.error();
  const Result<PhantomOrder> understood = UnderstandPhantom(OptionsOf(order.program));
  if (!understood) return Blame(watch, session::ProgramField::kMemory, understood.error());
  const Result<phantom::SweepRange> range = phantom::SweepRangeFromText(order.range);
  if (!range) return Blame(watch, session::ProgramField::kSweep, range.error());
  const Result<ProgramLaunch> launch =
      LaunchOnPhantom(*understood, *words, "", {watch.told, watch.goes_on, watch.share});
  if (!launch) return launch.error();
  listener.begun(range->name, range->values);
  const BandOf band_of = [&](const session::Run& run) {
    return session::ReservedBandOf(*run.view(), understood->CardAsAsked(), launch->Allocator(),
                                   events::AllocatorEnvironment(run.description().allocator_settings),
                                   [&](double) { return !watch.goes_on || watch.goes_on(); });
  };
  const Status swept = RecordSweep(
      {*words, launch->environment, range->name, range->values}, band_of,
      [&](const SweepRow& row) { listener.answered(PointOf(row)); }, watch.goes_on);
  if (!swept) return swept.error();
  return launch->Notes();
}

}  // namespace tidemark::cli
