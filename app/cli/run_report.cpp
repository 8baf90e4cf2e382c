#include "app/cli/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/presenters/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/phantom/faults.h"

namespace tidemark::cli {
namespace {

constexpr size_t kOwners = 5;
constexpr size_t kMostShortages = 3;  // in words; a program that tries again and again meets many

std::string InBinary(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }

std::string SizeRow(std::string_view title, int64_t bytes, std::string_view words) {
  std::string row = BytesRow(title, bytes);
  if (!words.empty()) row.insert(row.size() - 1, fmt::format("   {}", words));
  return row;
}

int64_t UsableBytes(const RunReport& report) {
  return report.fit ? report.fit->card.memory_bytes - report.fit->card.context_bytes : 0;
}

// Whether it did all it was to do, on a card that did so too.
bool IsWholeRun(const RunReport& report) {
  return report.ending.empty() && !report.is_cut_off && report.shortages.empty() &&
         !phantom::SpeakOfFaults(report.notes);
}

std::string AdviceRow(const RunReport& report) {
  if (!IsWholeRun(report)) return "";
  const session::CardFit& fit = *report.fit;
  if (!fit.smallest) return "By memory alone none of the known cards (tidemark cards) would do.\n";
  if (fit.smallest->name == fit.card.name) {
    return fmt::format("By memory alone no smaller one of the known cards (tidemark cards) would do.\n");
  }
  const bool has_smaller_context = fit.smallest->memory_bytes < fit.taken_bytes();
  return fmt::format(
      "By memory alone the {} ({}{}) would do. Its own figures may differ: --card {} tells them.\n",
      fit.smallest->title, InBinary(fit.smallest->memory_bytes),
      has_smaller_context ? ", with a CUDA context of " + InBinary(fit.smallest->context_bytes) : "",
      fit.smallest->name);
}

bool EndsAtItsFailure(const RunReport& report) {
  return !report.shortages.empty() && !report.shortages.back().survived;
}

std::string PlaceOf(const session::Shortage& shortage) {
  std::string place = shortage.step < 0 ? "" : fmt::format(" in step {}", FormatNumber(shortage.step));
  if (shortage.phase != events::Phase::kIdle)
    place += fmt::format("{} {}", place.empty() ? " in" : ",", events::NameOf(shortage.phase));
  return place;
}

std::string MoreTimes(size_t times) {
  return fmt::format("Out of memory {} more times.", FormatNumber(static_cast<int64_t>(times)));
}

Json CardFitJson(const RunReport& report) {
  if (!report.fit) return {};
  const session::CardFit& fit = *report.fit;
  Json json = CardJson(fit.card);
  json["taken_bytes"] = fit.taken_bytes();
  json["may_not_fit"] = fit.may_not_fit();
  json["smallest_card"] = IsWholeRun(report) && fit.smallest ? Json(fit.smallest->name) : Json();
  return json;
}

Json ShortagesJson(const RunReport& report) {
  Json shortages = Json::array();
  for (const session::Shortage& shortage : report.shortages) {
    shortages.push_back({{"event", shortage.index},
                         {"step", shortage.step < 0 ? Json() : Json(shortage.step)},
                         {"phase", events::NameOf(shortage.phase)},
                         {"requested_bytes", shortage.requested_bytes},
                         {"free_bytes", shortage.free_bytes},
                         {"allocated_bytes", shortage.allocated_bytes},
                         {"cached_bytes", shortage.cached_bytes},
                         {"from_driver_bytes", shortage.driver_bytes},
                         {"survived", shortage.survived},
                         {"why", session::WhyShort(shortage, UsableBytes(report))}});
  }
  return shortages;
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

}  // namespace

RunReport MakeRunReport(const timeline::View& view, const events::RunDescription& description,
                        const session::Prediction& peaks, std::optional<Result<session::ReservedBand>> band,
                        const std::vector<phantom::Card>& known_cards) {
  RunReport report;
  report.peaks = peaks;
  report.tells_requested = view.tells_requested();
  report.infers_categories = presenters::InfersContents(description);
  report.band = std::move(band);
  if (report.band && *report.band) report.peaks.reserved_band = **report.band;
  const auto card = session::CardOf(description.device_name, description.device_bytes, known_cards);
  if (card) {
    std::vector<phantom::Card> candidates;
    std::ranges::copy_if(known_cards, std::back_inserter(candidates), [&](const phantom::Card& known) {
      return phantom::HasKernelsFor(description.torch_cuda, known);
    });
    report.fit = session::FitOf(*card, candidates, peaks.reserved_peak_bytes, report.peaks.reserved_band);
  }
  report.shortages = session::ShortagesIn(view);
  if (!report.shortages.empty())
    report.owners = advice::LargestOwners(view, report.shortages.back().index, kOwners);
  report.ending = description.ending;
  report.notes = description.notes;
  return report;
}

std::string PeakTitleOf(const events::RunDescription& description) {
  const std::string title = "At the peak of the run";
  return presenters::InfersContents(description) ? title + " (" + presenters::kContentsAreInferred + ")"
                                                 : title;
}

std::string RunText(const RunReport& report) {
  return EndingRows(report) + report.peak_title + "\n" + PeakRows(report.peaks, report.tells_requested) +
         BandOrWhyNot(report) + CardRows(report) + OutOfMemoryRows(report) + NoteRows(report.notes);
}

void AddRunJson(const RunReport& report, Json& json) {
  json["measured"] = PeaksJson(report.peaks);
  if (!report.tells_requested) json["measured"]["requested_peak_bytes"] = nullptr;
  if (report.peaks.reserved_peak_bytes == 0) json["measured"]["reserved_peak_bytes"] = nullptr;  // not told
  json["measured"]["categories_are_inferred"] = report.infers_categories;
  if (report.band && !*report.band)
    json["measured"]["reserved_peak_band_unknown"] = report.band->error().message;
  json["card"] = CardFitJson(report);
  json["shortages"] = ShortagesJson(report);
  Json owners = Json::array();
  for (const advice::Owner& owner : report.owners)
    owners.push_back({{"name", owner.name}, {"bytes", owner.bytes}, {"blocks", owner.blocks}});
  json["largest_owners"] = owners;
  json["ending"] = report.ending;
  json["notes"] = report.notes;
}

std::string EndingRows(const RunReport& report) {
  if (report.ending.empty()) return "";
  return fmt::format("{} What follows is what it needed until then.\n", report.ending);
}

std::string WhereContextIsFrom(const phantom::Card& card) {
  return std::string(card.context_is_measured ? "as measured on such a card" : "an estimate") +
         "; outside of PyTorch's figures";
}

std::string CardRows(const RunReport& report) {
  if (!report.fit) return "";
  const session::CardFit& fit = *report.fit;
  const double share =
      100 * static_cast<double>(fit.taken_bytes()) / static_cast<double>(fit.card.memory_bytes);
  std::string rows = SizeRow("CUDA context", fit.card.context_bytes, WhereContextIsFrom(fit.card));
  rows += SizeRow("of the card", fit.taken_bytes(),
                  fmt::format("{:.1f} % of {}", share, InBinary(fit.card.memory_bytes)));
  if (fit.may_not_fit()) {
    rows +=
        "It may not fit: by another order of addresses it needs more than the card has beside the context.\n";
  }
  return rows + AdviceRow(report);
}

std::vector<std::string> ShortageSentences(const RunReport& report) {
  std::vector<std::string> sentences;
  const size_t told = std::min(report.shortages.size(), kMostShortages);
  for (size_t i = 0; i < told; ++i) {
    const session::Shortage& shortage = report.shortages[i];
    const std::string place = PlaceOf(shortage);
    sentences.push_back(fmt::format("{}{} were asked for and {} free on the card, with {} allocated and {} "
                                    "cached in gaps. {}",
                                    place.empty() ? "" : "I" + place.substr(2) + ": ",
                                    InBinary(shortage.requested_bytes), InBinary(shortage.free_bytes),
                                    InBinary(shortage.allocated_bytes), InBinary(shortage.cached_bytes),
                                    session::WhyShort(shortage, UsableBytes(report))) +
                        (shortage.survived ? " The program went on." : ""));
  }
  if (report.shortages.size() > told) sentences.push_back(MoreTimes(report.shortages.size() - told));
  return sentences;
}

std::string OutOfMemoryRows(const RunReport& report) {
  std::string rows;
  const size_t told = std::min(report.shortages.size(), kMostShortages);
  for (size_t i = 0; i < told; ++i) {
    const session::Shortage& shortage = report.shortages[i];
    rows += fmt::format("Out of memory{}\n", PlaceOf(shortage));
    rows += SizeRow("asked for", shortage.requested_bytes, "");
    rows += SizeRow("free on the card", shortage.free_bytes, "");
    rows += SizeRow("allocated", shortage.allocated_bytes, "");
    rows += SizeRow("cached", shortage.cached_bytes, "gaps in segments that hold live blocks");
    rows += fmt::format("  {}{}\n", session::WhyShort(shortage, UsableBytes(report)),
                        shortage.survived ? " The program went on." : "");
  }
  if (report.shortages.size() > told) {
    rows += MoreTimes(report.shortages.size() - told) + "\n";
  }
  if (!report.owners.empty()) {
    rows += fmt::format("Largest owners of what was allocated {}\n",
                        report.shortages.size() > 1 ? "the last time" : "then");
  }
  for (const advice::Owner& owner : report.owners) {
    rows += fmt::format("{:>22}   {}{}\n", FormatExactBytes(owner.bytes), owner.name,
                        owner.blocks > 1
                            ? fmt::format(" ({} blocks)", FormatNumber(static_cast<int64_t>(owner.blocks)))
                            : "");
  }
  if (EndsAtItsFailure(report))
    rows += "What it needs in all, a run on a card with room for it tells (phantom --card NAME).\n";
  return rows;
}

std::string NoteRows(const std::vector<std::string>& notes) {
  std::string rows;
  for (const std::string& note : JoinedByWhatWasDone(notes)) rows += fmt::format("Note: {}\n", note);
  return rows;
}

}  // namespace tidemark::cli
