// `tidemark plot`: a run as a picture, without a display.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/picture_file.h"
#include "app/cli/recording_file.h"
#include "app/cli/run_bridge.h"
#include "app/presenters/picture.h"

namespace tidemark::cli {
namespace {

struct PlotOptions {
  std::string file;
  std::string view = "timeline";
  std::string output;
};

Result<std::string> Draw(const session::Run& run, const std::string& view, const std::string& title) {
  if (view == "breakdown") return presenters::BreakdownPicture(*run.view(), title);
  if (view == "map") return presenters::MapPicture(*run.view(), title);
  if (view == "bridge") {
    const Result<presenters::Bridge> bridge = BridgeOf(run);
    if (!bridge) return bridge.error();
    return presenters::BridgePicture(*bridge, title);
  }
  return presenters::TimelinePicture(*run.view(), title);
}

int RunPlot(const PlotOptions& options) {
  if (options.file.empty() || options.output.empty()) {
    return Complain("Name a recording and a picture to write: tidemark plot FILE -o FILE.svg.", kExitUsage);
  }
  const bool known = options.view == "timeline" || options.view == "breakdown" || options.view == "map" ||
                     options.view == "bridge";
  if (!known) {
    return Complain(
        fmt::format("There is no view \"{}\". Choose timeline, breakdown, bridge or map.", options.view),
        kExitUsage);
  }
  const std::string ending = std::filesystem::path(options.output).extension().string();
  if (ending != ".svg" && ending != ".png") {
    return Complain(
        fmt::format("{} does not tell by its ending what to draw; name it .svg or .png.", options.output),
        kExitUsage);
  }
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.file);
  if (!run) return Complain(run.error().message, kExitFailed);
  for (const std::string& warning : WarningsOf(**run)) Complain(warning, kExitDone);
  const std::string title = (*run)->description().title;
  const Result<std::string> drawing = Draw(
      **run, options.view, title.empty() ? std::filesystem::path(options.file).filename().string() : title);
  if (!drawing) return Complain(drawing.error().message, kExitFailed);
  const Status written = WritePicture(*drawing, options.output);
  return written ? kExitDone : Complain(written.error().message, kExitFailed);
}

}  // namespace

Command RegisterPlot(CLI::App& application) {
  CLI::App* command = application.add_subcommand("plot", "Draw a run as a picture, without a display");
  command->footer(
      "Examples:\n"
      "  tidemark plot run.tide -o run.svg\n"
      "  tidemark plot run.tide --view bridge -o bridge.png\n"
      "  tidemark plot snapshot.pickle --view map -o map.svg");
  auto options = std::make_shared<PlotOptions>();
  command->add_option("FILE", options->file, "Recording, memory snapshot or trace")->type_name("");
  command
      ->add_option(
          "--view", options->view,
          "timeline, breakdown (categories at the peak), bridge (textbook to card) or map (segments and "
          "blocks at the peak)")
      ->capture_default_str()
      ->type_name("");
  command->add_option("-o,--output", options->output, "Picture to write, .svg or .png")->type_name("FILE");
  return {command, [options] { return RunPlot(*options); }};
}

}  // namespace tidemark::cli
