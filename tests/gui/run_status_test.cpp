#include "app/gui/run_status.h"

#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

TEST_CASE(
    "What a card was limited to is told as exactly as in the Program panel, in the unit that is chosen") {
  phantom::Card card;
  card.name = "t4";
  card.title = "NVIDIA T4";
  card.memory_bytes = 15'636'398'080;
  const std::vector<phantom::Card> cards{card};
  SceneInput input;
  input.cards = &cards;
  input.description.device = "phantom";
  input.description.device_name = card.title;
  input.description.device_bytes = int64_t{8} << 30;
  const ShownOrigin origin{.has_run = true, .was_followed = false, .was_not_opened = false};
  CHECK(DeviceText(input, origin, ByteUnit::kMegabytes) == "Phantom T4 · limited to 8.59 GB");
  CHECK(DeviceText(input, origin, ByteUnit::kMebibytes) == "Phantom T4 · limited to 8.00 GiB");
  input.description.device_bytes = card.memory_bytes;
  CHECK(DeviceText(input, origin, ByteUnit::kMegabytes) == "Phantom T4 · 16 GB");
}

}  // namespace
}  // namespace tidemark::gui
