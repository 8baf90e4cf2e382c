#include "profiler/session/recorded_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>

#include "profiler/session/one_card.h"
#include "profiler/session/shortage.h"
#include "profiler/trace/importers/import.h"

namespace tidemark::session {

namespace {

// One under way is not done. Of a run that is too long to be kept whole, its own number tells how many there
// were.
int64_t CompletedSteps(const timeline::View& view) {
  int64_t complete = 0;
  int64_t last = -1;
  for (const timeline::Step& step : view.steps()) {
    if (!step.complete) continue;
    ++complete;
    last = step.number;
  }
  return view.first() == 0 ? complete : last + 1;
}

// Of a run that holds nothing of `device`.
Error NothingOn(uint8_t device, const std::set<uint8_t>& cards, const std::filesystem::path& file) {
  std::vector<std::string> others;
  others.reserve(cards.size());
  for (const uint8_t other : cards) others.push_back(TitleOfCard(other));
  return Error{others.empty() ? fmt::format("{} tells of no memory of any GPU.", file.string())
                              : fmt::format("{} tells nothing of {}: its run used {}.", file.string(),
                                            TitleOfCard(device), fmt::join(others, ", "))};
}

// Hands on what is of one card.
class CardReader {
 public:
  CardReader(timeline::Builder& builder, uint8_t device) : builder_(builder), card_(device) {}

  void Take(std::span<const events::Event> events) {
    kept_.clear();
    std::ranges::copy_if(events, std::back_inserter(kept_),
                         [&](const events::Event& event) { return card_.Keeps(event); });
    builder_.Append(kept_);
  }
  const OneCard& card() const { return card_; }

 private:
  timeline::Builder& builder_;
  OneCard card_;
  std::vector<events::Event> kept_;
};

}  // namespace

Result<std::unique_ptr<Run>> RecordedRun::Open(const std::filesystem::path& file, const Progress& progress,
                                               std::optional<uint8_t> device) {
  timeline::Builder builder;
  CardReader of_card(builder, device.value_or(0));
  const auto take = [&](std::span<const events::Event> events) {
    device ? of_card.Take(events) : builder.Append(events);
  };
  const Result<trace::TideSummary> summary = trace::Import(file, take, progress);
  if (!summary) return summary.error();
  if (device && summary->description.device == "cpu") return NothingOn(*device, {}, file);
  if (device && !of_card.card().cards().contains(*device))
    return NothingOn(*device, of_card.card().cards(), file);
  std::unique_ptr<RecordedRun> run(new RecordedRun());
  run->view_ = builder.Publish();
  run->description_ = device ? DescriptionOfCard(summary->description, *device)
                             : DescriptionOfAll(summary->description, *run->view_);
  run->bookmarks_ = summary->bookmarks;
  run->status_.state = RunState::kFinished;
  run->status_.sentence = summary->warning;
  run->status_.cut_off = !summary->complete;
  run->status_.captured = summary->events;
  run->status_.lost = run->view_->health().lost;
  run->status_.steps_done = CompletedSteps(*run->view_);
  run->status_.out_of_memory = !WentOnAfterFailures(*run->view_);
  return std::unique_ptr<Run>(std::move(run));
}

}  // namespace tidemark::session
