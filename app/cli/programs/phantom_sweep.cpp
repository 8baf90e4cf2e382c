#include "app/cli/programs/phantom_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/console/interrupt_listener.h"
#include "app/cli/reports/band_report.h"
#include "app/cli/reports/run_report.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/format.h"
#include "profiler/phantom/address_order.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/program_recorder.h"
#include "profiler/session/steady_state.h"

namespace tidemark::cli {
namespace {

using phantom::RunAnswer;
using Clock = std::chrono::steady_clock;

constexpr size_t kRingEvents = size_t{1} << 16;

bool Failed(const RunAnswer& run) { return run.out_of_memory || !run.sentence.empty(); }
bool FailedByItself(const SweepRow& row) { return !row.run.out_of_memory && Failed(row.run); }

// Of one that came to its end and used the card.
bool HasPeaks(const RunAnswer& run) { return !Failed(run) && run.used_cuda; }

int64_t TakenBytes(const SweepRow& row, const phantom::Card& card) {
  return row.fullest_reserved_bytes.value_or(row.run.reserved_peak_bytes) + card.context_bytes;
}

bool HasBand(const SweepRow& row) { return row.band && row.band->ok(); }
bool IsMoved(const SweepRow& row) {
  return HasBand(row) && ((*row.band)->bytes.is_moved() || (*row.band)->bytes.allocated.is_moved());
}

Json RowJson(const SweepRow& row, const phantom::SweepTask& task, const phantom::Card& card) {
  Json json = {
      {task.name, row.run.value}, {"allocated_peak_bytes", Json()},         {"reserved_peak_bytes", Json()},
      {"taken_bytes", Json()},    {"out_of_memory", row.run.out_of_memory}, {"sentence", row.run.sentence}};
  if (!HasPeaks(row.run)) return json;
  json["allocated_peak_bytes"] = row.run.allocated_peak_bytes;
  json["reserved_peak_bytes"] = row.run.reserved_peak_bytes;
  json["taken_bytes"] = TakenBytes(row, card);
  if (HasBand(row)) AddBandJson(**row.band, json);
  if (row.band && !*row.band) json["reserved_peak_band_unknown"] = row.band->error().message;
  return json;
}

Json SweepJson(const phantom::SweepTask& task, const phantom::Card& card, const std::vector<SweepRow>& rows,
               const std::vector<std::string>& notes) {
  Json runs = Json::array();
  for (const SweepRow& row : rows) runs.push_back(RowJson(row, task, card));
  return {{"sweep", task.name},
          {"card", CardJson(card)},
          {"runs", runs},
          {"complete", rows.size() == task.values.size()},
          {"notes", notes}};
}

std::string EndOf(const SweepRow& row, const phantom::Card& card) {
  if (row.run.out_of_memory) return "  does not fit: " + row.run.sentence;
  if (!row.run.sentence.empty()) return "  " + row.run.sentence;
  if (!row.run.used_cuda) return "  it asked the phantom GPU for no memory";
  if (!HasBand(row)) return "";
  const session::ReservedBand& band = **row.band;
  std::string text;
  if (band.bytes.is_moved()) {
    text = fmt::format("  reserved {} to {}", FormatExactBytes(band.bytes.least_bytes),
                       FormatExactBytes(band.bytes.most_bytes));
  }
  if (const auto& allocated = band.bytes.allocated; allocated.is_moved()) {
    text += fmt::format("  allocated {} to {}", FormatExactBytes(allocated.least_bytes),
                        FormatExactBytes(allocated.most_bytes));
  }
  const int64_t moved_bytes = band.bytes.most_bytes - row.run.reserved_peak_bytes;
  if (TakenBytes(row, card) + moved_bytes > card.memory_bytes) return text + "  may not fit";
  return text + (band.at_the_cliff ? "  nearly full" : "");
}

std::string OrdersText(const std::vector<SweepRow>& rows) {
  const auto orders = phantom::LikelyOrders().size();
  if (std::ranges::any_of(rows, IsMoved)) {
    return fmt::format(
        "What is reserved, and at times what is allocated, depends on the order of the driver's addresses, "
        "which nobody knows: of {} orders, least and most stand in the row. What has none there is the same "
        "in all.\n",
        orders);
  }
  if (!std::ranges::any_of(rows, HasBand)) return "";
  return fmt::format(
      "What is reserved is the same in all {} orders of the driver's addresses that were tried.\n", orders);
}

// Each reason once, with the values that it is of.
std::string UnknownBandsText(const phantom::SweepTask& task, const std::vector<SweepRow>& rows) {
  std::map<std::string, std::vector<std::string>> values;
  for (const SweepRow& row : rows) {
    if (row.band && !*row.band) values[row.band->error().message].push_back(FormatNumber(row.run.value));
  }
  std::string text;
  for (const auto& [reason, of] : values) {
    text += fmt::format("{} {}: how far the order of addresses moves what is reserved is not known. {}\n",
                        task.name, fmt::join(of, ", "), reason);
  }
  return text;
}

std::string DoubtOf(const phantom::SweepTask& task, const std::vector<SweepRow>& rows) {
  std::vector<std::optional<int64_t>> peaks;
  peaks.reserve(rows.size());
  for (const SweepRow& row : rows) {
    peaks.push_back(HasPeaks(row.run) ? std::optional(row.run.allocated_peak_bytes) : std::nullopt);
  }
  return presenters::DoubtOfSweep(task.name, peaks);
}

std::string CardText(const phantom::Card& card) {
  return fmt::format("The {}'s {} hold {} of CUDA context, {}, beside what is reserved.\n", card.title,
                     FormatBytes(card.memory_bytes, ByteUnit::kMebibytes),
                     FormatBytes(card.context_bytes, ByteUnit::kMebibytes),
                     card.context_is_measured ? "as measured" : "an estimate");
}

// Records the runs of a sweep, as far as it takes to replay them.
class SweepRecorder {
 public:
  SweepRecorder(std::unique_ptr<session::ProgramRecorder> recorder, const BandOf& band_of)
      : recorder_(std::move(recorder)), band_of_(band_of) {}

