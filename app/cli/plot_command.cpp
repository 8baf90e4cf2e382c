// `tidemark plot`: a run as a picture, without a display.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/console/numbers.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/picture_file.h"
#include "app/cli/reports/run_picture.h"
#include "app/presenters/picture/picture_width.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::cli {
namespace {

struct PlotOptions {
  std::string file;
  std::string second;
  std::string view;  // "" = as the output's name says
  std::string output;
  std::string width;  // "" = as it is drawn
  std::string steps;  // "" = all
  std::string device;
};

constexpr int64_t kLeastWidth = 100;
constexpr int64_t kMostWidth = 20'000;  // beyond that rsvg-convert gives up

std::string NameOf(const std::filesystem::path& file) { return file.filename().string(); }

Result<std::optional<presenters::SecondRun>> SecondOf(const PlotOptions& options) {
  if (options.second.empty()) return std::optional<presenters::SecondRun>();
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.second, options.device);
  if (!run) return run.error();
  for (const std::string& warning : WarningsOf(**run)) Complain(warning, kExitDone);
  return std::optional(presenters::SecondRun{(*run)->view(), NameOf(options.second)});
}

// None of "".
Result<std::optional<StepRange>> StepsIn(const std::string& text) {
  if (text.empty()) return std::optional<StepRange>();
  const Result<StepRange> steps = Steps("--steps", text);
  if (!steps) return steps.error();
  return std::optional(*steps);
}

// Bookmarks that cannot be read are told.
Result<presenters::PictureSight> SightOf(const session::Run& run, const PlotOptions& options,
                                         const std::optional<StepRange>& steps) {
  presenters::PictureSight sight;
  const auto bookmarks = trace::LoadBookmarks(options.file, run.bookmarks());
  if (!bookmarks) Complain(bookmarks.error().message, kExitDone);
  if (bookmarks) sight.bookmarks = MarkersOf(*run.view(), *bookmarks);
  if (!steps) return sight;
  const Result<presenters::EventRange> range = RangeOfSteps(*run.view(), steps->first, steps->last);
  if (!range) return range.error();
  sight.range = *range;
  return sight;
}

int Draw(const PlotOptions& options, const presenters::PictureView& view,
         const std::optional<StepRange>& steps, int width) {
  const InterruptListener listener;  // what is written by then does not stay
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.file, options.device);
  if (!run) return Complain(run.error().message, ExitCodeOfFailure());
  for (const std::string& warning : WarningsOf(**run)) Complain(warning, kExitDone);
  const auto second = SecondOf(options);
  if (!second) return Complain(second.error().message, ExitCodeOfFailure());
  const Result<presenters::PictureSight> sight = SightOf(**run, options, steps);
  if (!sight) return Complain(sight.error().message, ExitCodeOfFailure());
  const std::string title = (*run)->description().title;
  const Result<std::string> drawing =
      PictureOf(**run, view, title.empty() ? NameOf(options.file) : title, *second, *sight,
                [] { return !InterruptListener::WasInterrupted(); });
  if (!drawing) return Complain(drawing.error().message, ExitCodeOfFailure());
  const Status written =
      WritePicture(width == 0 ? *drawing : presenters::WithWidth(*drawing, width), options.output);
  return written ? kExitDone : Complain(written.error().message, ExitCodeOfFailure());
}

int RunPlot(const PlotOptions& options) {
  if (options.file.empty() || options.output.empty()) {
    return Complain("Name a recording and a picture to write: tidemark plot FILE -o FILE.svg.", kExitUsage);
  }
  const presenters::PictureView* const view = options.view.empty()
                                                  ? &presenters::PictureViewOfName(options.output)
                                                  : presenters::PictureViewOfKey(options.view);
  if (view == nullptr) {
    return Complain(
        fmt::format("There is no view \"{}\". Choose timeline, breakdown, bridge or map.", options.view),
        kExitUsage);
  }
  if (!options.second.empty() && view->key != "timeline") {
    return Complain(
        fmt::format("--with lays a second run over the timeline, and this is {}. Leave one of the "
                    "two out.",
                    view->title),
        kExitUsage);
  }
  if (!options.steps.empty() && view->key != "timeline") {
    return Complain(
        fmt::format("--steps chooses a part of the timeline, and this is {}. Leave one of the two out.",
                    view->title),
        kExitUsage);
  }
  const Result<std::optional<StepRange>> steps = StepsIn(options.steps);
  if (!steps) return Complain(steps.error().message, kExitUsage);
  if (const Status name = CheckPictureName(options.output); !name)
    return Complain(name.error().message, kExitUsage);
  Result<int64_t> width = 0;
  if (!options.width.empty()) width = WholeNumber("--width", options.width, kLeastWidth, kMostWidth);
  if (!width) return Complain(width.error().message, kExitUsage);
  return Draw(options, *view, *steps, static_cast<int>(*width));
}

}  // namespace

Command RegisterPlot(CLI::App& application) {
  CLI::App* command = application.add_subcommand("plot", "Draw a run as a picture, without a display");
  command->footer(
      "Examples:\n"
      "  tidemark plot run.tide -o run.svg\n"
      "  tidemark plot fp32.tide --with fp16.tide -o both.svg\n"
      "  tidemark plot run.tide --steps 3-5 -o steps.svg\n"
      "  tidemark plot run.tide --view bridge -o bridge.png --width 2560\n"
      "  tidemark plot snapshot.pickle --view map -o map.svg");
  auto options = std::make_shared<PlotOptions>();
  command->add_option("FILE", options->file, "Recording, memory snapshot or trace")->type_name("");
  command
      ->add_option(
          "--view", options->view,
          "timeline, breakdown (categories at the peak), bridge (textbook to card) or map (segments and "
          "blocks at the peak); else as the picture's name says (run.bridge.svg), or the timeline")
      ->type_name("");
  command->add_option("-o,--output", options->output, "Picture to write, .svg or .png")->type_name("FILE");
  command
      ->add_option("--with", options->second,
                   "Another one, whose curve is laid over the timeline, step by step, as the window does it")
      ->type_name("FILE");
  command->add_option("--steps", options->steps, "Of the timeline only these: 3-5, or one")
      ->type_name("STEPS");
  AddOneCardOption(*command, options->device);
  command->add_option("--width", options->width, "Its width in pixels; else 1280")->type_name("PIXELS");
  return {command, [options] { return RunPlot(*options); }};
}

}  // namespace tidemark::cli
