// What the window knows of the price of checkpointing: ways to checkpoint, planned on a worker, and what each
// costs. Plain data; the UI thread's.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "profiler/networks/training_settings.h"
#include "profiler/textbook/checkpoint_curve.h"

namespace tidemark::gui {

struct PricedWay {
  textbook::CurvePoint point;
  double step_seconds = 0;  // by advice/step_time.h; 0 = there is no card
};

struct PriceQuestion {
  networks::TrainingSettings settings;
  std::string card;  // "" = the CPU
  bool operator==(const PriceQuestion&) const = default;
};

struct CheckpointPrices {
  std::optional<PriceQuestion> made_for;
  std::vector<PricedWay> ways;                 // by bytes
  std::optional<PriceQuestion> planned_for;    // of the planning that goes on
  std::optional<PriceQuestion> cancelled_for;  // by the person: nobody plans these again unasked

  // Of the settings that they were planned for, and of those that differ in the way to checkpoint only, where
  // that way is among them.
  bool Answers(const PriceQuestion& question) const {
    if (!made_for) return false;
    if (*made_for == question) return true;
    PriceQuestion same_way = *made_for;
    same_way.settings.checkpoint = question.settings.checkpoint;
    return same_way == question && std::ranges::any_of(ways, [&](const PricedWay& way) {
             return way.point.checkpoint == question.settings.checkpoint;
           });
  }
};

}  // namespace tidemark::gui
