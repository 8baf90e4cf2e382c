// Writes what outlives the window as soon as it has changed: one that is killed comes back as it was, its
// layout with the scale that it fits. UI thread only; a call costs what the view's JSON costs.
#pragma once

#include <filesystem>
#include <string>

#include "app/gui/view/view_state.h"
#include "profiler/base/result.h"

namespace tidemark::gui {

class ViewKeeper {
 public:
  explicit ViewKeeper(std::filesystem::path file) : file_(std::move(file)) {}  // "" = nothing is kept

  bool keeps() const { return !file_.empty(); }
  // The defaults where nothing was kept. What cannot be read is left as it is: nothing is kept from then on.
  Result<ViewState> Load();
  // Not during slow motion, which has panels of its own. An error once, until something changes again.
  Status Keep(const ViewState& state);

 private:
  std::filesystem::path file_;
  std::string kept_;
};

}  // namespace tidemark::gui
