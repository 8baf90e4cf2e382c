#include "app/presenters/advice/fit_advice.h"

#include "tests/support/catch.h"

namespace tidemark::presenters {
namespace {

phantom::Card CardWith(const char* name, const char* title, int64_t gigabytes) {
  phantom::Card card;
  card.name = name;
  card.title = title;
  card.memory_bytes = gigabytes * 1'000'000'000;
  return card;
}

}  // namespace

TEST_CASE("An answer that was found for something else says for what") {
  advice::FitQuestion question;
  question.settings.batch = 16;
  question.card = CardWith("t4", "NVIDIA T4", 16);
  FitSubject now{question.settings, question.card, ""};
  const auto told = [&] { return FoundForOther(question, now, ByteUnit::kMegabytes); };
  CHECK(IsOf(question, now));
  CHECK(told().empty());

  now.card = CardWith("h200", "NVIDIA H200", 150);
  CHECK_FALSE(IsOf(question, now));
  CHECK(told() == "Found for the T4 with 16 GiB, not for the H200 with 141 GiB.");
  now.card = CardWith("t4", "NVIDIA T4", 8);  // --memory
  CHECK_FALSE(IsOf(question, now));
  CHECK(told() == "Found for the T4 with 16.00 GB, not for the T4 with 8.00 GB.");
  now.card.reset();
  CHECK(told() == "Found for the T4 with 16 GiB.");

  now = {question.settings, question.card, advice::kExpandableSegments};
  CHECK_FALSE(IsOf(question, now));
  CHECK(told() == "Found with PyTorch's own settings of the allocator, not with expandable_segments:True.");

  now = {question.settings, question.card, ""};
  now.settings.batch = 64;
  CHECK_FALSE(IsOf(question, now));
  CHECK(told() == "Found for other settings: batch 64 → 16.");
}

TEST_CASE("After an out of memory the batch to go on with is the largest that fits, or half") {
  FitSubject now;
  now.settings.batch = 512;
  now.card = CardWith("t4", "NVIDIA T4", 16);
  FitAdvice found;
  CHECK(SmallerBatch(found, now, 512) == 256);  // nobody has searched
  found.searching = true;
  CHECK_FALSE(SmallerBatch(found, now, 512));  // it is asked
  found.largest_batch = 171;
  found.largest_for = advice::FitQuestion{{}, now.settings, *now.card, 0, ""};
  CHECK(SmallerBatch(found, now, 512) == 171);
  CHECK(SmallerBatch(found, now, 100) == 100);  // chosen since
  found.largest_batch = 600;                    // yet 512 did not fit
  CHECK(SmallerBatch(found, now, 512) == 256);
  found.largest_batch = 171;
  now.allocator = advice::kExpandableSegments;  // it was found for others
  CHECK(SmallerBatch(found, now, 512) == 256);
}

}  // namespace tidemark::presenters
