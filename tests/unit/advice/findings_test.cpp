#include "profiler/advice/findings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "profiler/advice/examined_steps.h"
#include "profiler/advice/owners.h"
#include "profiler/advice/what_if.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/training_stream.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::advice {
namespace {

using events::Category;
using events::EventKind;
using events::Phase;

TEST_CASE("A run without a fault, and one without anything, have no findings") {
  TrainingStream stream;
  for (int64_t step = 0; step < 8; ++step) stream.StepWithoutFault(step);
  CHECK(Found(stream).empty());
  CHECK(FindingsIn(*timeline::Stream().Publish(), ByteUnit::kMebibytes, 0).empty());
}

TEST_CASE("Memory that each step leaves behind is found, with what is left") {
  TrainingStream stream;
  for (int64_t step = 0; step < 8; ++step) {
    stream.BeginForward(step);
    stream.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x1000, 512, Category::kUnknown);
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kGrowth);
  REQUIRE(finding);
  CHECK(finding->bytes == 6 * 512);
  CHECK(finding->allocations.size() == 6);  // of steps 1 to 6, the last being over just now
  CHECK(Says(*finding, "512 B more with each step"));
}

TEST_CASE("Of what each step makes anew, and larger, nothing is said to be kept") {
  TrainingStream stream;
  for (int64_t step = 0; step < 8; ++step) {
    stream.BeginForward(step);
    if (step > 0) stream.Free(0x20000000 + static_cast<uint64_t>(step - 1) * 0x100000);
    stream.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x100000, 512 * (step + 1),
                    Category::kUnknown);
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kGrowth);
  REQUIRE(finding);
  CHECK(finding->allocations.empty());
  CHECK(Says(*finding, "0 allocations of earlier steps are still alive"));
  CHECK(finding->advice.find("Look what keeps them") == std::string::npos);
  CHECK(finding->advice.find("larger each time") != std::string::npos);
}

TEST_CASE("What grows and falls again is no growth, and neither is what grows in too few steps") {
  TrainingStream falls;
  for (int64_t step = 0; step < 8; ++step) {
    falls.BeginForward(step);
    if (step == 5) falls.Free(0x20000000 + 0x4000);
    falls.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x1000, step == 5 ? 512 : 1024,
                   Category::kUnknown);
    falls.EndBackward(step);
  }
  CHECK(Found(falls).empty());
  TrainingStream few;
  for (int64_t step = 0; step < 5; ++step) {
    few.BeginForward(step);
    few.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x1000, 1024, Category::kUnknown);
    few.EndBackward(step);
  }
  CHECK(Found(few).empty());
}

TEST_CASE("Activations of a step that is over are a kept graph, and told once, not as growth too") {
  TrainingStream stream;
  for (int64_t step = 0; step < 8; ++step) {
    stream.BeginForward(step);
    stream.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x100000, kMiB, Category::kActivation);
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kKeptGraph);
  REQUIRE(finding);
  CHECK(finding->bytes == 7 * kMiB);
  CHECK(GrowsWithSteps({*finding}));
  CHECK(Says(*finding, "7 tensors that were saved for the backward of steps 0 to 6 are alive after step 7"));
}

TEST_CASE("Of many steps all that their graphs keep is told, with what the first keeps or without") {
  for (const int64_t first : {0, 1}) {
    TrainingStream stream;
    for (int64_t step = 0; step < 200; ++step) {
      stream.BeginForward(step);
      const int64_t bytes = step < first ? 3 * kMiB : kMiB;
      stream.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x1000000, bytes, Category::kActivation);
      stream.EndBackward(step);
    }
    const auto finding = Only(stream, FindingKind::kKeptGraph);
    REQUIRE(finding);
    CHECK(finding->bytes == (199 - first) * kMiB);
    CHECK(Says(*finding, first == 0 ? "199 tensors that were saved for the backward of steps 0 to 198 are"
                                    : "198 tensors that were saved for the backward of steps 1 to 198 are"));
  }
}

