// The ranks of one run that were opened together, or that go on together: their peaks, and which of them the
// window shows. UI thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/presenters/run/rank_strip.h"
#include "profiler/session/ranks.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

class OpenedRanks {
 public:
  OpenedRanks() = default;
  explicit OpenedRanks(session::Ranks ranks);

  bool any() const { return ranks_ != nullptr; }
  // None where there are none; another object after each change.
  const std::shared_ptr<const session::Ranks>& ranks() const { return ranks_; }
  const presenters::RankStrip& strip() const { return strip_; }
  const std::vector<int64_t>& steps() const { return steps_; }  // that any of them has
  std::optional<size_t> shown() const { return shown_; }
  std::optional<size_t> PlaceOf(int64_t rank) const;  // by its number; none: there is no such rank
  std::optional<size_t> PlaceOf(const std::filesystem::path& file) const;  // none: it is no rank's
  const std::filesystem::path* FileOf(size_t index) const;  // none: there is no such rank, or no file of it

  void CompareAt(std::optional<int64_t> step);
  // The window shows `file` now, with `view` in it. One that is no rank's closes them all. Returns the peak
  // of the step that they are compared at, if that is one step and `view` has it.
  std::optional<timeline::EventIndex> Show(const std::filesystem::path& file, const timeline::View& view);
  // The window shows another one of those that go on here.
  void ShowPlace(size_t index);
  // The ranks of a run that goes on, as they are now; the window shows one of them.
  void Follow(session::Ranks ranks, size_t shown);
  void Close();

 private:
  std::shared_ptr<const session::Ranks> ranks_;  // not without any
  std::vector<int64_t> steps_;
  presenters::RankStrip strip_;
  std::optional<size_t> shown_;
};

}  // namespace tidemark::gui
