// The card of a run, and the options that say how a phantom of one is: the values of --memory, and
// --addresses. Reads the assets folder.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "profiler/base/result.h"
#include "profiler/events/run_description.h"
#include "profiler/phantom/address_order.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {

// The card that a run was on, with the memory that it had; nothing where a file does not tell it, or it is
// none of the known ones.
Result<std::optional<phantom::Card>> CardOfRun(const events::RunDescription& description);

// "16GiB" and the like, more than the card's context takes.
Result<int64_t> MemoryFromText(const std::string& text, const phantom::Card& card);

// "" where nothing is said; else for AddressesFromText.
void AddAddressesOption(CLI::App& command, std::string& order);
// None where nothing is said.
Result<std::optional<phantom::AddressOrder>> AddressesFromText(const std::string& text);

}  // namespace tidemark::cli
