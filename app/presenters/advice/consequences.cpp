#include "app/presenters/advice/consequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "app/presenters/moment/settings_change.h"
#include "app/presenters/moment/signed_bytes.h"
#include "profiler/base/saturating.h"
#include "profiler/networks/pipeline_stages.h"
#include "profiler/networks/techniques.h"
#include "profiler/session/card_fit.h"
#include "profiler/textbook/checkpoint_plan.h"
#include "profiler/textbook/pipeline.h"
#include "profiler/textbook/textbook.h"
#include "profiler/timeline/series.h"

namespace tidemark::presenters {
namespace {

using networks::CheckpointMode;
using networks::Precision;
using networks::TrainingSettings;

constexpr const char* kPending = "…";

struct Effect {
  enum class Kind : uint8_t { kNone, kNotKnown, kDoesNotFit, kFits, kDifference };  // kFits: now, at last
  Kind kind = Kind::kNone;
  std::string text = {};  // "" = kNone
};

// ", time × 1.30"; "" where it takes as long, or nobody knows.
std::string PriceOf(const ConsequenceSources& sources, const TrainingSettings& from,
                    const TrainingSettings& to) {
  const std::optional<double> before = sources.step_seconds(from);
  const std::optional<double> after = sources.step_seconds(to);
  return before && after ? PriceOfTime(*after / *before) : "";
}

// The difference at peak between two configurations, in words.
Effect AtPeak(const ConsequenceQuestion& question, const ConsequenceSources& sources,
              const TrainingSettings& from, const TrainingSettings& to) {
  const std::optional<session::Prediction> before = sources.phantom(from);
  const std::optional<session::Prediction> after = sources.phantom(to);
  if (!before || !after) return {Effect::Kind::kNotKnown, kPending};
  if (after->out_of_memory) return {Effect::Kind::kDoesNotFit, "does not fit on the card"};
  if (before->out_of_memory && after->sentence.empty()) return {Effect::Kind::kFits, "fits on the card"};
  if (!after->sentence.empty() || !before->sentence.empty()) return {};
  const int64_t difference = after->allocated_peak_bytes - before->allocated_peak_bytes;
  return {Effect::Kind::kDifference, SignedBytes(difference, question.unit) + " at peak"};
}

// And its price. `against`: behind the difference.
Effect EffectOf(const ConsequenceQuestion& question, const ConsequenceSources& sources,
                const TrainingSettings& from, const TrainingSettings& to, const char* against = "") {
  Effect effect = AtPeak(question, sources, from, to);
  const bool is_difference = effect.kind == Effect::Kind::kDifference;
  if (is_difference || effect.kind == Effect::Kind::kNotKnown) effect.text += against;
  if (is_difference || effect.kind == Effect::Kind::kFits) effect.text += PriceOf(sources, from, to);
  return effect;
}

TrainingSettings WithPrecision(TrainingSettings settings, Precision amp) {
  settings.amp = amp;
  return settings;
}

int64_t WorkspacesAtPeak(const session::Prediction& prediction) {
  return timeline::ValueOf(prediction.at_peak, timeline::SeriesOf(events::Category::kWorkspace));
}

std::string BatchLine(const ConsequenceQuestion& question, const ConsequenceSources& sources) {
  const TrainingSettings& now = question.settings;
  TrainingSettings other = now;
  // Towards the smaller batch, because the larger one may not fit.
  other.batch = now.batch > 1 ? std::max(1, now.batch / 2) : 2;
  const auto here = sources.phantom(now);
  const auto there = sources.phantom(other);
  if (!here || !there) return kPending;
  if (!here->sentence.empty() || !there->sentence.empty() || here->out_of_memory) return "";
  const int64_t per_sample =
      (here->allocated_peak_bytes - there->allocated_peak_bytes) / (now.batch - other.batch);
  std::string line = SignedBytes(per_sample, question.unit) + " at peak per sample";
  // cuDNN may choose a plan for the larger batch that works in less.
  const int64_t workspaces = WorkspacesAtPeak(*here) - WorkspacesAtPeak(*there);
  if (per_sample < 0 && workspaces < 0)
    line += fmt::format("\nworkspaces need {} less than at batch {}", FormatBytes(-workspaces, question.unit),
                        other.batch);
  return line;
}

std::string PrecisionLine(const ConsequenceQuestion& question, const ConsequenceSources& sources) {
  const TrainingSettings& now = question.settings;
  if (now.amp == Precision::kFloat32) {
    const Effect effect = EffectOf(question, sources, now, WithPrecision(now, Precision::kFloat16));
    if (effect.kind == Effect::Kind::kNone) return "";
    const bool is_verb = effect.kind == Effect::Kind::kDoesNotFit || effect.kind == Effect::Kind::kFits;
    return (is_verb ? "fp16 " : "fp16 would be ") + effect.text;
  }
  std::string line =
      EffectOf(question, sources, WithPrecision(now, Precision::kFloat32), now, " against fp32").text;
  // A phantom computes nothing, so its scale reads 0.
  if (now.amp == Precision::kFloat16 && question.loss_scale.value_or(0) > 0) {
    line += "\nscale " + FormatNumber(static_cast<int64_t>(*question.loss_scale)) + " · " +
            FormatNumber(question.skipped_steps) +
            (question.skipped_steps == 1 ? " step skipped" : " steps skipped");
  }
  if (now.amp == Precision::kPureFloat16 && question.vanished_gradients) {
    char share[64];
    std::snprintf(share, sizeof share, "\n%.1f %% of the gradients are 0",
                  100 * *question.vanished_gradients);
    line += share;
  }
  return line;
}

std::string CheckpointLine(const ConsequenceQuestion& question, const ConsequenceSources& sources,
                           const textbook::Estimate* estimate) {
  const TrainingSettings& now = question.settings;
  if (now.checkpoint.mode == CheckpointMode::kNone) return "nothing is computed twice";
  TrainingSettings without = now;
  without.checkpoint = {};
  std::string line = EffectOf(question, sources, without, now, " against none").text;
  if (estimate == nullptr) return line + "\n" + kPending;
  int64_t recomputed = 0;
  for (const textbook::LayerEstimate& layer : estimate->layers) recomputed += layer.recomputed_bytes;
  const int64_t least = estimate->least_budget_bytes;
  if (least > 0) line += "\nthe least that pieces can do is " + FormatBytes(least, question.unit);
  if (recomputed > 0) line += "\n" + FormatBytes(recomputed, question.unit) + " made again in backward";
  return line;
}

std::string OptimizerLine(const ConsequenceQuestion& question, int64_t bytes) {
  if (bytes == 0) return "keeps no state";
  std::string size = FormatBytes(bytes, question.unit);
  switch (question.settings.optimizer) {
    case networks::OptimizerKind::kSgd:
    case networks::OptimizerKind::kMomentum:
      return "one momentum per parameter: " + size;
    case networks::OptimizerKind::kAdam:
    case networks::OptimizerKind::kAdamW:
      return "two moments per parameter: " + size;
    case networks::OptimizerKind::kAdagrad:
      return "one sum of squares per parameter: " + size;
    case networks::OptimizerKind::kRmsprop:
      return "one mean square per parameter: " + size;
  }
  return size;
}

std::string AccumulateLine(const ConsequenceQuestion& question, const ConsequenceSources& sources) {
  const TrainingSettings& now = question.settings;
  std::string line = "effective batch " + FormatNumber(static_cast<int64_t>(now.batch) * now.accumulate *
                                                       (networks::UsesPipeline(now) ? 1 : now.ranks));
  if (now.accumulate == 1) return line;
  TrainingSettings single = now;
  single.accumulate = 1;
  const std::string change = AtPeak(question, sources, single, now).text;
  return change.empty() ? line : line + " · " + change;
}

std::string ClipLine(const ConsequenceQuestion& question, const ConsequenceSources& sources) {
  if (question.settings.clip_norm <= 0) return "";
  TrainingSettings without = question.settings;
  without.clip_norm = 0;
  return EffectOf(question, sources, without, question.settings).text;
}

// The split, before anything runs: which layers each rank has, and what it needs.
std::string PipelineLine(const ConsequenceQuestion& question, const ConsequenceSources& sources) {
  constexpr size_t kMostTold = 8;
  const TrainingSettings& now = question.settings;
  if (now.ranks == 1) return "one rank is one stage: choose more ranks";
  char share[32];
  std::snprintf(share, sizeof share, "%.0f %%", 100 * textbook::BubbleShare(now));
  std::string lines = "each waits " + std::string(share) + " of a step (bubble)";
  const std::vector<networks::Stage> stages = networks::StagesOf(*question.network, now);
  for (size_t rank = 0; rank < std::min(stages.size(), kMostTold); ++rank) {
    const std::string& first = question.network->layers[stages[rank].first].name;
    const std::string& last = question.network->layers[stages[rank].end - 1].name;
    const textbook::Estimate* estimate = sources.textbook(now, static_cast<int>(rank));
    lines +=
        "\n" + std::to_string(rank) + ": " + first + (first == last ? "" : " … " + last) + ", " +
        (estimate == nullptr ? std::string(kPending) : FormatBytes(estimate->total_bytes, question.unit));
  }
  if (stages.size() > kMostTold) lines += "\nand " + std::to_string(stages.size() - kMostTold) + " more";
  return lines;
}

std::string TechniqueLine(const networks::Technique& technique, const ConsequenceQuestion& question,
                          const ConsequenceSources& sources) {
  const TrainingSettings& now = question.settings;
  if (!technique.IsInUse(now)) return "";
  if (technique.key == std::string_view("zero") && now.ranks == 1)
    return "one rank has nobody to share with: choose more ranks";
  if (technique.key == std::string_view("pipeline")) return PipelineLine(question, sources);
  TrainingSettings without = now;
  if (!technique.Set(without, technique.choices.front())) return "";
  if (networks::EffectiveLearningRate(without) != networks::EffectiveLearningRate(now)) {
    char rate[64];
    std::snprintf(rate, sizeof rate, "the learning rate is %.3g", networks::EffectiveLearningRate(now));
    return rate;
  }
  return EffectOf(question, sources, without, now).text;
}

void DescribeFit(const ConsequenceQuestion& question, const ConsequenceSources& sources,
                 Consequences* lines) {
  const auto here = sources.phantom(question.settings);
  if (!here) {
    lines->fit = kPending;
    return;
  }
  lines->fits = !here->out_of_memory;
  if (here->out_of_memory) {
    lines->fit = question.card == nullptr
                     ? "does not fit"
                     : "does not fit on the " + session::ShortCardTitle(question.card->title);
  } else if (!here->sentence.empty()) {
    lines->fit = here->sentence;
  } else {
    lines->fit = "predicted peak " + FormatBytes(here->allocated_peak_bytes, question.unit);
    if (question.card != nullptr) {
      const session::HeldPeak held = session::HeldPeakOf(*here);
      const int64_t taken = SaturatingSum(held.bytes, question.card->context_bytes);
      lines->fit += (held.is_at_least ? "\nwith context at least " : "\nwith cache and context ") +
                    session::ShareOf(*question.card, taken) + " of the " +
                    session::ShortCardTitle(question.card->title);
    }
    if (const std::optional<double> seconds = sources.step_seconds(question.settings))
      lines->fit += "\na step ~" + FormatDuration(static_cast<int64_t>(*seconds * 1e9)) + ", by roofline";
  }
}

}  // namespace

std::vector<networks::Checkpointing> CheckpointChoices(const networks::Network& network,
                                                       const TrainingSettings& now, int64_t unchecked_bytes) {
  const int root = textbook::SquareRootSegments(network);
  constexpr int64_t kMegabyte = 1'000'000;
  std::vector<networks::Checkpointing> choices{
      {},
      {CheckpointMode::kSegments, root},
      {CheckpointMode::kByLayer},
      {CheckpointMode::kSegments, root + 1},
      {CheckpointMode::kEvery, 2},
      {CheckpointMode::kBudget, 0, std::max(unchecked_bytes / 2 / kMegabyte, int64_t{1}) * kMegabyte}};
  for (size_t choice = 3; choice < choices.size(); ++choice) {
    const bool is_root = choice == 3 && now.checkpoint == choices[1];
    if (now.checkpoint.mode == choices[choice].mode && !is_root) choices[choice] = now.checkpoint;
  }
  return choices;
}

TrainingSettings WithNetwork(TrainingSettings settings, const networks::Network* now,
                             const networks::Network& chosen) {
  const auto root_of = [](const networks::Network& network) {
    return networks::Checkpointing{CheckpointMode::kSegments, textbook::SquareRootSegments(network)};
  };
  if (now != nullptr && settings.checkpoint == root_of(*now)) settings.checkpoint = root_of(chosen);
  settings.network = chosen.name;
  return settings;
}

Consequences DescribeConsequences(const ConsequenceQuestion& question, const ConsequenceSources& sources) {
  Consequences lines;
  if (question.network == nullptr) return lines;
  const TrainingSettings& now = question.settings;
  lines.network = FormatNumber(question.network->parameters()) + " parameters · " +
                  FormatBytes(question.network->parameters() * textbook::ValueBytes(now), question.unit);
  DescribeFit(question, sources, &lines);
  lines.batch = BatchLine(question, sources);
  lines.accumulate = AccumulateLine(question, sources);
  lines.precision = PrecisionLine(question, sources);
  lines.checkpoint = CheckpointLine(question, sources, sources.textbook(now, 0));
  TrainingSettings unchecked = now;
  unchecked.checkpoint = {};
  const textbook::Estimate* without = sources.textbook(unchecked, 0);
  // What the optimizer keeps does not depend on what is checkpointed.
  lines.optimizer = without == nullptr ? kPending : OptimizerLine(question, without->optimizer_bytes);
  lines.unchecked_bytes = without == nullptr ? 0 : without->activations_bytes;
  lines.learning_rate = "no effect on memory";
  lines.clip = ClipLine(question, sources);
  lines.seed = "same seed, same weights and data";
  for (const Precision amp :
       {Precision::kFloat32, Precision::kFloat16, Precision::kBfloat16, Precision::kPureFloat16}) {
    lines.precision_hints.push_back(
        amp == now.amp ? "" : EffectOf(question, sources, now, WithPrecision(now, amp)).text);
  }
  for (const networks::Checkpointing& checkpoint :
       CheckpointChoices(*question.network, now, lines.unchecked_bytes)) {
    TrainingSettings other = now;
    other.checkpoint = checkpoint;
    lines.checkpoint_hints.push_back(other == now ? "" : EffectOf(question, sources, now, other).text);
  }
  for (const networks::Technique& technique : networks::Techniques())
    lines.techniques.push_back(TechniqueLine(technique, question, sources));
  return lines;
}

}  // namespace tidemark::presenters
