#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console/card_option.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/console/recording_file.h"
#include "app/cli/picture_file.h"
#include "app/cli/recorded_band.h"
#include "app/cli/reports/fit_report.h"
#include "app/presenters/picture/picture.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

struct WhatIfOptions {
  std::string file;
  std::string card;
  std::string memory;
  std::string allocator;
  std::string after;
  std::string addresses;
  std::string output;
  bool json = false;
};

Result<advice::AllocatorSetup> SetupOf(const WhatIfOptions& options, const advice::AllocatorSetup& own) {
  std::optional<phantom::Card> other_card;
  if (!options.card.empty()) {
    Result<phantom::Card> named = phantom::FindCard(options.card);
    if (!named) return named.error();
    other_card = std::move(*named);
  }
  int64_t memory_bytes = 0;
  if (!options.memory.empty()) {
    const Result<int64_t> bytes = MemoryFromText(options.memory, other_card.value_or(own.card));
    if (!bytes) return bytes.error();
    memory_bytes = *bytes;
  }
  advice::AllocatorSetup setup = advice::Otherwise(own, other_card, memory_bytes, options.allocator);
  const auto addresses = AddressesFromText(options.addresses);
  if (!addresses) return addresses.error();
  setup.addresses = *addresses;
  return setup;
}

// What the recording at `file` left in the cache is there.
Status BeginAfterFile(const std::string& file, const phantom::Card& own, advice::AllocatorSetup& setup) {
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(file);
  if (!run) return run.error();
  const Result<phantom::Card> card = CardToReplayOn(**run, own.name);
  if (!card) return card.error();
  setup.after_title = file;
  return advice::BeginAfter(*(*run)->view(), *card, setup);
}

int TellAnswer(const WhatIfOptions& options, const std::string& title, const advice::AllocatorSetup& own,
               const advice::AllocatorSetup& other, const advice::WhatIf& answer) {
  if (!options.output.empty()) {
    const InterruptListener listener;  // what is drawn by then does not stay
    const Status drawn = WritePicture(
        presenters::WhatIfPicture(answer, {SetupInWords(own), SetupInWords(other)}, title), options.output);
    if (!drawn) return Complain(drawn.error().message, ExitCodeOfFailure());
  }
  return Answer(options.json ? TextOf(WhatIfJson(own, other, answer)) : WhatIfText(own, other, answer));
}

int RunWhatIf(const WhatIfOptions& options) {
  const bool is_as_it_was = options.allocator.empty() && options.memory.empty() && options.card.empty() &&
                            options.addresses.empty() && options.after.empty();
  if (options.file.empty() || is_as_it_was) {
    return Complain(
        "Name a recording and what is to be otherwise: tidemark what-if FILE --alloc-conf SETTINGS, --memory "
        "SIZE, --card NAME, --addresses ORDER or --after FILE.",
        kExitUsage);
  }
  if (!options.output.empty()) {
    if (const Status name = CheckPictureName(options.output); !name)
      return Complain(name.error().message, kExitUsage);
  }
  const Result<std::unique_ptr<session::Run>> run = OpenRecording(options.file);
  if (!run) return Complain(run.error().message, kExitFailed);
  for (const std::string& warning : WarningsOf(**run)) Complain(warning, kExitDone);
  const events::RunDescription description = (*run)->description();
  const Result<phantom::Card> card = CardToReplayOn(**run);
  if (!card) return Complain(card.error().message, kExitFailed);
  const std::string note = NoteOfCard(description, *card);
  if (!note.empty()) Complain(note, kExitDone);
  const advice::AllocatorSetup own{*card, description.allocator_settings};
  Result<advice::AllocatorSetup> other = SetupOf(options, own);
  if (!other) return Complain(other.error().message, kExitUsage);
  if (!options.after.empty()) {
    if (Status begun = BeginAfterFile(options.after, own.card, *other); !begun)
      return Complain(begun.error().message, kExitFailed);
  }
  const Result<session::AllocatorOf> allocator = AllocatorOfRun(description);
  if (!allocator) return Complain(allocator.error().message, kExitFailed);
  const Result<advice::ReplayedRun> replayed = advice::ReplayedRun::Of(*(*run)->view(), own, *allocator);
  if (!replayed) return Complain(replayed.error().message, kExitFailed);
  const Result<advice::WhatIf> answer = replayed->With(*other);
  if (!answer) {
    const bool takes_settings = session::TakesSettings(other->settings, other->card, *allocator).ok();
    return Complain(answer.error().message, takes_settings ? kExitFailed : kExitUsage);
  }
  return TellAnswer(options, description.title, own, *other, *answer);
}

}  // namespace

Command RegisterWhatIf(CLI::App& application) {
  CLI::App* command = application.add_subcommand(
      "what-if", "A recording with other settings of PyTorch's allocator, or on another card");
  command->footer(
      "Examples:\n"
      "  tidemark what-if run.tide --alloc-conf expandable_segments:True\n"
      "  tidemark what-if run.tide --alloc-conf max_split_size_mb:128,roundup_power2_divisions:4\n"
      "  tidemark what-if run.tide --memory 16GiB\n"
      "  tidemark what-if run.tide --alloc-conf expandable_segments:True -o both.svg\n"
      "  tidemark what-if train.tide --after evaluate.tide      with what evaluation left in the cache\n"
      "What the run asked PyTorch's allocator for is asked again, in its order, of the same allocator.");
  auto options = std::make_shared<WhatIfOptions>();
  command->add_option("FILE", options->file, "Recording, memory snapshot or trace")->type_name("");
  command->add_option("--alloc-conf", options->allocator, "As in PYTORCH_CUDA_ALLOC_CONF")
      ->type_name("SETTINGS");
  command->add_option("--memory", options->memory, "Memory of the card: 16GiB (or 16G), 24GB, ...")
      ->type_name("SIZE");
  command->add_option("--card", options->card, "Another card; tidemark cards lists them")->type_name("NAME");
  AddAddressesOption(*command, options->addresses);
  command
      ->add_option(
          "--after", options->after,
          "A recording that ran before it in the same process: its cache is there when this one begins")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Draw both curves as a picture, .svg or .png")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunWhatIf(*options); }};
}

}  // namespace tidemark::cli
