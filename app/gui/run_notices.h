// What the window tells a person beside what the run tells itself: each line is seen for a few seconds, and
// the log of the run that is shown keeps it. What was told as somebody asked for a run is in that run's log,
// too: the log that had it before goes with the run before. UI thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/gui/shell/shell.h"
#include "app/presenters/run/run_log.h"

namespace tidemark::gui {

class RunNotices {
 public:
  using Lines = std::vector<presenters::LogLine>;

  // `toasts`: those that are drawn; they live longer than this.
  explicit RunNotices(std::vector<Toast>* toasts);

  // Of the run that is shown, or of the part of it; another object for each.
  const presenters::RunLog& log() const { return *log_; }

  void Tell(presenters::LogLevel level, const std::string& text);
  // What is in sight without it: in the log alone.
  void Note(presenters::LogLevel level, const std::string& text);
  // Of what holds from run to run: each one's log has it.
  void Complain(const std::string& text);

  // What is told from here on until the next call is about one thing that somebody asked for.
  void BeginMatter() { matter_begins_ = told_.size(); }
  // That. Where it brings a run, BeginRun takes it as that run comes.
  Lines OfThisMatter() const;

  // Another run is shown, which tells nothing yet. Its log begins with what was told as it was asked for.
  void BeginRun(Lines told);
  // Another part of the same run is shown: what was told of the run stays.
  void BeginPart();
  // What the run that is shown tells by now. `replays`: the view's.
  void Update(const events::RunDescription& description, const timeline::View& view,
              const timeline::GraphReplays& replays, bool has_ended);

 private:
  std::vector<Toast>* toasts_;
  std::unique_ptr<presenters::RunLog> log_;
  Lines complaints_;
  Lines told_;  // since the run is shown
  size_t matter_begins_ = 0;
};

}  // namespace tidemark::gui
