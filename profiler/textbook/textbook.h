// How much memory training takes, as a person would compute it on paper: layer by layer, from shapes alone. Closed
// formulas, no allocator, no library workspaces, no temporaries: those are what the bridge adds. Every number carries its
// formula. Pure functions, microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::textbook {

struct LayerEstimate {
  std::string name;
  std::string output;             // "64×64×30×30", batch first
  int64_t parameters = 0;         // elements
  int64_t parameters_bytes = 0;
  int64_t activations_bytes = 0;  // kept for backward, with checkpointing as set
  int64_t recomputed_bytes = 0;   // not kept, made again in backward
  std::string formula;            // how activations_bytes came about, in numbers
};

// One line of the total: a category, its bytes, and why.
struct Term {
  events::Category category = events::Category::kUnknown;
  std::string title;    // "Optimizer state (Adam)"
  int64_t bytes = 0;
  std::string words;    // "two moments per parameter, 4 bytes each"
  std::string symbols;  // "2 · P · 4 B = 2 · 1,079,178 · 4 B"
};

struct Estimate {
  int64_t parameters_bytes = 0;
  int64_t gradients_bytes = 0;
  int64_t optimizer_bytes = 0;
  int64_t activations_bytes = 0;
  int64_t input_bytes = 0;
  int64_t autocast_cache_bytes = 0;  // half copies of weights under autocast
  int64_t total_bytes = 0;           // of all above
  int64_t halved_everything_bytes = 0;  // the often-quoted "FP16 halves everything": total at fp32, divided by two; marked as what it is
  std::vector<LayerEstimate> layers;
  std::vector<Term> terms;  // sum to total_bytes
};

Estimate EstimateMemory(const networks::Network& network, const networks::TrainingSettings& settings);

// The estimate's bytes in one of the timeline's categories (0 where the textbook has none).
int64_t BytesOf(const Estimate& estimate, events::Category category);

}  // namespace tidemark::textbook
