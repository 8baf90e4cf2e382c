#include "app/gui/background/live_ranks.h"

#include <algorithm>
#include <utility>

namespace tidemark::gui {

using namespace std::chrono_literals;

bool LiveRanks::Show(const session::Run& run, size_t place) {
  if (place >= listed_.size() || listed_[place] == &ShownOf(run)) return false;
  chosen_ = listed_[place];
  return true;
}

const session::Run& LiveRanks::ShownOf(const session::Run& run) const {
  const auto ranks = run.ranks();
  return ranks.empty() ? run : *ranks[PlaceIn(ranks)];
}

size_t LiveRanks::PlaceIn(const std::vector<const session::Run*>& ranks) const {
  const auto found = std::ranges::find(ranks, chosen_);
  return found == ranks.end() ? 0 : static_cast<size_t>(found - ranks.begin());
}

std::optional<LiveRanks::Reading> LiveRanks::BeginReading(const session::Run& run, bool with_curves,
                                                          Clock::time_point now) {
  constexpr auto kReadEvery = 300ms;
  const bool lacks_curves = with_curves && !with_curves_;
  if (reads_ || run.ranks().size() < 2) return std::nullopt;
  if (!lacks_curves && now - read_at_ < kReadEvery) return std::nullopt;
  read_at_ = now;
  Reading reading{session::RanksSoFar(run), with_curves};
  std::vector<std::shared_ptr<const timeline::View>> views;
  for (const session::RankSoFar& rank : reading.ranks) views.push_back(rank.view);
  if (views == read_ && with_curves == with_curves_) return std::nullopt;
  read_ = std::move(views);
  with_curves_ = with_curves;
  reads_ = true;
  return reading;
}

}  // namespace tidemark::gui