TEST_CASE("What the first step alone saves and keeps is no graph that later ones keep, too") {
  TrainingStream stream;
  for (int64_t step = 0; step < 8; ++step) {
    stream.BeginForward(step);
    const int64_t bytes = step == 0 ? 3 * kMiB : kMiB;  // a table of positions, for example
    stream.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x1000000, bytes, Category::kActivation);
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kKeptGraph);
  REQUIRE(finding);
  CHECK(finding->bytes == 6 * kMiB);
  CHECK(Says(*finding, "6 tensors that were saved for the backward of steps 1 to 6 are alive after step 7"));
}

TEST_CASE("What is kept of a few steps is why the last of them needs most, and told alone") {
  TrainingStream stream;
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    stream.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x1000000, 12 * kMiB, Category::kActivation);
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kKeptGraph);
  REQUIRE(finding);
  CHECK(Says(*finding, "3 tensors that were saved for the backward of steps 0 to 2 are alive after step 3"));
}

TEST_CASE("A little of a graph that one step left behind is not worth telling, much of it is") {
  for (const int64_t bytes : {int64_t{512}, 12 * kMiB}) {
    TrainingStream stream;
    for (int64_t step = 0; step < 8; ++step) {
      stream.BeginForward(step);
      if (step == 2) stream.Allocate(TrainingStream::kMore, bytes, Category::kActivation);
      stream.EndBackward(step);
    }
    CHECK(Only(stream, FindingKind::kKeptGraph).has_value() == (bytes > 512));
    CHECK(Found(stream).size() == (bytes > 512 ? 1 : 0));
  }
}

TEST_CASE("A result that was saved, too, and is kept without its graph grows, and is no graph") {
  const auto save = [](TrainingStream& stream, uint64_t address, int64_t bytes) {
    stream.Allocate(address, bytes, Category::kUnknown);
    stream.Categorize(address, Category::kActivation);
  };
  constexpr uint64_t kLetGo = 0x60000000;
  const auto step_with_kept = [&](TrainingStream& stream, int64_t step, bool keeps, int64_t bytes) {
    stream.BeginForward(step);
    save(stream, kLetGo, kMiB);
    if (keeps) save(stream, 0x20000000 + static_cast<uint64_t>(step) * 0x1000000, bytes);
    stream.Free(kLetGo);
    stream.EndBackward(step);
  };
  TrainingStream grows;
  for (int64_t step = 0; step < 8; ++step) step_with_kept(grows, step, true, kMiB);
  const auto finding = Only(grows, FindingKind::kGrowth);
  REQUIRE(finding);
  CHECK(finding->bytes == 6 * kMiB);
  TrainingStream once;
  for (int64_t step = 0; step < 8; ++step) step_with_kept(once, step, step == 2, 12 * kMiB);
  CHECK(Found(once).empty());
}

TEST_CASE(
    "A label that was saved first, and is kept without its graph, grows; what a layer saved is a graph") {
  for (const bool is_of_layer : {false, true}) {
    CAPTURE(is_of_layer);
    TrainingStream stream;
    const events::NameId layer = stream.Name("fc");
    for (int64_t step = 0; step < 8; ++step) {
      const std::array<uint64_t, 2> saved = {0x20000000 + static_cast<uint64_t>(step) * 0x100000, 0x60000000};
      stream.BeginForward(step);  // by what a metric computed of the step before
      for (const uint64_t address : saved) {
        stream.Allocate(address, kMiB, Category::kUnknown).layer = is_of_layer ? layer : 0;
        stream.Categorize(address, Category::kActivation);
      }
      stream.Free(saved[1]);
      stream.EndBackward(step);
    }
    CHECK(Only(stream, FindingKind::kKeptGraph).has_value() == is_of_layer);
    CHECK(Only(stream, FindingKind::kGrowth).has_value() != is_of_layer);
  }
}

TEST_CASE("A batch that the loop still holds after its step is no kept graph") {
  TrainingStream stream;
  for (int64_t step = 0; step < 8; ++step) {
    const auto batch = [](int64_t of) { return 0x20000000 + static_cast<uint64_t>(of % 2) * 0x100000; };
    stream.Allocate(batch(step), kMiB, Category::kActivation);
    if (step > 0) stream.Free(batch(step - 1));
    stream.StepWithoutFault(step);
  }
  CHECK(Found(stream).empty());
}

