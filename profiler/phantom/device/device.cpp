#include "profiler/phantom/device/device.h"

#include <cstdlib>

#include "profiler/phantom/device/refusal.h"

namespace tidemark::phantom::device {
namespace {

Device* OpenDevice() {
  const char* file = std::getenv("TIDEMARK_PHANTOM_CARD");
  if (file == nullptr || *file == '\0') return nullptr;
  Result<Card> card = CardFromFile(file);
  if (!card) EndProcess(("tidemark phantom: " + card.error().message).c_str());
  return new Device(std::move(*card));
}

}  // namespace

Device* TheDevice() {
  static Device* const device = OpenDevice();
  return device;
}

}  // namespace tidemark::phantom::device
