#include "app/cli/training_options.h"

#include "profiler/networks/specification.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {

void TrainingOptions::Register(CLI::App& command) {
  const auto add = [&command](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->capture_default_str()->group("Training");
  };
  add("--net", numbers_.network, "Network; `tidemark networks` lists them");
  add("--batch", numbers_.batch, "Samples in a micro-batch, 1 to 4096");
  add("--amp", amp_, "Automatic mixed precision: off, fp16 (with loss scaling) or bf16");
  add("--accumulate", numbers_.accumulate, "Micro-batches in a step, 1 to 64");
  add("--checkpoint", checkpoint_,
      "Recompute in backward: none, layer, or a number of segments from 1 to 64");
  add("--optimizer", optimizer_, "sgd, momentum, adam or adamw");
  add("--lr", numbers_.learning_rate, "Learning rate, above 0");
  add("--clip", numbers_.clip_norm, "Clip gradients to this norm; 0 is off");
  add("--seed", numbers_.seed, "Seed of weights and data");
  add("--card", card_, "Card that the phantom GPU is; `tidemark cards` lists them");
}

void TrainingOptions::RegisterDevice(CLI::App& command) {
  command.add_option("--device", device_, "phantom, cpu or cuda:N")->capture_default_str()->group("Training");
}

Result<networks::TrainingSettings> TrainingOptions::Settings() const {
  networks::TrainingSettings settings = numbers_;
  const Result<networks::Precision> amp = networks::PrecisionFromText(amp_);
  if (!amp) return amp.error();
  settings.amp = *amp;
  const Result<networks::Checkpointing> checkpoint = networks::CheckpointingFromText(checkpoint_);
  if (!checkpoint) return checkpoint.error();
  settings.checkpoint = *checkpoint;
  const Result<networks::OptimizerKind> optimizer = networks::OptimizerFromText(optimizer_);
  if (!optimizer) return optimizer.error();
  settings.optimizer = *optimizer;
  if (const Status valid = networks::Validate(settings); !valid) return valid.error();
  if (const auto network = networks::FindNetwork(settings.network); !network) return network.error();
  return settings;
}

Result<networks::DeviceChoice> TrainingOptions::Device() const {
  if (const auto card = phantom::FindCard(card_); !card) return card.error();
  return networks::DeviceFromText(device_, card_);
}

}  // namespace tidemark::cli
