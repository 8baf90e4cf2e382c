#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/advice_report.h"
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/level_report.h"
#include "app/cli/rank_report.h"
#include "app/cli/recorded_band.h"
#include "app/cli/recording_file.h"
#include "app/cli/report.h"
#include "app/cli/run_page.h"
#include "app/cli/run_report.h"
#include "app/presenters/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/ranks.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/run.h"
#include "profiler/session/steady_state.h"
#include "profiler/trace/export.h"
#include "profiler/trace/output_file.h"

namespace tidemark::cli {
namespace {

struct InfoOptions {
  std::vector<std::string> files;
  bool json = false;
};

struct RecordingOptions {
  std::string file;
  std::string format;
  std::string output;
};

int64_t DurationNs(const timeline::View& view) {
  return view.empty() ? 0 : view.TimeOf(view.end() - 1) - view.TimeOf(view.first());
}

std::vector<double> LossesOf(const timeline::View& view) {
  std::vector<double> losses;
  for (const timeline::Step& step : view.steps()) {
    if (step.loss) losses.push_back(*step.loss);
  }
  return losses;
}

// A program of the user's has no settings of ours, and its steps need not be alike.
bool IsForeign(const session::Run& run) { return run.description().settings_json.empty(); }

session::Prediction MeasuredIn(const session::Run& run) {
  return IsForeign(run) ? session::LargestSince(*run.view()) : session::SteadyState(*run.view());
}

RunReport ReportOf(const session::Run& run) {
  const auto view = run.view();
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  RunReport report = MakeRunReport(*view, run.description(), MeasuredIn(run), RecordedBand(run),
                                   cards ? *cards : std::vector<phantom::Card>());
  report.peak_title = IsForeign(run) ? "At the peak of the run" : "At the peak of a step";
  return report;
}

Json InfoJson(const session::Run& run) {
  const auto view = run.view();
  const events::RunDescription description = run.description();
  // Read as settings and not as any JSON: a file may hold one that is nested deeper than a stack can take.
  const auto settings = networks::SettingsFromJson(description.settings_json);
  Json markers = Json::array();
  for (const timeline::Marker& marker : view->markers()) {
    markers.push_back({{"event", marker.index}, {"text", marker.text}});
  }
  Json json = {
      {"title", description.title},
      {"command", description.command},
      {"device", description.device},
      {"device_name", description.device_name},
      {"device_bytes", description.device_bytes},
      {"producer", description.producer},
      {"settings", settings ? Json::parse(networks::ToJson(*settings)) : Json(description.settings_json)},
      {"steps", run.status().steps_done},
      {"duration_ns", DurationNs(*view)},
      {"out_of_memory", !view->out_of_memory().empty()}};
  AddRunJson(ReportOf(run), json);
  json["findings"] = FindingsJson(*view);
  json["levels"] = LevelsJson(*view);
  json["sources"] = SourcesJson(*view);
  json["loss"] = LossesOf(*view);
  json["markers"] = markers;
  json["events"] = {{"captured", view->health().events}, {"lost", view->health().lost}};
  json["warnings"] = WarningsOf(run);
  return json;
}

std::string InfoRow(std::string_view title, std::string_view text) {
  return fmt::format("  {:<18}{}\n", title, text);
}

std::string DeviceInWords(const events::RunDescription& description) {
  std::string name = description.device_name.empty() ? description.device : description.device_name;
  if (description.device_bytes <= 0) return name;
  return name + ", " + FormatBytes(description.device_bytes, ByteUnit::kMebibytes);
}

// What the run is, as titles and texts.
std::vector<std::pair<std::string, std::string>> FactsOf(const session::Run& run) {
  const auto view = run.view();
  const events::RunDescription description = run.description();
  const timeline::Health& health = view->health();
  std::vector<std::pair<std::string, std::string>> facts = {{"device", DeviceInWords(description)}};
  if (!description.command.empty()) facts.emplace_back("command", description.command);
  if (const auto settings = networks::SettingsFromJson(description.settings_json))
    facts.emplace_back("settings", SettingsLine(*settings));
  facts.emplace_back("recorded by", description.producer);
  const int64_t steps = run.status().steps_done;
  facts.emplace_back("steps", FormatNumber(steps) + presenters::WhyNoStep(steps, description));
  facts.emplace_back("duration", FormatDuration(DurationNs(*view)));
  facts.emplace_back("events", fmt::format("{}, {} lost", FormatNumber(static_cast<int64_t>(health.events)),
                                           FormatNumber(static_cast<int64_t>(health.lost))));
  const std::vector<double> losses = LossesOf(*view);
  const bool is_real =
      description.device != networks::TextOf(networks::DeviceChoice{});  // a phantom's loss says nothing
  if (!losses.empty() && is_real)
    facts.emplace_back("loss", fmt::format("{:.4f} → {:.4f}", losses.front(), losses.back()));
  return facts;
}

std::string InfoText(const session::Run& run) {
  const auto view = run.view();
  const events::RunDescription description = run.description();
  std::string text = description.title + "\n";
  for (const auto& [title, fact] : FactsOf(run)) text += InfoRow(title, fact);
  const bool came_to_a_step = IsForeign(run) || !view->steps().empty();
  const RunReport report = ReportOf(run);
  text += came_to_a_step ? RunText(report)
                         : EndingRows(report) + OutOfMemoryRows(report) + NoteRows(description.notes);
  text += FindingRows(*view) + LevelsText(*view) + SourcesText(*view);
  for (const timeline::Marker& marker : view->markers()) {
    if (marker.text == description.ending) continue;
    text += fmt::format("At event {}: {}\n", FormatNumber(static_cast<int64_t>(marker.index)), marker.text);
  }
  for (const std::string& warning : WarningsOf(run)) text += fmt::format("Note: {}\n", warning);
  return text;
}

// Of the ranks of one run, one file each.
int RunRanksInfo(const InfoOptions& options) {
  ProgressLine line;
  const std::vector<std::filesystem::path> files(options.files.begin(), options.files.end());
  const Result<session::Ranks> ranks = session::ReadRanks(files, line.ShowShare("reading"));
  line.Clear();
  if (!ranks) return Complain(ranks.error().message, kExitFailed);
  const int answered = Answer(options.json ? TextOf(RanksJson(*ranks)) : RanksText(*ranks));
  return ranks->unreadable.empty() ? answered : kExitFailed;
}

int RunInfo(const InfoOptions& options) {
  if (options.files.empty()) return Complain("Name a recording: tidemark info FILE.", kExitUsage);
  if (options.files.size() > 1) return RunRanksInfo(options);
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.files.front());
  if (!run) return Complain(run.error().message, kExitFailed);
  return Answer(options.json ? TextOf(InfoJson(**run)) : InfoText(**run));
}

// The recording itself must not be what is written, under whatever name.
bool IsSameFile(const RecordingOptions& options) {
  std::error_code not_there;  // then it is another file
  return std::filesystem::equivalent(options.file, options.output, not_there);
}

// A page for people, by its name as a format: "markdown" or "html".
Status WritePage(const session::Run& run, std::string_view format, const std::filesystem::path& file) {
  RunPage page = MakeRunPage(*run.view(), run.description());
  page.facts = FactsOf(run);
  for (const std::string& warning : WarningsOf(run)) page.notes.push_back(warning);
  Result<trace::ReplacingFile> target = trace::ReplacingFile::Create(file);
  if (!target) return target.error();
  const std::string text = format == "html" ? HtmlOf(page) : MarkdownOf(page);
  if (Status written = target->Write(text); !written) return written;
  return target->Commit();
}

bool IsPage(std::string_view format) { return format == "markdown" || format == "html"; }

// Reads the file, tells what it lacks, and writes it as `format`, one of the exporters' or a page's; "tide"
// is a recording.
int Rewrite(const RecordingOptions& options, const std::string& format) {
  std::optional<trace::ExportFormat> exported;
  if (!IsPage(format) && format != "tide") {
    const Result<trace::ExportFormat> known = trace::ExportFormatFromText(format);
    if (!known) return Complain(known.error().message, kExitUsage);
    exported = *known;
  }
  if (IsSameFile(options)) {
    return Complain(fmt::format("{} is the recording itself. Name another file to write.", options.output),
                    kExitUsage);
  }
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.file);
  if (!run) return Complain(run.error().message, kExitFailed);
  for (const std::string& warning : WarningsOf(**run)) Complain(warning, kExitDone);
  if (exported) {
    for (const std::string& sentence : trace::LeftOutBy(*exported, *(*run)->view()))
      Complain(sentence, kExitDone);
  }
  ProgressLine line;
  const Status written = exported         ? trace::Export(*(*run)->view(), (*run)->description(), *exported,
                                                          options.output, line.ShowShare("writing"))
                         : IsPage(format) ? WritePage(**run, format, options.output)
                                          : (*run)->Save(options.output);
  line.Clear();
  return written ? kExitDone : Complain(written.error().message, kExitFailed);
}

