#include "app/presenters/allocations/live_tree.h"

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

LiveTree TreeOf(const timeline::View& view, const timeline::State& state, std::span<const TreeKey> keys,
                const Selection& selection = {}) {
  return *MakeLiveTree(view, state, keys, selection, [](double) { return true; });
}

LiveTree TreeAtPeak(std::span<const TreeKey> keys) {
  Training training;
  training.Weight(1024);
  training.Step(0, 2048, 4096);
  const auto view = training.Publish();
  return TreeOf(*view, view->StateAt(training.peak()), keys);
}

TEST_CASE("What is alive is grouped by the keys in their order, the largest first") {
  const std::array keys = {TreeKey::kCategory, TreeKey::kLayer, TreeKey::kTensor};
  const LiveTree tree = TreeAtPeak(keys);
  const TreeNode& root = tree.nodes[0];
  CHECK(root.bytes == 7168);
  CHECK(root.blocks == 3);
  CHECK_FALSE(root.category);
  REQUIRE(root.children == 3);
  const TreeNode& first = tree.nodes[root.first_child];
  CHECK(first.title == "temporary");
  CHECK(first.bytes == 4096);
  CHECK(first.category == events::Category::kTemporary);
  CHECK(tree.nodes[root.first_child + 2].title == "parameter");
  const size_t leaf = NodeAt(tree, {"activation", "conv1", "conv1 output"});
  CHECK(tree.nodes[leaf].depth == 3);
  CHECK(PathOf(tree, leaf) == std::vector<std::string>{"activation", "conv1", "conv1 output"});
  CHECK(NodeAt(tree, {"activation", "gone"}) == NodeAt(tree, {"activation"}));
}

TEST_CASE("A part has a shape where all of its blocks have the same") {
  timeline::Stream stream;
  const events::NameId shape = stream.Name("float16 [64]");
  for (const uint64_t address : {0x1000U, 0x2000U}) {
    stream.Allocate(address, 512, events::Category::kActivation);
    stream.Shape(address, shape);
  }
  stream.Allocate(0x3000, 512, events::Category::kGradient);
  const auto view = stream.Publish();
  const std::array keys = {TreeKey::kCategory};
  const LiveTree tree = TreeOf(*view, view->StateAt(view->end() - 1), keys);
  CHECK(tree.nodes[0].shape.empty());
  CHECK(tree.nodes[NodeAt(tree, {"activation"})].shape == "float16 [64]");
  CHECK(tree.nodes[NodeAt(tree, {"gradient"})].shape.empty());
}

TEST_CASE("What is as large comes in the order in which a person counts") {
  timeline::Stream stream;
  uint64_t address = 0;
  for (const char* const block : {"blocks.10", "blocks.2"})
    stream.Allocate(address += 0x1000, 512).layer = stream.Name(block);
  const auto view = stream.Publish();
  const std::array keys = {TreeKey::kLayer};
  const LiveTree tree = TreeOf(*view, view->StateAt(view->end() - 1), keys);
  REQUIRE(tree.nodes[0].children == 2);
  CHECK(tree.nodes[tree.nodes[0].first_child].title == "blocks.2");
}

TEST_CASE("Sizes that no memory has add up to the most that there is") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  timeline::Stream stream;
  for (const uint64_t address : {0x1000, 0x2000, 0x3000}) stream.Allocate(address, kMost);
  stream.Allocate(0x4000, std::numeric_limits<int64_t>::min(), events::Category::kInput).rounded_bytes =
      std::numeric_limits<int64_t>::min();
  const auto view = stream.Publish();
  const std::array keys = {TreeKey::kCategory, TreeKey::kTensor};
  const LiveTree tree =
      TreeOf(*view, view->StateAt(view->end() - 1), keys, CategorySelected(events::Category::kTemporary));
  CHECK(tree.nodes[0].bytes == kMost);
  CHECK(tree.nodes[0].selected_bytes == kMost);
  CHECK(tree.nodes[tree.nodes[0].first_child].title == "temporary");
  CHECK(tree.nodes[tree.nodes[0].first_child].bytes == kMost);
}

