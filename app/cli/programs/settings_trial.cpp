#include "app/cli/programs/settings_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "app/cli/programs/fit_row.h"
#include "profiler/advice/needs.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kLeastShare = 20;  // of what was reserved: to save less is no advice

// With settings that it did not have.
std::vector<advice::AllocatorTrial> Tried(const timeline::View& view, const std::string& own,
                                          const phantom::Card& ran_on, const phantom::Card& card,
                                          const session::AllocatorOf& allocator) {
  const Result<advice::ReplayedRun> replayed = advice::ReplayedRun::Of(view, {ran_on, own}, allocator);
  if (!replayed) return {};
  return advice::TrySettings(*replayed, {card, own}).trials;
}

}  // namespace

std::string SettingsAdvice(const session::Run& run, const phantom::Card& card,
                           const session::AllocatorOf& allocator) {
  if (!run.view()->out_of_memory().empty()) return "";
  const std::vector<advice::AllocatorTrial> trials =
      Tried(*run.view(), run.description().allocator_settings, card, card, allocator);
  if (trials.empty()) return "";
  const bool is_worth_it = std::ranges::any_of(trials, [](const advice::AllocatorTrial& trial) {
    const int64_t before = trial.outcome.before.reserved_peak_bytes;
    const int64_t saved = before - trial.outcome.after.reserved_peak_bytes;
    return advice::ReservesLess(trial.outcome) && saved >= before / kLeastShare;
  });
  if (!is_worth_it)
    return "Tried on this run, no setting of the allocator saves a twentieth: let sizes repeat from step to "
           "step.";
  return advice::AdviceOf(trials, ByteUnit::kMebibytes);
}

std::vector<advice::AllocatorTrial> SettingsThatFit(const timeline::View& view, const std::string& own,
                                                    const phantom::Card& card,
                                                    const session::AllocatorOf& allocator) {
  if (view.devices().size() > 1) return {};
  phantom::Card with_room_for_all = card;
  with_room_for_all.memory_bytes = advice::kRoomForAllBytes;
  std::vector<advice::AllocatorTrial> fitting =
      advice::WithRoom(Tried(view, own, with_room_for_all, card, allocator));
  std::stable_partition(fitting.begin(), fitting.end(), [](const advice::AllocatorTrial& trial) {
    return trial.settings == advice::kTriedSettings[0] && trial.outcome.after.retries == 0;
  });
  return fitting;
}

std::string SettingsText(const std::vector<advice::AllocatorTrial>& fitting, const phantom::Card& card) {
  if (fitting.empty()) return "";
  const phantom::Replayed& with = fitting.front().outcome.after;
  return fmt::format("On the {}, with PYTORCH_CUDA_ALLOC_CONF, tried on what it asked for:\n", card.title) +
         FitRow("with", "allocated", "taken", "") +
         FitRow(fitting.front().settings, FormatBytes(with.allocated_peak_bytes, ByteUnit::kMebibytes),
                FormatBytes(with.fullest_reserved_bytes + card.context_bytes, ByteUnit::kMebibytes),
                with.retries > 0 ? "fits, but nearly full: PyTorch empties its cache" : "fits");
}

Json SettingsJson(const std::vector<advice::AllocatorTrial>& fitting) {
  Json rows = Json::array();
  for (const advice::AllocatorTrial& trial : fitting) {
    rows.push_back(
        {{"allocator", trial.settings}, {"reserved_peak_bytes", trial.outcome.after.reserved_peak_bytes}});
  }
  return rows;
}

}  // namespace tidemark::cli