int RunExport(const RecordingOptions& options) {
  if (options.file.empty() || options.output.empty()) {
    return Complain("Name a recording and a file to write: tidemark export FILE --to chrome -o FILE.",
                    kExitUsage);
  }
  return Rewrite(options, options.format);
}

int RunConvert(const RecordingOptions& options) {
  if (options.file.empty() || options.output.empty()) {
    return Complain("Name a file to read and one to write: tidemark convert IN OUT.", kExitUsage);
  }
  const std::string ending = std::filesystem::path(options.output).extension().string();
  static const std::map<std::string, std::string, std::less<>> formats = {
      {".tide", "tide"},     {".pftrace", "perfetto"}, {".json", "chrome"}, {".csv", "csv"},
      {".sqlite", "sqlite"}, {".pickle", "pickle"},    {".md", "markdown"}, {".html", "html"}};
  if (const auto found = formats.find(ending); found != formats.end()) return Rewrite(options, found->second);
  return Complain(
      fmt::format(
          "{} does not tell by its ending what to write; name it .tide (a recording), .pftrace (a Perfetto "
          "trace), .json (Trace Event JSON), .csv, .sqlite, .pickle (a PyTorch memory snapshot), .md or "
          ".html (a page to read).",
          options.output),
      kExitUsage);
}

}  // namespace