TEST_CASE(
    "What waits to be freed counts neither in the tree nor in what is selected, and is lit all the same") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 51'200, events::Category::kActivation);
  stream.Allocate(0x2000, 460'800, events::Category::kActivation);
  stream.RequestFree(0x2000);
  const auto view = stream.Publish();
  const timeline::State state = view->StateAt(view->end() - 1);
  const Selection activation = CategorySelected(events::Category::kActivation);
  const std::array keys = {TreeKey::kCategory, TreeKey::kTensor};
  const LiveTree tree = TreeOf(*view, state, keys, activation);
  CHECK(tree.nodes[0].bytes == ValueOf(state.values, timeline::Series::kAllocated));
  CHECK(tree.nodes[0].selected_bytes == 51'200);
  CHECK(tree.nodes[0].blocks == 1);
  const SelectedBlocks selected = SelectedIn(activation, *view, state);
  CHECK(selected.bytes[static_cast<size_t>(events::Category::kActivation)] == 51'200);
  CHECK(selected.lit == std::vector<bool>{true, true});
}

TEST_CASE("A level without names is left out where nothing has one") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512);
  const auto view = stream.Publish();
  const std::array keys = {TreeKey::kLayer, TreeKey::kOperator, TreeKey::kCategory};
  const LiveTree tree = TreeOf(*view, view->StateAt(0), keys);
  REQUIRE(tree.nodes.size() == 2);
  CHECK(tree.nodes[1].title == "temporary");
}

TEST_CASE("Stacks are a level for each frame, from the outermost") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512).op = stream.Name("aten::mm ← forward (net.py:7) ← main (train.py:3)");
  stream.Allocate(0x2000, 1024).op = stream.Name("step (sgd.py:9) ← main (train.py:3)");
  stream.Allocate(0x3000, 2048).op = stream.Name("main (train.py:3)");
  const auto view = stream.Publish();
  const std::array keys = {TreeKey::kFrame, TreeKey::kCategory};
  const timeline::State state = view->StateAt(view->end() - 1);
  const LiveTree tree = TreeOf(*view, state, keys, FrameSelected("forward (net.py:7)"));
  const auto bytes_at = [&](const std::vector<std::string>& path) {
    const size_t node = NodeAt(tree, path);
    return PathOf(tree, node) == path ? tree.nodes[node].bytes : -1;
  };
  CHECK(bytes_at({"main (train.py:3)"}) == 3584);
  CHECK(bytes_at({"main (train.py:3)", "forward (net.py:7)", "aten::mm", "temporary"}) == 512);
  CHECK(bytes_at({"main (train.py:3)", "step (sgd.py:9)", "temporary"}) == 1024);
  CHECK(bytes_at({"main (train.py:3)", "no line of code", "temporary"}) == 2048);
  CHECK(tree.nodes[0].selected_bytes == 512);
  CHECK(SelectionOf(tree, NodeAt(tree, {"main (train.py:3)"})) == FrameSelected("main (train.py:3)"));
}

TEST_CASE(
    "Under its operator an allocation has the lines that led there, from the outermost, where they are "
    "told") {
  timeline::Stream stream;
  const events::NameId mm = stream.Name("aten::mm ← forward (net.py:7) ← main (train.py:3)");
  const events::NameId plain = stream.Name("aten::mm");
  stream.BeginPhase(events::Phase::kForward);
  stream.Allocate(0x1000, 512).op = mm;
  stream.Allocate(0x2000, 1024).op = stream.Name("aten::mm ← other (net.py:9) ← main (train.py:3)");
  stream.Allocate(0x3000, 2048).op = plain;
  stream.Allocate(0x4000, 4096).op = stream.Name("aten::relu");
  const auto view = stream.Publish();
  const std::array keys = {TreeKey::kPhase, TreeKey::kLayer, TreeKey::kOperator, TreeKey::kCode,
                           TreeKey::kCategory};
  const LiveTree tree = TreeOf(*view, view->StateAt(view->end() - 1), keys);
  const auto bytes_at = [&](const std::vector<std::string>& path) {
    const size_t node = NodeAt(tree, path);
    return PathOf(tree, node) == path ? tree.nodes[node].bytes : -1;
  };
  CHECK(bytes_at({"forward", "aten::mm"}) == 3584);
  CHECK(bytes_at({"forward", "aten::mm", "main (train.py:3)"}) == 1536);
  CHECK(bytes_at({"forward", "aten::mm", "main (train.py:3)", "forward (net.py:7)", "temporary"}) == 512);
  CHECK(bytes_at({"forward", "aten::mm", "no line of code", "temporary"}) == 2048);
  CHECK(bytes_at({"forward", "aten::relu", "temporary"}) == 4096);  // no level for what nothing tells
  const size_t line = NodeAt(tree, {"forward", "aten::mm", "main (train.py:3)", "other (net.py:9)"});
  CHECK(SelectionOf(tree, line) == FrameSelected("other (net.py:9)"));
}

