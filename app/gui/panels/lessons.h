// Learn: choose a lesson, read it page by page, predict, try, and see what textbook, phantom and run say.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/gui/panels/lesson_drawing.h"
#include "app/gui/panels/lesson_text.h"
#include "profiler/base/format.h"
#include "profiler/lessons/glossary.h"
#include "profiler/lessons/lesson.h"
#include "profiler/lessons/presets.h"

namespace tidemark::gui {

// What a page's prediction turns out to be, in bytes.
struct RevealedFigures : lessons::PredictedFigures {
  std::vector<int64_t> phantom_curve;  // of a prediction that is drawn
  std::vector<int64_t> measured_curve;
  std::vector<PhaseMark> phases;  // of such a step
  std::optional<double> measured;
};

struct LessonsInput {
  const std::vector<lessons::Lesson>* lessons = nullptr;
  const lessons::Glossary* glossary = nullptr;
  const std::vector<lessons::Preset>* presets = nullptr;
  std::string empty_reason;  // why there are none
  lessons::Situation now;    // that is chosen
  bool has_own_card =
      false;                // it is trained on what is there: the card that a page is about cannot be chosen
  bool on_phantom = false;  // the run is: its figures are predicted, too
  std::string taken_from;   // the device that the page's run was taken from, onto the phantom; "" = none
  bool runs = false;        // a run of ours goes on with it, or starts
  std::string shown;        // instead of one: a file's name, or a program's; "" = a run of ours, or nothing
  RevealedFigures figures;
  lessons::FiguresHere said;  // on the page that is open
};

struct LessonsState {
  std::string lesson;  // "" = the list of all
  int page = 0;
  bool just_opened = false;                    // its prediction takes the focus
  double typed = 0;                            // the prediction in its field, MB
  std::map<std::string, double> predictions;   // in MB, by PageKey
  std::map<std::string, DrawnCurve> drawings;  // also before they are revealed, by PageKey
  DrawingState drawing;                        // of the page that is open
  std::set<std::string> done;  // pages that were worked through, and tasks, by PageKey and TaskKey
  std::set<size_t> begun;      // tasks of the page that is open, which were not done at some time since
};

std::string PageKey(const std::string& lesson, size_t page);  // "batch-size/2"
std::string TaskKey(const std::string& lesson, size_t page, size_t attempt);

size_t PagesRead(const lessons::Lesson& lesson, const LessonsState& state);
// Where a lesson goes on that is chosen from a list: the first page that was not read; of one that was read
// through the first.
int PageToOpen(const lessons::Lesson& lesson, const LessonsState& state);

// What was predicted, drawn and done in a lesson; of "" in all.
bool HasAnswers(const std::string& lesson, const LessonsState& state);
void ForgetAnswers(const std::string& lesson, LessonsState& state);

struct OpenPage {
  const lessons::Lesson* lesson = nullptr;
  const lessons::Page* page = nullptr;  // none = none is open
  int number() const { return page == nullptr ? 0 : static_cast<int>(page - lesson->pages.data()); }
};
OpenPage PageOf(const std::vector<lessons::Lesson>& all, const LessonsState& state);

// How near a number came to each figure, in words: "By textbook and phantom right, within 1 %."; "" where
// none is there.
std::string VerdictOn(double predicted_bytes, const RevealedFigures& figures);

// Whether the page that is open was told the number that it asks for, and its tasks are done: only then does
// turning it count; but Finish counts all of the lesson.
bool IsWorkedThrough(const std::vector<lessons::Lesson>& all, const LessonsState& state);

// A last page counts as read once it is left with its tasks done, as if Finish had been pressed.
void LeavePage(const std::vector<lessons::Lesson>& all, LessonsState& state);

// Whether the page that is open asks for a number that nobody has told yet: then what would answer it is
// veiled.
bool AwaitsPrediction(const std::vector<lessons::Lesson>& all, const LessonsState& state);

// What a page of the lesson from the open one on asks for, by category, of the settings that the open one is
// about, and nobody has told yet, and what would tell that: tables leave it out.
std::set<events::Category> AskedLater(const std::vector<lessons::Lesson>& all, const LessonsState& state);

// What the page that is open is about, by category: what its title names, or it asks for.
std::set<events::Category> SubjectOf(const std::vector<lessons::Lesson>& all, const LessonsState& state);

void DrawLessonsPanel(const LessonsInput& input, LessonsState& state, CommandQueue& queue);

}  // namespace tidemark::gui
