#include "app/presenters/allocations/live_tree.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "app/presenters/allocations/blocks.h"
#include "profiler/base/natural_order.h"
#include "profiler/base/saturating.h"
#include "profiler/events/stack.h"
#include "profiler/timeline/counted_blocks.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using timeline::LiveBlock;
using timeline::State;
using timeline::View;

// What stands where a key tells nothing of a block; "" where it tells of each.
std::string_view NamelessOf(TreeKey key) {
  switch (key) {
    case TreeKey::kPhase:
      return kBornBefore;
    case TreeKey::kLayer:
      return kNoLayer;
    case TreeKey::kOperator:
      return kNoOperator;
    case TreeKey::kFrame:
    case TreeKey::kCode:
      return kNoLine;
    case TreeKey::kCategory:
    case TreeKey::kStream:
    case TreeKey::kTensor:
      break;
  }
  return "";
}

// Grows the tree level by level: the blocks of a node are split by the next key among its children.
class TreeGrower {
 public:
  TreeGrower(const View& view, const State& state, std::span<const TreeKey> keys, const Selection& selection,
             const Progress& progress)
      : view_(view), state_(state), keys_(keys), selection_(selection), progress_(progress) {}

  std::optional<LiveTree> Grow() {
    std::vector<const LiveBlock*> all;
    all.reserve(state_.blocks.size());
    for (const LiveBlock& block : timeline::CountedBlocks(state_)) all.push_back(&block);
    keys_to_do_ = std::max<size_t>(1, all.size() * keys_.size());
    Add(kEverythingAlive, std::move(all), 0, {});
    for (size_t node = 0; node < tree_.nodes.size() && wanted_; ++node) Split(node);
    if (!wanted_) return std::nullopt;
    return std::move(tree_);
  }

 private:
  // Of a node: what it was split off by, and what splits it.
  struct Place {
    size_t key = 0;
    size_t frame = 0;
    TreeKey split_by = TreeKey::kCategory;
  };
  using Groups = std::map<std::string, std::vector<const LiveBlock*>, NaturalOrder>;
  struct Pending {
    std::vector<const LiveBlock*> blocks;
    size_t key = 0;    // index into keys_ of what splits them
    size_t frame = 0;  // of their stacks, where that is kFrame
  };

  // From the outermost; nameless beyond the innermost.
  std::string FrameOf(TreeKey key, const LiveBlock& block, size_t frame) {
    const auto [known, fresh] = frames_.try_emplace(block.op);
    if (fresh) known->second = events::FramesOf(view_.name(block.op));
    const std::vector<std::string_view>& frames = known->second;
    const size_t innermost = key == TreeKey::kCode ? 1 : 0;
    return std::string(frame + innermost < frames.size() ? frames[frames.size() - 1 - frame]
                                                         : NamelessOf(key));
  }

  // Of looking at one block once more. Asked often enough for a Cancel to be heard within milliseconds.
  void Count() {
    constexpr size_t kOften = 4096;
    if (++looked_at_ % kOften != 0) return;
    const double done = static_cast<double>(keys_done_) / static_cast<double>(keys_to_do_);
    wanted_ = wanted_ && progress_(std::min(1.0, done));
  }

  std::string TextOf(TreeKey key, const LiveBlock& block) const {
    switch (key) {
      case TreeKey::kCategory:
        return std::string(events::NameOf(block.category));
      case TreeKey::kPhase:
        return PhaseTitle(view_, block);
      case TreeKey::kLayer:
        return LayerTitle(view_, block);
      case TreeKey::kOperator:
        return OperatorTitle(view_, block);
      case TreeKey::kStream:
        return StreamTitle(block.stream);
      case TreeKey::kTensor:
        return BlockTitle(view_, block);
      case TreeKey::kFrame:
      case TreeKey::kCode:
        break;  // FrameOf
    }
    return "";
  }

  static int64_t SizeOf(const LiveBlock& block) { return std::max<int64_t>(0, block.rounded_bytes); }

  void Add(std::string title, std::vector<const LiveBlock*> blocks, size_t parent, const Place& place) {
    TreeNode node;
    node.title = std::move(title);
    node.parent = parent;
    node.depth = tree_.nodes.empty() ? 0 : tree_.nodes[parent].depth + 1;
    node.blocks = blocks.size();
    node.key = place.split_by;
    if (blocks.size() == 1) node.born = blocks.front()->born;
    if (!blocks.empty()) node.category = blocks.front()->category;
    const events::NameId shape = blocks.empty() ? 0 : blocks.front()->shape;
    bool have_one_shape = true;
    for (const LiveBlock* block : blocks) {
      node.bytes = SaturatingSum(node.bytes, SizeOf(*block));
      if (node.category != block->category) node.category.reset();
      have_one_shape = have_one_shape && block->shape == shape;
      if (Selects(selection_, view_, *block))
        node.selected_bytes = SaturatingSum(node.selected_bytes, SizeOf(*block));
    }
    if (have_one_shape) node.shape = view_.name(shape);
    tree_.nodes.push_back(std::move(node));
    pending_.push_back({std::move(blocks), place.key, place.frame});
  }