TEST_CASE("A tree that nobody waits for any more is given up, and how far it is only grows") {
  timeline::Stream stream;
  for (uint64_t block = 1; block <= 20'000; ++block) stream.Allocate(block << 12, 512);
  const auto view = stream.Publish();
  const timeline::State state = view->StateAt(view->end() - 1);
  const std::array keys = {TreeKey::kCategory, TreeKey::kPhase, TreeKey::kTensor};
  std::vector<double> told;
  const auto grown = MakeLiveTree(*view, state, keys, {}, [&](double progress) {
    told.push_back(progress);
    return true;
  });
  REQUIRE(grown);
  CHECK(grown->nodes[0].blocks == 20'000);
  REQUIRE(told.size() > 10);
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.back() > 0.6);
  CHECK(told.back() <= 1);
  int asked = 0;
  CHECK_FALSE(MakeLiveTree(*view, state, keys, {}, [&](double) { return ++asked < 2; }));
  CHECK(asked == 2);
}

TEST_CASE("Nothing alive is a tree of one node") {
  const auto view = timeline::Stream().Publish();
  const std::array keys = {TreeKey::kCategory};
  const LiveTree tree = TreeOf(*view, {}, keys);
  REQUIRE(tree.nodes.size() == 1);
  CHECK(LayOutTreeMap(tree, 0, {100, 100, 10, 2, 1}).size() == 1);
}

// A tree of many random leaves under few groups.
LiveTree RandomTree() {
  std::mt19937 random(7);
  timeline::Stream stream;
  std::vector<events::NameId> layers;
  for (int i = 0; i < 9; ++i) layers.push_back(stream.Name("layer " + std::to_string(i)));
  for (uint64_t i = 0; i < 400; ++i) {
    const auto category = static_cast<events::Category>(random() % events::kCategoryCount);
    stream.Allocate(0x100000 + (i << 30), 512 * static_cast<int64_t>(1 + random() % 5000), category).layer =
        layers[random() % layers.size()];
  }
  const auto view = stream.Publish();
  const std::array keys = {TreeKey::kCategory, TreeKey::kLayer};
  return TreeOf(*view, view->StateAt(view->end() - 1), keys);
}

double AreaOf(const TreeBox& box) { return double{box.right - box.left} * (box.bottom - box.top); }

TEST_CASE("A tree map's areas are in proportion, inside their parents, and do not overlap") {
  const LiveTree tree = RandomTree();
  const std::vector<TreeBox> boxes = LayOutTreeMap(tree, 0, {800, 500, 0, 0, 0});
  REQUIRE(boxes.size() == tree.nodes.size());
  const double per_byte = AreaOf(boxes[0]) / static_cast<double>(tree.nodes[0].bytes);
  for (const TreeBox& box : boxes) {
    const double expected = static_cast<double>(tree.nodes[box.node].bytes) * per_byte;
    CHECK(std::abs(AreaOf(box) - expected) < 1 + expected * 0.01);
  }
  for (const TreeBox& a : boxes) {
    for (const TreeBox& b : boxes) {
      if (a.node >= b.node || tree.nodes[a.node].parent != tree.nodes[b.node].parent || a.node == 0) continue;
      const bool apart = a.right <= b.left + 0.01F || b.right <= a.left + 0.01F ||
                         a.bottom <= b.top + 0.01F || b.bottom <= a.top + 0.01F;
      CHECK(apart);
    }
  }
}

TEST_CASE("A flame graph's rows are as wide as their parents") {
  const LiveTree tree = RandomTree();
  const std::vector<TreeBox> boxes = LayOutFlameGraph(tree, 0, {800, 500, 20, 0, 0});
  REQUIRE(boxes.size() == tree.nodes.size());
  std::array<double, 3> width{};
  for (const TreeBox& box : boxes) {
    width[static_cast<size_t>(tree.nodes[box.node].depth)] += box.right - box.left;
    CHECK(box.top == 20.0F * static_cast<float>(tree.nodes[box.node].depth));
  }
  for (const double sum : width) CHECK(std::abs(sum - 800) < 0.5);
  // Where there is no room for a row, it is left out.
  for (const TreeBox& box : LayOutFlameGraph(tree, 0, {800, 39, 20, 0, 0}))
    CHECK(tree.nodes[box.node].depth == 0);
}

TEST_CASE("Boxes too small to see are left out") {
  const LiveTree tree = RandomTree();
  for (const TreeBox& box : LayOutTreeMap(tree, 0, {80, 50, 4, 1, 3})) {
    if (box.node == 0) continue;
    CHECK(box.right - box.left >= 3);
    CHECK(box.bottom - box.top >= 3);
  }
}

}  // namespace
}  // namespace tidemark::presenters
