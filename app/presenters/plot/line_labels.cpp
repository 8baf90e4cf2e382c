#include "app/presenters/plot/line_labels.h"

namespace tidemark::presenters {

std::optional<LabelBox> PlaceOfLabel(const LineLabel& label, LabelRows rows,
                                     const std::function<bool(const LabelBox&)>& is_free) {
  for (int row = rows.first; row < rows.end; ++row) {
    const double away = label.gap + row * (label.height + label.gap);
    for (const double top : {label.line - away - label.height, label.line + away}) {
      for (const double left : label.lefts) {
        const LabelBox box{left, top, left + label.width, top + label.height};
        if (is_free(box)) return box;
      }
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::presenters
