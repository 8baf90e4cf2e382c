// The card of a run, and the options that say how a phantom of one is: the values of --memory, and
// --addresses. Reads the assets folder.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/address_order.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// The card that a run was on, with the memory that it had. None of a run on the CPU, and where a file names
// none, or none that is known.
Result<std::optional<phantom::Card>> CardNamedBy(const events::RunDescription& description);
// The same, and else the card `fallback` with what is known of the run's memory (session::CardOr): a replay
// needs one, and not every file names it. And what is to be said then; "" where it is the run's own.
Result<phantom::Card> CardToReplayOn(const session::Run& run,
                                     const std::string& fallback = networks::DeviceChoice{}.card);
std::string NoteOfCard(const events::RunDescription& description, const phantom::Card& taken);

// "16GiB" and the like, more than the card's context takes.
Result<int64_t> MemoryFromText(const std::string& text, const phantom::Card& card);

// "" where nothing is said; else for AddressesFromText.
void AddAddressesOption(CLI::App& command, std::string& order);
// None where nothing is said.
Result<std::optional<phantom::AddressOrder>> AddressesFromText(const std::string& text);

}  // namespace tidemark::cli
