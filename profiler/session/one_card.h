// The events of one of a process's cards, for a run that is to be told of that card alone: what was allocated
// and ran there, and what is of no card (steps, layers, markers). What CUPTI counts is of all
// cards together, what NVML does of the process's first: both are left out. Not thread safe; O(1) an event.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_set>

#include "profiler/events/event.h"
#include "profiler/events/run_description.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::session {

// As PyTorch calls it: "cuda:1".
std::string TitleOfCard(uint8_t device);

// Of a run that is told of that card alone: its title says so, a device that was one or more cards is that
// card, and what is doubted of several cards' sum is not doubted of it.
events::RunDescription DescriptionOfCard(events::RunDescription whole, uint8_t device);

// Of a run whose cards are added up: where `view` has several, a note says so.
events::RunDescription DescriptionOfAll(events::RunDescription whole, const timeline::View& view);

class OneCard {
 public:
  // `device`: as the process counts: cuda:0 is 0.
  explicit OneCard(uint8_t device) : device_(device) {}

  // Each event once, in order.
  bool Keeps(const events::Event& event);

  // On which anything was allocated so far.
  const std::set<uint8_t>& cards() const { return cards_; }

 private:
  const uint8_t device_;
  std::set<uint8_t> cards_;
  std::unordered_set<uint64_t> blocks_;  // addresses of those that are alive on it
};

}  // namespace tidemark::session