TEST_CASE("Owners are layers and what they hold, the largest first") {
  TrainingStream stream;
  const events::NameId layer = stream.Name("conv1");
  const events::NameId op = stream.Name("aten::add");
  stream.Allocate(0x20000000, 6 * kMiB, Category::kActivation).layer = layer;
  stream.Allocate(0x21000000, 9 * kMiB, Category::kActivation).layer = layer;
  const timeline::EventIndex largest = stream.latest();
  stream.Allocate(0x22000000, 2 * kMiB).op = op;
  const std::vector<Owner> owners = LargestOwners(*stream.Publish(), stream.latest(), 2);
  REQUIRE(owners.size() == 2);
  CHECK(owners[0].name == "parameter");
  CHECK(owners[1].name == "conv1, activation");
  CHECK(owners[1].bytes == 15 * kMiB);
  CHECK(owners[1].blocks == 2);
  CHECK(owners[1].largest == largest);
  CHECK(LargestOwners(*stream.Publish(), stream.latest(), 9)[2].name == "temporary of aten::add");
  stream.Allocate(0x900000, 512).device = 1;
  // What an optimizer keeps for all layers together is what it costs.
  stream.Allocate(0x70000000, 300 << 20);
  stream.Categorize(0x70000000, events::Category::kOptimizerState, stream.Name("fc.weight exp_avg"));
  stream.Allocate(0x90000000, 100 << 20).layer = layer;
  stream.Categorize(0x90000000, events::Category::kOptimizerState, stream.Name("conv1.weight exp_avg"));
  const Owner state = LargestOwners(*stream.Publish(), stream.latest(), 1)[0];
  CHECK(state.name == "optimizer state");
  CHECK(state.bytes == 400 << 20);
  const std::vector<Owner> of_second = LargestOwners(*stream.Publish(), stream.latest(), 9, 1);
  REQUIRE(of_second.size() == 1);
  CHECK(of_second[0].bytes == 512);
}

TEST_CASE("Lines of code own what was asked for there, whatever it holds") {
  TrainingStream stream;
  const events::NameId inner = stream.Name("aten::conv2d ← forward (model.py:12) ← train (train.py:40)");
  const events::NameId outer = stream.Name("aten::relu ← train (train.py:41)");
  stream.Allocate(0x20000000, 6 * kMiB, Category::kActivation).op = inner;
  stream.Allocate(0x21000000, 9 * kMiB, Category::kActivation).op = outer;
  stream.Allocate(0x22000000, 2 * kMiB, Category::kGradient).op = outer;
  const std::vector<Owner> lines = LargestLines(*stream.Publish(), stream.latest(), 9);
  REQUIRE(lines.size() == 2);  // what has no stack is nobody's
  CHECK(lines[0].name == "train (train.py:41)");
  CHECK(lines[0].bytes == 11 * kMiB);
  CHECK(lines[1].name == "forward (model.py:12)");
}

TEST_CASE("Gradients that micro-batches of one step add to are meant to stay") {
  TrainingStream stream;
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginStep(step);
    stream.BeginPhase(Phase::kBackward);
    stream.Allocate(TrainingStream::kGradient, 20 * kMiB, Category::kGradient);
    stream.BeginPhase(Phase::kForward);
    stream.Allocate(TrainingStream::kActivation, 60 * kMiB, Category::kActivation);
    stream.BeginPhase(Phase::kBackward);
    stream.Free(TrainingStream::kActivation);
    stream.Free(TrainingStream::kGradient);
    stream.EndStep(step);
  }
  CHECK(Found(stream).empty());
}

