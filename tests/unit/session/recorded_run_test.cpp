#include "profiler/session/recorded_run.h"

#include <string>
#include <vector>

#include "profiler/phantom/machine.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

using Notes = std::vector<std::string>;

// In which each of so many cards has a block.
std::string SnapshotOf(int cards) {
  std::string histories;
  for (int card = 0; card < cards; ++card) {
    const std::string address = std::to_string((card + 1) << 20);
    histories += (card > 0 ? ", " : "") +
                 (R"([{"action": "segment_alloc", "addr": )" + address + R"(, "size": 2048, "time_us": 1},
                      {"action": "alloc", "addr": )" +
                  address + R"(, "size": 512, "time_us": 2}])");
  }
  return R"({"segments": [], "device_traces": [)" + histories + "]}";
}

TEST_CASE("That several cards are added up is told of the sum, not of one of them alone") {
  const trace::Scratch scratch;
  trace::WriteFile(scratch / "two.json", SnapshotOf(2));
  const auto both = RecordedRun::Open(scratch / "two.json", nullptr);
  if (!both) FAIL(both.error().message);
  CHECK((*both)->description().device == "cuda:0, cuda:1");
  CHECK((*both)->description().notes == Notes{phantom::kSeveralGpusDoubt});
  const auto second = RecordedRun::Open(scratch / "two.json", nullptr, uint8_t{1});
  if (!second) FAIL(second.error().message);
  CHECK((*second)->description().device == "cuda:1");
  CHECK((*second)->description().notes.empty());
  CHECK((*second)->status().sentence.empty());
}

TEST_CASE("Of one card nothing is added up") {
  const trace::Scratch scratch;
  trace::WriteFile(scratch / "one.json", SnapshotOf(1));
  const auto run = RecordedRun::Open(scratch / "one.json", nullptr);
  if (!run) FAIL(run.error().message);
  CHECK((*run)->description().notes.empty());
}

}  // namespace
}  // namespace tidemark::session
