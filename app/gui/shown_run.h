// The run that is shown, and what holds of no other: which of its ranks and cards are looked at, what was
// noted of each, and how far somebody saved it. There is none while one starts, and before the first. Another
// takes its place as a whole. UI thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/background/live_ranks.h"
#include "app/gui/commands/shown_cards.h"
#include "app/gui/kept_runs.h"
#include "app/gui/scene/scene_input.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/base/result.h"
#include "profiler/session/card_run.h"
#include "profiler/session/program_order.h"
#include "profiler/session/run.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

// As the process counts; none where there are not several.
std::vector<uint8_t> CardsOf(const timeline::View& view);

class ShownRun {
 public:
  using Clock = std::chrono::steady_clock;

  ShownRun() = default;  // none
  static ShownRun NotOpened();
  // `recording`: what a file that is followed is called.
  ShownRun(std::shared_ptr<session::Run> run, RunOrigin origin, std::string recording = "");
  // All of it was read from `file`, or what was on one of its cards alone.
  ShownRun(std::shared_ptr<session::Run> run, std::filesystem::path file, ShownCards cards);

  explicit operator bool() const { return whole_ != nullptr; }
  // All of it: this takes commands, and ends.
  const std::shared_ptr<session::Run>& whole() const { return whole_; }
  session::Run* operator->() const { return whole_.get(); }
  // For what comes later, by whom the run is not to be held.
  bool Is(const std::weak_ptr<const session::Run>& run) const;
  Clock::time_point since() const { return since_; }
  const std::filesystem::path& read_file() const { return read_file_; }  // "" = it was read from none
  RunOrigin origin() const { return origin_; }
  const std::string& recording() const { return recording_; }  // "run.tide", of a recording

  // What panels tell of: a rank, or one of its cards alone; all of a run that is one alone.
  const std::shared_ptr<const session::Run>& part() const { return part_; }
  const ShownCards& cards() const { return cards_; }
  LiveRanks& ranks() { return ranks_; }
  // Each true where another part is shown now, of which nothing is known yet. A launcher's ranks come one by
  // one, in any order, and a process may come to use other cards.
  bool Follow();
  bool ShowRank(size_t place);                   // by its place in the strip
  bool ShowCard(std::optional<uint8_t> device);  // of a run that was not read; none = all of them

  // How far the order of addresses moves what the part reserved. True once for each part: whoever asks is to
  // work it out.
  bool AskForBand() { return !std::exchange(is_band_asked_, true); }
  void TakeBand(const std::shared_ptr<const session::Run>& part, presenters::Band band);
  const presenters::Band& band() const { return band_; }

  // Of the part's process, in their order of time.
  const std::vector<trace::Bookmark>& bookmarks() { return notes_[process_].bookmarks; }
  bool has_bookmarks() const;  // in any process
  // What a bookmark is asked for in, which may be answered when another is shown.
  std::weak_ptr<const session::Run> process() const {
    return std::shared_ptr<const session::Run>(whole_, process_);
  }
  // Beside the file that the process was read from, is written to or was saved in; else it is written with
  // the run. Errors: it cannot be written, its file is not known or holds notes that cannot be read, or
  // `process` is of a run that is not shown any more.
  Status Note(const std::weak_ptr<const session::Run>& process, trace::Bookmark bookmark);
  // What was noted of a launcher before its first rank came is of the rank that is shown from then on. After
  // Follow. Errors: it cannot be written.
  Status CarryNotes();
  // Those beside `file` are the process's, and others are kept there, too. Errors: they cannot be read, and
  // stay as they are.
  Status ReadNotes(const std::filesystem::path& file);
  // The same of a recording that is followed, once its file is there.
  Status ReadNotesOfFollowed();

  // Each of its processes, as far as it went.
  bool is_saved() const;
  // `file` holds that process of it up to `end`. Returns what is to be kept beside it: also what was noted
  // while it was written.
  const std::vector<trace::Bookmark>& TakeSaved(const session::Run* process,
                                                const std::filesystem::path& file, events::EventIndex end);
  // It, or what starts, is the window's own: nothing that anybody would miss, but for what they note in it.
  void SetExample(bool is_example) { is_example_ = is_example; }
  bool is_example() const { return is_example_; }
  // What a person asked for who started it from this window; null if nobody did.
  void SetOrder(session::ProgramOrder order) { order_ = std::move(order); }
  const session::ProgramOrder* order() const { return order_ ? &*order_ : nullptr; }
  void SetBeingKept(bool is_being_kept) { is_being_kept_ = is_being_kept; }
  bool needs_keeping() const;  // somebody made it, and nobody saved it
  LeavingRun Leaving(std::string title, bool is_veiled) const;

 private:
  // What a person noted of one process, and how far they saved it.
  struct Notes {
    std::vector<trace::Bookmark> bookmarks;
    std::filesystem::path file;                     // beside which they are kept; "" = beside its recording
    std::string unread;                             // why those that are there cannot be read; "" = they can
    std::optional<events::EventIndex> saved_until;  // up to there; none = not at all
  };
  Status WriteNotes(const session::Run& process);
  // "" = it is in no file, or nobody knows in which.
  std::filesystem::path FileOf(const session::Run& process) const;
  std::shared_ptr<const session::Run> CardAlone(const session::Run& process) const;

  std::shared_ptr<session::Run> whole_;
  Clock::time_point since_{};
  RunOrigin origin_ = RunOrigin::kNone;
  std::string recording_;
  std::filesystem::path read_file_;
  LiveRanks ranks_;
  ShownCards cards_;
  std::vector<std::shared_ptr<const session::CardRun>> cards_alone_;  // that were shown so far
  std::shared_ptr<const session::Run> part_;
  const session::Run* process_ = nullptr;  // of the part, with all its cards
  presenters::Band band_;
  bool is_band_asked_ = false;
  std::map<const session::Run*, Notes> notes_;  // by process
  std::optional<session::ProgramOrder> order_;
  bool is_example_ = false;
  bool is_being_kept_ = false;
  bool are_notes_awaited_ = false;  // of a recording that is followed
};

}  // namespace tidemark::gui
