#include "app/presenters/moment/bridge.h"

#include <algorithm>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/presenters/latest_peak.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using timeline::Series;

textbook::Estimate Book() {
  textbook::Estimate book;
  book.parameters_bytes = 1000;
  book.activations_bytes = 1500;
  book.total_bytes = 2500;
  book.terms = {{Category::kParameter, "", 1000, "", ""}, {Category::kActivation, "", 1500, "", ""}};
  return book;
}

// Every level is the sum of what came before it.
void CheckSums(const Bridge& bridge) {
  int64_t sum = 0;
  for (const BridgeStep& step : bridge.steps) {
    CHECK_FALSE(step.name.empty());
    CHECK_FALSE(step.sentence.empty());
    CHECK((step.behind == BridgeStep::Behind::kCategory) == step.category.has_value());
    if (step.kind == BridgeStep::Kind::kLevel) {
      if (&step != &bridge.steps.front()) CHECK(step.bytes == sum);
      CHECK(step.from_bytes == 0);
      sum = step.bytes;
    } else {
      CHECK(step.bytes != 0);
      CHECK(step.from_bytes == sum);
      sum += step.bytes;
    }
  }
}

}  // namespace

TEST_CASE("What is alive for a moment is told by what goes on then") {
  Training training;
  training.Weight(1000);
  training.BeginStep(0);
  training.BeginPhase(events::Phase::kForward);
  training.Allocate(0x300000, 100);
  training.Free(0x300000);
  training.BeginPhase(events::Phase::kOptimizer);
  training.Allocate(0x300000, 9000);
  training.Free(0x300000);
  training.EndStep(0);
  const Bridge bridge = BridgeAtPeak(*training.Publish(), Book());
  REQUIRE(bridge.steps.size() > 1);
  CHECK(bridge.steps[1].name == "the optimizer's temporaries");
}

TEST_CASE("The bridge goes from the textbook to reserved without losing a byte") {
  Training training;
  training.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 21);
  training.Weight(1000);
  training.Allocate(0x900000, 4000, Category::kWorkspace);
  training.Step(7, 2000, 3000);
  const Bridge bridge = BridgeAtPeak(*training.Publish(), Book());
  CHECK(bridge.moment == "at the peak of step 7");
  CheckSums(bridge);
  REQUIRE(bridge.steps.size() == 8);
  CHECK(bridge.steps[0].name == "textbook");
  CHECK(bridge.steps[1].name == "gradients of activations, temporaries");
  CHECK(bridge.steps[1].bytes == 3000);
  CHECK(bridge.steps[2].name == "library workspaces");
  CHECK(bridge.steps[2].bytes == 4000);
  CHECK(bridge.steps[3].category == Category::kActivation);
  CHECK(bridge.steps[3].bytes == 500);
  CHECK(bridge.steps[4].name == "rounding");
  CHECK(bridge.steps[4].bytes == 24 + 96 + 48 + 72);
  CHECK(bridge.steps[5].name == "allocated");
  CHECK(bridge.steps[5].bytes == 1024 + 4096 + 2048 + 3072);
  CHECK(bridge.steps[6].name == "cached, free");
  CHECK(bridge.steps[7].bytes == 1 << 21);
  using Behind = BridgeStep::Behind;
  CHECK(bridge.steps[0].behind == Behind::kLayers);
  CHECK(bridge.steps[4].behind == Behind::kRounding);
  CHECK(bridge.steps[5].behind == Behind::kAllBlocks);
  CHECK(bridge.steps[6].behind == Behind::kFree);
  CHECK(bridge.steps[7].behind == Behind::kSegments);
}

TEST_CASE("The bridge to a prediction tells of the phase of its peak, and of rounding apart") {
  session::Prediction prediction;
  prediction.requested_at_peak[static_cast<size_t>(Category::kTemporary)] = 5000;
  prediction.at_peak[static_cast<size_t>(Category::kTemporary)] = 5120;
  prediction.at_peak[static_cast<size_t>(Series::kAllocated)] = 5120;
  const auto steps_in = [&](events::Phase phase) {
    prediction.phase_at_peak = phase;
    return MakeBridge(prediction, textbook::Estimate{}, nullptr).steps;
  };
  CHECK(steps_in(events::Phase::kBackward)[1].name == "gradients of activations, temporaries");
  CHECK(steps_in(events::Phase::kOptimizer)[1].name == "the optimizer's temporaries");
  const std::vector<BridgeStep> steps = steps_in(events::Phase::kEvaluation);
  CHECK(steps[1].name == "temporaries of forward");
  CHECK(steps[1].bytes == 5000);
  CHECK(steps[2].name == "rounding");
  CHECK(steps[2].bytes == 120);
}

