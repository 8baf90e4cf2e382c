#include "app/cli/program_ways_out.h"

#include <fmt/format.h>

#include <utility>

#include "app/cli/console/card_option.h"
#include "app/cli/recorded_band.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"

namespace tidemark::cli {

Result<Room> FindRoom(const session::Run& run) {
  const events::RunDescription description = run.description();
  const Result<phantom::Card> card = CardToReplayOn(run);
  if (!card) return card.error();
  const Result<session::AllocatorOf> allocator = AllocatorOfRun(description);
  if (!allocator) return allocator.error();
  const advice::AllocatorSetup own{*card, description.allocator_settings};
  advice::AllocatorTrials tried = advice::TrySettings(*run.view(), own, own, *allocator);
  if (tried.trials.empty()) return Error{tried.error};
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  return Room{std::move(tried), NoteOfCard(description, *card),
              presenters::FitCommand(description, run.view()->devices().size(),
                                     cards ? *cards : std::vector<phantom::Card>())};
}

std::vector<std::string> RoomNotes(const Room& room) {
  const advice::AllocatorTrials& tried = room.tried;
  std::vector<std::string> notes;
  if (!room.of_card.empty()) notes.push_back(room.of_card);
  if (!tried.error.empty()) notes.push_back("Not all could be tried. " + tried.error);
  const bool is_as_recorded = tried.trials.empty() || tried.trials.front().outcome.is_as_recorded;
  if (!is_as_recorded) notes.push_back(advice::kNotAsRecorded);
  const std::vector<advice::AllocatorTrial> with_room = advice::WithRoom(tried.trials);
  if (!with_room.empty() && with_room.front().outcome.ends_at_failure)
    notes.push_back(advice::kRestIsNotKnown);
  return notes;
}

std::string RoomRows(const Room& room) {
  const std::vector<advice::AllocatorTrial> trials = advice::WithRoom(room.tried.trials);
  std::string rows = "Ways out, tried on what the run asked for\n";
  for (const advice::AllocatorTrial& trial : trials) {
    rows += fmt::format("  PYTORCH_CUDA_ALLOC_CONF={}: {}\n", trial.settings,
                        advice::RoomOf(trial.outcome, ByteUnit::kMebibytes));
  }
  if (trials.empty()) rows += fmt::format("  {}\n", advice::kNoneMakesRoom);
  for (const std::string& note : RoomNotes(room)) rows += fmt::format("  {}\n", note);
  return rows + fmt::format("  Mixed precision, checkpointed blocks or a larger card: {} tries them.\n",
                            room.fit_command);
}

Json RoomJson(const Room& room) {
  Json json = Json::array();
  for (const advice::AllocatorTrial& trial : advice::WithRoom(room.tried.trials)) {
    json.push_back({{"change", trial.settings},
                    {"allocator", trial.settings},
                    {"reserved_peak_bytes", trial.outcome.after.reserved_peak_bytes}});
  }
  return json;
}

}  // namespace tidemark::cli