TEST_CASE("What was tried on a run tells whether a setting helps it") {
  AllocatorTrial trial{"expandable_segments:True", {}};
  trial.outcome.before.reserved_peak_bytes = 100 * kMiB;
  const auto told = [&](int64_t reserved_bytes, int64_t failures) {
    trial.outcome.after.reserved_peak_bytes = reserved_bytes;
    trial.outcome.after.failures = failures;
    return AdviceOf({trial}, ByteUnit::kMebibytes);
  };
  CHECK(AdviceOf({}, ByteUnit::kMebibytes).empty());
  CHECK(told(60 * kMiB, 0) ==
        "Tried on this run, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True reserves 40.0 MiB less.");
  CHECK(told(100 * kMiB, 0).starts_with("No setting"));
  CHECK(told(60 * kMiB, 1).starts_with("No setting"));  // less, since it failed
}

// Four steps with 10 MiB of activations beside a workspace of 76 MiB, which a library calls so.
TrainingStream StreamWithWorkspace(std::string_view name) {
  TrainingStream stream;
  const events::NameId workspace = stream.Name(name);
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginStep(step);
    stream.BeginPhase(Phase::kForward);
    stream.Allocate(TrainingStream::kActivation, 10 * kMiB, Category::kActivation);
    stream.Allocate(TrainingStream::kMore, 76 * kMiB);
    stream.Categorize(TrainingStream::kMore, Category::kWorkspace, workspace);
    stream.Free(TrainingStream::kMore);
    stream.Free(TrainingStream::kActivation);
    stream.EndStep(step);
  }
  return stream;
}

TEST_CASE("Workspaces are compared with activations, and the advice is of the library that took them") {
  const bool is_of_cudnn = GENERATE(true, false);
  const TrainingStream stream = StreamWithWorkspace(is_of_cudnn ? "cuDNN workspace" : "cuBLASLt workspace");
  const std::vector<Finding> found = FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, int64_t{4} << 30);
  const auto finding = std::ranges::find(found, FindingKind::kLargeWorkspace, &Finding::kind);
  REQUIRE(finding != found.end());
  CHECK(finding->bytes == 76 * kMiB);
  CHECK(Says(*finding, is_of_cudnn ? "of cuDNN takes" : "of cuBLAS takes"));
  CHECK(Says(*finding, "takes up to 10.0 MiB"));
  CHECK(finding->allocations.size() == 1);
  CHECK((finding->advice.find("cudnn.benchmark") != std::string::npos) == is_of_cudnn);
  CHECK((finding->advice.find("CUBLAS_WORKSPACE_CONFIG") != std::string::npos) != is_of_cudnn);
}

TEST_CASE("A workspace that waits to be freed for another stream counts no more") {
  constexpr uint64_t kWaits = 0x40000000;
  TrainingStream stream;
  const events::NameId workspace = stream.Name("cuDNN workspace");
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginStep(step);
    stream.BeginPhase(Phase::kForward);
    stream.Allocate(TrainingStream::kActivation, 10 * kMiB, Category::kActivation);
    stream.Allocate(kWaits, 40 * kMiB);
    stream.Categorize(kWaits, Category::kWorkspace, workspace);
    stream.RequestFree(kWaits);
    stream.Allocate(TrainingStream::kMore, 76 * kMiB);
    stream.Categorize(TrainingStream::kMore, Category::kWorkspace, workspace);
    stream.Free(TrainingStream::kMore);
    stream.Free(kWaits);
    stream.Free(TrainingStream::kActivation);
    stream.EndStep(step);
  }
  const auto finding = Only(stream, FindingKind::kLargeWorkspace);
  REQUIRE(finding);
  CHECK(finding->bytes == 76 * kMiB);
  CHECK(finding->allocations.size() == 1);
}

TEST_CASE("What cuBLAS takes for every program is told where it is much of a card, what cuDNN takes on any") {
  const auto found_on = [](std::string_view workspace, int64_t card_bytes) {
    const auto view = StreamWithWorkspace(workspace).Publish();
    return std::ranges::count(FindingsIn(*view, ByteUnit::kMebibytes, card_bytes),
                              FindingKind::kLargeWorkspace, &Finding::kind);
  };
  CHECK(found_on("cuBLAS workspace", int64_t{4} << 30) == 1);
  CHECK(found_on("cuBLAS workspace", int64_t{80} << 30) == 0);
  CHECK(found_on("cuBLAS workspace", 0) == 0);  // a card that nobody knows, as a snapshot's
  CHECK(found_on("cuDNN workspace", int64_t{80} << 30) == 1);
}

