#include "app/cli/reports/run_facts.h"

#include <algorithm>

#include "profiler/networks/training_settings.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::cli {
namespace {

class Changed : public session::FakeRun {
 public:
  events::RunDescription description() const override {
    events::RunDescription description;
    description.settings_json = networks::ToJson(at_start);
    return description;
  }
  std::shared_ptr<const timeline::View> view() const override { return training.Publish(); }

  networks::TrainingSettings at_start;
  mutable presenters::Training training;
};

std::string FactOf(const session::Run& run, std::string_view title) {
  for (const auto& [name, text] : FactsOf(run)) {
    if (name == title) return text;
  }
  return "";
}

TEST_CASE("The settings of the peak that is told come first, before others that the run began with") {
  Changed run;
  run.training.Step(0, 1000, 1000);
  CHECK(FactOf(run, "settings").starts_with("batch 64"));
  networks::TrainingSettings later = run.at_start;
  later.batch = 1904;
  run.training.Add(events::EventKind::kMarker).op = run.training.Name(networks::ToJson(later));
  run.training.Step(1, 9000, 1000);
  CHECK(FactOf(run, "settings").empty());
  CHECK(FactOf(run, "settings at peak").starts_with("batch 1904"));
  CHECK(FactOf(run, "at the start").starts_with("batch 64"));
  const auto facts = FactsOf(run);
  const auto at_peak =
      std::ranges::find(facts, "settings at peak", [](const auto& fact) { return fact.first; });
  REQUIRE(at_peak + 1 < facts.end());
  CHECK((at_peak + 1)->first == "at the start");
}

TEST_CASE("Of a file that is still being recorded info does not say that it is cut or damaged") {
  class Going : public Changed {
   public:
    session::RunStatus status() const override {
      session::RunStatus status;
      status.state = session::RunState::kFinished;
      status.cut_off = true;
      return status;
    }
  };
  Going run;
  run.training.Step(0, 1000, 1000);
  CHECK(FactOf(run, "events").ends_with(" 0 lost up to where the file could be read"));
}

}  // namespace
}  // namespace tidemark::cli
