#include "profiler/phantom/faults.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "profiler/base/format.h"

namespace tidemark::phantom {
namespace {

std::optional<int64_t> Count(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return {};
  return number;
}

bool ReadOutOfMemory(std::string_view text, Faults& faults) {
  faults.later_ones_fail_too = text.ends_with("..");
  if (faults.later_ones_fail_too) text.remove_suffix(2);
  faults.failing_request = Count(text).value_or(0);
  return faults.failing_request > 0;
}

bool ReadFragmentation(std::string_view text, Faults& faults) {
  faults.largest_piece_bytes = BytesFromText(text).value_or(0);
  return faults.largest_piece_bytes > 0;
}

bool ReadSlowDriver(std::string_view text, Faults& faults) {
  constexpr int64_t kMostDelayNs = 10'000'000'000;
  int64_t unit_ns = 0;
  if (text.ends_with("us")) unit_ns = 1000;
  if (text.ends_with("ms")) unit_ns = 1'000'000;
  if (unit_ns == 0) return false;
  text.remove_suffix(2);
  const std::optional<int64_t> count = Count(text);
  if (!count || *count > kMostDelayNs / unit_ns) return false;
  faults.request_delay_ns = *count * unit_ns;
  return true;
}

bool ReadOtherProcess(std::string_view text, Faults& faults) {
  const size_t at = text.find('@');
  faults.taken_bytes = BytesFromText(text.substr(0, at)).value_or(0);
  if (faults.taken_bytes == 0 || at == std::string_view::npos) return faults.taken_bytes > 0;
  faults.taken_after = Count(text.substr(at + 1)).value_or(0);
  return faults.taken_after > 0;
}

constexpr std::string_view kAskedFor = "Faults were asked for (";

struct Kind {
  std::string_view name;
  bool (*read)(std::string_view value, Faults& faults);
};
constexpr Kind kKinds[] = {{kOutOfMemoryFault, ReadOutOfMemory},
                           {kFragmentationFault, ReadFragmentation},
                           {kSlowDriverFault, ReadSlowDriver},
                           {kOtherProcessFault, ReadOtherProcess}};

bool ReadOne(std::string_view text, Faults& faults) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const auto* const kind = std::ranges::find(kKinds, text.substr(0, equals), &Kind::name);
  return kind != std::end(kKinds) && kind->read(text.substr(equals + 1), faults);
}

}  // namespace

Result<Faults> FaultsFromText(std::string_view text) {
  Faults faults;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, comma);
    if (!ReadOne(one, faults)) {
      return Error{
          "A fault must be out-of-memory=37 (the 37th request to the driver fails; 37.. = the later ones "
          "too), fragmentation=64MiB (no free piece is larger), slow-driver=2ms (or us; each request takes "
          "so "
          "much longer) or other-process=20GiB@100 (which takes memory after the 100th), not '" +
          std::string(one) + "'."};
    }
    if (comma == text.size()) return faults;
    text.remove_prefix(comma + 1);
  }
}

std::string FaultStruck(std::string_view kind) { return "The fault " + std::string(kind) + " struck: "; }

bool SpeakOfFaults(const std::vector<std::string>& notes) {
  return std::ranges::any_of(notes, [](const std::string& note) { return note.starts_with(kAskedFor); });
}

std::vector<std::string> FaultNotes(std::string_view text, const std::vector<std::string>& notes) {
  if (text.empty()) return {};
  std::vector<std::string> missing = {std::string(kAskedFor) + std::string(text) +
                                      "): the figures are those of a card that fails."};
  for (const Kind& kind : kKinds) {
    if (text.find(std::string(kind.name) + "=") == std::string_view::npos) continue;
    const bool struck = std::ranges::any_of(
        notes, [&](const std::string& note) { return note.starts_with(FaultStruck(kind.name)); });
    if (!struck)
      missing.push_back("The fault " + std::string(kind.name) + " did not happen: nothing came to meet it.");
  }
  return missing;
}

}  // namespace tidemark::phantom