TEST_CASE("The bridge to a prediction sums as well") {
  session::Prediction prediction;
  prediction.requested_at_peak[static_cast<size_t>(Category::kParameter)] = 1024;
  prediction.requested_at_peak[static_cast<size_t>(Category::kTemporary)] = 5000;
  prediction.at_peak[static_cast<size_t>(Category::kParameter)] = 1024;
  prediction.at_peak[static_cast<size_t>(Category::kTemporary)] = 5120;
  prediction.at_peak[static_cast<size_t>(Series::kAllocated)] = 6144;
  prediction.allocated_peak_bytes = 6144;
  prediction.reserved_peak_bytes = 1 << 20;
  const Bridge bridge = MakeBridge(prediction, Book(), nullptr);
  CheckSums(bridge);
  const auto activation = std::find_if(bridge.steps.begin(), bridge.steps.end(), [](const BridgeStep& step) {
    return step.category == Category::kActivation;
  });
  REQUIRE(activation != bridge.steps.end());
  CHECK(activation->bytes == -1500);
  CHECK(activation->name == "activations let go or not made yet");
  CHECK(bridge.steps.back().bytes == 1 << 20);
}

TEST_CASE("Where ranks share layer by layer the bridge tells of layers, not of the reducer's buckets") {
  textbook::Estimate book = Book();
  book.gradients_bytes = book.whole_gradients_bytes = 500;
  book.total_bytes += 1000 + 700;
  book.terms.push_back({Category::kGradient, "", 1000, "", ""});
  book.terms.push_back({Category::kCommunication, "", 700, "", ""});
  session::Prediction prediction;
  prediction.requested_at_peak[static_cast<size_t>(Category::kParameter)] = 600;
  const auto name_of = [&](Category category) {
    const Bridge bridge = MakeBridge(prediction, book, nullptr);
    CheckSums(bridge);
    for (const BridgeStep& step : bridge.steps) {
      if (step.category == category) return step.name;
    }
    return std::string();
  };
  CHECK(name_of(Category::kParameter) == "parameters not gathered");
  CHECK(name_of(Category::kGradient) == "gradients not made yet, or reduced");
  CHECK(name_of(Category::kCommunication) == "bucket smaller or not there");
  prediction.requested_at_peak[static_cast<size_t>(Category::kCommunication)] = 800;
  CHECK(name_of(Category::kCommunication) == "bucket beyond the table");
  book.gradients_bytes = 1000;
  book.whole_gradients_bytes = 0;
  CHECK(name_of(Category::kGradient) == "gradients not made yet");
  CHECK(name_of(Category::kCommunication) == "buckets of gradients beyond the table");
  book.passing_bytes = 700;
  CHECK(name_of(Category::kCommunication) == "on its way beyond the table");
  prediction.requested_at_peak[static_cast<size_t>(Category::kCommunication)] = 0;
  CHECK(name_of(Category::kCommunication) == "no gradient on its way, or a smaller one");
}

