#include "app/cli/reports/run_bridge.h"

#include "profiler/networks/training_settings.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::cli {
namespace {

class Trained : public session::FakeRun {
 public:
  std::shared_ptr<const timeline::View> view() const override { return training.Publish(); }
  void PutInForce(const networks::TrainingSettings& settings) {
    training.Add(events::EventKind::kMarker).op = training.Name(networks::ToJson(settings));
  }

  mutable presenters::Training training;
};

TEST_CASE("A bridge begins with the textbook's figure of the settings that its step ran with") {
  Trained run;
  networks::TrainingSettings own;
  networks::TrainingSettings unknown;
  unknown.network = "a network of somebody's file";
  run.PutInForce(own);
  run.training.Step(0, 1000, 1000);
  const Result<presenters::Bridge> at_first = BridgeOf(run);
  REQUIRE(at_first);
  run.PutInForce(unknown);
  run.training.Step(1, 1000, 1000);
  CHECK_FALSE(BridgeOf(run));
  run.PutInForce(own);  // known to the view since the beginning
  run.training.Step(2, 1000, 1000);
  const Result<presenters::Bridge> at_last = BridgeOf(run);
  REQUIRE(at_last);
  CHECK(at_last->steps.front().bytes == at_first->steps.front().bytes);
}

}  // namespace
}  // namespace tidemark::cli
