// One step of training as a person would write it, in Python and in C++: what stands beside an operator in
// slow motion. Pure functions, any thread; O(layers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::lessons {

// What a line of the program does.
enum class CodePart : uint8_t {
  kFrame,  // it holds others together: a loop, a scope, a brace
  kZeroGradients,
  kCopyBatch,
  kLayer,
  kBackward,
  kKeepLoss,
  kReadLoss,
  kUpdate,
};

// The same in both languages; "" where one of them needs no line.
struct CodeLine {
  CodePart part = CodePart::kFrame;
  std::string layer;  // of kLayer; the loss is one: "loss"
  std::string python;
  std::string cpp;
};
std::vector<CodeLine> CodeOfStep(const networks::Network& network,
                                 const networks::TrainingSettings& settings);

// What ran, as the events tell it.
struct RunningOperator {
  events::Phase phase = events::Phase::kIdle;
  bool recompute = false;
  bool in_micro_batch = false;  // one has begun in this step
  std::string_view layer;
  std::string_view op;
};
// The lines that it comes from: of an optimizer's step all that update, for its operators do not tell whose
// they are. Backward of a layer comes from backward's line, and from the layer's, which is `forward`.
struct CodePlace {
  std::vector<size_t> lines;
  std::vector<size_t> forward;
};
CodePlace PlaceInCode(const std::vector<CodeLine>& code, const RunningOperator& running);

}  // namespace tidemark::lessons