TEST_CASE("What ends a run sooner or later is told before what only costs it more memory") {
  TrainingStream grows;
  for (int64_t step = 0; step < 8; ++step) {
    grows.BeginForward(step);
    if (step == 0) grows.Allocate(TrainingStream::kMore, 32 * kMiB);
    if (step == 0) grows.Free(TrainingStream::kMore);
    grows.Allocate(0x30000000 + static_cast<uint64_t>(step) * 0x1000, 512, Category::kUnknown);
    grows.EndBackward(step);
  }
  const std::vector<Finding> found = Found(grows);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == FindingKind::kGrowth);
  CHECK(found[0].bytes < found[1].bytes);

  TrainingStream ends;
  for (int64_t step = 0; step < 4; ++step) {
    ends.BeginForward(step);
    if (step == 0) ends.Allocate(TrainingStream::kMore, 32 * kMiB);
    if (step == 0) ends.Free(TrainingStream::kMore);
    ends.EndBackward(step);
  }
  ends.Allocate(0x30000000, 87 * kMiB);
  ends.Add(EventKind::kOutOfMemory, 0, 2 * kMiB).rounded_bytes = kMiB;
  const std::vector<Finding> at_end = Found(ends);
  REQUIRE(at_end.size() == 2);
  CHECK(at_end[0].kind == FindingKind::kFragmentation);
  CHECK(at_end[0].bytes < at_end[1].bytes);
}

TEST_CASE("A first step that needs more than all others is found, with what made it so") {
  const Category category = GENERATE(Category::kWorkspace, Category::kUnknown);
  const std::string_view name = GENERATE("cuDNN workspace", "cuBLAS workspace");
  TrainingStream stream;
  const events::NameId workspace = stream.Name(name);
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    if (step == 0) {
      stream.Allocate(TrainingStream::kMore, 32 * kMiB);
      stream.Categorize(TrainingStream::kMore, category, workspace);
      stream.Free(TrainingStream::kMore);
    }
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kFirstStepSpike);
  REQUIRE(finding);
  CHECK(finding->bytes == 32 * kMiB - 20 * kMiB);  // the spike in forward against the gradients in backward
  const bool is_of_cudnn = category == Category::kWorkspace && name.starts_with("cuDNN");
  CHECK((finding->advice.find("cudnn.benchmark") != std::string::npos) == is_of_cudnn);
  CHECK_FALSE(finding->allocations.empty());
}

TEST_CASE(
    "Copies between types are counted by step; autocast's own of weights, batches and gradients are not") {
  TrainingStream stream;
  const events::NameId copy = stream.Name("aten::_to_copy");
  const events::NameId layer = stream.Name("norm1");
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    events::Event& made = stream.Allocate(TrainingStream::kMore, 8 * kMiB);
    made.op = copy;
    made.layer = layer;
    stream.Free(TrainingStream::kMore);
    for (const Category meant : {Category::kAutocastCache, Category::kInput, Category::kGradient}) {
      stream.Allocate(TrainingStream::kMore, 12 * kMiB).op = copy;
      stream.Categorize(TrainingStream::kMore, meant);
      stream.Free(TrainingStream::kMore);
    }
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kTypeCopies);
  REQUIRE(finding);
  CHECK(finding->bytes == 8 * kMiB);
  CHECK(Says(*finding, "1 copy"));
  CHECK(Says(*finding, "norm1"));
}