  void Split(size_t node) {
    Pending pending = std::exchange(pending_[node], {});
    for (; pending.key < keys_.size(); ++pending.key, pending.frame = 0) {
      const TreeKey key = keys_[pending.key];
      const bool by_frame = key == TreeKey::kFrame || key == TreeKey::kCode;
      Groups groups = GroupsOf(pending, by_frame);
      if (!wanted_ || groups.empty()) return;
      const bool is_nameless = groups.size() == 1 && groups.begin()->first == NamelessOf(key);
      if (is_nameless || !by_frame) keys_done_ += pending.blocks.size();
      if (is_nameless) continue;
      AddChildren(node, std::move(groups),
                  by_frame ? Place{pending.key, pending.frame + 1, key} : Place{pending.key + 1, 0, key});
      return;
    }
  }

  Groups GroupsOf(const Pending& pending, bool by_frame) {
    const TreeKey key = keys_[pending.key];
    Groups groups;
    for (const LiveBlock* block : pending.blocks) {
      groups[by_frame ? FrameOf(key, *block, pending.frame) : TextOf(key, *block)].push_back(block);
      Count();
      if (!wanted_) break;
    }
    return groups;
  }

  void AddChildren(size_t node, Groups groups, const Place& place) {
    const auto bytes = [](const std::vector<const LiveBlock*>& blocks) {
      int64_t sum = 0;
      for (const LiveBlock* block : blocks) sum = SaturatingSum(sum, SizeOf(*block));
      return sum;
    };
    std::vector<std::pair<int64_t, std::string>> order;
    order.reserve(groups.size());
    for (const auto& [title, blocks] : groups) order.emplace_back(bytes(blocks), title);
    std::ranges::stable_sort(order, std::greater(), &std::pair<int64_t, std::string>::first);
    tree_.nodes[node].first_child = tree_.nodes.size();
    tree_.nodes[node].children = order.size();
    for (const auto& [size, title] : order) Add(title, std::move(groups[title]), node, place);
  }

  const View& view_;
  const State& state_;
  const std::span<const TreeKey> keys_;
  const Selection& selection_;
  const Progress& progress_;
  bool wanted_ = true;
  size_t looked_at_ = 0;  // blocks, each time one is
  size_t keys_done_ = 0;  // of blocks: of each of them there are as many as keys
  size_t keys_to_do_ = 1;
  std::map<events::NameId, std::vector<std::string_view>> frames_;  // of each stack, once
  LiveTree tree_;
  std::vector<Pending> pending_;  // as many as there are nodes
};

bool IsTooSmall(const TreeBox& box, const TreeArea& area) {
  return box.right - box.left < area.smallest || box.bottom - box.top < area.smallest;
}

// Fills rectangles row by row along the shorter side, a row as long as that makes its boxes squarer.
class Squarifier {
 public:
  Squarifier(const LiveTree& tree, const TreeArea& area) : tree_(tree), area_(area) {}

  std::vector<TreeBox> LayOut(size_t root) {
    boxes_.push_back({root, 0, 0, area_.width, area_.height});
    for (size_t next = 0; next < boxes_.size(); ++next) {
      const TreeBox box = boxes_[next];
      const TreeBox inside{box.node, box.left + area_.padding, box.top + area_.header,
                           box.right - area_.padding, box.bottom - area_.padding};
      if (!IsTooSmall(inside, area_)) Fill(inside);
    }
    return std::move(boxes_);
  }

 private:
  void Fill(TreeBox left_over) {
    const TreeNode& parent = tree_.nodes[left_over.node];
    if (parent.bytes <= 0) return;
    const double scale = double{left_over.right - left_over.left} * (left_over.bottom - left_over.top) /
                         static_cast<double>(parent.bytes);
    const size_t end = parent.first_child + parent.children;
    for (size_t first = parent.first_child; first < end && !IsTooSmall(left_over, area_);) {
      const size_t last = RowFrom(first, end, scale, left_over);
      Place(first, last, scale, left_over);
      first = last;
    }
  }

  double AreaOf(size_t node, double scale) const {
    return static_cast<double>(tree_.nodes[node].bytes) * scale;
  }

