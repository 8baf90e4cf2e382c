#include "app/gui/shown_run.h"

#include <algorithm>
#include <utility>

#include "profiler/session/one_card.h"

namespace tidemark::gui {
namespace {

// What the card reports of itself meanwhile is nothing that anybody would miss.
bool HoldsMoreThan(const timeline::View& view, events::EventIndex saved_until) {
  for (events::EventIndex index = std::max(saved_until, view.first()); index < view.end(); ++index) {
    if (view.event(index).kind != events::EventKind::kCounter) return true;
  }
  return false;
}

}  // namespace

std::vector<uint8_t> CardsOf(const timeline::View& view) {
  std::vector<uint8_t> cards;
  if (view.devices().size() < 2) return cards;
  cards.reserve(view.devices().size());
  for (const timeline::DevicePeaks& card : view.devices()) cards.push_back(card.device);
  return cards;
}

ShownRun ShownRun::NotOpened() {
  ShownRun none;
  none.origin_ = RunOrigin::kNotOpened;
  return none;
}

ShownRun::ShownRun(std::shared_ptr<session::Run> run, RunOrigin origin, std::string recording)
    : whole_(std::move(run)),
      since_(Clock::now()),
      origin_(origin),
      recording_(std::move(recording)),
      are_notes_awaited_(origin == RunOrigin::kFollowed) {
  Follow();
}

ShownRun::ShownRun(std::shared_ptr<session::Run> run, std::filesystem::path file, ShownCards cards)
    : whole_(std::move(run)),
      since_(Clock::now()),
      origin_(RunOrigin::kOpened),
      recording_(file.filename().string() + (cards.alone ? ", " + session::TitleOfCard(*cards.alone) : "")),
      read_file_(std::move(file)),
      cards_(std::move(cards)) {
  Follow();
}

bool ShownRun::Is(const std::weak_ptr<const session::Run>& run) const {
  return whole_ != nullptr && !run.owner_before(whole_) && !whole_.owner_before(run);
}

// What is looked at now is looked at anew.
bool ShownRun::Follow() {
  const session::Run& process = ranks_.ShownOf(*whole_);
  const std::shared_ptr<const session::Run> card = CardAlone(process);
  if (read_file_.empty()) {
    if (card == nullptr) cards_.alone.reset();
    cards_.all = CardsOf(*process.view());
  }
  process_ = &process;
  const std::shared_ptr<const session::Run> all(whole_, process_);
  const auto& part = card == nullptr ? all : card;
  if (part == part_) return false;
  part_ = part;
  band_.reset();
  is_band_asked_ = false;
  return true;
}

bool ShownRun::ShowRank(size_t place) { return ranks_.Show(*whole_, place) && Follow(); }

bool ShownRun::ShowCard(std::optional<uint8_t> device) {
  cards_.alone = device;
  const session::Run& process = ranks_.ShownOf(*whole_);
  if (device && CardAlone(process) == nullptr) {
    cards_alone_.push_back(
        std::make_shared<session::CardRun>(std::shared_ptr<const session::Run>(whole_, &process), *device));
  }
  return Follow();
}

std::shared_ptr<const session::Run> ShownRun::CardAlone(const session::Run& process) const {
  const auto found = std::ranges::find_if(
      cards_alone_, [&](const auto& card) { return cards_.alone && card->IsOf(process, *cards_.alone); });
  return found == cards_alone_.end() ? nullptr : *found;
}

void ShownRun::TakeBand(const std::shared_ptr<const session::Run>& part, presenters::Band band) {
  if (part == part_) band_ = std::move(band);
}

bool ShownRun::has_bookmarks() const {
  return std::ranges::any_of(notes_, [](const auto& of) { return !of.second.bookmarks.empty(); });
}

Status ShownRun::Note(const std::weak_ptr<const session::Run>& process, trace::Bookmark bookmark) {
  if (!Is(process)) {
    return Error{"The bookmark '" + bookmark.text +
                 "' is not kept: its run is not shown any more. Open that run, and set it there."};
  }
  const session::Run& noted = *process.lock();
  trace::SetBookmark(std::move(bookmark), &notes_[&noted].bookmarks);
  if (Status written = WriteNotes(noted); !written) return written;
  return CarryNotes();  // a rank may have come since it was asked for
}

Status ShownRun::WriteNotes(const session::Run& process) {
  const Notes& notes = notes_[&process];
  const std::filesystem::path file = FileOf(process);
  if (!file.empty()) return trace::SaveBookmarks(notes.bookmarks, file, !whole_->bookmarks().empty());
  if (!whole_->has_file()) return Done{};
  const std::string why = notes.unread.empty() ? "In which file this run is, is not known." : notes.unread;
  return Error{why + " What is noted now is in no file: Ctrl+S saves the run elsewhere, with its bookmarks."};
}

Status ShownRun::CarryNotes() {
  if (std::ranges::count(ProcessesOf(*whole_), whole_.get()) > 0) return Done{};
  const auto before = notes_.extract(whole_.get());
  if (before.empty() || before.mapped().bookmarks.empty()) return Done{};
  for (trace::Bookmark& bookmark : before.mapped().bookmarks)
    trace::SetBookmark(std::move(bookmark), &notes_[process_].bookmarks);
  return WriteNotes(*process_);
}

std::filesystem::path ShownRun::FileOf(const session::Run& process) const {
  const auto notes = notes_.find(&process);
  const bool is_told =
      notes != notes_.end() && (!notes->second.file.empty() || !notes->second.unread.empty());
  return is_told ? notes->second.file : process.recording().value_or("");
}

Status ShownRun::ReadNotes(const std::filesystem::path& file) {
  Result<std::vector<trace::Bookmark>> read = trace::LoadBookmarks(file, whole_->bookmarks());
  if (!read) {
    notes_[process_].unread = read.error().message;
    return read.error();
  }
  notes_[process_] = {.bookmarks = std::move(*read), .file = file, .unread = {}, .saved_until = {}};
  return Done{};
}

Status ShownRun::ReadNotesOfFollowed() {
  const auto file = are_notes_awaited_ ? whole_->recording() : std::nullopt;
  if (!file) return Done{};
  are_notes_awaited_ = false;
  return ReadNotes(*file);
}

bool ShownRun::is_saved() const {
  if (whole_->has_file()) return true;
  return std::ranges::all_of(ProcessesOf(*whole_), [&](const session::Run* process) {
    const auto notes = notes_.find(process);
    return notes != notes_.end() && notes->second.saved_until &&
           !HoldsMoreThan(*process->view(), *notes->second.saved_until);
  });
}

// What was opened or is recorded keeps its notes there.
const std::vector<trace::Bookmark>& ShownRun::TakeSaved(const session::Run* process,
                                                        const std::filesystem::path& file,
                                                        events::EventIndex end) {
  Notes& notes = notes_[process];
  notes.saved_until = end;
  if (!whole_->has_file() || FileOf(*process).empty()) notes.file = file;
  return notes.bookmarks;
}

bool ShownRun::needs_keeping() const {
  const bool is_as_it_came = is_example_ && !has_bookmarks();
  return !is_being_kept_ && !is_as_it_came && !is_saved();
}

LeavingRun ShownRun::Leaving(std::string title, bool is_veiled) const {
  BookmarksOfRanks bookmarks;
  for (const auto& [process, notes] : notes_) bookmarks[process] = notes.bookmarks;
  return {whole_, std::move(bookmarks), needs_keeping(), std::move(title), is_veiled};
}

}  // namespace tidemark::gui