TEST_CASE("Where copies between types are made, and whether autocast runs, decides what is advised") {
  const auto [phase, advice] =
      GENERATE(table<Phase, const char*>({{Phase::kForward, "float32 for the loss"},
                                          {Phase::kOptimizer, "The optimizer makes them"},
                                          {Phase::kBackward, "make the batch"}}));
  const bool uses_autocast = GENERATE(true, false);
  TrainingStream stream;
  const events::NameId copy = stream.Name("aten::_to_copy");
  const events::NameId layer = stream.Name("GPT2LMHeadModel");
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    if (uses_autocast) {
      stream.Allocate(TrainingStream::kMore, 512, Category::kAutocastCache);
      stream.Free(TrainingStream::kMore);
    }
    stream.BeginPhase(phase);
    events::Event& made = stream.Allocate(TrainingStream::kMore, 8 * kMiB);
    made.op = copy;
    made.layer = layer;
    stream.Free(TrainingStream::kMore);
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kTypeCopies);
  REQUIRE(finding);
  CHECK(finding->advice.find(advice) != std::string::npos);
  const bool speaks_of_autocast = finding->advice.find("autocast") != std::string::npos;
  CHECK(speaks_of_autocast == (uses_autocast && phase != Phase::kOptimizer));
}

TEST_CASE("A layer is named where most of the copies are made, and where they are spread none is") {
  for (const int layers : {1, 3}) {
    TrainingStream stream;
    const events::NameId copy = stream.Name("aten::_to_copy");
    for (int64_t step = 0; step < 4; ++step) {
      stream.BeginForward(step);
      for (int layer = 0; layer < layers; ++layer) {
        const events::NameId name = stream.Name("norm" + std::to_string(layer));
        events::Event& made = stream.Allocate(TrainingStream::kMore, 8 * kMiB);
        made.op = copy;
        made.layer = name;
        stream.Free(TrainingStream::kMore);
      }
      stream.EndBackward(step);
    }
    const auto finding = Only(stream, FindingKind::kTypeCopies);
    REQUIRE(finding);
    CHECK(Says(*finding, "most of it in norm0") == (layers == 1));
  }
}

TEST_CASE("What is categorised where a copy once was says nothing of the copy") {
  TrainingStream stream;
  const events::NameId copy = stream.Name("aten::_to_copy");
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    stream.Allocate(TrainingStream::kMore, 8 * kMiB).op = copy;
    stream.Free(TrainingStream::kMore);
    stream.Allocate(TrainingStream::kMore, 8 * kMiB);
    stream.Categorize(TrainingStream::kMore, Category::kInput);
    stream.Free(TrainingStream::kMore);
    stream.EndBackward(step);
  }
  CHECK(Only(stream, FindingKind::kTypeCopies));
}

TEST_CASE("Where nobody tells what copies hold, they may be autocast's own") {
  TrainingStream stream;
  const events::NameId copy = stream.Name("aten::to");
  for (int64_t step = 0; step < 4; ++step) {
    stream.BeginForward(step);
    stream.Allocate(TrainingStream::kMore, 8 * kMiB, Category::kUnknown).op = copy;
    stream.Free(TrainingStream::kMore);
    stream.EndBackward(step);
  }
  CHECK_FALSE(Only(stream, FindingKind::kTypeCopies));
}

TEST_CASE("Copies that prove to be meant are left out, however many they are") {
  constexpr uint64_t kCopies = 100'000;  // tests/bench/bench_advice.cpp measures how long that takes
  TrainingStream stream;
  const events::NameId copy = stream.Name("aten::_to_copy");
  const auto address = [](uint64_t place) { return TrainingStream::kMore + place * 512; };
  for (int64_t step = 0; step < 2; ++step) {
    stream.BeginForward(step);
    stream.Allocate(TrainingStream::kMore - 8 * kMiB, 8 * kMiB).op = copy;
    for (uint64_t place = 0; place < kCopies; ++place) stream.Allocate(address(place), 512).op = copy;
    for (uint64_t place = 0; place < kCopies; ++place) stream.Categorize(address(place), Category::kInput);
    for (uint64_t place = 0; place < kCopies; ++place) stream.Free(address(place));
    stream.Free(TrainingStream::kMore - 8 * kMiB);
    stream.EndBackward(step);
  }
  const std::vector<Finding> findings = Found(stream);
  const auto copies = std::ranges::find(findings, FindingKind::kTypeCopies, &Finding::kind);
  REQUIRE(copies != findings.end());
  CHECK(Says(*copies, "1 copy"));
  CHECK(copies->bytes == 8 * kMiB);
}

