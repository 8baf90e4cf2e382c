#include "app/cli/program_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "profiler/base/format.h"
#include "profiler/session/run_requests.h"
#include "profiler/timeline/series.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::cli {
namespace {

using timeline::Series;

constexpr const char* kRow = "  {:<50}{:>14}{:>14}  {}\n";

std::string InWords(const CardVerdicts& verdicts, const CardVerdict& verdict) {
  if (!verdict.has_kernels) return "does not run there: its PyTorch has no kernels for this card";
  const bool was_run = verdict.is_of_its_kind;
  if (!was_run && verdicts.HasNoRoom(verdict.card)) return "does not fit, whatever its workspaces are there";
  const std::string begin = was_run ? "" : "not run; by its requests it ";
  if (!verdict.failure.empty()) return (was_run ? "no answer: " : "not run: ") + verdict.failure;
  if (!verdict.fits) return begin + "does not fit";
  return begin + (verdict.empties_cache ? "fits, but nearly full: PyTorch empties its cache" : "fits");
}

int64_t UsableBytes(const phantom::Card& card) { return card.memory_bytes - card.context_bytes; }

int64_t PeakOf(const timeline::View& view, Series series) {
  return ValueOf(view.PeakIn(series, view.first(), view.end()).values, series);
}

// Allocated at the peak; what is not told to be a workspace is here.
int64_t BesideWorkspaces(const timeline::View& view) {
  const auto peak = view.PeakIn(Series::kAllocated, view.first(), view.end()).values;
  return ValueOf(peak, Series::kAllocated) - ValueOf(peak, timeline::SeriesOf(events::Category::kWorkspace));
}

// What one run says of the cards that it stands for.
class Judge {
 public:
  Judge(const timeline::View& view, const std::string& settings, const session::AllocatorOf& allocator)
      : settings_(settings),
        allocator_(allocator),
        requests_(session::RequestsOf(view, std::numeric_limits<int64_t>::max())),
        reserved_bytes_(PeakOf(view, Series::kReserved)),
        allocated_bytes_(PeakOf(view, Series::kAllocated)) {}

  Status Decide(CardVerdict& verdict) const {
    if (!requests_) return requests_.error();
    verdict.fits = reserved_bytes_ <= UsableBytes(verdict.card);
    if (verdict.fits) {
      verdict.reserved_bytes = reserved_bytes_;
    } else if (allocated_bytes_ <= UsableBytes(verdict.card)) {
      const Result<phantom::Replayed> tried =
          session::TryAllocator(*requests_, verdict.card, settings_, allocator_);
      if (!tried) return tried.error();
      verdict.fits = tried->failures == 0;
      verdict.empties_cache = verdict.fits && tried->retries > 0;
      verdict.reserved_bytes = verdict.fits ? tried->reserved_peak_bytes : 0;
    }
    return Done{};
  }

