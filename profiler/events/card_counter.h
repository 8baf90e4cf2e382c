// How a recorded program's card is told: a kCounter of no level, from Source::kDevice, whose name ends in
// what CUDA calls the card and whose bytes are the memory that it has. Pure.
#pragma once

#include <string>
#include <string_view>

#include "profiler/events/event.h"

namespace tidemark::events {

inline constexpr std::string_view kCardPrefix = "card ";

inline std::string CardCounter(std::string_view name) { return std::string(kCardPrefix) + std::string(name); }

inline bool TellsOfCard(const Event& event) {
  return event.kind == EventKind::kCounter && event.source == Source::kDevice && event.level == Level::kNone;
}

}  // namespace tidemark::events