TEST_CASE("Every kind has a title and a key of its own") {
  std::vector<std::string_view> keys;
  for (int kind = 0; kind <= static_cast<int>(FindingKind::kTypeCopies); ++kind) {
    CHECK_FALSE(TitleOf(static_cast<FindingKind>(kind)).empty());
    keys.push_back(KeyOf(static_cast<FindingKind>(kind)));
  }
  std::ranges::sort(keys);
  CHECK(std::ranges::adjacent_find(keys) == keys.end());
}

TEST_CASE("A later step that needs more than half of the others is found, with who makes what is more") {
  TrainingStream stream;
  const events::NameId line = stream.Name("aten::cat ← evaluate (train.py:40)");
  for (int64_t step = 0; step < 8; ++step) {
    stream.BeginForward(step);
    if (step == 5) stream.Allocate(TrainingStream::kMore, 30 * kMiB, Category::kTemporary).op = line;
    if (step == 5) stream.Free(TrainingStream::kMore);
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kLaterStepSpike);
  REQUIRE(finding);
  CHECK(finding->bytes == 10 * kMiB);  // above the gradient, which comes beside the activation otherwise
  CHECK(Says(*finding, "Step 5 needs 130.0 MiB at its peak, half of the steps at most 120.0 MiB."));
  CHECK(Says(*finding, "Most of it is made at evaluate (train.py:40)."));
  TrainingStream few;
  for (int64_t step = 0; step < 3; ++step) {
    few.BeginForward(step);
    if (step == 2) few.Allocate(TrainingStream::kMore, 80 * kMiB, Category::kTemporary);
    if (step == 2) few.Free(TrainingStream::kMore);
    few.EndBackward(step);
  }
  CHECK(Found(few).empty());  // of two steps after the first neither is the usual one
}

TEST_CASE("The step in which memory ran out is the one that needed more than the others") {
  TrainingStream stream;
  for (int64_t step = 0; step < 6; ++step) {
    stream.BeginForward(step);
    if (step == 4) stream.Allocate(TrainingStream::kMore, 30 * kMiB, Category::kTemporary);
    if (step == 4) stream.Free(TrainingStream::kMore);
    stream.EndBackward(step);
  }
  stream.BeginForward(6);
  stream.Allocate(TrainingStream::kMore, 100 * kMiB, Category::kActivation);
  stream.Add(EventKind::kOutOfMemory, 0, 400 * kMiB);
  const auto finding = Only(stream, FindingKind::kLaterStepSpike);
  REQUIRE(finding);
  CHECK(finding->bytes == 80 * kMiB);
  CHECK(Says(*finding,
             "Step 6 had up to 200.0 MiB allocated before memory ran out, half of the steps at most "
             "120.0 MiB."));
  CHECK(finding->allocations.size() == 2);
}

TEST_CASE("What was made by one line for the most part is told with that line, else with its operator") {
  TrainingStream stream;
  const events::NameId line = stream.Name("aten::add ← total (train.py:12)");
  const events::NameId operation = stream.Name("aten::mul");
  stream.Allocate(0x20000000, 2048).op = line;
  const timeline::EventIndex by_line = stream.latest();
  stream.Allocate(0x20001000, 512).op = operation;
  const timeline::EventIndex by_operator = stream.latest();
  stream.Allocate(0x20002000, 1024);
  const timeline::EventIndex by_nobody = stream.latest();
  const auto view = stream.Publish();
  CHECK(MostIsMadeBy(*view, {by_line, by_operator}) == " Most of it is made at total (train.py:12).");
  CHECK(MostIsMadeBy(*view, {by_operator}) == " Most of it is made by aten::mul.");
  CHECK(MostIsMadeBy(*view, {by_operator, by_nobody}).empty());
  CHECK(MostIsMadeBy(*view, {}).empty());
}

