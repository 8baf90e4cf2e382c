// Events about the course of training: phases, steps, markers, metrics.
#pragma once

#include <cstdint>
#include <string_view>

#include "profiler/capture/stream/event_stream.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::training {

using capture::EmitNumbered;
using capture::EmitPhase;
void EmitMetric(std::string_view name, double value, int64_t step);
// `text` is for people; `settings` hold from here on.
void EmitMarker(std::string_view text, const networks::TrainingSettings& settings);

}  // namespace tidemark::training
