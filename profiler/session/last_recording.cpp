#include "profiler/session/last_recording.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "profiler/base/format.h"
#include "profiler/trace/bookmarks.h"
#include "profiler/trace/recording_lock.h"
#include "profiler/trace/save.h"

namespace tidemark::session {
namespace {

using events::EventKind;

// What a kill loses at the most, as long as saving is quick; that takes a twentieth of a core at the most.
constexpr std::chrono::seconds kSaveEvery{10};
constexpr int kRestForEachSave = 20;
// A chunk of the timeline: it lets go of no less.
constexpr size_t kLookEvery = 16'384;

bool TakesOneOnly(const std::filesystem::path& file) {
  std::error_code not_there;
  return std::filesystem::exists(file, not_there) && !std::filesystem::is_regular_file(file, not_there);
}

std::string MeanwhileNote(const timeline::View& view) {
  const auto& steps = view.steps();
  const std::string when = steps.empty() ? "" : ", in step " + FormatNumber(steps.back().number);
  return "Saved while the program went on" + when + ": what came later is not in it.";
}

}  // namespace

LastRecording::LastRecording(std::filesystem::path file, const events::RunDescription& description,
                             const LastOfRun& last)
    : file_(std::move(file)),
      last_(last),
      saves_meanwhile_(!TakesOneOnly(file_)),
      description_(description) {}

Result<std::unique_ptr<Recording>> LastRecording::Start(const std::filesystem::path& file,
                                                        const events::RunDescription& description,
                                                        const LastOfRun& last) {
  std::unique_ptr<LastRecording> recording(new LastRecording(file, description, last));
  if (Status taken = recording->TakeFile(); !taken) return taken.error();
  return std::unique_ptr<Recording>(std::move(recording));
}

// A lock needs a file to be on, and where there is one it is to be a recording.
Status LastRecording::TakeFile() {
  if (!saves_meanwhile_) return Done{};
  if (Status locked = trace::LockName(file_, lock_); !locked) return locked;
  std::error_code unknown;  // then it is some file
  if (std::filesystem::file_size(file_, unknown) > 0 || unknown) return Done{};
  has_made_file_ = true;  // by locking its name
  events::RunDescription described = description_;
  const auto nothing = timeline::Builder().Publish();
  described.notes.push_back(MeanwhileNote(*nothing));
  (void)Save(*nothing, {}, described, true);  // there may be room at the end
  return Done{};
}

Status LastRecording::Append(std::span<const events::Event> events, timeline::Builder& builder) {
  builder.Append(events);
  has_news_ = true;
  steps_ended_ += std::ranges::count(events, EventKind::kStepEnd, &events::Event::kind);
  has_run_out_ =
      has_run_out_ || std::ranges::count(events, EventKind::kOutOfMemory, &events::Event::kind) > 0;
  since_let_go_ += events.size();
  if (since_let_go_ >= kLookEvery) LetGo(builder);
  return has_run_out_ ? Flush(builder) : Status(Done{});
}

void LastRecording::LetGo(timeline::Builder& builder) {
  since_let_go_ = 0;
  if (last_.steps == 0) return builder.LetGoBeyond(static_cast<size_t>(last_.bytes));
  if (steps_ended_ < kStepsUntilSettled) return;
  builder.LetGoBefore(LastPartOf(*builder.Publish(), last_).begin);
}

Status LastRecording::Describe(const events::RunDescription& description) {
  description_ = description;
  return Done{};
}

bool LastRecording::IsSaving() {
  if (!saving_.valid()) return false;
  if (saving_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return true;
  const Saved saved = saving_.get();
  has_file_ = has_file_ || saved.written.ok();
  took_ = saved.took;
  saved_at_ = Clock::now();
  return false;
}

// That it cannot be saved now is no reason to stop: there may be room at the end.
Status LastRecording::Flush(timeline::Builder& builder) {
  if (!has_news_ || !saves_meanwhile_ || IsSaving()) return Done{};
  const Clock::duration rest =
      has_run_out_ ? took_ : std::max<Clock::duration>(kSaveEvery, took_ * kRestForEachSave);
  if (Clock::now() - saved_at_ >= rest) SaveMeanwhile(builder);
  return Done{};
}

void LastRecording::SaveMeanwhile(timeline::Builder& builder) {
  has_news_ = false;
  has_run_out_ = false;
  saving_ = std::async(
      std::launch::async,
      [this, view = builder.Publish(), described = description_, is_first = !has_file_]() mutable -> Saved {
        const auto begun = Clock::now();
        const trace::Part part = LastPartOf(*view, last_);
        if (std::string note = NoteOfPart(*view, part, last_); !note.empty())
          described.notes.push_back(std::move(note));
        described.notes.push_back(MeanwhileNote(*view));
        const Status written = Save(*view, part, described, is_first);
        return {written, Clock::now() - begun};
      });
}

// In any thread. What was noted in an earlier recording of that name is gone with it.
Status LastRecording::Save(const timeline::View& view, const trace::Part& part,
                           const events::RunDescription& description, bool is_first) {
  const Status written = trace::SavePart(view, part, description, file_, lock_);
  return written && is_first ? trace::SaveBookmarks({}, file_) : written;
}

Recording::Closed LastRecording::Close(timeline::Builder& builder) {
  if (saving_.valid()) saving_.wait();
  (void)IsSaving();
  const auto view = builder.Publish();
  const trace::Part part = LastPartOf(*view, last_);
  Closed closed;
  closed.note = NoteOfPart(*view, part, last_);
  if (!closed.note.empty()) description_.notes.push_back(closed.note);
  closed.written = Save(*view, part, description_, !has_file_);
  if (!closed.note.empty()) closed.part = ViewOf(*view, part);  // once the file is safe
  closed.has_end = closed.written.ok();
  closed.has_file = has_file_ || closed.has_end;
  if (!closed.has_file && has_made_file_) unlink(file_.c_str());
  lock_.Reset();
  if (has_file_ && !closed.has_end) {
    closed.written = Error{closed.written.error().message + " " + file_.string() +
                           " holds what was saved of the run before its end."};
  }
  return closed;
}

}  // namespace tidemark::session
