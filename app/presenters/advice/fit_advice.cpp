#include "app/presenters/advice/fit_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/session/card_fit.h"

namespace tidemark::presenters {
namespace {

std::string Words(const std::string& allocator) {
  return allocator.empty() ? "PyTorch's own settings of the allocator" : allocator;
}

bool IsSame(const phantom::Card& card, const std::optional<phantom::Card>& other) {
  return other && other->name == card.name && other->memory_bytes == card.memory_bytes;
}

}  // namespace

bool IsOf(const advice::FitQuestion& question, const FitSubject& now) {
  return question.settings == now.settings && IsSame(question.card, now.card) &&
         question.allocator == now.allocator;
}

std::string FoundForOther(const advice::FitQuestion& question, const FitSubject& now, ByteUnit unit) {
  std::vector<std::string> sentences;
  if (question.settings != now.settings) {
    sentences.push_back(
        "Found for other settings: " + networks::DescribeChange(now.settings, question.settings) + ".");
  }
  if (!IsSame(question.card, now.card)) {
    // One card with two memories: of one of them somebody asked for so many bytes.
    const bool is_same_name = now.card && now.card->name == question.card.name;
    const auto words = [&](const phantom::Card& card) {
      return fmt::format(
          "the {} with {}", session::ShortCardTitle(card.title),
          is_same_name ? FormatBytes(card.memory_bytes, unit) : session::CardSize(card.memory_bytes));
    };
    sentences.push_back("Found for " + words(question.card) +
                        (now.card ? ", not for " + words(*now.card) : "") + ".");
  }
  if (question.allocator != now.allocator)
    sentences.push_back("Found with " + Words(question.allocator) + ", not with " + Words(now.allocator) +
                        ".");
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::optional<int> SmallerBatch(const FitAdvice& found, FitSubject now, int batch) {
  if (found.searching && !found.largest_batch) return std::nullopt;
  if (found.largest_batch.value_or(0) == 0) return batch / 2;
  now.settings.batch = found.largest_for->settings.batch;
  const bool helps = IsOf(*found.largest_for, now) && *found.largest_batch < now.settings.batch;
  return helps ? std::min(*found.largest_batch, batch) : batch / 2;
}

}  // namespace tidemark::presenters
