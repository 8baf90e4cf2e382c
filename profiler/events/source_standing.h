// How a source of events fares, as it says of itself: a sentence for people that travels as the text of a
// kMarker from that source, and begins with a word for readers: "live (CUPTI 13.0)", "waiting: ...",
// "blocked by ...", "absent: ...", "left out, ...". What a live source cannot tell follows InPart's words.
// Pure. O(sentence).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::events {

enum class Standing : uint8_t {
  kUntold,   // it has said nothing
  kLive,     // it tells all it knows
  kInPart,   // it tells, but not all
  kWaiting,  // it has had nothing to tell yet
  kOff,      // it tells nothing: blocked, absent, left out
};

inline constexpr std::string_view kInPartWords = ", but ";

inline Standing StandingOf(std::string_view sentence) {
  if (sentence.empty()) return Standing::kUntold;
  if (sentence.starts_with("waiting")) return Standing::kWaiting;
  if (!sentence.starts_with("live")) return Standing::kOff;
  return sentence.find(kInPartWords) == std::string_view::npos ? Standing::kLive : Standing::kInPart;
}
// Beside what is said so already: "live, but ... Also, ...".
inline std::string InPart(std::string_view live, std::string_view lack) {
  const bool is_first = StandingOf(live) != Standing::kInPart;
  return std::string(live)
      .append(is_first              ? kInPartWords
              : live.ends_with('.') ? " Also, "
                                    : ". Also, ")
      .append(lack);
}

inline bool Tells(Standing standing) { return standing == Standing::kLive || standing == Standing::kInPart; }

}  // namespace tidemark::events
