#include "profiler/phantom/device/visible_devices.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace tidemark::phantom::device {
namespace {

constexpr const char* kUuidPrefix = "GPU-";

// "0", " 0", "+0" and "0th" alike, as CUDA reads numbers.
bool IsZero(const std::string& text) {
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  return end != text.c_str() && number == 0;
}

}  // namespace

std::array<uint8_t, 16> UuidOf(const Card& card) {
  std::array<uint8_t, 16> uuid{};
  std::copy_n(card.name.begin(), std::min(card.name.size(), uuid.size() - 1), uuid.begin());
  return uuid;
}

std::string UuidTextOf(const Card& card) {
  static constexpr char kHex[] = "0123456789abcdef";
  const std::array<uint8_t, 16> uuid = UuidOf(card);
  std::string text = "GPU-";
  for (size_t i = 0; i < uuid.size(); ++i) {
    text += {kHex[uuid.at(i) >> 4], kHex[uuid.at(i) & 15]};
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

bool IsVisible(const char* variable, const std::string& uuid) {
  if (variable == nullptr) return true;
  const std::string all = variable;
  const bool by_uuid = all.starts_with(kUuidPrefix);
  bool visible = false;
  std::istringstream entries(all);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const bool is_ours = by_uuid ? entry.starts_with(kUuidPrefix) && uuid.starts_with(entry) : IsZero(entry);
    if (!is_ours) break;
    if (visible) return false;
    visible = true;
  }
  return visible;
}

}  // namespace tidemark::phantom::device
