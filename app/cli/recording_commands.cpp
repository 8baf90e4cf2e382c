#include <fmt/format.h>

#include <memory>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/report.h"
#include "profiler/base/format.h"
#include "profiler/session/run.h"
#include "profiler/session/steady_state.h"
#include "profiler/trace/export.h"

namespace tidemark::cli {
namespace {

struct RecordingOptions {
  std::string file;
  std::string format = "chrome";
  std::string output;
  bool json = false;
};

std::function<bool(double)> ShowProgress(ProgressLine& line, const char* what) {
  return [&line, what](double share) {
    line.Show(fmt::format("{} {:.0f} %", what, share * 100));
    return true;
  };
}

Result<std::unique_ptr<session::Run>> Open(const std::string& file) {
  ProgressLine line;
  return session::Run::Open(file, ShowProgress(line, "reading"));
}

Json InfoJson(const session::Run& run) {
  const auto view = run.view();
  const events::RunDescription description = run.description();
  const timeline::Health& health = view->health();
  Json warnings = Json::array();
  if (!run.status().sentence.empty()) warnings.push_back(run.status().sentence);
  for (const std::string& sentence : timeline::DescribeHealth(health)) warnings.push_back(sentence);
  Json markers = Json::array();
  for (const timeline::Marker& marker : view->markers()) {
    markers.push_back({{"event", marker.index}, {"text", marker.text}});
  }
  return {{"title", description.title},
          {"device", description.device},
          {"device_name", description.device_name},
          {"device_bytes", description.device_bytes},
          {"producer", description.producer},
          {"settings", Json::parse(description.settings_json, nullptr, false)},
          {"steps", view->steps().size()},
          {"duration_ns", view->empty() ? 0 : view->TimeOf(view->end() - 1) - view->TimeOf(view->first())},
          {"out_of_memory", view->out_of_memory().size()},
          {"measured", PeaksJson(session::SteadyState(*view))},
          {"markers", markers},
          {"events", {{"captured", health.events}, {"lost", health.lost}}},
          {"warnings", warnings}};
}

std::string InfoText(const session::Run& run) {
  const Json json = InfoJson(run);
  const session::Prediction peaks = session::SteadyState(*run.view());
  std::string text =
      fmt::format("{}\n  device    {}", run.description().title, run.description().device_name);
  if (run.description().device_bytes > 0) {
    text += fmt::format(", {}", FormatBytes(run.description().device_bytes, ByteUnit::kMebibytes));
  }
  text +=
      fmt::format("\n  steps     {}\n  events    {}, {} lost\n  duration  {}\n", run.view()->steps().size(),
                  FormatNumber(json["events"]["captured"].get<int64_t>()),
                  json["events"]["lost"].get<int64_t>(), FormatDuration(json["duration_ns"].get<int64_t>()));
  text += fmt::format(
      "  peak      allocated {}, requested {}, reserved {}\n", FormatExactBytes(peaks.allocated_peak_bytes),
      FormatExactBytes(peaks.requested_peak_bytes), FormatExactBytes(peaks.reserved_peak_bytes));
  for (int index = 0; index < events::kCategoryCount; ++index) {
    const int64_t bytes = peaks.at_peak[static_cast<size_t>(index)];
    if (bytes == 0) continue;
    text += fmt::format("    {:<16}{:>16}\n", events::NameOf(static_cast<events::Category>(index)),
                        FormatExactBytes(bytes));
  }
  for (const Json& marker : json["markers"]) {
    text += fmt::format("  at event {:<10}{}\n", marker["event"].get<int64_t>(),
                        marker["text"].get<std::string>());
  }
  for (const Json& warning : json["warnings"])
    text += fmt::format("  note: {}\n", warning.get<std::string>());
  return text;
}

int RunInfo(const RecordingOptions& options) {
  const Result<std::unique_ptr<session::Run>> run = Open(options.file);
  if (!run) return Complain(run.error().message, kExitFailed);
  if (!options.json) return Answer(InfoText(**run));
  return Answer(InfoJson(**run).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

int RunExport(const RecordingOptions& options) {
  const Result<trace::ExportFormat> format = trace::ExportFormatFromText(options.format);
  if (!format) return Complain(format.error().message, kExitUsage);
  const Result<std::unique_ptr<session::Run>> run = Open(options.file);
  if (!run) return Complain(run.error().message, kExitFailed);
  ProgressLine line;
  const Status exported = trace::Export(*(*run)->view(), (*run)->description(), *format, options.output,
                                        ShowProgress(line, "writing"));
  line.Clear();
  if (!exported) return Complain(exported.error().message, kExitFailed);
  return kExitDone;
}

}  // namespace

Command RegisterInfo(CLI::App& application) {
  CLI::App* command = application.add_subcommand("info", "What a recording holds");
  command->footer("Examples:\n  tidemark info run.tide\n  tidemark info run.tide --json");
  auto options = std::make_shared<RecordingOptions>();
  command->add_option("file", options->file, "Recording (.tide)")->required();
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunInfo(*options); }};
}

Command RegisterExport(CLI::App& application) {
  CLI::App* command = application.add_subcommand("export", "Write a recording for other tools");
  command->footer(
      "Examples:\n"
      "  tidemark export run.tide --to chrome -o run.json   (open it in Perfetto)\n"
      "  tidemark export run.tide --to csv -o run.csv       (a row per event)\n"
      "An existing file of that name is replaced once the new one is complete.");
  auto options = std::make_shared<RecordingOptions>();
  command->add_option("file", options->file, "Recording (.tide)")->required();
  command->add_option("--to", options->format, "chrome or csv")->capture_default_str();
  command->add_option("-o,--output", options->output, "File to write")->required();
  return {command, [options] { return RunExport(*options); }};
}

}  // namespace tidemark::cli
