// Figures of lessons, computed: + - * / and parentheses over numbers and quantities,
//   textbook.total          network.parameters       textbook.conv1.activations
//   phantom.allocated(batch=128 amp=fp16)            card.memory(card=t4)
// Quantities are of the page's own situation, with what stands in parentheses changed. Bytes unless said
// otherwise.
//   CATEGORY   parameter, gradient, optimizer, activation, input, temporary, workspace, autocast,
//              communication, output
//   textbook   total, halved, by CATEGORY (0 where a textbook has none), and of one of its layers
//              LAYER.activations, LAYER.parameters (bytes), LAYER.recomputed
//   rankN      the same of rank N, where the textbook's is rank 0's: rank1.total
//   phantom    allocated, requested, reserved, at the allocated peak by CATEGORY; fits (1 or 0)
//   network    parameters (how many), layers (how many)
//   card       memory, context
// Pure functions, but for what `Sources` asks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/events/event.h"
#include "profiler/lessons/rich_text.h"
#include "profiler/lessons/situation.h"
#include "profiler/networks/specification.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::lessons {

// The category of a quantity's name; none if it is of no category.
std::optional<events::Category> CategoryNamed(std::string_view name);

// Where figures come from.
struct Sources {
  const std::vector<networks::Network>* networks = nullptr;
  const std::vector<phantom::Card>* cards = nullptr;
  // Nothing: the answer is not there yet.
  std::function<std::optional<session::Prediction>(const Situation&)> phantom;
  // None: it is computed here. Returns none while it is not there yet.
  std::function<const textbook::Estimate*(const networks::TrainingSettings&, int rank)> textbook = {};
};

// A figure; nothing while the phantom is still asked. Errors: what is not an expression, an unknown quantity
// (all are named), network, layer or card; why the phantom cannot answer.
using Figure = Result<std::optional<double>>;
Figure Evaluate(std::string_view expression, const Situation& situation, const Sources& sources);

// Whether the claim holds. Errors: it does not, with both figures; or it cannot be computed. `situation`: its
// page's.
Status CheckClaim(const Claim& claim, const Situation& situation, const Sources& sources);

}  // namespace tidemark::lessons
