#include <fmt/format.h>

#include <memory>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/report.h"
#include "app/cli/training_options.h"
#include "profiler/networks/specification.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::cli {
namespace {

struct EstimateOptions {
  TrainingOptions training;
  bool json = false;
};

std::string EstimateText(const networks::Network& network, const networks::TrainingSettings& settings,
                         const phantom::Card& card, const textbook::Estimate& estimate,
                         const session::Prediction& prediction) {
  std::string text = fmt::format("{}, batch {} × {}, amp {}, {}, on a phantom {}\n\n", network.title,
                                 settings.batch, settings.accumulate, networks::TextOf(settings.amp),
                                 networks::TextOf(settings.optimizer), card.title);
  text += PeaksTable(estimate, {{"phantom", prediction}}) + "\n" + LayersTable(estimate) + "\n";
  if (!prediction.sentence.empty()) text += prediction.sentence + "\n";
  return text + std::string(kPhantomNote) + "\n";
}

int RunEstimate(const EstimateOptions& options) {
  const Result<networks::TrainingSettings> settings = options.training.Settings();
  if (!settings) return Complain(settings.error().message, kExitUsage);
  const Result<phantom::Card> card = phantom::FindCard(options.training.card());
  if (!card) return Complain(card.error().message, kExitUsage);
  const Result<networks::Network> network = networks::FindNetwork(settings->network);
  if (!network) return Complain(network.error().message, kExitFailed);

  const textbook::Estimate estimate = textbook::EstimateMemory(*network, *settings);
  session::Predictor predictor;
  const Result<session::Prediction> prediction = predictor.AskAndWait(*settings, card->name);
  if (!prediction) return Complain(prediction.error().message, kExitFailed);
  if (!options.json) return Answer(EstimateText(*network, *settings, *card, estimate, *prediction));
  const Json json = {{"settings", Json::parse(networks::ToJson(*settings))},
                     {"card", card->name},
                     {"textbook", TextbookJson(estimate)},
                     {"phantom", PeaksJson(*prediction)},
                     {"note", kPhantomNote}};
  return Answer(json.dump(2) + "\n");
}

}  // namespace

Command RegisterEstimate(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("estimate", "What a training step needs, by textbook and by phantom GPU");
  command->footer(
      "Examples:\n"
      "  tidemark estimate\n"
      "  tidemark estimate --net simple-conv-net --batch 128 --amp fp16 --card rtx-4090\n"
      "  tidemark estimate --batch 16 --accumulate 4 --json");
  auto options = std::make_shared<EstimateOptions>();
  options->training.Register(*command);
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunEstimate(*options); }};
}

}  // namespace tidemark::cli