TEST_CASE("The bridge goes on to the driver, the process and the card, as far as they were told of") {
  const auto bridge_to = [](int64_t driver, int64_t process, int64_t card) {
    timeline::Stream training;
    training.Add(events::EventKind::kStepBegin);
    training.Add(events::EventKind::kSegmentAllocate, 0x200000, 20 << 20);
    training.Add(events::EventKind::kCounter, 0, driver).level = events::Level::kDriver;
    training.Allocate(0x200000, 4096);
    if (process > 0) training.Add(events::EventKind::kCounter, 0, process).level = events::Level::kProcess;
    training.Add(events::EventKind::kCounter, 0, card).level = events::Level::kCard;
    training.Add(events::EventKind::kStepEnd);
    Bridge bridge = BridgeAtPeak(*training.Publish(), Book());
    CheckSums(bridge);
    return bridge;
  };
  const auto ends_with = [&](int64_t driver, int64_t process, int64_t card) {
    const Bridge bridge = bridge_to(driver, process, card);
    std::string names;
    bool is_outside = false;
    for (const BridgeStep& step : bridge.steps) {
      is_outside = is_outside || step.name == "reserved";
      if (is_outside) names += step.name + "; ";
    }
    return names;
  };
  constexpr int64_t kMiB = 1 << 20;
  CHECK(ends_with(21 * kMiB, 300 * kMiB, 500 * kMiB) ==
        "reserved; outside of PyTorch; driver; context, modules; process; other processes, the card's own; "
        "card; ");
  CHECK(ends_with(21 * kMiB, 0, 500 * kMiB) ==
        "reserved; outside of PyTorch; driver; context, other processes; card; ");
  CHECK(ends_with(20 * kMiB, 300 * kMiB, 300 * kMiB) == "reserved; context, modules; card; ");
  CHECK(ends_with(20 * kMiB, 2 * kMiB, 2 * kMiB) == "reserved; ");  // of before
  const auto gap_to_card = [&](int64_t process) {
    const Bridge bridge = bridge_to(20 * kMiB, process, 500 * kMiB);
    REQUIRE(bridge.steps.back().name == "card");
    const BridgeStep& gap = bridge.steps[bridge.steps.size() - 2];
    CHECK(gap.name == "context, other processes");
    return gap.sentence;
  };
  CHECK(gap_to_card(0).ends_with("nobody told them apart."));
  CHECK(gap_to_card(2 * kMiB).find("from before it held this much") != std::string::npos);
  const std::string moment = bridge_to(20 * kMiB, 0, 500 * kMiB).moment;
  CHECK(BridgeTitle(bridge_to(20 * kMiB, 0, 500 * kMiB)) == "From the textbook to the card, " + moment);
  CHECK(BridgeTitle(bridge_to(20 * kMiB, 300 * kMiB, 0)) ==
        "From the textbook to what the process takes, " + moment);
  CHECK(BridgeTitle(bridge_to(21 * kMiB, 0, 0)) == "From the textbook to what the driver gave, " + moment);
  CHECK(BridgeTitle(bridge_to(20 * kMiB, 0, 0)) == "From the textbook to what was reserved, " + moment);
}

TEST_CASE("The bridge to a prediction ends with the process: what is reserved, and the context") {
  phantom::Card card;
  card.context_bytes = 100 << 20;
  session::Prediction prediction;
  prediction.at_peak[static_cast<size_t>(Series::kAllocated)] = 6144;
  prediction.reserved_peak_bytes = 20 << 20;
  const Bridge bridge = MakeBridge(prediction, Book(), &card);
  CheckSums(bridge);
  const BridgeStep& context = bridge.steps[bridge.steps.size() - 2];
  CHECK(context.name == "context");
  CHECK(context.bytes == card.context_bytes);
  CHECK(context.sentence.find("an estimate") != std::string::npos);
  CHECK(bridge.steps.back().name == "process");
  CHECK(bridge.steps.back().bytes == 120 << 20);
  CHECK(BridgeTitle(bridge) == "From the textbook to what the process takes, at the predicted peak");
  card.context_is_measured = true;
  const Bridge measured = MakeBridge(prediction, Book(), &card);
  CHECK(measured.steps[measured.steps.size() - 2].sentence.find("as measured") != std::string::npos);
  prediction.reserved_peak_bytes = 0;  // nobody told what was reserved, so the sum would be of nothing
  CHECK(MakeBridge(prediction, Book(), &card).steps.back().name == "allocated");
}

TEST_CASE("Without a complete step there is no bridge, without segments it ends at allocated") {
  CHECK_FALSE(LatestPeak(*timeline::Builder().Publish()));
  Training training;
  training.Step(0, 1000, 1000);
  const Bridge bridge = BridgeAtPeak(*training.Publish(), Book());
  CheckSums(bridge);
  CHECK(bridge.steps.back().name == "allocated");
  CHECK(BridgeTitle(bridge) == "From the textbook to what was allocated, " + bridge.moment);
}

}  // namespace tidemark::presenters
