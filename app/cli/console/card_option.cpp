#include "app/cli/console/card_option.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "app/cli/console/numbers.h"
#include "profiler/base/format.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kMostGibibytes = 4096;            // of a bare number that was meant so
constexpr int64_t kMostMemory = int64_t{64} << 40;  // what the phantom has addresses for

}  // namespace

Result<std::optional<phantom::Card>> CardNamedBy(const events::RunDescription& description) {
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  return session::CardOf(description.device_name, description.device_bytes, *cards);
}

Result<phantom::Card> CardToReplayOn(const session::Run& run, const std::string& fallback) {
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  return session::CardOr(fallback, run.description(), run.view().get(), *cards);
}

std::string NoteOfCard(const events::RunDescription& description, const phantom::Card& taken) {
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards || session::CardOf(description.device_name, description.device_bytes, *cards)) return "";
  return fmt::format("{}: the same requests were tried on an {} with {}.",
                     description.device == "cpu" ? "The run was on the CPU" : "The file names no known card",
                     taken.title, FormatBytes(taken.memory_bytes, ByteUnit::kMebibytes));
}

Result<int64_t> MemoryFromText(const std::string& text, const phantom::Card& card) {
  Result<int64_t> bytes = ByteSize("--memory", text);
  if (bytes && *bytes > kMostMemory) {
    return Error{fmt::format("--memory must be at most {}GiB, not {}.", kMostMemory >> 30, text)};
  }
  if (!bytes || *bytes > card.context_bytes) return bytes;
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  if (bare && *bytes <= kMostGibibytes) {
    return Error{fmt::format("--memory {0} would be {0} bytes; did you mean {0}GiB?", text)};
  }
  return Error{fmt::format("--memory must be more than the {} that the CUDA context takes, not {}.",
                           FormatBytes(card.context_bytes, ByteUnit::kMebibytes), text)};
}

void AddAddressesOption(CLI::App& command, std::string& order) {
  command
      .add_option(
          "--addresses", order,
          "In which order the driver hands out addresses, which moves what is reserved: linux, linux-580 "
          "(driver 580), wsl (Windows, too) or scattered-7 (any number)")
      ->type_name("ORDER");
}

Result<std::optional<phantom::AddressOrder>> AddressesFromText(const std::string& text) {
  if (text.empty()) return std::optional<phantom::AddressOrder>();
  const Result<phantom::AddressOrder> order = phantom::AddressOrderFromText(text);
  if (!order) return order.error();
  return std::optional(*order);
}

}  // namespace tidemark::cli
