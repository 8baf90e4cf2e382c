#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/fit_search.h"
#include "app/cli/program_ways_out.h"
#include "app/cli/recorded_band.h"
#include "app/cli/reports/advice_report.h"
#include "app/cli/reports/level_report.h"
#include "app/cli/reports/line_report.h"
#include "app/cli/reports/rank_report.h"
#include "app/cli/reports/report.h"
#include "app/cli/reports/run_facts.h"
#include "app/cli/reports/run_report.h"
#include "app/cli/run_writer.h"
#include "app/presenters/moment/peak_moment.h"
#include "app/presenters/moment/untold_blocks.h"
#include "app/presenters/run/program_facts.h"
#include "app/presenters/run/run_formats.h"
#include "profiler/base/format.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/ranks.h"
#include "profiler/session/reserved_band.h"
#include "profiler/session/run.h"
#include "profiler/session/shortage.h"
#include "profiler/session/steady_state.h"
#include "profiler/timeline/graph_replays.h"
#include "profiler/timeline/steps.h"

namespace tidemark::cli {
namespace {

struct InfoOptions {
  std::vector<std::string> files;
  std::string device;
  bool ways_out = false;
  bool json = false;
};

struct RecordingOptions {
  std::string file;
  std::string format;
  std::string output;
  std::string device;
};

// A program of the user's has no settings of ours, and its steps need not be alike.
bool IsForeign(const session::Run& run) { return run.description().settings_json.empty(); }

// The first step with the settings that the figures are of; null where all steps had them, or memory ended
// it.
const timeline::Step* FirstToldStep(const timeline::View& view) {
  if (!session::WentOnAfterFailures(view)) return nullptr;
  const timeline::Step* const first = timeline::FirstWithLastSettings(view);
  return first == nullptr || first == &view.steps()[0] ? nullptr : first;
}

// As the other tables do, it tells of the settings that the run had last; but the card has to have what was
// reserved at any time.
session::Prediction MeasuredIn(const session::Run& run) {
  const auto view = run.view();
  if (IsForeign(run)) return session::LargestSince(*view);
  const timeline::Step* const first = FirstToldStep(*view);
  if (first == nullptr) return session::SteadyState(*view);
  session::Prediction told = session::SteadyState(*view, first->begin);
  const auto most = view->PeakIn(timeline::Series::kReserved, view->first(), view->end());
  told.reserved_peak_bytes = ValueOf(most.values, timeline::Series::kReserved);
  return told;
}

std::string PeakTitle(const session::Run& run) {
  if (IsForeign(run)) return PeakTitleOf(run.description());
  const timeline::Step* const first = FirstToldStep(*run.view());
  if (first == nullptr && !session::WentOnAfterFailures(*run.view()))
    return "At the highest, until memory ran out";
  if (first == nullptr) return "At the peak of a step";
  const std::string since = first->number == 0 ? "the run began anew" : "step " + FormatNumber(first->number);
  return fmt::format(
      "At the peak of a step since {}, with the settings of then; reserved and what follows it are the whole "
      "run's",
      since);
}

// Where other settings than the last took more than `told`.
std::string HigherRow(const session::Run& run, const session::Prediction& told) {
  const auto view = run.view();
  if (IsForeign(run) || !view->tells_blocks() || FirstToldStep(*view) == nullptr) return "";
  const auto peak = presenters::LatestPeak(*view);
  const auto higher = peak ? presenters::HigherElsewhere(*view, *peak) : std::nullopt;
  if (!higher || higher->bytes <= told.allocated_peak_bytes) return "";
  return presenters::InWords(*higher, ByteUnit::kMebibytes) + "\n";
}

// As settings and not as any JSON: a file may hold one that is nested deeper than a stack can take.
Json SettingsJson(const std::string& text) {
  const auto settings = networks::SettingsFromJson(text);
  return settings ? Json::parse(networks::ToJson(*settings)) : Json(text);
}

RunReport ReportOf(const session::Run& run) {
  const auto view = run.view();
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  RunReport report = MakeRunReport(*view, run.description(), MeasuredIn(run), RecordedBand(run),
                                   cards ? *cards : std::vector<phantom::Card>());
  report.is_cut_off = run.status().cut_off;
  report.peak_title = PeakTitle(run);
  return report;
}

Json InfoJson(const session::Run& run) {
  const auto view = run.view();
  const events::RunDescription description = run.description();
  Json markers = Json::array();
  for (const timeline::Marker& marker : view->markers()) {
    markers.push_back({{"event", marker.index}, {"text", marker.text}});
  }
  Json json = {{"title", description.title},
               {"command", description.command},
               {"device", description.device},
               {"device_name", description.device_name},
               {"device_bytes", description.device_bytes},
               {"producer", description.producer},
               {"settings", SettingsJson(description.settings_json)},
               {"steps", run.status().steps_done},
               {"passes_without_gradients", presenters::PassesWithoutSteps(*view, run.status(), description)},
               {"graph_replays", timeline::GraphReplaysIn(*view).in_all},
               {"duration_ns", DurationNs(*view)},
               {"out_of_memory", !session::WentOnAfterFailures(*view)}};
  AddRunJson(ReportOf(run), json);
  if (const timeline::Step* first = IsForeign(run) ? nullptr : FirstToldStep(*view)) {
    json["measured"]["since_event"] = first->begin;
    const std::string* const told = timeline::SettingsOf(*view, *first);
    json["measured"]["settings"] = told == nullptr ? Json() : SettingsJson(*told);
  }
  json["findings"] = FindingsJson(*view, description.device_bytes);
  json["levels"] = LevelsJson(*view);
  json["lines"] = LinesJson(*view);
  AddLibrariesJson(*view, json);
  if (!view->device_work().empty()) json["device_work"] = WorkJson(*view);
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

// The first of them: a program may make one in every step. The ending is told elsewhere.
std::string MarkerRows(const timeline::Sequence<timeline::Marker>& markers, std::string_view ending) {
  constexpr size_t kMost = 20;
  std::string rows;
  size_t told = 0;
  for (const timeline::Marker& marker : markers) {
    if (marker.text == ending || told++ >= kMost) continue;
    rows += fmt::format("At event {}: {}\n", FormatNumber(static_cast<int64_t>(marker.index)), marker.text);
  }
  if (told > kMost) rows += fmt::format("({} more marks; export has them all.)\n", told - kMost);
  return rows;
}

// Where its memory ran out with the ways out, or with what to ask for them: `next_of` is its file then.
struct WaysOutText {
  std::string rows{};
  std::string next_of{};
};

std::string InfoText(const session::Run& run, const WaysOutText& ways_out) {
  const auto view = run.view();
  const events::RunDescription description = run.description();
  std::string text = description.title + "\n";
  for (const auto& [title, fact] : FactsOf(run)) text += InfoRow(title, fact);
  const bool came_to_a_step = IsForeign(run) || !view->steps().empty();
  const RunReport report = ReportOf(run);
  text += came_to_a_step ? RunText(report) : RunTextWithoutPeak(report);
  text += HigherRow(run, report.peaks) + ways_out.rows;
  text += FindingRows(*view, description.device_bytes) + LinesText(*view) + LevelsText(*view) +
          LibrariesText(*view) + WorkText(*view) + SourcesText(*view);
  text += MarkerRows(view->markers(), description.ending);
  for (const std::string& warning : WarningsOf(run)) text += fmt::format("Note: {}\n", warning);
  return text + WaysOutHint(report, ways_out.next_of);
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

struct ToldWaysOut {
  std::string rows;
  Json json;  // with "ways_out"
};

// Of a network of Tidemark's changes of its settings are searched; of a program, whose settings only the
// allocator's can be changed from outside, those are tried.
Result<ToldWaysOut> WaysOutOf(const session::Run& run) {
  if (IsForeign(run)) {
    const Result<Room> room = FindRoom(run);
    if (!room) return room.error();
    return ToldWaysOut{RoomRows(*room),
                       {{"ways_out", RoomJson(*room)}, {"ways_out_notes", RoomNotes(*room)}}};
  }
  const Result<WaysOut> ways = FindWaysOut(run);
  if (!ways) return ways.error();
  return ToldWaysOut{WaysOutRows(*ways), {{"ways_out", WaysOutJson(*ways)}}};
}

// What the run holds is told where no way out is known, too.
int TellWithWaysOut(const session::Run& run, bool json) {
  const Result<ToldWaysOut> ways = WaysOutOf(run);
  if (!json) {
    const int answered = Answer(InfoText(run, {.rows = ways ? ways->rows : ""}));
    return ways ? answered : Complain(ways.error().message, ExitCodeOfFailure());
  }
  Json info = InfoJson(run);
  info.update(ways ? ways->json : Json{{"ways_out", nullptr}, {"ways_out_error", ways.error().message}});
  const int answered = Answer(TextOf(info));
  return ways ? answered : Complain(ways.error().message, ExitCodeOfFailure());
}

int RunInfo(const InfoOptions& options) {
  if (options.files.empty()) return Complain("Name a recording: tidemark info FILE.", kExitUsage);
  if (options.files.size() > 1 && options.ways_out) {
    return Complain("--ways-out is asked of one recording; name the rank that ran out of memory.",
                    kExitUsage);
  }
  if (!options.device.empty() && options.files.size() > 1) {
    return Complain("--device is asked of one recording: of ranks each has a card.", kExitUsage);
  }
  if (options.files.size() > 1) return RunRanksInfo(options);
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.files.front(), options.device);
  if (!run) return Complain(run.error().message, kExitFailed);
  const bool ran_out = !(*run)->view()->out_of_memory().empty();
  if (options.ways_out && ran_out) return TellWithWaysOut(**run, options.json);
  if (options.ways_out) {
    const std::string why = presenters::WhyUntold(*(*run)->view());
    Complain(why.empty() ? "Memory did not run out here, so there is nothing to find a way out of."
                         : why + " So no way out can be searched.",
             kExitDone);
  }
  if (!options.json) return Answer(InfoText(**run, {.next_of = options.files.front()}));
  Json json = InfoJson(**run);
  if (options.ways_out) json["ways_out"] = Json::array();
  return Answer(TextOf(json));
}

// The recording itself must not be what is written, under whatever name.
bool IsSameFile(const RecordingOptions& options) {
  std::error_code not_there;  // then it is another file
  return std::filesystem::equivalent(options.file, options.output, not_there);
}

// Reads the file, tells what it lacks and what the format has no place for, and writes it.
int Rewrite(const RecordingOptions& options, std::string_view format) {
  if (IsSameFile(options)) {
    return Complain(fmt::format("{} is the recording itself. Name another file to write.", options.output),
                    kExitUsage);
  }
  const InterruptListener listener;  // what is written by then does not stay
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.file, options.device);
  if (!run) return Complain(run.error().message, ExitCodeOfFailure());
  for (const std::string& warning : WarningsOf(**run)) Complain(warning, kExitDone);
  const Result<std::vector<trace::Bookmark>> bookmarks =
      trace::LoadBookmarks(options.file, (*run)->bookmarks());
  if (!bookmarks) Complain(bookmarks.error().message, kExitDone);
  const session::NotedRun noted{**run, bookmarks ? *bookmarks : std::vector<trace::Bookmark>()};
  ProgressLine line;
  const Status written = WriteRun(noted, format, options.output, line.ShowShare("writing"));
  line.Clear();
  if (!written) return Complain(written.error().message, ExitCodeOfFailure());
  for (const std::string& sentence : LeftOutBy(noted, format, options.output)) Complain(sentence, kExitDone);
  return kExitDone;
}

// As the output's ending says.
int RewriteByEnding(const RecordingOptions& options) {
  if (const auto* format = presenters::FormatOfEnding(options.output)) return Rewrite(options, format->key);
  std::error_code not_there;
  if (std::filesystem::is_directory(options.output, not_there)) {
    return Complain(fmt::format("{} is a folder. Name a file in it, such as {}.", options.output,
                                (std::filesystem::path(options.output) / "run.json").string()),
                    kExitUsage);
  }
  return Complain(fmt::format("{} does not tell by its ending what to write; name it {}.", options.output,
                              FormatEndingsInWords()),
                  kExitUsage);
}

int RunExport(const RecordingOptions& options) {
  if (options.file.empty() || options.output.empty()) {
    return Complain(
        "Name a recording and a file to write: tidemark export run.tide -o run.json, or tidemark convert "
        "run.tide run.json.",
        kExitUsage);
  }
  if (options.format.empty()) return RewriteByEnding(options);
  const auto* const format = presenters::FormatOfWord(options.format);
  if (format == nullptr) {
    return Complain(
        fmt::format("There is no export format \"{}\". Choose {}.", options.format, FormatKeysInWords()),
        kExitUsage);
  }
  return Rewrite(options, format->key);
}

// What `export FILE -o FILE` and `convert IN OUT` have alike, which is all but how they name the two files.
Command RegisterRewriting(CLI::App& command, const std::shared_ptr<RecordingOptions>& options) {
  command
      .add_option("--to", options->format,
                  FormatKeysInWords() + ", or an ending (json, md); else as the file's ending says")
      ->type_name("");
  AddOneCardOption(command, options->device);
  return {&command, [options] { return RunExport(*options); }};
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
  AddOneCardOption(*command, options->device);
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  command->add_flag("--ways-out", options->ways_out,
                    "After an out of memory: search the three cheapest changes that make it fit (seconds)");
  return {command, [options] { return RunInfo(*options); }};
}

Command RegisterExport(CLI::App& application) {
  CLI::App* command = application.add_subcommand("export", "Write a recording for other tools");
  command->footer(
      "Examples:\n"
      "  tidemark export run.tide -o run.pftrace (open it in ui.perfetto.dev)\n"
      "  tidemark export run.tide -o run.json    (the same, for chrome://tracing too)\n"
      "  tidemark export run.tide -o run.csv     (a row per event)\n"
      "  tidemark export run.tide -o run.arrow   (the same with types, for pandas, Polars and DuckDB)\n"
      "  tidemark export run.tide -o run.sqlite  (tables to ask, and Nsight Systems' one)\n"
      "  tidemark export run.tide -o run.pickle  (for PyTorch's memory_viz)\n"
      "  tidemark export run.tide -o run.folded  (the peak, for flamegraph.pl, inferno or speedscope)\n"
      "  tidemark export run.tide -o run.md      (peak, levels, categories, layers)\n"
      "  tidemark export run.tide -o run.html    (the same with the curve, one file)\n"
      "  tidemark export run.tide -o run.map.png (timeline, breakdown, bridge or map: by the name)\n"
      "  tidemark export run.tide --device cuda:1 -o second.tide (one card of several, for all else)\n"
      "An existing file of that name is replaced once the new one is complete.");
  auto options = std::make_shared<RecordingOptions>();
  command->add_option("FILE", options->file, "Recording, memory snapshot or trace")->type_name("");
  command->add_option("-o,--output", options->output, "File to write")->type_name("FILE");
  return RegisterRewriting(*command, options);
}

Command RegisterConvert(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("convert", "The same as export: convert IN OUT is export IN -o OUT");
  command->footer(
      "Examples:\n"
      "  tidemark convert snapshot.pickle run.tide    (a PyTorch memory snapshot as a recording)\n"
      "  tidemark convert snapshot.pickle.gz run.json (Trace Event JSON, for Perfetto)\n"
      "  tidemark convert run.tide --device cuda:1 second.tide (one card of several)\n"
      "What IN is, its content tells; what OUT shall be, its ending: " +
      FormatEndingsInWords() + ".");
  auto options = std::make_shared<RecordingOptions>();
  command->add_option("IN", options->file, "Recording, memory snapshot or trace")->type_name("");
  command->add_option("OUT", options->output, "File to write")->type_name("");
  return RegisterRewriting(*command, options);
}

}  // namespace tidemark::cli
