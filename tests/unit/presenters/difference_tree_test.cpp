#include "app/presenters/comparison/difference_tree.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

using events::Category;

constexpr std::array kByLayer = {TreeKey::kCategory, TreeKey::kLayer, TreeKey::kTensor};

// A run that holds something, up to its end.
class Holding {
 public:
  void Add(Category category, const char* layer, const char* name, int64_t bytes) {
    const events::NameId layer_id = stream_.Name(layer);
    const events::NameId name_id = stream_.Name(name);
    events::Event& block = stream_.Allocate(next_address_ += 1 << 20, bytes, category);
    block.layer = layer_id;
    block.name = name_id;
  }
  Moment AtEnd() {
    view_ = stream_.Publish();
    return MomentAt(*view_, view_->end() - 1);
  }

 private:
  timeline::Stream stream_;
  uint64_t next_address_ = 0;
  std::shared_ptr<const timeline::View> view_;
};

LiveTree TreeOf(const Moment& a, const Moment& b, const Selection& selection = {}) {
  return *MakeDifferenceTree(a, b, kByLayer, selection, [](double) { return true; });
}

const TreeNode& NodeOf(const LiveTree& tree, const std::vector<std::string>& path) {
  const TreeNode& node = tree.nodes[NodeAt(tree, path)];
  REQUIRE(node.title == path.back());
  return node;
}

}  // namespace

TEST_CASE("Nodes of two trees are one where all above them are, and each tells both sides") {
  Holding before;
  before.Add(Category::kActivation, "conv1", "out", 4096);
  before.Add(Category::kActivation, "conv2", "out", 1024);
  before.Add(Category::kParameter, "conv1", "weight", 512);
  Holding after;
  after.Add(Category::kActivation, "conv1", "out", 1024);
  after.Add(Category::kActivation, "conv2", "out", 3072);
  after.Add(Category::kActivation, "conv2", "out", 1024);
  after.Add(Category::kInput, "conv1", "x", 2048);
  const Moment a = before.AtEnd();
  const Moment b = after.AtEnd();
  const LiveTree tree = TreeOf(a, b);
  const TreeNode& root = tree.nodes.front();
  REQUIRE(root.sides);
  CHECK(root.sides->a_bytes == 5632);
  CHECK(root.sides->b_bytes == 7168);
  CHECK(root.sides->Difference() == 1536);
  CHECK(root.sides->a_blocks == 3);
  CHECK(root.sides->b_blocks == 4);
  CHECK(root.bytes == 4096 + 4096 + 512 + 2048);  // of each leaf the larger side
  CHECK(root.children == 3);
  CHECK(tree.nodes[root.first_child].title == "activation");  // the largest first
  CHECK(NodeOf(tree, {"activation", "conv1", "out"}).sides->Difference() == -3072);
  CHECK(NodeOf(tree, {"activation", "conv2", "out"}).sides->Difference() == 3072);
  CHECK(NodeOf(tree, {"activation"}).sides->Difference() == 0);
  CHECK(NodeOf(tree, {"parameter"}).sides->b_blocks == 0);
  const TreeNode& input = NodeOf(tree, {"input", "conv1", "x"});
  CHECK(input.sides->a_bytes == 0);
  CHECK(input.bytes == 2048);
  CHECK_FALSE(input.born);  // in B
  CHECK(NodeOf(tree, {"parameter", "conv1", "weight"}).born);
}

TEST_CASE("Boxes of children find room in their parent's, whichever side is larger") {
  Holding before;
  Holding after;
  for (int i = 0; i < 40; ++i) {
    const std::string layer = "layer" + std::to_string(i / 2);
    before.Add(Category::kActivation, layer.c_str(), i % 2 == 0 ? "out" : "mask", 512 * (i + 1));
    after.Add(Category::kActivation, layer.c_str(), i % 3 == 0 ? "out" : "saved", 512 * (41 - i));
  }
  const Moment a = before.AtEnd();
  const Moment b = after.AtEnd();
  const LiveTree tree = TreeOf(a, b);
  for (const TreeNode& node : tree.nodes) {
    int64_t sum = 0;
    for (size_t child = node.first_child; child < node.first_child + node.children; ++child) {
      const TreeNode& below = tree.nodes[child];
      CHECK(&tree.nodes[below.parent] == &node);
      CHECK(below.depth == node.depth + 1);
      if (child > node.first_child) CHECK(below.bytes <= tree.nodes[child - 1].bytes);
      sum += below.bytes;
    }
    CHECK(sum <= node.bytes);
    CHECK(node.bytes >= std::max(node.sides->a_bytes, node.sides->b_bytes));
  }
  CHECK(LayOutFlameGraph(tree, 0, {1000, 1000, 20, 0, 0}).size() == tree.nodes.size());
}

TEST_CASE("What is selected in one run by its name is so in both, and an allocation in its own") {
  Holding before;
  before.Add(Category::kActivation, "conv1", "out", 4096);
  Holding after;
  after.Add(Category::kActivation, "conv1", "saved", 4096);
  const Moment a = before.AtEnd();
  const Moment b = after.AtEnd();
  const LiveTree by_name = TreeOf(a, b, LayerSelected("conv1"));
  CHECK(NodeOf(by_name, {"activation", "conv1", "out"}).selected_bytes == 4096);
  CHECK(NodeOf(by_name, {"activation", "conv1", "saved"}).selected_bytes == 4096);
  const LiveTree one = TreeOf(a, b, AllocationSelected(a.state.blocks.front().born));
  CHECK(NodeOf(one, {"activation", "conv1", "out"}).selected_bytes == 4096);
  CHECK(NodeOf(one, {"activation", "conv1", "saved"}).selected_bytes == 0);
}

TEST_CASE("Of a run without events all of the other is a difference") {
  Holding after;
  after.Add(Category::kActivation, "conv1", "out", 4096);
  const Moment b = after.AtEnd();
  const LiveTree tree = TreeOf({}, b);
  CHECK(tree.nodes.front().title == "everything alive");
  CHECK(NodeOf(tree, {"activation", "conv1", "out"}).sides->Difference() == 4096);
}

TEST_CASE("A tree of differences that nobody waits for any more is not made") {
  Holding before;
  Holding after;
  for (int i = 0; i < 5000; ++i) before.Add(Category::kActivation, "conv1", "out", 512);
  after.Add(Category::kActivation, "conv1", "out", 512);
  const Moment a = before.AtEnd();
  const Moment b = after.AtEnd();
  double most = 0;
  const auto never = [](double) { return false; };
  const auto watched = [&most](double share) {
    most = std::max(most, share);
    return true;
  };
  CHECK_FALSE(MakeDifferenceTree(a, b, kByLayer, {}, never));
  CHECK_FALSE(MakeDifferenceTree(b, a, kByLayer, {}, never));
  CHECK(MakeDifferenceTree(b, a, kByLayer, {}, watched));
  CHECK(most > 0.5);
  CHECK(most <= 1);
}

}  // namespace tidemark::presenters
