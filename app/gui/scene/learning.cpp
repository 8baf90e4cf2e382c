#include "app/gui/scene/learning.h"

#include <algorithm>
#include <utility>

#include "app/presenters/moment/settings_change.h"
#include "profiler/lessons/expression.h"
#include "profiler/session/steady_state.h"
#include "profiler/timeline/series.h"
#include "profiler/timeline/settled_state.h"
#include "profiler/timeline/steps.h"

namespace tidemark::gui {
namespace {

// What blocks proved to hold by the step's end, as everywhere.
std::optional<double> MeasuredAt(const timeline::View& view, const timeline::Step& step,
                                 const std::string& quantity) {
  if (!view.tells_blocks()) return std::nullopt;
  if (quantity == "reserved") return static_cast<double>(step.reserved_peak);
  if (quantity == "allocated" || quantity == "curve") {
    return static_cast<double>(timeline::ValueOf(step.at_peak, timeline::Series::kAllocated));
  }
  const auto category = lessons::CategoryNamed(quantity);
  if (!category) return std::nullopt;
  const timeline::State state = timeline::SettledStateAt(view, step.peak, step.end);
  return static_cast<double>(timeline::ValueOf(state.values, timeline::SeriesOf(*category)));
}

std::vector<PhaseMark> PhasesOf(const timeline::View& view, const timeline::Step& step) {
  std::vector<PhaseMark> marks;
  const auto length = static_cast<double>(step.end - step.begin);
  const auto& phases = view.phases();
  for (size_t i = phases.size(); i-- > 0 && phases[i].end > step.begin;) {
    const timeline::PhaseSpan& span = phases[i];
    if (span.begin >= step.end || span.phase == events::Phase::kIdle) continue;
    const auto from = static_cast<double>(std::max(span.begin, step.begin) - step.begin);
    marks.push_back({from / length, std::string(events::NameOf(span.phase))});
  }
  std::ranges::reverse(marks);
  return marks;
}

// Whether other settings have filled the cache since the run began, or began anew, which empties it.
bool KeepsOfOthers(const timeline::View& view, const std::string& wanted) {
  for (size_t i = view.steps().size(); i-- > 0;) {
    const timeline::Step& step = view.steps()[i];
    const std::string* told = timeline::SettingsOf(view, step);
    if (told == nullptr || *told != wanted) return true;
    if (step.number == 0) return false;
  }
  return std::ranges::any_of(view.settings(), [&](const auto& told) { return told != wanted; });
}

// The step in which a quantity is measured; null = in none.
const timeline::Step* StepOf(const timeline::View& view, const networks::TrainingSettings& settings,
                             const std::string& quantity) {
  if (quantity == "reserved" && KeepsOfOthers(view, networks::ToJson(settings))) return nullptr;
  return MeasuredStep(view, settings);
}

template <typename Value>
void Take(Result<Value> read, Value* to, std::string* trouble) {
  if (read) {
    *to = std::move(*read);
  } else {
    *trouble += (trouble->empty() ? "" : " ") + read.error().message;
  }
}

}  // namespace

LessonBook LoadLessonBook() {
  LessonBook book;
  Take(lessons::LoadLessons(), &book.lessons, &book.trouble);
  Take(lessons::Glossary::Load(), &book.glossary, &book.trouble);
  Take(lessons::LoadPresets(), &book.presets, &book.trouble);
  return book;
}

Dictionary DictionaryOf(const lessons::Glossary* glossary) {
  return [glossary](std::string_view text) {
    std::vector<ExplainedWord> words;
    for (const lessons::Glossary::Place& place : glossary->PlacesIn(text))
      words.push_back({place.begin, place.end, lessons::MeaningOf(glossary, place.term->forms.front())});
    return words;
  };
}

std::string InWords(const networks::DeviceChoice& device) {
  if (device.kind == networks::DeviceKind::kPhantom) return "the phantom";
  return device.kind == networks::DeviceKind::kCpu ? "the CPU" : "GPU " + std::to_string(device.index);
}

const timeline::Step* MeasuredStep(const timeline::View& view, const networks::TrainingSettings& settings) {
  const std::string wanted = networks::ToJson(settings);
  std::vector<bool> is_wanted;
  for (const std::string& told : view.settings()) is_wanted.push_back(told == wanted);
  for (size_t i = view.steps().size(); i-- > 1;) {
    const timeline::Step& step = view.steps()[i];
    if (!step.complete || step.settings < 0 || step.number == 0) continue;
    if (is_wanted[static_cast<size_t>(step.settings)]) return &step;
  }
  return nullptr;
}

std::optional<double> MeasuredFigure::Of(const std::shared_ptr<const timeline::View>& view,
                                         const networks::TrainingSettings& settings,
                                         const std::string& quantity) {
  const bool same = view_ != nullptr && settings_ == settings && quantity_ == quantity;
  if (same && view_ == view) return measured_;
  const timeline::Step* const step = StepOf(*view, settings, quantity);
  const auto begin = step == nullptr ? std::nullopt : std::optional(step->begin);
  if (!same || step_ != begin)
    measured_ = step == nullptr ? std::nullopt : MeasuredAt(*view, *step, quantity);
  view_ = view;
  settings_ = settings;
  quantity_ = quantity;
  step_ = begin;
  return measured_;
}

LessonsInput PrepareLessons(const LessonQuestion& question, LessonsState& state, Estimates& estimates,
                            MeasuredFigure& measured) {
  LessonsInput input;
  input.lessons = &question.book->lessons;
  input.glossary = &question.book->glossary;
  input.presets = &question.book->presets;
  input.empty_reason = question.book->trouble;
  input.now = question.now;
  const OpenPage open = PageOf(question.book->lessons, state);
  if (open.page == nullptr) return input;
  const auto number = static_cast<size_t>(open.page - open.lesson->pages.data());
  const bool goes = question.view != nullptr && presenters::GoesWith(*question.view, question.now.settings);
  for (size_t i = 0; i < open.page->attempts.size(); ++i) {
    // What was so before the page was opened is nothing that anybody tried.
    if (!lessons::IsDone(open.page->attempts[i], question.now)) {
      state.begun.insert(i);
    } else if (goes && state.begun.contains(i)) {
      state.done.insert(TaskKey(state.lesson, number, i));
    }
  }
  const lessons::Sources sources{question.networks, question.cards,
                                 [&](const lessons::Situation& at) {
                                   return estimates.Phantom(at.settings, {at.card, ""});
                                 },
                                 [&](const networks::TrainingSettings& settings, int rank) {
                                   return estimates.Textbook(settings, rank);
                                 }};
  input.said = lessons::FiguresOn(*open.page, sources);
  if (!open.page->prediction) return input;
  const lessons::Prediction& asked = *open.page->prediction;
  static_cast<lessons::PredictedFigures&>(input.figures) = lessons::FiguresOf(asked, sources);
  if (question.view != nullptr) {
    input.figures.measured = measured.Of(question.view, asked.situation.settings, asked.quantity);
  }
  const bool revealed = state.predictions.contains(PageKey(state.lesson, number));
  if (!lessons::IsDrawn(asked)) return input;
  const timeline::Step* step =
      question.view == nullptr ? nullptr : MeasuredStep(*question.view, asked.situation.settings);
  if (step != nullptr) input.figures.phases = PhasesOf(*question.view, *step);
  if (!revealed) return input;
  const auto prediction = estimates.Phantom(asked.situation.settings, {asked.situation.card, ""});
  if (prediction) input.figures.phantom_curve = prediction->step_curve;
  if (step != nullptr) input.figures.measured_curve = session::CurveOf(*question.view, *step);
  return input;
}

}  // namespace tidemark::gui
