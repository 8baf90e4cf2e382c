#include "app/presenters/allocations/allocation_filter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "app/presenters/allocations/allocations.h"
#include "profiler/base/format.h"
#include "profiler/base/result.h"

namespace tidemark::presenters {
namespace {

using Range = AllocationFilter::Range;

std::optional<uint64_t> Number(std::string_view text) {
  const bool hexadecimal = text.substr(0, 2) == "0x";
  if (hexadecimal) text.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<uint64_t> Duration(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc() || end != text.data() + digits) return std::nullopt;
  for (const auto& [name, nanoseconds] : kUnits) {
    if (text.substr(digits) == name && number * nanoseconds < 1e18)
      return static_cast<uint64_t>(number * nanoseconds);
  }
  return std::nullopt;
}

std::optional<uint64_t> Bytes(std::string_view text) {
  if (text == "0") return 0;
  const std::optional<int64_t> bytes = BytesFromText(text);
  return bytes ? std::optional(static_cast<uint64_t>(*bytes)) : std::nullopt;
}

// ">1MB", "<=64KiB": narrows `range`.
bool Compare(std::string_view text, std::optional<uint64_t> (*read)(std::string_view), Range& range) {
  const bool greater = text[0] == '>';
  const bool equal = text.size() > 1 && text[1] == '=';
  const std::optional<uint64_t> value = read(text.substr(equal ? 2 : 1));
  if (!value || (!greater && !equal && *value == 0)) return false;
  if (greater) {
    range.least = std::max(range.least, *value + (equal ? 0 : 1));
  } else {
    range.most = std::min(range.most, *value - (equal ? 0 : 1));
  }
  return true;
}

// "100..200", "100..", "..200", "150": narrows `range`.
bool Between(std::string_view text, Range& range) {
  const size_t dots = text.find("..");
  const std::string_view low = text.substr(0, dots);
  const std::string_view high = dots == std::string_view::npos ? text : text.substr(dots + 2);
  if (low.empty() && high.empty()) return false;
  const std::optional<uint64_t> least = low.empty() ? 0 : Number(low);
  const std::optional<uint64_t> most = high.empty() ? range.most : Number(high);
  if (!least || !most || *least > *most) return false;
  range.least = std::max(range.least, *least);
  range.most = std::min(range.most, *most);
  return true;
}

bool BetweenEvents(std::string_view text, std::optional<Range>& range) {
  Range narrowed = range.value_or(Range());
  if (!Between(text, narrowed)) return false;
  range = narrowed;
  return true;
}

// "optimizer-state", "optim", "temp": those whose names begin so.
bool AddCategories(std::string_view text, std::vector<events::Category>& categories) {
  std::string beginning = LowerCase(text);
  for (char& letter : beginning) letter = letter == '-' || letter == '_' ? ' ' : letter;
  const size_t before = categories.size();
  for (int i = 0; i < events::kCategoryCount && !beginning.empty(); ++i) {
    const auto category = static_cast<events::Category>(i);
    if (LowerCase(events::NameOf(category)).starts_with(beginning)) categories.push_back(category);
  }
  return categories.size() > before;
}

bool In(uint64_t value, const Range& range) { return range.least <= value && value <= range.most; }

constexpr std::string_view kLife = "life";
constexpr std::string_view kBorn = "born:";
constexpr std::string_view kFreed = "freed:";
constexpr std::string_view kCategory = "category:";
constexpr std::string_view kAlive = "alive:";
constexpr std::string_view kAt = "at:";

// What a person means who writes "born<100", "size:1MB" or "address=0x7f00"; null of what is a word. A name
// may hold "::", but none of these before a single sign.
const char* ExampleForKey(std::string_view token) {
  static constexpr std::pair<std::string_view, const char*> kExamples[] = {
      {"born", "born:100..200"}, {"freed", "freed:100..200"}, {"category", "category:activation"},
      {"alive", "alive:150"},    {"life", "life>10ms"},       {"lifetime", "life>10ms"},
      {"size", ">1MB"},          {"bytes", ">1MB"},           {"at", "at:0x7f00..0x7fff"},
      {"addr", "at:0x7f00"},     {"address", "at:0x7f00"}};
  const size_t sign = token.find_first_of(":<>=");
  if (sign == std::string_view::npos || token.substr(sign).starts_with("::")) return nullptr;
  for (const auto& [key, example] : kExamples) {
    if (token.substr(0, sign) == key) return example;
  }
  return nullptr;
}

Status Take(std::string_view token, AllocationFilter& filter) {
  const auto unreadable = [token](const char* example) {
    return Error{"'" + std::string(token) + "' cannot be read; write for example " + example + "."};
  };
  if (token[0] == '>' || token[0] == '<') {
    if (!Compare(token, Bytes, filter.bytes)) return unreadable(">1MB");
  } else if (token.starts_with(kLife) && token.size() > kLife.size() &&
             (token[kLife.size()] == '>' || token[kLife.size()] == '<')) {
    if (!Compare(token.substr(kLife.size()), Duration, filter.life_ns)) return unreadable("life>10ms");
  } else if (token.starts_with(kBorn)) {
    if (!BetweenEvents(token.substr(kBorn.size()), filter.born)) return unreadable("born:100..200");
  } else if (token.starts_with(kFreed)) {
    if (!BetweenEvents(token.substr(kFreed.size()), filter.freed)) return unreadable("freed:100..200");
  } else if (token.starts_with(kCategory)) {
    if (!AddCategories(token.substr(kCategory.size()), filter.categories))
      return unreadable("category:activation");
  } else if (token.starts_with(kAt) && !token.starts_with("at::")) {
    if (!Between(token.substr(kAt.size()), filter.addresses)) return unreadable("at:0x7f00..0x7fff");
  } else if (token.starts_with(kAlive)) {
    const std::optional<uint64_t> index = Number(token.substr(kAlive.size()));
    if (!index) return unreadable("alive:150");
    filter.alive_at.push_back(*index);
  } else if (const char* example = ExampleForKey(token); example != nullptr) {
    return unreadable(example);
  } else if (token[0] == '-' && token.size() > 1) {
    filter.excluded.push_back(LowerCase(token.substr(1)));
  } else {
    filter.words.push_back(LowerCase(token));
  }
  return Done{};
}

}  // namespace

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

bool HoldsWord(std::string_view text, std::string_view word) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  const auto is_letter = [](char letter) { return letter >= 'a' && letter <= 'z'; };
  const auto is_in_name = [&](char letter) { return is_letter(letter) || is_digit(letter); };
  // What stands behind a number makes it another name: a digit, or one letter that ends the name.
  const auto goes_on = [&](std::string_view behind) {
    if (behind.empty() || is_digit(behind[0])) return !behind.empty();
    return is_letter(behind[0]) && (behind.size() == 1 || !is_in_name(behind[1]));
  };
  const bool ends_whole = !word.empty() && is_digit(word.back()) && !is_digit(word.front());
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if (!ends_whole || !goes_on(text.substr(at + word.size()))) return true;
  }
  return false;
}

