// Operators that make blocks and give tensors back, played by the test.
#include "profiler/capture/operators/made_tensors.h"

#include <string>
#include <utility>
#include <vector>

#include "profiler/capture/operators/graph_replays.h"
#include "profiler/capture/operators/layer_scopes.h"
#include "profiler/capture/operators/operator_scopes.h"
#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"
#include "tests/unit/capture_operators/own_stream.h"

namespace tidemark::capture {
namespace {

// What was told since: "0x10 float16 [2, 3]".
std::vector<std::string> Shapes() {
  std::vector<std::string> shapes;
  for (const events::Event& event : Emitted()) {
    if (event.kind == events::EventKind::kTensorShape)
      shapes.push_back(std::to_string(event.address) + " " + NameOf(event.name));
  }
  return shapes;
}

// As who watches LibTorch does.
void GivesBack(uint64_t address, const char* type, const std::vector<int64_t>& sizes) {
  if (AwaitsTensor(address)) TellTensor({address, type, sizes.data(), sizes.size()});
}

template <typename Inside>
void Runs(const char* name, Inside inside) {
  OperatorCall call;
  call.name = name;
  if (OperatorEnters()) OperatorBegins(call);
  inside();
  OperatorEnds();
}

}  // namespace

TEST_CASE("The innermost operator that gives a tensor back tells what its block was made for, once") {
  Emitted();
  Runs("aten::linear", [] {
    Runs("aten::addmm", [] {
      BlockMade(16);
      GivesBack(16, "float16", {2, 3});
    });
    GivesBack(16, "float16", {6});  // a view of it
  });
  CHECK(Shapes() == std::vector<std::string>{"16 float16 [2, 3]"});
}

TEST_CASE("A scalar has no sizes, and of several results each is told, in whatever order") {
  Emitted();
  Runs("aten::var_mean", [] {
    BlockMade(16);
    BlockMade(32);
    BlockMade(48);  // scratch memory
    GivesBack(32, "float32", {});
    GivesBack(16, "float32", {64});
  });
  CHECK(Shapes() == std::vector<std::string>{"32 float32 []", "16 float32 [64]"});
}

TEST_CASE(
    "What was there before an operator is not told by it: a result in place, scratch memory of another") {
  Emitted();
  Runs("aten::conv2d", [] { BlockMade(16); });
  Runs("aten::relu_", [] { GivesBack(16, "float32", {4}); });
  BlockMade(32);  // outside of operators
  Runs("aten::view", [] { GivesBack(32, "float32", {4}); });
  CHECK(Shapes().empty());
}

TEST_CASE("A block at the address of one that was freed within the operator is told once, too") {
  Emitted();
  Runs("aten::linear", [] {
    BlockMade(16);  // scratch memory, then free
    Runs("aten::mm", [] {
      BlockMade(16);
      GivesBack(16, "float32", {4});
    });
    GivesBack(16, "float32", {2, 2});
  });
  CHECK(Shapes() == std::vector<std::string>{"16 float32 [4]"});
}

TEST_CASE("Of many blocks that nobody gives back the latest wait for who does") {
  Emitted();
  Runs("aten::_foreach_add", [] {
    for (uint64_t address = 1; address <= 100; ++address) BlockMade(address);
    GivesBack(1, "int64", {1});
    GivesBack(100, "int64", {1});
  });
  CHECK(Shapes() == std::vector<std::string>{"100 int64 [1]"});
}

TEST_CASE("What a backward node's own operators make is told within it") {
  Emitted();
  OperatorCall around;
  around.name = "autograd::engine::evaluate_function: MmBackward0";
  if (OperatorEnters()) OperatorBegins(around);
  OperatorCall node;
  node.name = "MmBackward0";
  node.is_backward_node = true;
  if (OperatorEnters()) OperatorBegins(node);
  Runs("aten::mm", [] {
    BlockMade(16);
    GivesBack(16, "float16", {8, 8});
  });
  OperatorEnds();
  OperatorEnds();
  CHECK(Shapes() == std::vector<std::string>{"16 float16 [8, 8]"});
}

TEST_CASE("A replay of a CUDA graph is a scope that tells which graph it was") {
  Emitted();
  const int one = 0;
  const int other = 0;
  for (const int* graph : {&one, &other, &one}) GraphReplayed(graph);
  std::vector<std::pair<events::EventKind, std::string>> told;
  for (const events::Event& event : Emitted()) {
    if (event.kind != events::EventKind::kName) told.emplace_back(event.kind, NameOf(event.op));
  }
  CHECK(told == std::vector<std::pair<events::EventKind, std::string>>{
                    {events::EventKind::kScopeBegin, "CUDAGraph::replay (graph 1)"},
                    {events::EventKind::kScopeEnd, "CUDAGraph::replay (graph 1)"},
                    {events::EventKind::kScopeBegin, "CUDAGraph::replay (graph 2)"},
                    {events::EventKind::kScopeEnd, "CUDAGraph::replay (graph 2)"},
                    {events::EventKind::kScopeBegin, "CUDAGraph::replay (graph 1)"},
                    {events::EventKind::kScopeEnd, "CUDAGraph::replay (graph 1)"}});
}

// The last of this process: no shapes are told after it.
TEST_CASE("Shapes that are new with each step are told as long as there are no more than 131,072 names") {
  Emitted();
  constexpr int64_t kMost = 131'072;
  int64_t told = 0;
  const auto make = [](int64_t size) {
    Runs("aten::nonzero", [size] {
      BlockMade(16);
      GivesBack(16, "int64", {size});
    });
  };
  const auto take = [&told] { told += static_cast<int64_t>(Shapes().size()); };
  for (int64_t size = 1; size <= kMost; ++size) {
    make(size);
    if (size % 128 == 0) take();
  }
  take();
  CHECK(told < kMost);  // there were other names
  CHECK(told > kMost - 1000);
  make(kMost + 1);
  CHECK(Shapes().empty());
  CHECK_FALSE(AwaitsTensor(16));
}

}  // namespace tidemark::capture
