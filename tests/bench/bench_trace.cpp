// Recordings of ten million events: writing, reading, opening; and exports of one million.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "profiler/session/run.h"
#include "profiler/trace/export.h"
#include "profiler/trace/tide.h"
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

void MeasureExport(const timeline::View& view, trace::ExportFormat format, const char* name,
                   const std::filesystem::path& file) {
  const Stopwatch watch;
  if (!trace::Export(view, {}, format, file).ok()) return;
  const double us = watch.Microseconds();
  const auto events = static_cast<double>(view.end());
  std::printf("export %s: %.2f M events/s, %.0f B an event\n", name, events / us,
              static_cast<double>(std::filesystem::file_size(file)) / events);
}

void MeasureExports(const std::filesystem::path& file) {
  using enum trace::ExportFormat;
  timeline::Builder builder;
  TrainingStream stream;
  builder.Append(stream.Take(1'000'000));
  const auto view = builder.Publish();
  MeasureExport(*view, kChrome, "chrome", file);
  MeasureExport(*view, kCsv, "csv", file);
  MeasureExport(*view, kArrow, "arrow", file);
  MeasureExport(*view, kPerfetto, "perfetto", file);
  MeasureExport(*view, kPickle, "pickle", file);
  MeasureExport(*view, kSqlite, "sqlite", file);
}

}  // namespace
}  // namespace tidemark::bench

int main() {
  const auto file = std::filesystem::temp_directory_path() / "tidemark-bench-trace";
  tidemark::bench::MeasureRecording(file);
  tidemark::bench::MeasureExports(file);
  std::filesystem::remove(file);
}
