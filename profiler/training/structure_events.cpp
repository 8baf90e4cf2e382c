#include "profiler/training/structure_events.h"

namespace tidemark::training {

using events::Event;
using events::EventKind;

void EmitMetric(std::string_view name, double value, int64_t step) {
  Event event;
  event.kind = EventKind::kMetric;
  event.name = capture::Intern(name);
  event.bytes = step;
  events::SetMetric(event, value);
  capture::Emit(event);
}

void EmitMarker(std::string_view text, const networks::TrainingSettings& settings) {
  Event event;
  event.kind = EventKind::kMarker;
  event.name = capture::Intern(text);
  event.op = capture::Intern(networks::ToJson(settings));
  capture::Emit(event);
}

}  // namespace tidemark::training
