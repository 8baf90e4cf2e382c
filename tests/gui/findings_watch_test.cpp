#include "app/gui/searches/findings_watch.h"

#include <chrono>
#include <thread>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

// Whether a job was started, which then has ended.
bool Looked(BackgroundJobs& jobs) {
  if (jobs.jobs().empty()) return false;
  for (int i = 0; i < 10'000 && !jobs.Poll(); ++i) std::this_thread::sleep_for(1ms);
  return true;
}

}  // namespace

TEST_CASE("What stands out is looked for again where anything that it depends on is another") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 512);
  BackgroundJobs jobs;
  FindingsWatch watch(&jobs);
  FindingsWatch::Subject subject{stream.Publish(), ByteUnit::kMegabytes, 0};
  const auto looks = [&](bool goes_on) {
    watch.Look(subject, goes_on);
    return Looked(jobs);
  };
  CHECK(looks(true));
  REQUIRE(watch.found() != nullptr);
  CHECK_FALSE(looks(true));
  CHECK_FALSE(looks(false));
  subject.usable_bytes = 16'000'000'000;  // the card's name came later
  CHECK(looks(true));
  subject.unit = ByteUnit::kMebibytes;
  CHECK(looks(true));
  subject.view = stream.Publish();
  CHECK_FALSE(looks(true));  // a second has not passed
  CHECK(looks(false));
}

}  // namespace tidemark::gui
