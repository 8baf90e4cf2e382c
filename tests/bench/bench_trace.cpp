// Recordings of ten million events: writing, reading, opening; and exports of one million, which take as many
// cores as there are: by the clock, and what all of them worked.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "profiler/session/run.h"
#include "profiler/trace/exporters/export.h"
#include "profiler/trace/tide.h"
#include "tests/bench/machine.h"
#include "tests/bench/stopwatch.h"
#include "tests/bench/training_stream.h"

namespace tidemark::bench {
namespace {

constexpr size_t kEvents = 10'000'000;

void MeasureRecording(const std::filesystem::path& file) {
  TrainingStream stream;
  double us = 0;
  size_t events = 0;
  {
    auto writer = std::move(*trace::TideWriter::Create(file, {}));
    while (events < kEvents) {
      const auto batch = stream.Take(100'000);
      const Stopwatch watch;
      if (!writer.Append(batch).ok()) return;
      us += watch.Microseconds();
      events += batch.size();
    }
    if (!writer.Close().ok()) return;
  }
  std::printf("write: %.2f M events/s, %.1f B an event\n", static_cast<double>(events) / us,
              static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(events));
  const Stopwatch reading;
  if (!trace::ReadTide(file, [](auto) {}).ok()) return;
  std::printf("read %zu events: %.2f s\n", events, reading.Microseconds() / 1e6);
  const Stopwatch opening;
  if (!session::Run::Open(file).ok()) return;
  std::printf("open %zu events: %.2f s\n", events, opening.Microseconds() / 1e6);
}

constexpr int kRounds = 5;

// The middle and the fastest of some rounds: memory that a machine takes back and gives out anew can make the
// first of them several times slower.
void MeasureExport(const timeline::View& view, trace::ExportFormat format, const char* name,
                   const std::filesystem::path& file) {
  const auto events = static_cast<double>(view.end());
  std::vector<double> rates;
  std::vector<double> processors;
  for (int round = 0; round < kRounds; ++round) {
    std::filesystem::remove(file);
    const ProcessStopwatch watch;
    if (!trace::Export(view, {}, format, file).ok()) return;
    const ProcessStopwatch::Times times = watch.Microseconds();
    rates.push_back(events / times.wall);
    processors.push_back(times.processors / events);
  }
  for (std::vector<double>* figures : {&rates, &processors}) std::ranges::sort(*figures);
  constexpr size_t kMiddle = kRounds / 2;
  std::printf("export %s: %.2f M events/s (at best %.2f), %.2f us of processors and %.0f B an event\n", name,
              rates[kMiddle], rates.back(), processors[kMiddle],
              static_cast<double>(std::filesystem::file_size(file)) / events);
}

struct NamedFormat {
  const char* name;
  trace::ExportFormat format;
};
constexpr NamedFormat kFormats[] = {
    {"chrome", trace::ExportFormat::kChrome}, {"csv", trace::ExportFormat::kCsv},
    {"arrow", trace::ExportFormat::kArrow},   {"perfetto", trace::ExportFormat::kPerfetto},
    {"pickle", trace::ExportFormat::kPickle}, {"sqlite", trace::ExportFormat::kSqlite},
};

void MeasureExports(const std::filesystem::path& file, std::string_view only) {
  timeline::Builder builder;
  TrainingStream stream;
  builder.Append(stream.Take(1'000'000));
  const auto view = builder.Publish();
  for (const NamedFormat& format : kFormats) {
    if (only.empty() || only == format.name) MeasureExport(*view, format.format, format.name, file);
  }
}

}  // namespace
}  // namespace tidemark::bench

// usage: bench_trace [FORMAT]   With a format, its export alone.
int main(int argument_count, char** arguments) {
  const std::string_view only = argument_count > 1 ? arguments[1] : "";
  tidemark::bench::PrintMachine();
  const auto file = std::filesystem::temp_directory_path() / "tidemark-bench-trace";
  if (only.empty()) tidemark::bench::MeasureRecording(file);
  tidemark::bench::MeasureExports(file, only);
  std::filesystem::remove(file);
}
