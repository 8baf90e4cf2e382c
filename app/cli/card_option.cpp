#include "app/cli/card_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/numbers.h"
#include "profiler/base/format.h"
#include "profiler/networks/choices.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kMostGibibytes = 4096;  // of a bare number that was meant so

// "RTX 4090", as people write it, as "rtx-4090".
std::string AsOurs(std::string_view name) {
  std::string ours(name);
  std::ranges::transform(ours, ours.begin(), [](unsigned char letter) {
    return letter == ' ' || letter == '_' ? '-' : static_cast<char>(std::tolower(letter));
  });
  return ours;
}

// "; did you mean 'rtx-3060-ti' or 'rtx-3060-12gb'?": those that begin so, or else the nearest; or "."
std::string Suggested(const std::string& given, const std::vector<std::string>& known) {
  std::vector<std::string> meant;
  for (const std::string& name : known) {
    if (!given.empty() && name.starts_with(given)) meant.push_back(name);
  }
  if (meant.empty()) meant.push_back(networks::NearestChoice(given, known));
  constexpr size_t kFewEnough = 4;
  if (meant.front().empty() || meant.size() > kFewEnough) return ".";
  return fmt::format("; did you mean '{}'?", fmt::join(meant, "' or '"));
}

}  // namespace

Result<phantom::Card> CardNamed(std::string_view name) {
  Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  std::vector<std::string> known;
  for (phantom::Card& card : *cards) {
    if (card.name == name) return std::move(card);
    known.push_back(card.name);
  }
  return Error{fmt::format("There is no graphics card '{}'{} tidemark cards lists them all.",
                           networks::Quoted(name), Suggested(AsOurs(name), known))};
}

Result<std::optional<phantom::Card>> CardOfRun(const events::RunDescription& description) {
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  return session::CardOf(description.device_name, description.device_bytes, *cards);
}

Result<int64_t> MemoryFromText(const std::string& text, const phantom::Card& card) {
  Result<int64_t> bytes = ByteSize("--memory", text);
  if (!bytes || *bytes > card.context_bytes) return bytes;
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  if (bare && *bytes <= kMostGibibytes) {
    return Error{fmt::format("--memory {0} would be {0} bytes; did you mean {0}GiB?", text)};
  }
  return Error{fmt::format("--memory must be more than the {} that the CUDA context takes, not {}.",
                           FormatBytes(card.context_bytes, ByteUnit::kMebibytes), text)};
}

}  // namespace tidemark::cli
