#include "app/presenters/advice/fit_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/session/card_fit.h"

namespace tidemark::presenters {
namespace {

std::string Words(const std::string& allocator) {
  return allocator.empty() ? "PyTorch's own settings of the allocator" : allocator;
}

std::string Words(const phantom::Card& card, ByteUnit unit) {
  return fmt::format("the {} with {}", session::ShortCardTitle(card.title),
                     session::CardSize(card.memory_bytes, unit));
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
    sentences.push_back("Found for " + Words(question.card, unit) +
                        (now.card ? ", not for " + Words(*now.card, unit) : "") + ".");
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
