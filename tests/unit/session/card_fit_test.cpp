#include "profiler/session/card_fit.h"

#include <limits>

#include "profiler/session/predictor.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::session {
namespace {

phantom::Card CardWith(const char* name, int64_t memory_bytes) {
  phantom::Card card;
  card.name = name;
  card.title = std::string("NVIDIA ") + name;
  card.memory_bytes = memory_bytes;
  card.context_bytes = 100;
  card.context_is_measured = true;
  return card;
}

const std::vector<phantom::Card>& Known() {
  static const std::vector<phantom::Card> known = {CardWith("small", 1000), CardWith("middle", 2000),
                                                   CardWith("large", 4000)};
  return known;
}

TEST_CASE("The smallest card that holds what was reserved beside its context would do") {
  CHECK(FitOf(Known()[2], Known(), {900}, {}).smallest->name == "small");
  CHECK(FitOf(Known()[2], Known(), {901}, {}).smallest->name == "middle");
  CHECK_FALSE(FitOf(CardWith("huge", 9000), Known(), {3901}, {}).smallest.has_value());
  CHECK(FitOf(Known()[2], Known(), {900}, {}).taken_bytes() == 1000);
}

TEST_CASE("A card whose context is an estimate would do where twice as much has room, too") {
  std::vector<phantom::Card> known = Known();
  known[0].context_is_measured = false;
  CHECK(FitOf(known[2], known, {800}, {}).smallest->name == "small");
  CHECK(FitOf(known[2], known, {801}, {}).smallest->name == "middle");
}

TEST_CASE("What a run on several cards holds is held against all of them") {
  events::RunDescription description;
  description.device_bytes = 1000;
  timeline::Stream stream;
  CHECK(CapacityOf(description, *stream.Publish()).bytes == 1000);
  stream.Allocate(0x1000, 512).device = 3;
  const Capacity one = CapacityOf(description, *stream.Publish());
  CHECK((one.bytes == 1000 && InWords(one) == "the card has"));
  stream.Add(events::EventKind::kSegmentAllocate, 0x9000, 512).device = 1;
  const Capacity two = CapacityOf(description, *stream.Publish());
  CHECK((two.bytes == 2000 && two.title() == "2 cards" && InWords(two) == "its 2 cards have"));
  description.device = "cpu";
  CHECK(CapacityOf(description, *stream.Publish()).bytes == 0);
}

TEST_CASE("A band's upper end decides what may not fit") {
  ReservedBand band;
  band.bytes = {800, 1000};
  const CardFit fit = FitOf(Known()[0], Known(), {900}, band);
  CHECK(fit.may_not_fit());
  CHECK(fit.smallest->name == "middle");
  CHECK(fit.taken_bytes() == 1000);
  CHECK_FALSE(FitOf(Known()[0], Known(), {900}, {}).may_not_fit());
}

TEST_CASE("Whatever a recording claims, what is taken of the card does not run over") {
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(FitOf(Known()[0], Known(), {most}, {}).taken_bytes() == most);
  CHECK(FitOf(Known()[0], Known(), {most}, {}).may_not_fit());
  CHECK_FALSE(FitOf(CardWith("odd", std::numeric_limits<int64_t>::min()), Known(),
                    {std::numeric_limits<int64_t>::min()}, {})
                  .may_not_fit());
}

TEST_CASE(
    "A run's card is known by its title or name, with the memory that it had; else it is the one that is "
    "meant") {
  CHECK(CardOf("NVIDIA middle", 1500, Known())->memory_bytes == 1500);
  CHECK(CardOf("NVIDIA middle", 0, Known())->memory_bytes == 2000);
  CHECK(CardOf("middle", 0, Known())->title == "NVIDIA middle");
  CHECK(CardOf("NVIDIA middle", 1, Known())->memory_bytes == 2000);  // less than the context
  CHECK_FALSE(CardOf("", 0, Known()).has_value());
  events::RunDescription unknown;
  unknown.device_name = "a card of tomorrow";
  unknown.device_bytes = 1500;
  CHECK(CardOr("middle", unknown, nullptr, Known())->memory_bytes == 1500);
  CHECK_FALSE(CardOr("none", unknown, nullptr, Known()).ok());
  // Else with what it had when memory ran out, beside a context.
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x1000, 700);
  stream.Add(events::EventKind::kOutOfMemory, 0, 512).rounded_bytes = 50;  // free
  const auto view = stream.Publish();
  CHECK(CardOr("middle", {}, view.get(), Known())->memory_bytes == 850);
  CHECK(CardOr("middle", unknown, view.get(), Known())->memory_bytes == 1500);
}

TEST_CASE("Sizes of cards are told as their makers do") {
  constexpr int64_t kMebibyte = 1 << 20;
  CHECK(CardSize(24'081 * kMebibyte) == "24 GiB");    // an RTX 4090
  CHECK(CardSize(14'918 * kMebibyte) == "16 GiB");    // a T4
  CHECK(CardSize(143'156 * kMebibyte) == "141 GiB");  // an H200
  CHECK(CardSize(10'987 * kMebibyte) == "11 GiB");    // an RTX 2080 Ti
  CHECK(CardSize(16'384 * kMebibyte) == "16 GiB");
  CHECK(CardSize(4'864 * kMebibyte) == "5 GiB");  // a slice of an A100
  CHECK(CardSize(1'000'000 * kMebibyte) == "977 GiB");
  CHECK(ShortCardTitle("NVIDIA H200") == "H200");
  CHECK(ShortCardTitle("H200") == "H200");
  CHECK(ShortCardTitle("NVIDIA GeForce RTX 4070 Ti SUPER") == "RTX 4070 Ti SUPER");
}

TEST_CASE("Where nobody told what is reserved a card has at least its blocks, and no smaller one is named") {
  Prediction peaks;
  peaks.allocated_peak_bytes = 700;
  CHECK(HeldPeakOf(peaks).is_at_least);
  const CardFit fit = FitOf(Known()[2], Known(), HeldPeakOf(peaks), {});
  CHECK(fit.taken_bytes() == 800);
  CHECK(fit.is_at_least);
  CHECK_FALSE(fit.smallest);
  peaks.reserved_peak_bytes = 900;
  CHECK_FALSE(HeldPeakOf(peaks).is_at_least);
  CHECK(FitOf(Known()[2], Known(), HeldPeakOf(peaks), {}).taken_bytes() == 1000);
}

}  // namespace
}  // namespace tidemark::session
