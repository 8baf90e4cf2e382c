// Whether a card has room for what a run requested on a phantom with room for all: it is put to PyTorch's
// allocator there where that is close.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/phantom/cards/card.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {

class RunJudge {
 public:
  // `settings`, `allocator`: of PyTorch's; they outlive it.
  RunJudge(const timeline::View& view, const std::string& settings, const session::AllocatorOf& allocator);

  // None where it has no room. Errors: the run cannot be replayed.
  Result<std::optional<session::HeldOfCard>> HeldOn(const phantom::Card& card) const;
  const timeline::DevicePeaks& highest() const { return highest_; }

 private:
  const std::string& settings_;
  const session::AllocatorOf& allocator_;
  Result<std::vector<phantom::Request>> requests_;
  timeline::DevicePeaks highest_;
};

}  // namespace tidemark::cli