ReadFilter ReadAllocationFilter(std::string_view text) {
  ReadFilter read;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const Status taken = end > 0 ? Take(text.substr(0, end), read.filter) : Done{};
    if (!taken) read.unreadable += (read.unreadable.empty() ? "" : " ") + taken.error().message;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return read;
}

bool Matches(const AllocationFilter& filter, const Allocation& allocation) {
  const timeline::LiveBlock& block = allocation.block;
  const uint64_t last_byte =
      block.address + static_cast<uint64_t>(std::max<int64_t>(block.rounded_bytes, 1)) - 1;
  return In(static_cast<uint64_t>(block.bytes), filter.bytes) &&
         In(static_cast<uint64_t>(allocation.life_ns), filter.life_ns) &&
         (!filter.born || In(block.born, *filter.born)) &&
         (!filter.freed || (allocation.freed && In(*allocation.freed, *filter.freed))) &&
         (filter.categories.empty() || std::ranges::count(filter.categories, block.category) > 0) &&
         last_byte >= filter.addresses.least && block.address <= filter.addresses.most &&
         std::ranges::all_of(filter.alive_at, [&](uint64_t index) {
           return block.born <= index && (!allocation.freed || *allocation.freed > index);
         });
}

bool MatchesWords(const AllocationFilter& filter, std::string_view searchable) {
  const auto contains = [searchable](const std::string& word) { return HoldsWord(searchable, word); };
  return std::ranges::all_of(filter.words, contains) && std::ranges::none_of(filter.excluded, contains);
}

}  // namespace tidemark::presenters