  // The end of the row that begins with `first`.
  size_t RowFrom(size_t first, size_t end, double scale, const TreeBox& room) const {
    const double side = std::min(room.right - room.left, room.bottom - room.top);
    double sum = 0;
    double worst = 0;
    size_t last = first;
    for (; last < end; ++last) {
      const double grown = sum + AreaOf(last, scale);
      const double largest = AreaOf(first, scale);  // children come the largest first
      const double smallest = AreaOf(last, scale);
      if (smallest <= 0) break;
      const double ratio =
          std::max(side * side * largest / (grown * grown), grown * grown / (side * side * smallest));
      if (last > first && ratio > worst) break;
      worst = ratio;
      sum = grown;
    }
    return std::max(last, first + 1);
  }

  void Place(size_t first, size_t last, double scale, TreeBox& room) {
    double sum = 0;
    for (size_t node = first; node < last; ++node) sum += AreaOf(node, scale);
    if (sum <= 0) return;
    const bool upright = room.right - room.left >= room.bottom - room.top;  // the row stands at the left
    const double side = upright ? room.bottom - room.top : room.right - room.left;
    const auto thickness = static_cast<float>(sum / side);
    double along = 0;
    for (size_t node = first; node < last; ++node) {
      const auto from = static_cast<float>(along);
      along += AreaOf(node, scale) / thickness;
      const auto to = static_cast<float>(along);
      const TreeBox box =
          upright ? TreeBox{node, room.left, room.top + from, room.left + thickness, room.top + to}
                  : TreeBox{node, room.left + from, room.top, room.left + to, room.top + thickness};
      if (!IsTooSmall(box, area_)) boxes_.push_back(box);
    }
    (upright ? room.left : room.top) += thickness;
  }

  const LiveTree& tree_;
  const TreeArea& area_;
  std::vector<TreeBox> boxes_;
};

}  // namespace

std::optional<LiveTree> MakeLiveTree(const View& view, const State& state, std::span<const TreeKey> keys,
                                     const Selection& selection, const Progress& progress) {
  return TreeGrower(view, state, keys, selection, progress).Grow();
}

Selection SelectionOf(const LiveTree& tree, size_t node) {
  const TreeNode& picked = tree.nodes[node];
  if (node == 0 || picked.title == NamelessOf(picked.key)) return {};
  if (picked.key == TreeKey::kCategory && picked.category) return CategorySelected(*picked.category);
  if (picked.key == TreeKey::kLayer) return LayerSelected(picked.title);
  if (picked.key == TreeKey::kOperator) return OperatorSelected(picked.title);
  if (picked.key == TreeKey::kFrame || picked.key == TreeKey::kCode) return FrameSelected(picked.title);
  if (picked.key == TreeKey::kTensor && picked.born) return AllocationSelected(*picked.born);
  return {};
}

std::vector<std::string> PathOf(const LiveTree& tree, size_t node) {
  std::vector<std::string> path;
  for (; node != 0; node = tree.nodes[node].parent) path.push_back(tree.nodes[node].title);
  std::reverse(path.begin(), path.end());
  return path;
}

size_t NodeAt(const LiveTree& tree, const std::vector<std::string>& path) {
  size_t node = 0;
  for (const std::string& title : path) {
    const TreeNode& parent = tree.nodes[node];
    size_t child = parent.first_child;
    const size_t end = child + parent.children;
    while (child < end && tree.nodes[child].title != title) ++child;
    if (child == end) break;
    node = child;
  }
  return node;
}

std::vector<TreeBox> LayOutTreeMap(const LiveTree& tree, size_t node, const TreeArea& area) {
  if (node >= tree.nodes.size()) return {};
  return Squarifier(tree, area).LayOut(node);
}

std::vector<TreeBox> LayOutFlameGraph(const LiveTree& tree, size_t node, const TreeArea& area) {
  std::vector<TreeBox> boxes;
  if (node >= tree.nodes.size()) return boxes;
  boxes.push_back({node, 0, 0, area.width, area.header});
  for (size_t next = 0; next < boxes.size(); ++next) {
    const TreeBox box = boxes[next];
    const TreeNode& parent = tree.nodes[box.node];
    if (parent.bytes <= 0 || box.bottom + area.header > area.height) continue;
    const double scale = (box.right - box.left) / static_cast<double>(parent.bytes);
    double left = box.left;
    for (size_t child = parent.first_child; child < parent.first_child + parent.children; ++child) {
      const double right = left + static_cast<double>(tree.nodes[child].bytes) * scale;
      const TreeBox inside{child, static_cast<float>(left), box.bottom, static_cast<float>(right),
                           box.bottom + area.header};
      if (!IsTooSmall(inside, area)) boxes.push_back(inside);
      left = right;
    }
  }
  return boxes;
}

}  // namespace tidemark::presenters
