#include "app/cli/programs/card_verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>

#include "app/cli/programs/program_fit.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr const char* kCuda = "12.8";  // that the program's torch is built with

std::shared_ptr<const timeline::View> Took(int64_t bytes, bool after_a_failure = false) {
  timeline::Stream stream;
  if (after_a_failure) stream.Add(events::EventKind::kOutOfMemory, 0, bytes);
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, bytes);
  stream.Allocate(0x100000, bytes);
  return stream.Publish();
}

CardVerdicts AskedOf(const char* card) { return *CardVerdicts::Of(*phantom::FindCard(card), "", {}, kCuda); }

CardRun First(const char* card, int64_t bytes, bool after_a_failure = false) {
  return {{Took(bytes, after_a_failure), ""}, *phantom::FindCard(card)};
}

CardRun EndedWell(const phantom::Card& card, int64_t bytes) {
  return {{Took(bytes), ""}, card, /*had_own_memory=*/true};
}
CardRun RanOut(const phantom::Card& card) {
  return {{nullptr, "Tried to allocate 20.00 MiB.", /*ran_out=*/true}, card, /*had_own_memory=*/true};
}

std::string NameOfNext(const CardVerdicts& verdicts, bool with_own_memory) {
  const CardsToRun next = verdicts.NextToRun();
  CHECK(next.with_own_memory == with_own_memory);
  return next.cards.size() == 1 ? next.cards[0].name : std::to_string(next.cards.size()) + " cards";
}

// By memory, of those that the torch has kernels for.
std::string Smallest(const CardVerdicts& verdicts) {
  return std::ranges::find_if(verdicts.verdicts(), &CardVerdict::has_kernels)->card.name;
}
std::string Largest(const CardVerdicts& verdicts) { return verdicts.verdicts().back().card.name; }

bool Tells(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const CardVerdict& VerdictOf(const CardVerdicts& verdicts, const std::string& card) {
  return *std::ranges::find_if(verdicts.verdicts(),
                               [&](const CardVerdict& one) { return one.card.name == card; });
}

}  // namespace