TEST_CASE("Where nobody tells of phases a backward may have run") {
  timeline::Stream stream;
  for (int batch = 0; batch < 3; ++batch) {
    stream.Allocate(0x20000000, 60 * kMiB, Category::kActivation);
    stream.Free(0x20000000);
  }
  CHECK(FindingsIn(*stream.Publish(), ByteUnit::kMebibytes, 0).empty());
}

TEST_CASE("An evaluation that records a graph is found, a first forward under way is not") {
  TrainingStream stream;
  stream.BeginPhase(Phase::kForward);
  stream.Allocate(TrainingStream::kActivation, 80 * kMiB, Category::kActivation);
  CHECK(Found(stream).empty());
  stream.Free(TrainingStream::kActivation);
  CHECK(Found(stream).empty());  // a forward that had no room lets go of it, too
  stream.Allocate(TrainingStream::kActivation, 80 * kMiB, Category::kActivation);
  const auto finding = Only(stream, FindingKind::kUnusedGraph);
  REQUIRE(finding);
  CHECK(finding->bytes == 80 * kMiB);
  CHECK(Says(*finding, "80.0 MiB of 120.0 MiB were saved for a backward that never ran."));
  stream.BeginPhase(Phase::kBackward);
  CHECK(Found(stream).empty());
}

TEST_CASE("An evaluation after the steps that keeps its graphs is found, the next step's forward is not") {
  TrainingStream stream;
  for (int64_t step = 0; step < 3; ++step) stream.StepWithoutFault(step);
  stream.BeginForward(3);
  CHECK(Found(stream).empty());
  stream.Allocate(0x20000000, 60 * kMiB, Category::kActivation);
  const auto kept = Only(stream, FindingKind::kUnusedGraph);
  REQUIRE(kept);
  CHECK(kept->bytes == 120 * kMiB);
  CHECK(
      Says(*kept, "120.0 MiB of 160.0 MiB were saved, after the last step, for a backward that never ran."));
  stream.BeginPhase(Phase::kBackward);  // two batches of one step
  CHECK(Found(stream).empty());
}

TEST_CASE("A forward of a larger batch for which memory runs out is no evaluation") {
  TrainingStream stream;
  for (int64_t step = 0; step < 3; ++step) stream.StepWithoutFault(step);
  stream.BeginForward(3);
  stream.Allocate(0x20000000, 60 * kMiB, Category::kActivation);
  stream.Add(EventKind::kOutOfMemory, 0, 400 * kMiB);
  stream.Free(0x20000000);
  CHECK(Found(stream).empty());
}

TEST_CASE("An evaluation after the steps that lets each graph go and records the next is found") {
  TrainingStream stream;
  for (int64_t step = 0; step < 3; ++step) stream.StepWithoutFault(step);
  stream.BeginForward(3);
  stream.Free(TrainingStream::kActivation);
  CHECK(Found(stream).empty());
  stream.Allocate(TrainingStream::kActivation, 60 * kMiB, Category::kActivation);
  CHECK(Only(stream, FindingKind::kUnusedGraph));
}

TEST_CASE("The batch of the last step is none of what grows") {
  TrainingStream stream;
  const events::NameId batch = stream.Name("aten::to ← <module> (train.py:3)");
  const events::NameId kept = stream.Name("aten::add ← <module> (train.py:9)");
  for (int64_t step = 0; step < 8; ++step) {
    stream.Allocate(0x30000000 + static_cast<uint64_t>(step % 2) * 0x100000, 16384, Category::kInput).op =
        batch;
    if (step > 0) stream.Free(0x30000000 + static_cast<uint64_t>((step + 1) % 2) * 0x100000);
    stream.BeginForward(step);
    stream.Allocate(0x20000000 + static_cast<uint64_t>(step) * 0x1000, 512, Category::kUnknown).op = kept;
    stream.EndBackward(step);
  }
  const auto finding = Only(stream, FindingKind::kGrowth);
  REQUIRE(finding);
  CHECK(Says(*finding, "After step 7, 3.0 KiB more are allocated than after step 1"));
  CAPTURE(finding->evidence);
  CHECK(Says(*finding, "Most of it is made at <module> (train.py:9)."));
}

}  // namespace
}  // namespace tidemark::advice
