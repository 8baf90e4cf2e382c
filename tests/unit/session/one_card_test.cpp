#include "profiler/session/one_card.h"

#include "tests/support/catch.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;

Event Of(EventKind kind, uint8_t device, uint64_t address = 0) {
  Event event;
  event.kind = kind;
  event.device = device;
  event.address = address;
  return event;
}

TEST_CASE("Of several cards one keeps what was there, and what is of none") {
  OneCard second(1);
  CHECK_FALSE(second.Keeps(Of(EventKind::kSegmentAllocate, 0, 0x1000)));
  CHECK_FALSE(second.Keeps(Of(EventKind::kAllocate, 0, 0x1000)));
  CHECK(second.Keeps(Of(EventKind::kAllocate, 1, 0x9000)));
  CHECK(second.Keeps(Of(EventKind::kCategorize, 0, 0x9000)));  // by its block
  CHECK_FALSE(second.Keeps(Of(EventKind::kCategorize, 0, 0x1000)));
  CHECK(second.Keeps(Of(EventKind::kTensorShape, 0, 0x9000)));
  CHECK_FALSE(second.Keeps(Of(EventKind::kTensorShape, 0, 0x1000)));
  CHECK(second.Keeps(Of(EventKind::kStepBegin, 0)));
  CHECK(second.Keeps(Of(EventKind::kName, 0)));
  CHECK_FALSE(second.Keeps(Of(EventKind::kOutOfMemory, 0)));
  CHECK(second.Keeps(Of(EventKind::kOutOfMemory, 1)));
  CHECK_FALSE(second.Keeps(Of(EventKind::kKernel, 0)));
  CHECK(second.Keeps(Of(EventKind::kFreeCompleted, 1, 0x9000)));
  CHECK_FALSE(second.Keeps(Of(EventKind::kCategorize, 0, 0x9000)));  // it is gone
  CHECK(second.cards() == std::set<uint8_t>{0, 1});
}

TEST_CASE("What all cards hold together is not one card's") {
  OneCard first(0);
  Event counter = Of(EventKind::kCounter, 0);
  CHECK(first.Keeps(counter));
  counter.source = events::Source::kDriver;  // what one library holds
  CHECK_FALSE(first.Keeps(counter));
  counter.source = events::Source::kSession;
  counter.level = events::Level::kDriver;
  CHECK_FALSE(first.Keeps(counter));
}

TEST_CASE("One card's description names it where all of them were named, and a phantom stays one") {
  events::RunDescription whole;
  whole.device = "cuda:0, cuda:1";
  CHECK(DescriptionOfCard(whole, 1).device == "cuda:1");
  whole.device = "phantom";
  CHECK(DescriptionOfCard(whole, 1).device == "phantom");
}

}  // namespace
}  // namespace tidemark::session
