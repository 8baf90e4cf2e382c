#include "app/gui/shell/refitting.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::gui {
namespace {

// Shares of a row that the panels at its sides may take, of all of it and of what is left: the middle needs
// the most.
constexpr float kMostOfARow = 0.3F;
constexpr float kMostOfTheRest = 0.45F;

class Refitting {
 public:
  Refitting(ImVec2 factor, std::map<unsigned, CutWidth>* cut_widths)
      : factor_(factor), cut_widths_(cut_widths) {}

  void Fit(const ImGuiDockNode* node, float width, float most) {
    if (node == nullptr || !node->IsSplitNode()) return;
    ImGuiDockNode* small = node->ChildNodes[0];
    ImGuiDockNode* large = node->ChildNodes[1];
    if (node->SplitAxis == ImGuiAxis_Y) {
      for (ImGuiDockNode* child : {small, large}) {
        child->SizeRef.y *= factor_.y;
        Fit(child, width, most);
      }
      return;
    }
    if (IsTheSide(*large, *small)) std::swap(small, large);
    const float wanted = Wanted(small) * factor_.x;
    const float separator = ImGui::GetStyle().DockingSeparatorSize;
    const float share = small->SizeRef.x / (small->SizeRef.x + separator + large->SizeRef.x);
    small->SizeRef.x = std::min(wanted, std::max(most, share) * width);  // more than `most`: given by hand
    large->SizeRef.x = width - small->SizeRef.x - separator;
    cut_widths_->erase(small->ID);
    if (small->SizeRef.x < wanted) (*cut_widths_)[small->ID] = {wanted, small->SizeRef.x};
    Fit(small, small->SizeRef.x, kMostOfTheRest);
    Fit(large, large->SizeRef.x, kMostOfTheRest);
  }

 private:
  // Of two beside each other the one at the side: not the middle, however narrow a small window made that.
  bool IsTheSide(const ImGuiDockNode& node, const ImGuiDockNode& other) const {
    const auto is_middle = [](const ImGuiDockNode& one) {
      return one.IsCentralNode() || one.HasCentralNodeChild;
    };
    if (is_middle(node) != is_middle(other)) return is_middle(other);
    if (cut_widths_->contains(node.ID) || cut_widths_->contains(other.ID))
      return cut_widths_->contains(node.ID);
    return node.SizeRef.x < other.SizeRef.x;
  }

  float Wanted(const ImGuiDockNode* node) const {
    const auto cut = cut_widths_->find(node->ID);
    const bool is_cut = cut != cut_widths_->end() && std::abs(cut->second.given - node->SizeRef.x) < 2;
    return is_cut ? cut->second.wanted : node->SizeRef.x;
  }

  ImVec2 factor_;
  std::map<unsigned, CutWidth>* cut_widths_;
};

}  // namespace

void Refit(const ImGuiDockNode& node, ImVec2 factor, float width, std::map<unsigned, CutWidth>* cut_widths) {
  Refitting(factor, cut_widths).Fit(&node, width, kMostOfARow);
}

}  // namespace tidemark::gui
