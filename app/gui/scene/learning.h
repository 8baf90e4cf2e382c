// What the Learn panel and the locks of lessons and codes need from the rest of the window. UI thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/estimates.h"
#include "app/gui/panels/lessons.h"
#include "app/gui/widgets/terms.h"
#include "profiler/lessons/glossary.h"
#include "profiler/lessons/lesson.h"
#include "profiler/lessons/presets.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::gui {

// Lessons and words, as they were read when the window opened.
struct LessonBook {
  std::vector<lessons::Lesson> lessons;
  lessons::Glossary glossary;
  std::vector<lessons::Preset> presets;
  std::string trouble;  // why something of it could not be read; "" if all was
};
LessonBook LoadLessonBook();

// `glossary` outlives it.
Dictionary DictionaryOf(const lessons::Glossary* glossary);

// "the CPU", "GPU 0", "the phantom"
std::string InWords(const networks::DeviceChoice& device);

// What the run measured of a prediction's quantity, looked at once in each step that it is measured in.
class MeasuredFigure {
 public:
  // In bytes: at the peak of its last complete step with those settings after the first, which differs. What
  // is reserved is not told of a run that has had other settings since it began: its cache holds what those
  // needed. O(steps), and of a category the effort of the settled state at that peak.
  std::optional<double> Of(const std::shared_ptr<const timeline::View>& view,
                           const networks::TrainingSettings& settings, const std::string& quantity);

 private:
  std::shared_ptr<const timeline::View> view_;
  networks::TrainingSettings settings_;
  std::string quantity_;
  std::optional<timeline::EventIndex> step_;  // its beginning; none = there is none
  std::optional<double> measured_;
};

// What the panel shows of the page that is open; marks tasks of the page that are done.
struct LessonQuestion {
  const LessonBook* book = nullptr;
  lessons::Situation now;
  std::shared_ptr<const timeline::View> view;  // of a run of the reader's; none where none is shown
  const std::vector<networks::Network>* networks = nullptr;
  const std::vector<phantom::Card>* cards = nullptr;
};
LessonsInput PrepareLessons(const LessonQuestion& question, LessonsState& state, Estimates& estimates,
                            MeasuredFigure& measured);

// The last complete step with those settings after the first, which differs; null = there is none.
// O(steps).
const timeline::Step* MeasuredStep(const timeline::View& view, const networks::TrainingSettings& settings);

}  // namespace tidemark::gui