 private:
  const std::string& settings_;
  const session::AllocatorOf& allocator_;
  const Result<std::vector<phantom::Request>> requests_;
  const int64_t reserved_bytes_;
  const int64_t allocated_bytes_;
};

std::string SmallestText(const CardVerdicts& verdicts) {
  const CardVerdict* const smallest = verdicts.Smallest();
  if (smallest == nullptr) return "None of the known cards has room for it.\n";
  return fmt::format("The smallest known card with room for it is the {}{}.\n", smallest->card.title,
                     smallest->is_of_its_kind ? "" : ", by its requests; it was not run there");
}

// Cards of which the same is to be said, by memory.
using Alike = std::vector<const CardVerdict*>;

// What a run of its own told of a card stands alone, and so does the card that was asked for.
std::vector<Alike> RowsOf(const CardVerdicts& verdicts) {
  constexpr size_t kFewest = 3;  // cards that one row is for; fewer are told by their names
  const auto is_alone = [&](const CardVerdict& one) {
    return (one.fits && one.is_of_its_kind) || one.card.name == verdicts.asked().name;
  };
  std::vector<Alike> rows;
  for (const CardVerdict& verdict : verdicts.verdicts()) {
    const auto alike = std::ranges::find_if(rows, [&](const Alike& row) {
      return !is_alone(verdict) && !is_alone(*row.front()) &&
             InWords(verdicts, *row.front()) == InWords(verdicts, verdict);
    });
    if (alike == rows.end()) {
      rows.push_back({&verdict});
    } else {
      alike->push_back(&verdict);
    }
  }
  std::vector<Alike> told;
  for (const Alike& row : rows) {
    if (row.size() >= kFewest) {
      told.push_back(row);
    } else {
      for (const CardVerdict* const one : row) told.push_back({one});
    }
  }
  std::ranges::stable_sort(told, {}, [](const Alike& row) { return row.front()->card.memory_bytes; });
  return told;
}

std::string RowText(const CardVerdicts& verdicts, const Alike& row) {
  const auto bytes = [](int64_t count) { return FormatBytes(count, ByteUnit::kMebibytes); };
  const auto taken = [](const CardVerdict* one) { return one->reserved_bytes + one->card.context_bytes; };
  const CardVerdict& first = *row.front();
  const std::string words = InWords(verdicts, first);
  const std::string least =
      first.fits ? bytes(taken(*std::ranges::min_element(row, {}, taken))) : std::string("–");
  if (row.size() == 1) {
    return fmt::format(kRow, first.card.title, bytes(first.card.memory_bytes), least, words);
  }
  const std::string cards = fmt::format("{} cards with {} to {}", row.size(), bytes(first.card.memory_bytes),
                                        bytes(row.back()->card.memory_bytes));
  return fmt::format(kRow, cards, "", first.fits ? least + " up" : least, words);
}

// Whose run is whose.
std::string RunsText(const CardVerdicts& verdicts, const std::string& why_no_runs) {
  std::string shared;
  std::vector<std::string> without;
  for (const CardVerdict& verdict : verdicts.verdicts()) {
    if (!verdict.has_kernels) continue;
    if (verdict.is_of_its_kind && verdict.ran_on.name != verdict.card.name) {
      shared += fmt::format(" The {} and the {} share a run.", verdict.card.title, verdict.ran_on.title);
    } else if (!verdict.is_of_its_kind && !verdicts.HasNoRoom(verdict.card)) {
      without.push_back(verdict.card.title);
    }
  }
  if (without.empty())
    return fmt::format("It ran on a phantom of each kind of card with room for it.{}\n", shared);
  if (why_no_runs.empty()) {
    return fmt::format(
        "It ran on phantoms of cards from the smallest that may have room to the first that has.{} What is "
        "not run is judged by its requests on the {}: only its workspaces may be others there. --all-cards "
        "runs it on each kind.\n",
        shared, verdicts.asked().title);
  }
  const bool has_none = without.size() + 1 == verdicts.verdicts().size();
  return fmt::format(
      "{}{} Judged by its requests on the {}, whose workspaces may be others: {}. "
      "tidemark phantom --card NAME tells theirs.\n",
      why_no_runs, shared, verdicts.asked().title,
      has_none ? "all other cards" : fmt::format("{}", fmt::join(without, ", ")));
}

}  // namespace

Result<CardVerdicts> CardVerdicts::Of(const phantom::Card& asked, const std::string& settings,
                                      const session::AllocatorOf& allocator, const std::string& cuda) {
  Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return cards.error();
  CardVerdicts verdicts(asked, settings, allocator);
  std::ranges::replace_if(
      *cards, [&](const phantom::Card& one) { return one.name == asked.name; }, asked);
  std::ranges::stable_sort(*cards, {}, &phantom::Card::memory_bytes);
  for (phantom::Card& card : *cards) {
    verdicts.verdicts_.emplace_back();
    verdicts.verdicts_.back().has_kernels = phantom::HasKernelsFor(cuda, card);
    verdicts.verdicts_.back().card = std::move(card);
  }
  return verdicts;
}

