// What a person has chosen for runs, and how it is undone: settings, device, allocator, whether kernels are
// told, and the run that is laid over the one that is shown. UI thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

// A recording that lies over the run that is shown; none = no run.
struct SecondRun {
  std::shared_ptr<session::Run> run;
  std::string title;
};

struct Choices {
  networks::TrainingSettings settings;
  networks::DeviceChoice device;
  std::string allocator;  // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own
  bool kernels = false;   // are told, and memory copies and memsets
  SecondRun second;
};
// Whether runs are alike that are started with them.
bool StartAlike(const Choices& a, const Choices& b);
// And whether the same run lies over them.
bool IsSame(const Choices& a, const Choices& b);
// "batch 64 → 32, on the T4, kernels told": how a run that is started with `to` differs; "" where it does
// not.
std::string DescribeChange(const Choices& from, const Choices& to, const std::vector<phantom::Card>& cards);

class ChoiceHistory {
 public:
  // A run that nobody can come back to any more takes its time to end.
  using LetGo = std::function<void(std::shared_ptr<session::Run>)>;
  explicit ChoiceHistory(LetGo let_go) : let_go_(std::move(let_go)) {}

  // Before something else is chosen. What was undone before is gone, and the oldest where there are too many.
  void Remember(Choices now);
  // What is remembered is what still holds: nothing else could be chosen.
  void ForgetLatest() { undo_.pop_back(); }
  // What was chosen before, or undone; `now` is come back to by the other. None where there is nothing.
  std::optional<Choices> Undo(Choices now) { return Return(undo_, redo_, std::move(now)); }
  std::optional<Choices> Redo(Choices now) { return Return(redo_, undo_, std::move(now)); }
  // What they would return; none where there is nothing.
  const Choices* undone() const { return undo_.empty() ? nullptr : &undo_.back(); }
  const Choices* redone() const { return redo_.empty() ? nullptr : &redo_.back(); }
  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }

 private:
  static std::optional<Choices> Return(std::vector<Choices>& from, std::vector<Choices>& to, Choices now);

  LetGo let_go_;
  std::vector<Choices> undo_;  // the latest last, both
  std::vector<Choices> redo_;
};

}  // namespace tidemark::gui
