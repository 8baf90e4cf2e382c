#include "app/gui/background/opened_ranks.h"

#include <algorithm>
#include <utility>

namespace tidemark::gui {

OpenedRanks::OpenedRanks(session::Ranks ranks)
    : ranks_(std::make_shared<const session::Ranks>(std::move(ranks))),
      steps_(presenters::StepsOf(*ranks_)),
      strip_(presenters::MakeRankStrip(*ranks_, std::nullopt)) {}

std::optional<size_t> OpenedRanks::PlaceOf(int64_t rank) const {
  if (!any()) return std::nullopt;
  const auto found = std::ranges::find(ranks_->ranks, rank, &session::RankPeaks::rank);
  if (found == ranks_->ranks.end()) return std::nullopt;
  return static_cast<size_t>(found - ranks_->ranks.begin());
}

std::optional<size_t> OpenedRanks::PlaceOf(const std::filesystem::path& file) const {
  if (!any()) return std::nullopt;
  const auto found = std::ranges::find(ranks_->ranks, file, &session::RankPeaks::file);
  if (found == ranks_->ranks.end()) return std::nullopt;
  return static_cast<size_t>(found - ranks_->ranks.begin());
}

const std::filesystem::path* OpenedRanks::FileOf(size_t index) const {
  if (!any() || index >= ranks_->ranks.size() || ranks_->ranks[index].file.empty()) return nullptr;
  return &ranks_->ranks[index].file;
}

void OpenedRanks::CompareAt(std::optional<int64_t> step) {
  if (any()) strip_ = presenters::MakeRankStrip(*ranks_, step);
}

std::optional<timeline::EventIndex> OpenedRanks::Show(const std::filesystem::path& file,
                                                      const timeline::View& view) {
  shown_ = PlaceOf(file);
  if (!shown_) Close();
  if (!strip_.step) return std::nullopt;
  std::optional<timeline::EventIndex> peak;
  for (const timeline::Step& step : view.steps()) {
    if (step.number == *strip_.step) peak = step.peak;
  }
  return peak;
}

void OpenedRanks::ShowPlace(size_t index) {
  if (any()) shown_ = index;
}

void OpenedRanks::Follow(session::Ranks ranks, size_t shown) {
  const std::optional<int64_t> step = strip_.step;
  *this = OpenedRanks(std::move(ranks));
  shown_ = shown;
  if (step) CompareAt(step);
}

void OpenedRanks::Close() { *this = OpenedRanks(); }

}  // namespace tidemark::gui