Command RegisterInfo(CLI::App& application) {
  CLI::App* command = application.add_subcommand("info", "What a recording holds");
  command->footer(
      "Examples:\n  tidemark info run.tide\n  tidemark info run.tide --json\n"
      "  tidemark info snapshot.pickle                      (of torch.cuda.memory._dump_snapshot)\n"
      "  tidemark info run.rank*.tide                       (the ranks of one run beside each other)");
  auto options = std::make_shared<InfoOptions>();
  command
      ->add_option("FILE", options->files,
                   "Recording, memory snapshot or trace; several are the ranks of one run")
      ->type_name("");
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunInfo(*options); }};
}

Command RegisterExport(CLI::App& application) {
  CLI::App* command = application.add_subcommand("export", "Write a recording for other tools");
  command->footer(
      "Examples:\n"
      "  tidemark export run.tide --to perfetto -o run.pftrace (open it in ui.perfetto.dev)\n"
      "  tidemark export run.tide --to chrome -o run.json   (the same, for chrome://tracing too)\n"
      "  tidemark export run.tide --to csv -o run.csv       (a row per event)\n"
      "  tidemark export run.tide --to sqlite -o run.sqlite (tables to ask, and Nsight Systems' one)\n"
      "  tidemark export run.tide --to pickle -o run.pickle (for PyTorch's memory_viz)\n"
      "  tidemark export run.tide --to markdown -o run.md   (peak, levels, categories, layers)\n"
      "  tidemark export run.tide --to html -o run.html     (the same with the curve, one file)\n"
      "An existing file of that name is replaced once the new one is complete.");
  auto options = std::make_shared<RecordingOptions>();
  command->add_option("FILE", options->file, "Recording, memory snapshot or trace")->type_name("");
  options->format = "chrome";
  command
      ->add_option("--to", options->format,
                   "perfetto, chrome (Trace Event JSON), csv, sqlite, pickle (PyTorch memory snapshot), "
                   "markdown or html")
      ->capture_default_str()
      ->type_name("");
  command->add_option("-o,--output", options->output, "File to write")->type_name("FILE");
  return {command, [options] { return RunExport(*options); }};
}

Command RegisterConvert(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("convert", "Read any file that opens, write it in another format");
  command->footer(
      "Examples:\n"
      "  tidemark convert snapshot.pickle run.tide    (a PyTorch memory snapshot as a recording)\n"
      "  tidemark convert snapshot.pickle.gz run.json (Trace Event JSON, for Perfetto)\n"
      "What IN is, its content tells; what OUT shall be, its ending: .tide, .pftrace, .json, .csv, .sqlite, "
      ".pickle, .md or .html.");
  auto options = std::make_shared<RecordingOptions>();
  command->add_option("IN", options->file, "Recording, memory snapshot or trace")->type_name("");
  command->add_option("OUT", options->output, "File to write")->type_name("");
  return {command, [options] { return RunConvert(*options); }};
}

}  // namespace tidemark::cli
