// tidemark: the window and the command line. Links neither Torch nor CUDA; training happens in
// tidemark-trainer.
#include "app/cli/command_line.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/window_opener.h"
#include "app/cli/programs/program_start.h"
#include "app/cli/programs/program_sweep.h"
#include "app/cli/programs/technique_trials.h"
#include "app/cli/recorded_band.h"
#include "app/cli/run_writer.h"

#if TIDEMARK_GUI
#include "app/gui/gui.h"
#endif

namespace {

#if TIDEMARK_GUI
int OpenWindow(const tidemark::cli::WindowContent& content) {
  tidemark::gui::WindowOptions options;
  options.files = content.recordings;
  options.run = content.run;
  options.closes = content.closes;
  options.first.session = content.state;
  options.scale = content.scale;
  options.opened = content.opened;
  options.services.band_of = tidemark::cli::RecordedBand;
  options.services.start_program = tidemark::cli::StartProgram;
  options.services.sweep_program = tidemark::cli::SweepProgram;
  options.services.technique_trials = tidemark::cli::TechniqueTrials();
  options.services.allocator_of = tidemark::cli::AllocatorOfRun;
  options.services.export_run = tidemark::cli::ExportRun;
  return tidemark::gui::RunWindow(options);
}
#else
int OpenWindow(const tidemark::cli::WindowContent& /*content*/) {
  return tidemark::cli::Complain(
      "This build has no window; build it with TIDEMARK_GUI=ON, or see tidemark --help.",
      tidemark::cli::kExitFailed);
}
#endif

}  // namespace

int main(int argc, char** argv) { return tidemark::cli::RunCommandLine(argc, argv, OpenWindow); }
