#include "app/cli/reports/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "app/cli/reports/band_report.h"
#include "app/presenters/moment/untold_blocks.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/base/saturating.h"
#include "profiler/base/shell_words.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/faults.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/kept_part.h"
#include "profiler/session/one_card.h"
#include "profiler/timeline/graph_replays.h"

namespace tidemark::cli {
namespace {

using timeline::Series;

constexpr size_t kOwners = 5;
constexpr size_t kMostShortages = 3;  // in words; a program that tries again and again meets many

std::string InBinary(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }

std::string SizeRow(std::string_view title, int64_t bytes, std::string_view words) {
  std::string row = BytesRow(title, bytes);
  if (!words.empty()) row.insert(row.size() - 1, fmt::format("   {}", words));
  return row;
}

std::string NotKnownRow(std::string_view title) { return fmt::format("  {:<18}{:>20}\n", title, "–"); }

// "0.4 % of 139.80 GiB"
std::string ShareInWords(int64_t bytes, int64_t memory_bytes) {
  const double share = 100 * static_cast<double>(bytes) / static_cast<double>(memory_bytes);
  return fmt::format("{:.1f} % of {}", share, InBinary(memory_bytes));
}

int64_t CardBytes(const RunReport& report) { return report.fit ? report.fit->card.memory_bytes : 0; }

int64_t UsableBytes(const RunReport& report) {
  return report.fit ? session::UsableBytes(report.fit->card) : 0;
}

// Whether it did all it was to do, on a card that did so too, and with what is told here alone.
bool IsWholeRun(const RunReport& report) {
  return report.ending.empty() && !report.is_cut_off && report.shortages.empty() &&
         !session::HoldsPart(report.notes) && !phantom::SpeakOfFaults(report.notes) &&
         std::ranges::none_of(report.notes, [](const std::string& note) {
           return note.starts_with(phantom::kOutsideMemoryDoubt);
         });
}

std::string AdviceRow(const RunReport& report) {
  if (!IsWholeRun(report) || report.fit->is_at_least) return "";
  const session::CardFit& fit = *report.fit;
  if (!fit.smallest) return "By memory alone none of the known cards (tidemark cards) has room to spare.\n";
  if (fit.smallest->name == fit.card.name && fit.none_is_smaller) {
    return fmt::format(
        "By memory alone the {} would do, and of the known cards (tidemark cards) that it runs on none is "
        "smaller.\n",
        fit.card.title);
  }
  if (fit.smallest->name == fit.card.name) {
    return fmt::format(
        "By memory alone no smaller one of the known cards (tidemark cards) has room for all that it "
        "reserved. Where memory is short PyTorch gives what it caches back, so less may do: {} tries.\n",
        report.is_trainer ? "tidemark fit" : report.fit_command);
  }
  const bool has_smaller_context = fit.smallest->memory_bytes < fit.taken_bytes();
  return fmt::format(
      "By memory alone the {} ({}{}) would do. Its own figures may differ: a run with --card {} tells "
      "them.\n",
      fit.smallest->title,
      has_smaller_context ? InBinary(fit.smallest->memory_bytes)
                          : session::CardSize(fit.smallest->memory_bytes),
      has_smaller_context ? ", with a CUDA context of " + InBinary(fit.smallest->context_bytes) : "",
      fit.smallest->name);
}

bool EndsAtItsFailure(const RunReport& report) {
  return !report.shortages.empty() && !report.shortages.back().survived;
}

std::string Times(size_t times) {
  return FormatNumber(static_cast<int64_t>(times)) + (times == 1 ? " more time" : " more times");
}

// " (3 blocks, the largest float16 [64, 128])"; "" of one of which nothing is told.
std::string BlocksInBrackets(const advice::Owner& owner) {
  if (owner.blocks == 1) return owner.shape.empty() ? "" : fmt::format(" ({})", owner.shape);
  return fmt::format(" ({} blocks{}{})", FormatNumber(static_cast<int64_t>(owner.blocks)),
                     owner.shape.empty() ? "" : ", the largest ", owner.shape);
}

std::string MoreTimes(size_t times) { return fmt::format("Out of memory {}.", Times(times)); }

// The first of those of which the same is to be told, wherever in the run they were.
struct AlikeShortages {
  const session::Shortage* first;
  size_t more = 0;
};

bool AreAlike(const session::Shortage& one, const session::Shortage& other) {
  return one.device == other.device && one.phase == other.phase && one.op == other.op &&
         one.layer == other.layer && one.requested_bytes == other.requested_bytes &&
         one.driver_bytes == other.driver_bytes && one.free_bytes == other.free_bytes &&
         one.allocated_bytes == other.allocated_bytes && one.cached_bytes == other.cached_bytes &&
         one.waiting_bytes == other.waiting_bytes && one.barred == other.barred && one.pool == other.pool &&
         one.survived == other.survived;
}

// The first few kinds and the last, which may have ended the run, and of how many shortages nothing is told.
struct ToldShortages {
  std::vector<AlikeShortages> kinds;
  size_t untold = 0;
};

ToldShortages ShortagesToTell(const RunReport& report) {
  ToldShortages told;
  for (const session::Shortage& shortage : report.shortages) {
    const auto known = std::ranges::find_if(
        told.kinds, [&](const AlikeShortages& kind) { return AreAlike(*kind.first, shortage); });
    if (known != told.kinds.end()) {
      ++known->more;
    } else {
      told.kinds.push_back({&shortage});
    }
  }
  while (told.kinds.size() > kMostShortages) {
    const bool is_last = AreAlike(*told.kinds.back().first, report.shortages.back());
    const auto left_out = std::prev(told.kinds.end(), is_last ? 2 : 1);
    told.untold += 1 + left_out->more;
    told.kinds.erase(left_out);
  }
  return told;
}

std::string WhoTellsTheNeed(const RunReport& report) {
  return report.is_trainer
             ? "What it needs in all, estimate tells for a card with room for it (estimate --card NAME, with "
               "the options of train); fit searches what makes it fit on this one.\n"
             : fmt::format("What it needs in all, and what makes it fit, {} tells.\n", report.fit_command);
}

Json CardFitJson(const RunReport& report) {
  if (!report.fit) return {};
  const session::CardFit& fit = *report.fit;
  Json json = CardJson(fit.card);
  json["taken_bytes"] = fit.taken_bytes();
  json["taken_is_at_least"] = fit.is_at_least;
  json["may_not_fit"] = fit.may_not_fit();
  json["smallest_card"] = IsWholeRun(report) && fit.smallest ? Json(fit.smallest->name) : Json();
  return json;
}

// Of what is cached.
Json OutOfReachJson(const timeline::BarredBytes& barred) {
  return {{"empty_segments_bytes", barred[timeline::Barrier::kHeldBack]},
          {"other_sizes_bytes", barred[timeline::Barrier::kSize]},
          {"other_streams_bytes", barred[timeline::Barrier::kStream]},
          {"other_pools_bytes", barred[timeline::Barrier::kPool]}};
}

Json ShortagesJson(const RunReport& report) {
  Json shortages = Json::array();
  for (const session::Shortage& shortage : report.shortages) {
    shortages.push_back({{"event", shortage.index},
                         {"step", shortage.step < 0 ? Json() : Json(shortage.step)},
                         {"phase", events::NameOf(shortage.phase)},
                         {"device", shortage.device ? Json(session::TitleOfCard(*shortage.device)) : Json()},
                         {"requested_bytes", shortage.requested_bytes},
                         {"free_bytes", shortage.free_bytes},
                         {"allocated_bytes", shortage.allocated_bytes},
                         {"cached_bytes", shortage.cached_bytes},
                         {"out_of_reach", OutOfReachJson(shortage.barred)},
                         {"waiting_bytes", shortage.waiting_bytes},
                         {"outside_bytes", session::OutsidePyTorch(shortage, CardBytes(report))},
                         {"from_driver_bytes", shortage.driver_bytes},
                         {"survived", shortage.survived},
                         {"why", session::WhyShort(shortage, UsableBytes(report))}});
  }
  return shortages;
}

std::string EachCardRows(const RunReport& report) {
  if (report.cards.empty()) return "";
  std::string rows = "At the peak of each card (above they are added up)\n";
  for (const timeline::DevicePeaks& card : report.cards) {
    rows += BytesRow(session::TitleOfCard(card.device) + " allocated", card.allocated_bytes);
    if (card.reserved_bytes > 0)
      rows += BytesRow(session::TitleOfCard(card.device) + " reserved", card.reserved_bytes);
  }
  return rows;
}

Json EachCardJson(const RunReport& report) {
  Json cards = Json::array();
  for (const timeline::DevicePeaks& card : report.cards) {
    cards.push_back({{"device", session::TitleOfCard(card.device)},
                     {"allocated_peak_bytes", card.allocated_bytes},
                     {"requested_peak_bytes", report.tells_requested ? Json(card.requested_bytes) : Json()},
                     {"reserved_peak_bytes", card.reserved_bytes > 0 ? Json(card.reserved_bytes) : Json()}});
  }
  return cards;
}

std::string BandOrWhyNot(const RunReport& report) {
  if (!report.band) return "";
  if (*report.band) return BandRows(**report.band);
  return fmt::format("    how far the order of addresses moves it is not known: {}\n",
                     report.band->error().message);
}

// "train.py:4 read ...": where it begins to say what was done there (profiler/phantom/device/readings.cpp).
size_t EndOfPlace(const std::string& note) {
  size_t end = std::string::npos;
  for (const char* done : {" read ", " asked ", " compared ", " searched ", " chose "}) {
    end = std::min(end, note.find(done));
  }
  return end != std::string::npos && note.rfind(':', end) != std::string::npos ? end : 0;
}

// What was done in many places is one note, in the first one's place.
std::vector<std::string> JoinedByWhatWasDone(const std::vector<std::string>& notes) {
  constexpr size_t kPlaces = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> joined;
  for (const std::string& note : notes) {
    const size_t end = EndOfPlace(note);
    const std::string done = note.substr(end);
    const auto known = std::ranges::find(joined, done, [](const auto& one) { return one.first; });
    if (end > 0 && known != joined.end()) {
      known->second.push_back(note.substr(0, end));
    } else {
      joined.push_back({done, {note.substr(0, end)}});
    }
  }
  std::vector<std::string> told;
  for (const auto& [done, places] : joined) {
    const size_t shown = std::min(places.size(), kPlaces);
    std::string where = fmt::format(
        "{}", fmt::join(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (const size_t more = places.size() - shown; more > 0) {
      where += fmt::format(" and {} more place{}", more, more == 1 ? "" : "s");
    }
    told.push_back(where + done);
  }
  return told;
}

PoolsReport PoolsOf(const timeline::View& view) {
  if (view.empty()) return {};
  const timeline::Layout layout = timeline::LayOut(view.StateAt(timeline::MomentBetweenReplays(view)));
  return {timeline::BytesOfPools(layout), !view.graph_replays().empty(),
          timeline::BytesOfPools(layout, events::PoolOwner::kProgram).pools > 0};
}

std::optional<UntoldBlocks> UntoldIn(const timeline::View& view) {
  if (view.tells_blocks()) return std::nullopt;
  UntoldBlocks untold{presenters::WhyUntold(view)};
  for (const Series level : timeline::kMemoryLevels) {
    untold.highest[static_cast<size_t>(level)] =
        ValueOf(view.PeakIn(level, view.first(), view.end()).values, level);
  }
  return untold;
}

// Of the card only what itself told: by memory alone nothing is known of another one.
std::string UntoldRows(const RunReport& report) {
  std::string rows =
      "The most that was told of the run\n" + NotKnownRow("allocated") + NotKnownRow("requested");
  for (const Series level : timeline::kMemoryLevels) {
    const int64_t bytes = ValueOf(report.untold->highest, level);
    if (bytes == 0) continue;
    const bool is_share = level == Series::kProcess && report.fit && report.fit->card.memory_bytes > 0;
    rows += SizeRow(NameOf(level), bytes, is_share ? ShareInWords(bytes, report.fit->card.memory_bytes) : "");
  }
  return rows + report.untold->why + "\n";
}

void AddUntoldJson(const RunReport& report, Json& json) {
  Json& measured = json["measured"];
  LeaveOutBlocks(measured);
  measured["why_untold"] = report.untold->why;
  const int64_t process = ValueOf(report.untold->highest, Series::kProcess);
  if (!report.fit) return;
  json["card"]["taken_bytes"] = process > 0 ? Json(process) : Json();
  json["card"]["may_not_fit"] = nullptr;
  json["card"]["smallest_card"] = nullptr;
}

std::string PoolsRows(const PoolsReport& pools) {
  if (pools.held.bytes == 0) return "";
  return SizeRow("of private pools", pools.held.bytes,
                 pools.at_replay ? "when a CUDA graph was last replayed" : "") +
         SizeRow("free in them", pools.held.free_bytes,
                 fmt::format("PyTorch uses it for nothing else{}",
                             pools.may_lend ? ", unless use_on_oom=True lends it" : ""));
}

}  // namespace

RunReport MakeRunReport(const timeline::View& view, const events::RunDescription& description,
                        const session::Prediction& peaks, std::optional<Result<session::ReservedBand>> band,
                        const std::vector<phantom::Card>& known_cards) {
  RunReport report;
  report.peaks = peaks;
  report.untold = UntoldIn(view);
  report.tells_requested = view.tells_requested();
  report.infers_categories = presenters::InfersContents(description);
  report.band = std::move(band);
  if (report.band && *report.band) report.peaks.reserved_band = **report.band;
  report.pools = PoolsOf(view);
  report.tells_pools = report.pools.held.bytes > 0 || description.tells_pools;
  if (view.devices().size() > 1) report.cards = view.devices();
  const auto card = session::CardOf(description.device_name, description.device_bytes, known_cards);
  if (card) {
    std::vector<phantom::Card> candidates;
    std::ranges::copy_if(known_cards, std::back_inserter(candidates), [&](const phantom::Card& known) {
      return phantom::HasKernelsFor(description.torch_cuda, known);
    });
    report.fit = session::FitOfFullest(view, *card, candidates, session::HeldPeakOf(report.peaks),
                                       report.peaks.reserved_band);
  }
  report.shortages = session::ShortagesIn(view);
  if (!report.shortages.empty())
    report.owners =
        advice::LargestOwners(view, report.shortages.back().index, kOwners, report.shortages.back().device);
  report.is_trainer = !description.settings_json.empty();
  report.fit_command = presenters::FitCommand(description, view.devices().size(), known_cards);
  report.ending = description.ending;
  report.notes = description.notes;
  return report;
}

std::string PeakTitleOf(const events::RunDescription& description) {
  const std::string title =
      session::HoldsPart(description.notes) ? "At the peak of what is kept" : "At the peak of the run";
  return presenters::InfersContents(description) ? title + " (" + presenters::kContentsAreInferred + ")"
                                                 : title;
}

std::string RunText(const RunReport& report) {
  if (report.untold)
    return EndingRows(report) + UntoldRows(report) + OutOfMemoryRows(report) + NoteRows(report.notes);
  return EndingRows(report) + report.peak_title + "\n" + PeakRows(report.peaks, report.tells_requested) +
         PoolsRows(report.pools) + BandOrWhyNot(report) + EachCardRows(report) + CardRows(report) +
         OutOfMemoryRows(report) + NoteRows(report.notes);
}

std::string RunTextWithoutPeak(const RunReport& report) {
  return EndingRows(report) + OutOfMemoryRows(report) + NoteRows(report.notes);
}

std::string WaysOutHint(const RunReport& report, const std::string& recording) {
  if (report.shortages.empty() || recording.empty()) return "";
  return fmt::format("tidemark info {} --ways-out searches what makes it fit.\n", InShell(recording));
}

void AddRunJson(const RunReport& report, Json& json) {
  json["measured"] = PeaksJson(report.peaks);
  if (!report.tells_requested) json["measured"]["requested_peak_bytes"] = nullptr;
  json["measured"]["private_pools_bytes"] = report.tells_pools ? Json(report.pools.held.bytes) : Json();
  json["measured"]["private_pools_free_bytes"] =
      report.tells_pools ? Json(report.pools.held.free_bytes) : Json();
  if (report.peaks.reserved_peak_bytes == 0) json["measured"]["reserved_peak_bytes"] = nullptr;  // not told
  json["measured"]["categories_are_inferred"] = report.infers_categories;
  if (report.band && !*report.band)
    json["measured"]["reserved_peak_band_unknown"] = report.band->error().message;
  json["cards"] = EachCardJson(report);
  json["card"] = CardFitJson(report);
  if (report.untold) AddUntoldJson(report, json);
  json["shortages"] = ShortagesJson(report);
  Json owners = Json::array();
  for (const advice::Owner& owner : report.owners)
    owners.push_back({{"name", owner.name},
                      {"bytes", owner.bytes},
                      {"blocks", owner.blocks},
                      {"shape_of_largest", owner.shape}});
  json["largest_owners"] = owners;
  json["ending"] = report.ending;
  json["notes"] = report.notes;
}

std::string EndingRows(const RunReport& report) {
  if (report.ending.empty()) return "";
  if (session::HoldsPart(report.notes)) return report.ending + "\n";
  return fmt::format("{} What follows is what it needed until then.\n", report.ending);
}

std::string CardRows(const RunReport& report) {
  if (!report.fit) return "";
  const session::CardFit& fit = *report.fit;
  std::string rows = SizeRow("CUDA context", fit.card.context_bytes, session::WhereContextIsFrom(fit.card));
  rows += SizeRow(report.cards.empty() ? "of the card" : "of the fullest card", fit.taken_bytes(),
                  fmt::format("{}{}", ShareInWords(fit.taken_bytes(), fit.card.memory_bytes),
                              fit.is_at_least ? session::kPoolNotTold
                              : fit.most_taken_bytes() > fit.taken_bytes()
                                  ? fmt::format(", at most {}", FormatExactBytes(fit.most_taken_bytes()))
                                  : ""));
  if (fit.may_not_fit()) {
    rows +=
        "It may not fit: by another order of addresses it needs more than the card has beside the context.\n";
  }
  return rows + AdviceRow(report);
}

std::vector<std::string> ShortageSentences(const RunReport& report) {
  std::vector<std::string> sentences;
  const ToldShortages told = ShortagesToTell(report);
  for (const auto& [first, more] : told.kinds) {
    std::string place = session::PlaceOf(*first);
    if (!place.empty()) place.front() = static_cast<char>(std::toupper(place.front()));
    sentences.push_back(
        fmt::format("{}{} were asked for and {} free on the card, with {} allocated{} and {} "
                    "cached in gaps. {}",
                    place.empty() ? "" : place + ": ", InBinary(first->requested_bytes),
                    InBinary(first->free_bytes), InBinary(first->allocated_bytes),
                    first->waiting_bytes > 0
                        ? fmt::format(", {} waiting to be freed", InBinary(first->waiting_bytes))
                        : "",
                    InBinary(first->cached_bytes), session::WhyShort(*first, UsableBytes(report))) +
        (first->survived ? " The program went on." : "") +
        (more > 0 ? " The same " + Times(more) + "." : ""));
  }
  if (told.untold > 0) sentences.push_back(MoreTimes(told.untold));
  return sentences;
}

namespace {

std::string WhatIsCached(const session::Shortage& shortage) {
  std::string what = "gaps in segments that hold live blocks";
  if (shortage.barred[timeline::Barrier::kPool] > 0)
    what = "gaps in segments, and what private pools hold free";
  if (shortage.barred[timeline::Barrier::kHeldBack] > 0)
    what = "gaps in segments, and segments without a block";
  if (const int64_t out_of_reach = session::BytesOutOfReach(shortage); out_of_reach > 0)
    what += fmt::format(", {} of it out of the request's reach", InBinary(out_of_reach));
  return what;
}

}  // namespace

std::string OutOfMemoryRows(const RunReport& report) {
  std::string rows;
  const ToldShortages told = ShortagesToTell(report);
  for (const auto& [first, more] : told.kinds) {
    const std::string place = session::PlaceOf(*first);
    rows += fmt::format("Out of memory{}{}{}\n", place.empty() ? "" : " ", place,
                        more > 0 ? ", and the same " + Times(more) : "");
    rows += SizeRow("asked for", first->requested_bytes, "");
    rows += SizeRow("free on the card", first->free_bytes, "");
    rows += SizeRow("allocated", first->allocated_bytes, "");
    const bool is_of_pool = session::IsOfPool(*first);
    if (!is_of_pool) rows += SizeRow("cached", first->cached_bytes, WhatIsCached(*first));
    if (first->waiting_bytes > 0)
      rows += SizeRow("waiting", first->waiting_bytes, "freed, but another stream may still use them");
    if (const int64_t outside = session::OutsidePyTorch(*first, CardBytes(report)); outside > 0) {
      rows += is_of_pool
                  ? SizeRow("beside blocks", outside,
                            "the driver's pool, the CUDA context, and what other processes hold")
                  : SizeRow("outside of PyTorch", outside, "the CUDA context, and what other processes hold");
    }
    rows += fmt::format("  {}{}\n", session::WhyShort(*first, UsableBytes(report)),
                        first->survived ? " The program went on." : "");
  }
  if (told.untold > 0) rows += MoreTimes(told.untold) + "\n";
  if (!report.owners.empty()) {
    rows += fmt::format("Largest owners of what was allocated {}\n",
                        report.shortages.size() > 1 ? "the last time" : "then");
  }
  for (const advice::Owner& owner : report.owners) {
    rows +=
        fmt::format("{:>22}   {}{}\n", FormatExactBytes(owner.bytes), owner.name, BlocksInBrackets(owner));
  }
  if (EndsAtItsFailure(report)) rows += WhoTellsTheNeed(report);
  return rows;
}

std::string NoteRows(const std::vector<std::string>& notes) {
  std::string rows;
  for (const std::string& note : JoinedByWhatWasDone(notes)) rows += fmt::format("Note: {}\n", note);
  return rows;
}

}  // namespace tidemark::cli
