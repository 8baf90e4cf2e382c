#include "app/cli/programs/settings_trial.h"

#include <algorithm>
#include <cstdint>

#include "profiler/advice/needs.h"
#include "profiler/base/format.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kLeastShare = 20;  // of what was reserved: to save less is no advice

}  // namespace

std::string SettingsAdvice(const session::Run& run, const phantom::Card& card,
                           const session::AllocatorOf& allocator) {
  if (!run.view()->out_of_memory().empty()) return "";
  const advice::AllocatorSetup own{card, run.description().allocator_settings};
  const advice::AllocatorTrials tried = advice::TrySettings(*run.view(), own, own, allocator);
  const std::vector<advice::AllocatorTrial>& trials = tried.trials;
  if (trials.empty()) return "";
  const std::string untried = tried.error.empty() ? "" : " Not all could be tried. " + tried.error;
  const bool is_worth_it = std::ranges::any_of(trials, [](const advice::AllocatorTrial& trial) {
    const int64_t before = trial.outcome.before.reserved_peak_bytes;
    const int64_t saved = before - trial.outcome.after.reserved_peak_bytes;
    return advice::ReservesLess(trial.outcome) && saved >= before / kLeastShare;
  });
  if (!is_worth_it)
    return "Tried on this run, no setting of the allocator saves a twentieth: let sizes repeat from step to "
           "step." +
           untried;
  return advice::AdviceOf(trials, ByteUnit::kMebibytes) + untried;
}

std::vector<advice::AllocatorTrial> SettingsThatFit(const timeline::View& view, const std::string& own,
                                                    const phantom::Card& card,
                                                    const session::AllocatorOf& allocator,
                                                    const Progress& progress) {
  if (view.devices().size() > 1) return {};
  phantom::Card with_room_for_all = card;
  with_room_for_all.memory_bytes = advice::kRoomForAllBytes;
  std::vector<advice::AllocatorTrial> fitting = advice::WithRoom(
      advice::TrySettings(view, {with_room_for_all, own}, {card, own}, allocator, progress).trials);
  std::stable_partition(fitting.begin(), fitting.end(), [](const advice::AllocatorTrial& trial) {
    return trial.settings == advice::kTriedSettings[0] && trial.outcome.after.retries == 0;
  });
  return fitting;
}

}  // namespace tidemark::cli