  SweepRow RowOf(RunAnswer run) {
    const auto heard = recorder_->Take(run.process_id);
    // One that ended at once, as by os._exit, had no time to say so, and none knows of those that it started.
    run.used_cuda = run.used_cuda || (heard && !heard->view()->empty());
    if (!HasPeaks(run)) return {run, {}};
    if (!heard || heard->view()->empty()) return {run, Error{"Its allocator tells nothing of itself."}};
    if (heard->status().lost > 0) {
      return {run, Error{fmt::format("{} of its events were lost.", FormatNumber(heard->status().lost))}};
    }
    SweepRow row{run, band_of_(*heard)};
    // A program may begin to count anew, and then torch's own peaks are not those of the whole run.
    const session::Prediction peaks = session::LargestSince(*heard->view());
    row.run.allocated_peak_bytes = peaks.allocated_peak_bytes;
    row.run.reserved_peak_bytes = peaks.reserved_peak_bytes;
    row.fullest_reserved_bytes = session::HighestOfCards(*heard->view()).reserved_bytes;
    return row;
  }

 private:
  std::unique_ptr<session::ProgramRecorder> recorder_;
  const BandOf& band_of_;
};

int AnswerSweep(const phantom::SweepTask& task, const phantom::Card& card, bool json,
                const std::vector<SweepRow>& rows, std::vector<std::string> notes) {
  if (const std::string doubt = DoubtOf(task, rows); !doubt.empty()) notes.push_back(doubt);
  const int code = Answer(json ? TextOf(SweepJson(task, card, rows, notes)) : SweepTable(task, card, rows));
  if (!json) Tell(NoteRows(notes));
  if (rows.size() < task.values.size()) {
    return Complain(fmt::format("Stopped as asked, after {} of {} runs.", rows.size(), task.values.size()),
                    kExitInterrupted);
  }
  const bool all_failed = std::ranges::all_of(rows, FailedByItself);
  return code == kExitDone && all_failed ? kExitFailed : code;
}

}  // namespace

std::string SweepTable(const phantom::SweepTask& task, const phantom::Card& card,
                       const std::vector<SweepRow>& rows) {
  constexpr const char* kRow = "{:>12}{:>22}{:>22}{:>12}{:>13}";
  std::string text =
      fmt::format(kRow, task.name, "allocated peak", "reserved peak", "of card", "free") + "\n";
  for (const SweepRow& row : rows) {
    const std::string value = FormatNumber(row.run.value);
    if (HasPeaks(row.run)) {
      const int64_t taken = TakenBytes(row, card);
      const double share = 100 * static_cast<double>(taken) / static_cast<double>(card.memory_bytes);
      text += fmt::format(kRow, value, FormatExactBytes(row.run.allocated_peak_bytes),
                          FormatExactBytes(row.run.reserved_peak_bytes), fmt::format("{:.1f} %", share),
                          FormatBytes(card.memory_bytes - taken, ByteUnit::kMebibytes));
    } else {
      text += fmt::format(kRow, value, "–", "–", "–", "–");
    }
    text += EndOf(row, card) + "\n";
  }
  if (std::ranges::all_of(rows, FailedByItself)) return text;  // which is no answer about the card
  return text + OrdersText(rows) + UnknownBandsText(task, rows) + CardText(card);
}

Status RecordSweep(phantom::SweepTask task, const BandOf& band_of,
                   const std::function<void(const SweepRow&)>& answered,
                   const std::function<bool()>& goes_on) {
  session::RecorderOptions recorded;
  recorded.on_phantom = true;
  recorded.ring_events = kRingEvents;
  auto started = session::ProgramRecorder::Start(recorded);
  if (!started) return started.error();
  task.environment.push_back((*started)->environment_entry());
  SweepRecorder recorder(std::move(*started), band_of);
  return phantom::Sweep(task, {[&](const RunAnswer& run) { answered(recorder.RowOf(run)); }, goes_on});
}

int RunSweep(const phantom::SweepTask& task, const phantom::Card& card, bool json,
             const std::function<std::vector<std::string>()>& doubts, const BandOf& band_of) {
  const InterruptListener listener;
  ProgressLine progress(kToldEvery);
  const auto began = Clock::now();
  std::vector<SweepRow> rows;
  const auto show = [&] {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began).count();
    const std::string latest =
        rows.empty() ? "the first run loads torch" : fmt::format("{} {}", task.name, rows.back().run.value);
    progress.Show(fmt::format("{} of {} runs · {} · {} s", rows.size(), task.values.size(), latest, seconds));
    return !InterruptListener::WasInterrupted();
  };
  const Status swept = RecordSweep(
      task, band_of, [&](const SweepRow& row) { rows.push_back(row); }, show);
  progress.Clear();
  if (!swept) {
    Tell(NoteRows(doubts()));
    return Complain(swept.error().message, kExitFailed);
  }
  return AnswerSweep(task, card, json, rows, doubts());
}

}  // namespace tidemark::cli