Status CardVerdicts::Take(const CardRun& run) {
  const bool is_first = !beside_workspaces_bytes_;
  std::optional<Judge> judge;
  if (run.failure.empty()) {
    judge.emplace(*run.view, settings_, allocator_);
    if (is_first) beside_workspaces_bytes_ = BesideWorkspaces(*run.view);
  }
  for (CardVerdict& verdict : verdicts_) {
    const bool is_of_its_kind = ShareRuns(run.card, verdict.card);
    if (!verdict.has_kernels || (!is_first && !is_of_its_kind)) continue;
    verdict = {verdict.card, run.card, is_of_its_kind, true, run.failure};
    if (!judge) continue;
    if (Status decided = judge->Decide(verdict); !decided) return decided;
  }
  return Done{};
}

bool CardVerdicts::HasNoRoom(const phantom::Card& card) const {
  return beside_workspaces_bytes_.value_or(0) > UsableBytes(card);
}

const CardVerdict* CardVerdicts::Smallest() const {
  const auto found = std::ranges::find_if(verdicts_, &CardVerdict::fits);
  return found == verdicts_.end() ? nullptr : &*found;
}

std::optional<phantom::Card> CardVerdicts::NextToRun() const {
  for (const CardVerdict& verdict : verdicts_) {
    if (verdict.is_of_its_kind && verdict.fits) return std::nullopt;
    if (verdict.has_kernels && !verdict.is_of_its_kind && !HasNoRoom(verdict.card)) return verdict.card;
  }
  return std::nullopt;
}

std::vector<phantom::Card> CardVerdicts::StillToRun() const {
  std::vector<phantom::Card> cards;
  for (const CardVerdict& verdict : verdicts_) {
    const bool is_told_of =
        !verdict.has_kernels || verdict.is_of_its_kind || HasNoRoom(verdict.card) ||
        std::ranges::any_of(cards, [&](const phantom::Card& card) { return ShareRuns(card, verdict.card); });
    if (!is_told_of) cards.push_back(verdict.card);
  }
  return cards;
}

std::string VerdictsText(const CardVerdicts& verdicts, const std::string& title,
                         const std::string& why_no_runs) {
  std::string rows = fmt::format(kRow, "card", "memory", "taken", "");
  const phantom::Card& asked = verdicts.asked();
  std::string own_words;
  for (const Alike& row : RowsOf(verdicts)) rows += RowText(verdicts, row);
  for (const CardVerdict& verdict : verdicts.verdicts()) {
    if (verdict.card.name == asked.name) own_words = InWords(verdicts, verdict);
  }
  std::string answer = SmallestText(verdicts);
  if (!own_words.empty()) answer += fmt::format("{} on the {}: {}.\n", title, asked.title, own_words);
  return answer + rows + RunsText(verdicts, why_no_runs);
}

Json VerdictsJson(const CardVerdicts& verdicts, const std::string& title,
                  const std::vector<std::string>& notes) {
  Json cards = Json::array();
  for (const CardVerdict& verdict : verdicts.verdicts()) {
    cards.push_back({{"name", verdict.card.name},
                     {"memory_bytes", verdict.card.memory_bytes},
                     {"estimated_context_bytes", verdict.card.context_bytes},
                     {"ran_on", verdict.ran_on.name},
                     {"ran_on_its_kind", verdict.is_of_its_kind},
                     {"has_kernels", verdict.has_kernels},
                     {"failure", verdict.failure},
                     {"fits", verdict.fits},
                     {"empties_cache", verdict.empties_cache},
                     {"reserved_peak_bytes", verdict.fits ? Json(verdict.reserved_bytes) : Json(nullptr)}});
  }
  const CardVerdict* const smallest = verdicts.Smallest();
  return {{"program", title},
          {"card", verdicts.asked().name},
          {"cards", cards},
          {"notes", notes},
          {"smallest", smallest == nullptr ? Json(nullptr) : Json(smallest->card.name)}};
}

}  // namespace tidemark::cli
