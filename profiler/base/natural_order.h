// Names in the order in which a person counts: "blocks.2" before "blocks.10". A strict order, so that names
// that are unlike are never equal. Pure, any thread. O(length).
#pragma once

#include <algorithm>
#include <string_view>

#include "profiler/base/digits.h"

namespace tidemark {

struct NaturalOrder {
  using is_transparent = void;

  bool operator()(std::string_view a, std::string_view b) const {
    const std::string_view whole_a = a;
    const std::string_view whole_b = b;
    const size_t alike = AlikeParts(a, b);
    a.remove_prefix(alike);
    b.remove_prefix(alike);
    while (!a.empty() && !b.empty()) {
      const std::string_view part_a = FirstPart(a);
      const std::string_view part_b = FirstPart(b);
      a.remove_prefix(part_a.size());
      b.remove_prefix(part_b.size());
      if (const int order = Compare(part_a, part_b); order != 0) return order < 0;
    }
    if (a.empty() != b.empty()) return a.empty();
    return whole_a < whole_b;
  }

 private:
  // How many bytes of parts that are the same both begin with, so that these are not looked at one by one.
  static size_t AlikeParts(std::string_view a, std::string_view b) {
    auto bytes = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    while (bytes > 0 && IsDigit(a[bytes - 1])) --bytes;  // the number may go on
    return bytes;
  }
  // All digits that it begins with, or one letter.
  static std::string_view FirstPart(std::string_view text) {
    const auto end = std::ranges::find_if_not(text, IsDigit);
    return text.substr(0, std::max<size_t>(1, static_cast<size_t>(end - text.begin())));
  }
  static std::string_view WithoutZeros(std::string_view digits) {
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  }
  static int Compare(std::string_view a, std::string_view b) {
    if (!IsDigit(a.front()) || !IsDigit(b.front())) return a.compare(b);
    a = WithoutZeros(a);
    b = WithoutZeros(b);
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
};

}  // namespace tidemark
