#include "app/cli/recorded_band.h"

#include <string>
#include <vector>

#include "app/cli/console/card_option.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/faults.h"
#include "profiler/phantom/programs/stand_in_cache.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

// The allocator that the run had, with its settings.
Result<session::ReservedBand> ReplayedBand(const session::Run& run, const phantom::Card& card,
                                           const Progress& progress) {
  const events::RunDescription description = run.description();
  const std::vector<std::string> environment = events::AllocatorEnvironment(description.allocator_settings);
  const Result<session::AllocatorOf> allocator = AllocatorOfRun(description);
  if (!allocator) return allocator.error();
  return session::ReservedBandOf(*run.view(), card, *allocator, environment, progress);
}

}  // namespace

Result<session::AllocatorOf> AllocatorOfRun(const events::RunDescription& description) {
  session::AllocatorOf allocator;
  const auto addresses = AddressesFromText(description.address_order);
  if (!addresses) return addresses.error();
  allocator.addresses = addresses->value_or(allocator.addresses);
  if (description.torch_build_id.empty()) return allocator;
  const Result<phantom::ProgramLibraries> libraries = phantom::KeptLibraries(description.torch_build_id);
  if (!libraries) return libraries.error();
  allocator.replayer = libraries->replayer;
  allocator.stand_ins = libraries->stand_ins;
  return allocator;
}

std::optional<Result<session::ReservedBand>> RecordedBand(const session::Run& run, const Progress& progress) {
  const events::RunDescription description = run.description();
  if (!networks::IsPhantom(description.device)) return {};
  if (phantom::SpeakOfFaults(description.notes)) return Error{std::string(session::kNoBandOfFaults)};
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  const auto card = session::CardOf(description.device_name, description.device_bytes, *cards);
  if (!card) return {};
  return ReplayedBand(run, *card, progress);
}

}  // namespace tidemark::cli
