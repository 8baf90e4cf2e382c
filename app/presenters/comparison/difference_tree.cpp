#include "app/presenters/comparison/difference_tree.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/base/saturating.h"

namespace tidemark::presenters {
namespace {

// Pairs the nodes of two trees from the root on, and makes one of each pair.
class TreeMerger {
 public:
  TreeMerger(const LiveTree& a, const LiveTree& b) : a_(a), b_(b) {}

  LiveTree Merge() {
    pairs_.push_back({&a_.nodes.front(), &b_.nodes.front()});
    for (size_t pair = 0; pair < pairs_.size(); ++pair) PairChildren(pair);
    for (size_t pair = pairs_.size(); pair-- > 0;) SumUp(pair);  // children come after their parents
    LiveTree tree;
    tree.nodes.reserve(pairs_.size());
    std::vector<size_t> order = {0};  // pairs, as their nodes are
    tree.nodes.push_back(NodeOf(pairs_.front()));
    for (size_t node = 0; node < order.size(); ++node) AddChildren(node, order, tree);
    return tree;
  }

 private:
  // Null on a side that has no such node.
  struct Pair {
    const TreeNode* a = nullptr;
    const TreeNode* b = nullptr;
    int64_t bytes = 0;
    std::vector<size_t> children = {};
  };

  void PairChildren(size_t pair) {
    std::map<std::pair<TreeKey, std::string_view>, size_t> known;
    const auto add = [&](const LiveTree& tree, const TreeNode* parent, const TreeNode* Pair::*side) {
      if (parent == nullptr) return;
      for (size_t child = parent->first_child; child < parent->first_child + parent->children; ++child) {
        const TreeNode& node = tree.nodes[child];
        const auto [found, is_new] = known.try_emplace({node.key, node.title}, pairs_.size());
        if (is_new) {
          pairs_[pair].children.push_back(pairs_.size());
          pairs_.emplace_back();
        }
        pairs_[found->second].*side = &node;
      }
    };
    add(a_, pairs_[pair].a, &Pair::a);
    add(b_, pairs_[pair].b, &Pair::b);
  }

  void SumUp(size_t pair) {
    Pair& summed = pairs_[pair];
    for (const size_t child : summed.children)
      summed.bytes = SaturatingSum(summed.bytes, pairs_[child].bytes);
    for (const TreeNode* const side : {summed.a, summed.b}) {
      if (side != nullptr) summed.bytes = std::max(summed.bytes, side->bytes);
    }
    std::ranges::stable_sort(summed.children, std::greater(),
                             [this](size_t child) { return pairs_[child].bytes; });
  }

  static TreeNode NodeOf(const Pair& pair) {
    TreeNode node = pair.a != nullptr ? *pair.a : *pair.b;
    node.bytes = pair.bytes;
    node.first_child = node.children = 0;
    node.sides = TreeSides{};
    if (pair.a == nullptr) node.born.reset();
    if (pair.a != nullptr) {
      node.sides->a_bytes = pair.a->bytes;
      node.sides->a_blocks = pair.a->blocks;
    }
    if (pair.b != nullptr) {
      node.sides->b_bytes = pair.b->bytes;
      node.sides->b_blocks = pair.b->blocks;
      if (node.category != pair.b->category) node.category.reset();
      if (node.shape != pair.b->shape) node.shape.clear();
      node.blocks = std::max(node.blocks, pair.b->blocks);
      node.selected_bytes = std::max(node.selected_bytes, pair.b->selected_bytes);
    }
    return node;
  }

  void AddChildren(size_t node, std::vector<size_t>& order, LiveTree& tree) const {
    const std::vector<size_t>& children = pairs_[order[node]].children;
    tree.nodes[node].first_child = tree.nodes.size();
    tree.nodes[node].children = children.size();
    for (const size_t child : children) {
      tree.nodes.push_back(NodeOf(pairs_[child]));
      tree.nodes.back().parent = node;
      order.push_back(child);
    }
  }

  const LiveTree& a_;
  const LiveTree& b_;
  std::vector<Pair> pairs_;
};

// One run's allocations mean nothing in another.
Selection SelectionIn(const Moment& b, const Moment& a, const Selection& selection) {
  const bool is_in_a_alone = b.view != a.view && selection.kind == Selection::Kind::kAllocation;
  return is_in_a_alone ? Selection() : selection;
}

// Of an empty run nothing is alive.
std::optional<LiveTree> TreeOf(const Moment& moment, std::span<const TreeKey> keys,
                               const Selection& selection, const Progress& progress) {
  if (moment.view != nullptr) return MakeLiveTree(*moment.view, moment.state, keys, selection, progress);
  LiveTree tree;
  tree.nodes.emplace_back().title = kEverythingAlive;
  return tree;
}

}  // namespace

std::optional<LiveTree> MakeDifferenceTree(const Moment& a, const Moment& b, std::span<const TreeKey> keys,
                                           const Selection& selection, const Progress& progress) {
  const auto half = [&progress](double begin) {
    return [&progress, begin](double share) { return progress(begin + share / 2); };
  };
  const std::optional<LiveTree> tree_a = TreeOf(a, keys, selection, half(0));
  if (!tree_a) return std::nullopt;
  const std::optional<LiveTree> tree_b = TreeOf(b, keys, SelectionIn(b, a, selection), half(0.5));
  if (!tree_b) return std::nullopt;
  return TreeMerger(*tree_a, *tree_b).Merge();
}

}  // namespace tidemark::presenters
