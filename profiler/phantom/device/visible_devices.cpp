#include "profiler/phantom/device/visible_devices.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace tidemark::phantom::device {
namespace {

constexpr const char* kUuidPrefix = "GPU-";

// "0", " 0", "+0" and "0th" alike, as CUDA reads numbers; -1 for what is none of them.
int NumberOf(const std::string& text, int gpus) {
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  return end != text.c_str() && number >= 0 && number < gpus ? static_cast<int>(number) : -1;
}

// The first whose name begins so.
int NumberByUuid(const std::string& start, const Card& card, int gpus) {
  if (!start.starts_with(kUuidPrefix)) return -1;
  for (int number = 0; number < gpus; ++number) {
    if (UuidTextOf(card, number).starts_with(start)) return number;
  }
  return -1;
}

}  // namespace

std::array<uint8_t, 16> UuidOf(const Card& card, int number) {
  std::array<uint8_t, 16> uuid{};
  std::copy_n(card.name.begin(), std::min(card.name.size(), uuid.size() - 1), uuid.begin());
  uuid.back() = static_cast<uint8_t>(number);
  return uuid;
}

std::string UuidTextOf(const Card& card, int number) {
  static constexpr char kHex[] = "0123456789abcdef";
  const std::array<uint8_t, 16> uuid = UuidOf(card, number);
  std::string text = "GPU-";
  for (size_t i = 0; i < uuid.size(); ++i) {
    text += {kHex[uuid.at(i) >> 4], kHex[uuid.at(i) & 15]};
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

std::vector<int> VisibleDevices(const char* variable, const Card& card, int gpus) {
  std::vector<int> visible;
  if (variable == nullptr) {
    for (int number = 0; number < gpus; ++number) visible.push_back(number);
    return visible;
  }
  const std::string all = variable;
  const bool by_uuid = all.starts_with(kUuidPrefix);
  std::istringstream entries(all);
  for (std::string entry; std::getline(entries, entry, ',');) {
    const int number = by_uuid ? NumberByUuid(entry, card, gpus) : NumberOf(entry, gpus);
    if (number < 0) break;
    if (std::find(visible.begin(), visible.end(), number) != visible.end()) return {};
    visible.push_back(number);
  }
  return visible;
}

}  // namespace tidemark::phantom::device
