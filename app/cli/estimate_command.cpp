#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/reports/band_report.h"
#include "app/cli/reports/report.h"
#include "app/cli/training_options.h"
#include "app/presenters/moment/bridge.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::cli {
namespace {

constexpr size_t kMostUnasked = 40;  // layers that are told

struct EstimateOptions {
  TrainingOptions training;
  bool textbook_only = false;
  bool json = false;
  bool curve = false;
  bool layers = false;
};

// What is asked, once every option has been understood.
struct Question {
  networks::TrainingSettings settings;
  networks::Network network;
  phantom::Card card;
  bool curve = false;
  bool layers = false;  // however many there are
};

Result<Question> Understand(const EstimateOptions& options) {
  const Result<Training> training = options.training.Asked();
  if (!training) return training.error();
  const Result<phantom::Card> card = options.training.Card();
  if (!card) return card.error();
  return Question{training->settings, training->network, *card, options.curve, options.layers};
}

// Why the phantom needs more than the textbook, or less, in words: the largest difference of all, and
// whatever else is worth it.
std::string DifferencesText(const presenters::Bridge& bridge) {
  constexpr int64_t kWorthTelling =
      50;  // of the textbook's total, the share below which nothing more is told: 1/50
  using presenters::BridgeStep;
  std::vector<BridgeStep> changes;  // up to what is allocated, of which the textbook speaks
  const int64_t textbook_bytes = bridge.steps.empty() ? 0 : bridge.steps.front().bytes;
  for (const BridgeStep& step : bridge.steps) {
    if (step.kind == BridgeStep::Kind::kChange) changes.push_back(step);
    if (step.kind == BridgeStep::Kind::kLevel && !changes.empty()) break;
  }
  std::ranges::stable_sort(changes, std::ranges::greater(),
                           [](const BridgeStep& step) { return std::abs(step.bytes); });
  std::string text;
  const auto is_small = [&](const BridgeStep& step) {
    return std::abs(step.bytes) < textbook_bytes / kWorthTelling;
  };
  const auto rest = std::find_if(changes.begin() + (changes.empty() ? 0 : 1), changes.end(), is_small);
  for (auto step = changes.begin(); step != rest; ++step) {
    const double size = InUnit(step->bytes, ByteUnit::kMegabytes);
    text += fmt::format("  {:>9} MB  {}: {}\n", (size < 0 ? "-" : "+") + FormatDecimal(std::abs(size), 2),
                        step->name, step->sentence);
  }
  if (rest != changes.end()) {  // the first of them is the largest
    text += fmt::format("  and {} smaller, each {} at most\n", changes.end() - rest,
                        FormatBytes(std::abs(rest->bytes), ByteUnit::kMegabytes));
  }
  return text.empty() ? text : "Where they differ most, textbook to phantom\n" + text;
}

// None of a step that has no room: nobody knows what it would take.
std::optional<session::CardFit> FitOf(const Question& question, const session::Prediction& phantom) {
  if (phantom.out_of_memory) return std::nullopt;
  return session::FitOf(question.card, {}, session::HeldPeakOf(phantom), phantom.reserved_band);
}

std::string PhantomText(const Question& question, const textbook::Estimate& estimate,
                        const session::Prediction& phantom) {
  std::string text;
  if (phantom.out_of_memory) {  // ahead of figures that look like those of a whole step
    text += fmt::format("It does not fit on an {}: the phantom's figures are those {}. {}\n\n",
                        question.card.title, phantom.fails_later ? "of its first steps" : "up to the failure",
                        kOutOfMemoryAdvice);
  }
  text += PeaksTable(estimate, {{"phantom", phantom}});
  text += SurvivedRow(phantom.times_survived);
  if (phantom.reserved_band) text += BandRowsOfTable(*phantom.reserved_band);
  if (const auto fit = FitOf(question, phantom)) text += CardRowsOfTable(*fit);
  if (phantom.out_of_memory) {
    text += phantom.sentence + "\n";
  } else {
    text += DifferencesText(presenters::MakeBridge(phantom, estimate, nullptr));
    if (!phantom.sentence.empty()) text += phantom.sentence + "\n";
  }
  return text + PhantomNote(phantom.without_workspaces, phantom.unknown_sizes) + "\n\n";
}

std::vector<textbook::PaperLine> OnPaper(const Question& question) {
  return textbook::EstimateOnPaper(question.network, question.settings);
}

// A pipeline's ranks differ, so each is told.
struct Stages {
  std::vector<textbook::StageEstimate> textbook;
  std::vector<session::Prediction> phantom;  // as many, or none where it was not asked
};

std::vector<advice::StepTime> Times(const Question& question) {
  return advice::EstimateStepTimeOfStages(question.network, question.settings, question.card);
}

// What one looks for first is not to go out of sight: many layers are told where they are asked for.
std::string LayersText(const Question& question, const textbook::Estimate& estimate,
                       const std::optional<session::Prediction>& phantom) {
  if (!question.layers && estimate.layers.size() > kMostUnasked)
    return fmt::format("Textbook, layer by layer: {} layers; --layers tells them.\n", estimate.layers.size());
  const std::string types = phantom ? TypesTable(estimate, *phantom) : "";
  return LayersTable(estimate) + (types.empty() ? "" : "\n" + types);
}

std::string EstimateText(const Question& question, const textbook::Estimate& estimate,
                         const std::optional<session::Prediction>& phantom, const Stages& stages) {
  std::string text = question.network.title;
  if (phantom) text += fmt::format(" on a phantom {}", question.card.title);
  text += fmt::format("\n{}\n\n", SettingsLine(question.settings));
  if (phantom) text += PhantomText(question, estimate, *phantom);
  text += TermsTable(estimate) + "\n" + LayersText(question, estimate, phantom);
  if (question.curve && !stages.textbook.empty()) text += "\nCheckpointing, of the first stage:";
  if (question.curve)
    text += "\n" + CurveTable(textbook::CheckpointCurve(question.network, question.settings));
  if (!stages.textbook.empty())
    text += "\n" + StagesTable(stages.textbook, stages.phantom, textbook::BubbleShare(question.settings));
  if (question.settings.ranks > 1 && stages.textbook.empty())
    text += "\n" + PaperTable(OnPaper(question), question.settings.ranks);
  text += "\n" + TimesTable(question.card.title, Times(question));
  return text;
}

Json EstimateJson(const Question& question, const textbook::Estimate& estimate,
                  const std::optional<session::Prediction>& phantom, const Stages& stages) {
  Json json = {{"settings", Json::parse(networks::ToJson(question.settings))}, {"card", question.card.name}};
  json["textbook"] = TextbookJson(estimate);
  if (question.curve)
    json["checkpointing"] = CurveJson(textbook::CheckpointCurve(question.network, question.settings));
  if (!stages.textbook.empty()) {
    json["bubble"] = textbook::BubbleShare(question.settings);
    json["stages"] = StagesJson(stages.textbook, stages.phantom);
  }
  if (question.settings.ranks > 1 && stages.textbook.empty()) json["on_paper"] = PaperJson(OnPaper(question));
  for (const advice::StepTime& time : Times(question)) json["roofline"].push_back(TimeJson(time));
  if (phantom) {
    json["phantom"] = PeaksJson(*phantom);
    json["phantom"]["context_bytes"] = question.card.context_bytes;
    const auto fit = FitOf(question, *phantom);
    json["phantom"]["taken_bytes"] = fit ? Json(fit->taken_bytes()) : Json();
    json["cudnn_workspaces_included"] = phantom->without_workspaces.empty();
    json["note"] = PhantomNote(phantom->without_workspaces, phantom->unknown_sizes);
  }
  return json;
}

Result<session::Prediction> AskPhantom(const Question& question, int rank) {
  session::PredictorOptions options;
  options.with_bands = rank == 0;
  if (rank > 0) options.place = RankPlace{rank, question.settings.ranks};
  session::Predictor predictor(options);
  ProgressLine progress;
  Result<session::Prediction> answer = predictor.AskAndWait(question.settings, {question.card.name}, [&] {
    if (predictor.asks_cudnn()) progress.Show(kAskingCudnn);
    return true;
  });
  progress.Clear();
  return answer;
}

int RunEstimate(const EstimateOptions& options) {
  const Result<Question> question = Understand(options);
  if (!question) return Complain(question.error().message, options.training.ExitCodeOfRefusal());
  Stages stages{textbook::EstimateStages(question->network, question->settings), {}};
  const textbook::Estimate estimate = stages.textbook.empty()
                                          ? textbook::EstimateMemory(question->network, question->settings)
                                          : stages.textbook.front().estimate;
  std::optional<session::Prediction> phantom;
  if (!options.textbook_only) {
    const size_t asked = std::max<size_t>(1, stages.textbook.size());
    for (size_t rank = 0; rank < asked; ++rank) {
      const Result<session::Prediction> answer = AskPhantom(*question, static_cast<int>(rank));
      if (!answer) return Complain(answer.error().message, kExitFailed);
      if (rank == 0) phantom = *answer;
      if (!stages.textbook.empty()) stages.phantom.push_back(*answer);
    }
  }
  return Answer(options.json ? TextOf(EstimateJson(*question, estimate, phantom, stages))
                             : EstimateText(*question, estimate, phantom, stages));
}

}  // namespace

