#include "app/presenters/moment/layer_table.h"

#include "tests/support/catch.h"
#include "tests/unit/presenters/latest_peak.h"
#include "tests/unit/presenters/small_book.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using events::Category;

}  // namespace

TEST_CASE("Layers show what of theirs is alive at the peak") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = LayersAtPeak(*view, SmallBook());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "conv1");
  CHECK(rows[0].output == "64×10×10");
  CHECK(rows[0].activations_bytes == 2000);
  CHECK(rows[0].measured_saved_bytes == 2048);
  CHECK(rows[0].measured_temporary_bytes == 3072);
  CHECK(rows[0].share_of_peak == Approx(1.0));
  CHECK(rows[1].measured_saved_bytes == 0);
  CHECK(rows[1].share_of_peak == 0);
  CHECK(rows[1].counts_with == "conv1");
  CHECK(rows[0].allocated_by.empty());  // of which nothing is alive
  CHECK_FALSE(
      MakeLayerTable(*timeline::Builder().Publish(), SmallBook(), std::nullopt)[0].measured_saved_bytes);
}

TEST_CASE("A layer's share counts its parameters, which are there before any layer runs") {
  Training training;
  training.Allocate(0x500000, 1024, Category::kParameter);
  training.Categorize(0x500000, Category::kParameter, training.Name("conv1.weight"));
  training.Allocate(0x600000, 1024, Category::kParameter);
  training.Categorize(0x600000, Category::kParameter, training.Name("fc.weight"));
  training.Step(0, 2048, 4096);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = LayersAtPeak(*view, SmallBook());
  CHECK(rows[0].share_of_peak == Approx(7.0 / 8));
  const std::vector<LayerRow> of_program = MakeLayerTable(*view, LatestPeak(*view));
  REQUIRE(of_program.size() == 2);
  CHECK(of_program[0].share_of_peak == Approx(7.0 / 8));
  CHECK(of_program[0].measured_parameter_bytes == 1024);
  CHECK(of_program[1].name == "fc");  // which has not run yet
  CHECK(of_program[1].share_of_peak == Approx(1.0 / 8));
}

TEST_CASE("Layers show the workspaces that were asked for in them") {
  Training training;
  training.BeginStep(0);
  training.Allocate(0x500000, 4096, events::Category::kWorkspace).layer = training.Name("conv1");
  training.EndStep(0);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = LayersAtPeak(*view, SmallBook());
  CHECK(rows[0].measured_workspace_bytes == 4096);
  CHECK(rows[1].measured_workspace_bytes == 0);
  CHECK(rows[0].measured_temporary_bytes == 0);
  CHECK(rows[0].share_of_peak == Approx(1.0));
}

TEST_CASE("Every part of a layer's share is told with its size, the largest first") {
  LayerRow row;
  row.measured_workspace_bytes = 68'220'000;
  row.measured_gradient_bytes = 4'010'000;
  row.other_bytes = 4'020'000;
  CHECK(
      PartsInWords(row, ByteUnit::kMegabytes) ==
      "68.2 MB workspace\n4.0 MB other: inputs, outputs, copies of autocast's, and what is not known\n4.0 MB "
      "gradient");
  CHECK(PartsInWords({}, ByteUnit::kMegabytes).empty());
}

TEST_CASE("A program's layers are those that hold something, in the order in which the run met them") {
  Training training;
  training.BeginStep(0);
  const auto second = training.Name("second");
  const auto first = training.Name("first");
  training.Allocate(0x500000, 1024, Category::kActivation).layer = first;
  training.Allocate(0x600000, 2048, Category::kGradient).layer = second;
  training.Allocate(0x700000, 512, Category::kInput);
  training.Allocate(0x800000, 512, Category::kUnknown).layer = second;
  training.EndStep(0);
  const auto view = training.Publish();
  const std::vector<LayerRow> rows = MakeLayerTable(*view, LatestPeak(*view));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "second");
  CHECK(rows[0].measured_gradient_bytes == 2048);
  CHECK(rows[0].other_bytes == 512);
  CHECK(rows[1].other_bytes == 0);
  CHECK(rows[0].share_of_peak == Approx(0.625));
  CHECK(rows[1].name == "first");
  CHECK(rows[1].measured_saved_bytes == 1024);
  CHECK(MakeLayerTable(*view, std::optional<PeakMoment>()).empty());
}

TEST_CASE("Layers computed in the types of the moment's step, and between steps in the last complete one's") {
  Training training;
  const auto conv = training.Name("conv1");
  const auto op = training.Name("aten::conv2d");
  const auto step = [&](int64_t number, const char* type) {
    const auto type_name = training.Name(type);
    training.BeginStep(number);
    training.Allocate(0x200000, 2048).layer = conv;
    events::Event& ended = training.Add(events::EventKind::kScopeEnd);
    ended.layer = conv;
    ended.op = op;
    ended.name = type_name;
    const events::EventIndex moment = training.latest();
    training.Free(0x200000);
    training.EndStep(number);
    return moment;
  };
  const events::EventIndex in_first = step(0, "float32");
  training.Allocate(0x300000, 512).layer = conv;
  const events::EventIndex between = training.latest();
  step(1, "float16");
  const auto view = training.Publish();
  CHECK(MakeLayerTable(*view, SmallBook(), ToldAt(*view, in_first))[0].computed_in == "float32");
  CHECK(MakeLayerTable(*view, ToldAt(*view, in_first))[0].computed_in == "float32");
  CHECK(MakeLayerTable(*view, ToldAt(*view, between))[0].computed_in == "float16");
  CHECK(LayersAtPeak(*view, SmallBook())[0].computed_in == "float16");
  CHECK(MakeLayerTable(*view, SmallBook(), std::nullopt)[0].computed_in == "float16");
}

TEST_CASE("A layer's figure stands where another layer allocated it") {
  Training training;
  training.BeginStep(0);
  training.BeginPhase(events::Phase::kForward);
  training.Allocate(0x200000, 2000).layer = training.Name("relu");
  training.Categorize(0x200000, Category::kActivation, training.Name("relu output"));
  training.EndStep(0);
  const std::vector<LayerRow> rows = LayersAtPeak(*training.Publish(), SmallBook());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].measured_saved_bytes == 0);
  CHECK(rows[0].allocated_by == "relu");
  CHECK(rows[1].measured_saved_bytes == 2048);
  CHECK(rows[1].allocated_by.empty());
}

}  // namespace tidemark::presenters
