#include "app/presenters/allocations/event_list.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::EventKind;

TEST_CASE("Every event of the stream is a row, in its order, with what it says") {
  timeline::Stream stream;
  const events::NameId loss = stream.Name("loss");
  const events::NameId conv = stream.Name("conv1");
  stream.BeginStep(1200);
  events::Event& born = stream.Allocate(0x1000, 1000, events::Category::kActivation);
  born.layer = conv;
  stream.BeginPhase(events::Phase::kBackward);
  stream.Metric(loss, 0.25, 1200);
  stream.Free(0x1000);
  events::Event& failed = stream.Add(EventKind::kOutOfMemory, 0, 5'000'000);
  failed.rounded_bytes = 2'000'000;
  stream.Add(EventKind::kLoss, 0, 12).source = events::Source::kDriver;
  const auto view = stream.Publish();
  REQUIRE(view->end() - view->first() == 9);
  std::vector<EventRow> rows;
  for (events::EventIndex index = view->first(); index < view->end(); ++index)
    rows.push_back(EventRowOf(*view, index, ByteUnit::kMegabytes));
  CHECK(rows[0].what == "1: loss");
  CHECK(rows[2].what == "step 1,200");
  CHECK(rows[3].kind == EventKind::kAllocate);
  CHECK(rows[3].index == view->first() + 3);
  CHECK(rows[3].since_ns == 3000);
  CHECK(rows[3].category == events::Category::kActivation);
  CHECK(rows[3].bytes == 1000);
  CHECK(rows[3].address == 0x1000);
  CHECK(rows[3].layer == "conv1");
  CHECK(rows[4].what == "backward");
  CHECK_FALSE(rows[4].address);
  CHECK(rows[5].what == "loss = 0.25");
  CHECK_FALSE(rows[5].bytes);
  CHECK(rows[6].kind == EventKind::kFreeCompleted);
  CHECK(rows[6].address == 0x1000);
  CHECK_FALSE(rows[6].bytes);
  CHECK(rows[7].bytes == 5'000'000);
  CHECK(rows[7].what == "2.0 MB free on the card");
  CHECK(rows[8].what == "12 events of driver");
}

TEST_CASE("A column of times has one unit, and tells events apart that lie a microsecond apart") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  stream.Allocate(0x2000, 512);
  const EventTimes brief = TimesOf(*stream.Publish());
  CHECK(brief.unit() == "ms");
  CHECK(brief.Text(4'321'000) == "4.321");
  stream.Free(0x1000);
  stream.Add(EventKind::kPhase).time_ns += 909'000'000'000;
  const EventTimes lengthy = TimesOf(*stream.Publish());
  CHECK(lengthy.unit() == "s");
  CHECK(lengthy.Text(909'200'461'000) == "909.200461");
  CHECK(lengthy.Text(4'321'000) == "0.004321");
  CHECK(TimesOf(*timeline::Stream().Publish()).unit() == "ms");
}

}  // namespace
}  // namespace tidemark::presenters