Command RegisterEstimate(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("estimate", "What a training step needs, by textbook and by phantom GPU");
  command->footer(
      "Examples:\n"
      "  tidemark estimate\n"
      "  tidemark estimate --net simple-conv-net --batch 128 --amp fp16 --card rtx-4090\n"
      "  tidemark estimate --batch 16 --accumulate 4 --json\n"
      "  tidemark estimate --checkpoint layer --textbook\n"
      "  tidemark estimate --net gpt-2 --batch 8 --curve --ranks 8 --textbook\n"
      "  tidemark estimate --net vit-b-16 --batch 8 --accumulate 8 --ranks 4 --pipeline 1f1b    (stage by "
      "stage)\n"
      "That a step does not fit on the card is an answer (\"out_of_memory\": true), not a failure.");
  auto options = std::make_shared<EstimateOptions>();
  options->training.Register(*command);
  command->add_flag("--textbook", options->textbook_only,
                    "The closed formulas only; no phantom GPU is asked");
  command->add_flag("--curve", options->curve,
                    "Also what each way to checkpoint keeps, and how much it runs again");
  command->add_flag("--layers", options->layers,
                    fmt::format("Layer by layer, also where there are more than {}", kMostUnasked));
  command->add_flag("--json", options->json, "One JSON object, sizes in bytes");
  return {command, [options] { return RunEstimate(*options); }};
}

}  // namespace tidemark::cli