TEST_CASE("A program that survives failures is run with each card's own memory, upward until it ends well") {
  CardVerdicts verdicts = AskedOf("t4");
  REQUIRE(verdicts.Take(First("t4", 16'000 * kGiB, /*after_a_failure=*/true)).ok());
  CHECK(verdicts.takes_what_there_is());
  CHECK(verdicts.Smallest() == nullptr);
  CHECK_FALSE(verdicts.HasNoRoom(verdicts.asked()));
  REQUIRE(NameOfNext(verdicts, true) == "t4");
  REQUIRE(verdicts.Take(EndedWell(verdicts.asked(), 14 * kGiB)).ok());
  CHECK(VerdictOf(verdicts, "t4").held.reserved_bytes == 14 * kGiB);
  const std::string smallest = Smallest(verdicts);
  REQUIRE(NameOfNext(verdicts, true) == smallest);
  REQUIRE(verdicts.Take(RanOut(*phantom::FindCard(smallest))).ok());
  const CardsToRun second = verdicts.NextToRun();
  REQUIRE(second.cards.size() == 1);
  CHECK(second.cards[0].name != smallest);
  REQUIRE(verdicts.Take(EndedWell(second.cards[0], 3 * kGiB)).ok());
  CHECK(verdicts.NextToRun().cards.empty());
  CHECK(verdicts.Smallest()->card.name == second.cards[0].name);
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(Tells(text, "It takes what the card has: with room for all it allocated 16,000.00 GiB at its peak."));
  CHECK(Tells(text, "The smallest known card on which it ends well is the " + second.cards[0].title + "."));
  CHECK(Tells(text, "train.py on the NVIDIA T4: ends well, and takes 14."));
  CHECK(Tells(text, "runs out of memory: Tried to allocate 20.00 MiB.\n"));
  CHECK(Tells(text, "--all-cards runs it on each kind"));
  const Json json = VerdictsJson(verdicts, "train.py", "", {});
  CHECK(json["why_no_runs"].is_null());
  CHECK(VerdictsJson(verdicts, "train.py", "No room.", {})["why_no_runs"] == "No room.");
  CHECK(json["takes_what_there_is"] == true);
  CHECK(json["smallest"] == second.cards[0].name);
  // All that are left, each for itself: another's run has another memory.
  const CardsToRun rest = verdicts.StillToRun();
  CHECK(rest.with_own_memory);
  CHECK(rest.cards.size() > 10);
}

TEST_CASE("Cards of one size are told with that size, not as from it to itself") {
  const std::regex twice(R"(cards with ([0-9.]+ GiB) to \1 )");
  for (const char* const card : {"t4", "h100", "b200"}) {
    for (const int64_t gibibytes : {1, 3, 5, 7, 9, 11, 14, 20, 28, 44, 60, 90, 130, 170}) {
      CardVerdicts verdicts = AskedOf(card);
      REQUIRE(verdicts.Take(First(card, gibibytes * kGiB)).ok());
      const std::string text = VerdictsText(verdicts, "train.py", "Stopped.");
      CAPTURE(text);
      CHECK_FALSE(std::regex_search(text, twice));
    }
  }
}

TEST_CASE("Where it ran on no other card that has kernels for it, all of them are judged by its requests") {
  CardVerdicts verdicts = AskedOf("t4");
  REQUIRE(verdicts.Take(First("t4", kGiB)).ok());
  CHECK(Tells(VerdictsText(verdicts, "train.py", "Stopped."), "may be others: all other cards."));
}

TEST_CASE("Of a program on several cards of a kind each has room for its own part") {
  CardVerdicts verdicts = AskedOf("t4");
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 14 * kGiB);
  stream.Allocate(0x100000, 14 * kGiB);
  stream.Add(events::EventKind::kSegmentAllocate, 0x9000000000, 12 * kGiB).device = 1;
  stream.Allocate(0x9000000000, 12 * kGiB).device = 1;
  REQUIRE(verdicts.Take({{stream.Publish(), ""}, *phantom::FindCard("t4")}).ok());
  CHECK(VerdictOf(verdicts, "t4").fits);
  CHECK(VerdictOf(verdicts, "t4").held.reserved_bytes == 14 * kGiB);
  CHECK(verdicts.HasNoRoom(VerdictOf(verdicts, "gtx-1650").card));
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(Tells(text, "The smallest known card with room for it is the NVIDIA T4, of which it uses 2."));
  CHECK(VerdictsJson(verdicts, "train.py", "", {})["cards_used"] == 2);
}

TEST_CASE("A share of the memory that is there is noticed where a card with less is run") {
  CardVerdicts verdicts = AskedOf("h100");
  REQUIRE(verdicts.Take(First("h100", 14'000 * kGiB)).ok());
  CHECK_FALSE(verdicts.takes_what_there_is());  // it may as well need so much
  CHECK(verdicts.OfAsked()->needed.allocated_bytes == 14'000 * kGiB);
  CHECK(verdicts.Smallest() == nullptr);
  REQUIRE(NameOfNext(verdicts, true) == "h100");
  REQUIRE(verdicts.Take(EndedWell(verdicts.asked(), 70 * kGiB)).ok());
  CHECK(verdicts.takes_what_there_is());
  CHECK(verdicts.OfAsked()->needed.allocated_bytes == 0);
  CHECK(NameOfNext(verdicts, true) == Smallest(verdicts));
}

TEST_CASE(
    "Libraries that find no room for their first choice of workspaces take less, and not what there is") {
  CardVerdicts verdicts = AskedOf("gtx-1650");
  const auto training = [](int64_t workspace_bytes) {
    timeline::Stream stream;
    stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 2 * kGiB + workspace_bytes);
    stream.Allocate(0x100000, 2 * kGiB, events::Category::kActivation);
    stream.Allocate(0x900000000, workspace_bytes, events::Category::kWorkspace);
    return stream.Publish();
  };
  REQUIRE(verdicts.Take({{training(4 * kGiB), ""}, verdicts.asked()}).ok());
  REQUIRE(NameOfNext(verdicts, true) == "gtx-1650");
  REQUIRE(verdicts.Take({{training(kGiB), ""}, verdicts.asked(), /*had_own_memory=*/true}).ok());
  CHECK_FALSE(verdicts.takes_what_there_is());
  CHECK(verdicts.OfAsked()->fits);
  CHECK(verdicts.OfAsked()->is_tight());
  REQUIRE(NameOfNext(verdicts, false) != "gtx-1650");
  REQUIRE(verdicts.Take({{training(4 * kGiB), ""}, *phantom::FindCard("rtx-4090")}).ok());
  CHECK(verdicts.Smallest()->card.memory_bytes > 6 * kGiB);
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(Tells(text,
              "train.py on the NVIDIA GeForce GTX 1650: fits, but with no room for the workspaces of its "
              "first choice: with slower kernels, and takes 3."));
  CHECK(VerdictsJson(verdicts, "train.py", "", {})["cards"][0]["has_smaller_workspaces"] == true);
}

TEST_CASE("A card with other memory than it is sold with is told with that") {
  phantom::Card limited = *phantom::FindCard("h200");
  limited.memory_bytes = 7 * kGiB / 2;
  CardVerdicts verdicts = *CardVerdicts::Of(limited, "", {}, kCuda);
  REQUIRE(verdicts.Take({{Took(kGiB), ""}, limited}).ok());
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(Tells(text, "NVIDIA H200 limited to 3.50 GiB  "));
  CHECK_FALSE(Tells(text, "NVIDIA H200 ("));
  CHECK(Tells(text, "train.py on the NVIDIA H200 limited to 3.50 GiB: fits.\n"));
}

TEST_CASE("What needs more than any card has is tried on the card that was asked for and on the largest") {
  CardVerdicts verdicts = AskedOf("t4");
  REQUIRE(verdicts.Take(First("t4", 14'000 * kGiB)).ok());
  REQUIRE(NameOfNext(verdicts, true) == "t4");
  REQUIRE(verdicts.Take(RanOut(verdicts.asked())).ok());
  const CardsToRun largest = verdicts.StillToRun();
  REQUIRE(largest.cards.size() == 1);
  REQUIRE(largest.cards[0].name == Largest(verdicts));
  REQUIRE(verdicts.Take(RanOut(largest.cards[0])).ok());
  CHECK(verdicts.NextToRun().cards.empty());
  CHECK(verdicts.StillToRun().cards.empty());
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(Tells(text, "None of the known cards has room for it."));
  CHECK(Tells(text, "train.py on the NVIDIA T4: does not fit: at least 13,985.55 GiB short.\n"));
  CHECK_FALSE(Tells(text, "takes what the card has"));
}

TEST_CASE("Settings of the allocator that give room are told with the card that has none without them") {
  CardVerdicts verdicts = AskedOf("t4");
  REQUIRE(verdicts.Take(First("t4", 14'000 * kGiB)).ok());
  REQUIRE(verdicts.Take(RanOut(verdicts.asked())).ok());
  const std::string text = VerdictsText(verdicts, "train.py", "", "expandable_segments:True");
  CHECK(
      Tells(text,
            "train.py on the NVIDIA T4: does not fit: with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "
            "it has room.\n"));
}

TEST_CASE("What fits on the card that was asked for is looked for on smaller ones, with room for all") {
  CardVerdicts verdicts = AskedOf("h100");
  REQUIRE(verdicts.Take(First("h100", 20 * kGiB)).ok());
  const CardsToRun next = verdicts.NextToRun();
  REQUIRE(next.cards.size() == 1);
  CHECK_FALSE(next.with_own_memory);
  CHECK(next.cards[0].memory_bytes > 20 * kGiB);
  CHECK(next.cards[0].memory_bytes < 30 * kGiB);
}

TEST_CASE("A card that is nearly full, or whose context is only estimated to leave room, is told as tight") {
  const phantom::Card rtx = *phantom::FindCard("rtx-5070");
  REQUIRE_FALSE(rtx.context_is_measured);
  const int64_t took = rtx.memory_bytes - rtx.context_bytes - (int64_t{32} << 20);
  CardVerdicts verdicts = AskedOf("rtx-5070");
  REQUIRE(verdicts.Take(First("rtx-5070", took)).ok());
  CHECK(VerdictOf(verdicts, "rtx-5070").fits);
  CHECK(VerdictOf(verdicts, "rtx-5070").is_tight());
  // What is as tight by its requests is not run, too.
  const CardsToRun next = verdicts.NextToRun();
  REQUIRE(next.cards.size() == 1);
  CHECK_FALSE(VerdictOf(verdicts, next.cards[0].name).is_tight());
  REQUIRE(verdicts.Take({{Took(took), ""}, next.cards[0]}).ok());
  CHECK(verdicts.NextToRun().cards.empty());
  CHECK(verdicts.Tight().size() > 1);
  const CardVerdict* const smallest = verdicts.Smallest();
  REQUIRE(smallest != nullptr);
  CHECK(smallest->is_of_its_kind);
  CHECK_FALSE(smallest->is_tight());
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(
      Tells(text, "The smallest known card with room to spare for it is the " + smallest->card.title + "."));
  CHECK(Tells(
      text,
      fmt::format("It is tight on the smaller NVIDIA GeForce RTX 5070, and on {} more: 32.0 MiB are left "
                  "on it beside its context, which is an estimate (144.0 MiB).\n",
                  verdicts.Tight().size() - 1)));
  CHECK(Tells(text,
              "train.py on the NVIDIA GeForce RTX 5070: fits if its context is no larger than estimated."));
  const Json json = VerdictsJson(verdicts, "train.py", "", {});
  CHECK(json["smallest"] == smallest->card.name);
}

TEST_CASE("Where only a tight card has room it is named, with what is left on it") {
  const std::string name = Largest(AskedOf("t4"));
  const phantom::Card largest = *phantom::FindCard(name);
  REQUIRE_FALSE(largest.context_is_measured);
  CardVerdicts verdicts = AskedOf(name.c_str());
  REQUIRE(verdicts.Take(First(name.c_str(), largest.memory_bytes - largest.context_bytes)).ok());
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(Tells(text,
              "The smallest known card with room for it is the " + largest.title + ". 0 B are left on it"));
}

TEST_CASE("A run that failed says of no card that the program has room there") {
  CardVerdicts verdicts = AskedOf("t4");
  CardRun first = First("t4", kGiB);
  first.failure = "train.py ended with exit code 3.";
  REQUIRE(verdicts.Take(first).ok());
  CHECK(verdicts.Smallest() == nullptr);
  const std::string text = VerdictsText(verdicts, "train.py", "It came to no end.");
  CHECK(text ==
        "train.py ended with exit code 3. Until then it allocated 1.00 GiB at its peak; what all of it needs "
        "is not known.\nIt came to no end.\n");
  const Json json = VerdictsJson(verdicts, "train.py", "It came to no end.", {});
  CHECK(json["smallest"].is_null());
  for (const Json& card : json["cards"]) {
    CHECK(card["fits"] == false);
    if (card["has_kernels"] == true) CHECK(card["failure"] == first.failure);
  }
}

TEST_CASE("Where runs gave no answer it is not known which card has room, rather than that none has") {
  CardVerdicts verdicts = AskedOf("gtx-1650");
  REQUIRE(verdicts.Take(First("gtx-1650", 6 * kGiB)).ok());
  int runs = 0;
  for (CardsToRun next = verdicts.NextToRun(); !next.cards.empty() && runs < 100;
       next = verdicts.NextToRun()) {
    for (const phantom::Card& card : next.cards) {
      REQUIRE(verdicts.Take({{nullptr, "it ended: no input"}, card, next.with_own_memory}).ok());
      ++runs;
    }
  }
  CHECK(runs > 0);
  CHECK(verdicts.Smallest() == nullptr);
  const std::string text = VerdictsText(verdicts, "train.py", "");
  CHECK(Tells(text, "Which of the known cards has room for it is not known: on the "));
  CHECK_FALSE(Tells(text, "None of the known cards has room for it."));
}

TEST_CASE("A run that ends for want of memory where there is room for all has room on no card") {
  CardVerdicts verdicts = AskedOf("t4");
  CardRun first = First("t4", kGiB, /*after_a_failure=*/true);
  first.ran_out = true;
  REQUIRE(verdicts.Take(first).ok());
  CHECK(verdicts.ran_out_of_all());
  CHECK(verdicts.NextToRun().cards.empty());
  CHECK(verdicts.StillToRun().cards.empty());
  const std::string text = VerdictsText(verdicts, "train.py", "Memory ran out there, too.");
  CHECK(Tells(text, "None of the known cards has room for it."));
  CHECK(Tells(text, "train.py on the NVIDIA T4: does not fit"));
  CHECK(Tells(text, "Memory ran out there, too.\n"));
}

}  // namespace tidemark::cli
