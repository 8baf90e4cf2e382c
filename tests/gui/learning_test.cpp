#include "app/gui/scene/learning.h"

#include <algorithm>

#include "app/gui/lesson_desk.h"
#include "app/gui/panels/lesson_drawing.h"
#include "app/gui/window/theme.h"
#include "profiler/session/steady_state.h"
#include "tests/support/catch.h"
#include "tests/support/counting_view.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

using networks::TrainingSettings;

// Two steps with each of the settings, which reserve 1 kB more from one to the next; each the first of a run
// that begins anew, or of the same one.
std::shared_ptr<const timeline::View> Trained(const std::vector<TrainingSettings>& runs, bool anew = false) {
  timeline::Stream stream;
  const events::NameId text = stream.Name("settings");
  int64_t step = 0;
  uint64_t address = 0x1000;
  for (const TrainingSettings& settings : runs) {
    stream.Mark(text, stream.Name(networks::ToJson(settings)));
    if (anew) step = 0;
    for (int i = 0; i < 2; ++i) {
      stream.BeginStep(step);
      events::Event& segment = stream.Add(events::EventKind::kSegmentAllocate, address, 1024);
      segment.rounded_bytes = 1024;
      stream.EndStep(step);
      ++step;
      address += 1024;
    }
  }
  return stream.Publish();
}

TEST_CASE("What is reserved is measured only where no other settings have filled the cache before") {
  TrainingSettings first;
  TrainingSettings second;
  second.batch = 1;
  CHECK(MeasuredFigure().Of(Trained({first}), first, "reserved").has_value());
  CHECK_FALSE(MeasuredFigure().Of(Trained({second, first}), first, "reserved").has_value());
  CHECK(MeasuredFigure().Of(Trained({second, first}, /*anew=*/true), first, "reserved").has_value());
  CHECK(MeasuredFigure().Of(Trained({second, first}), first, "allocated").has_value());
  CHECK_FALSE(MeasuredFigure().Of(Trained({first}), second, "allocated").has_value());
}

TEST_CASE("Figures of a page that the phantom computes stand as it says them here, once it has answered") {
  const auto text = lessons::ParseText(
      "About 182 MB <!-- ~ phantom.allocated --> of 58.49 MB <!-- = textbook.total -->, 1.54 times <!-- ~ "
      "phantom.allocated/phantom.requested -->.",
      1);
  REQUIRE(text.ok());
  lessons::Page page;
  page.setup.situation.card = "h200";
  page.blocks.emplace_back().text = text->text;
  std::optional<session::Prediction> answer;
  const auto networks = networks::LoadNetworks();
  const auto cards = phantom::LoadCards();
  REQUIRE(networks.ok());
  REQUIRE(cards.ok());
  const lessons::Sources sources{&*networks, &*cards, [&](const lessons::Situation&) { return answer; }};
  CHECK(lessons::FiguresOn(page, sources).empty());
  answer.emplace();
  answer->allocated_peak_bytes = 186'380'800;
  answer->requested_peak_bytes = 186'380'800;
  const lessons::FiguresHere figures = lessons::FiguresOn(page, sources);
  std::string said;
  for (const lessons::Span& span : page.blocks.front().text) {
    const auto here = figures.find(&span);
    said += here == figures.end() ? span.text : here->second;
  }
  CHECK(said == "About 186 MB of 58.49 MB, 1.00 times.");
}

TEST_CASE("Why a page's figure cannot be told is said, not left out as if it were on its way") {
  const LessonBook book = LoadLessonBook();
  LessonsState state;
  state.lesson = "where-memory-goes";
  state.page = 1;
  const std::vector<networks::Network> none;
  const auto cards = phantom::LoadCards();
  REQUIRE(cards.ok());
  Estimates estimates(&none);
  MeasuredFigure measured;
  const LessonsInput input = PrepareLessons({&book, {}, nullptr, &none, &*cards}, state, estimates, measured);
  CHECK_FALSE(input.figures.phantom.has_value());
  CHECK(input.figures.trouble.find("There is no network 'simple-conv-net'") != std::string::npos);
}

TEST_CASE(
    "Curves over a drawing have the colours that they have everywhere, and the drawing one of its own") {
  const std::vector<DrawnLegend> legend = LegendOf({1e6, {1}, {1}, /*revealed=*/true});
  const auto color_of = [&](std::string_view name) {
    const auto entry = std::ranges::find(legend, name, &DrawnLegend::name);
    REQUIRE(entry != legend.end());
    return entry->color;
  };
  CHECK(color_of("phantom") == Colors().accent);
  CHECK(color_of("textbook") == Colors().theory);
  CHECK(color_of("measured") == Colors().good);
  for (const char* name : {"phantom", "textbook", "measured"})
    CHECK(color_of("your drawing") != color_of(name));
}

TEST_CASE("What is measured of a category is what blocks proved to hold by the end of the step") {
  const TrainingSettings settings;
  timeline::Stream stream;
  stream.Mark(stream.Name("settings"), stream.Name(networks::ToJson(settings)));
  for (const int64_t step : {0, 1}) {
    stream.BeginStep(step);
    stream.Allocate(0x1000, 512);
    stream.Categorize(0x1000, events::Category::kGradient);
    stream.Free(0x1000);
    stream.EndStep(step);
  }
  const auto view = stream.Publish();
  CHECK(MeasuredFigure().Of(view, settings, "gradient") == 512);
  CHECK(MeasuredFigure().Of(view, settings, "temporary") == 0);
}

TEST_CASE("What a page asks of a category is looked at once, until another step measures it") {
  const TrainingSettings settings;
  timeline::Stream stream;
  stream.Mark(stream.Name("settings"), stream.Name(networks::ToJson(settings)));
  const auto train = [&stream](int64_t step, int64_t bytes) {
    stream.BeginStep(step);
    stream.Allocate(0x1000, bytes, events::Category::kGradient);
    stream.Free(0x1000);
    stream.EndStep(step);
    return std::make_shared<timeline::CountingView>(stream.Publish());
  };
  train(0, 512);
  const auto first = train(1, 1024);
  stream.BeginStep(2);
  const auto later = std::make_shared<timeline::CountingView>(stream.Publish());
  MeasuredFigure measured;
  CHECK(measured.Of(first, settings, "gradient") == 1024);
  first->Forget();
  CHECK(measured.Of(first, settings, "gradient") == 1024);
  CHECK(measured.Of(later, settings, "gradient") == 1024);
  CHECK(first->counts().states + later->counts().states == 0);
  CHECK(measured.Of(later, settings, "activation") == 0);
  stream.EndStep(2);
  CHECK(measured.Of(train(3, 2048), settings, "gradient") == 2048);
  TrainingSettings others;
  others.batch = 1;
  CHECK_FALSE(measured.Of(later, others, "gradient"));
}

TEST_CASE("The last page counts once it is left with its tasks done") {
  lessons::Lesson lesson;
  lesson.name = "short";
  lesson.pages.resize(2);
  lesson.pages[1].attempts.push_back({{}, "batch=1"});
  LessonsState state;
  state.lesson = lesson.name;
  LeavePage({lesson}, state);  // of the first
  state.page = 1;
  LeavePage({lesson}, state);
  CHECK(state.done.empty());
  state.done.insert(TaskKey(lesson.name, 1, 0));
  LeavePage({lesson}, state);
  CHECK(state.done.contains(PageKey(lesson.name, 1)));
}

TEST_CASE("A lesson goes on at its first page that is unread, and is read through once it is finished") {
  const LessonDesk desk;
  const lessons::Lesson& lesson = desk.book().lessons.front();
  const size_t last = lesson.pages.size() - 1;
  REQUIRE(last > 1);
  LessonsState state;
  CHECK(PageToOpen(lesson, state) == 0);
  state.done = {PageKey(lesson.name, 0), PageKey(lesson.name, last)};
  CHECK(PageToOpen(lesson, state) == 1);
  state.predictions[PageKey(lesson.name, 1)] = 4;  // told, and left without turning the page
  CHECK(PageToOpen(lesson, state) == 2);
  CHECK(PagesRead(lesson, state) == 3);
  state.lesson = lesson.name;
  state.page = static_cast<int>(last);
  CHECK_FALSE(desk.Turn(state));
  CHECK(PagesRead(lesson, state) == lesson.pages.size());
  CHECK(PageToOpen(lesson, state) == 0);
}

TEST_CASE("A page is worked through once its number was told and its tasks are done") {
  lessons::Lesson lesson;
  lesson.name = "short";
  lesson.pages.resize(2);
  lesson.pages[0].prediction.emplace();
  lesson.pages[0].attempts.push_back({{}, "batch=1"});
  LessonsState state;
  CHECK_FALSE(IsWorkedThrough({lesson}, state));  // none is open
  state.lesson = lesson.name;
  CHECK_FALSE(IsWorkedThrough({lesson}, state));
  state.predictions[PageKey(lesson.name, 0)] = 1;
  CHECK_FALSE(IsWorkedThrough({lesson}, state));
  state.done.insert(TaskKey(lesson.name, 0, 0));
  CHECK(IsWorkedThrough({lesson}, state));
  state.page = 1;
  CHECK(IsWorkedThrough({lesson}, state));
}

TEST_CASE("How near a number came is told in words") {
  RevealedFigures figures;
  CHECK(VerdictOn(8.63e6, figures).empty());
  figures.textbook = 4.32e6;
  CHECK(VerdictOn(4.32e6, figures) == "By the textbook right.");
  figures.phantom = 4.31e6;
  CHECK(VerdictOn(8.64e6, figures) == "By textbook and phantom 100 % too high.");
  CHECK(VerdictOn(4.5e6, figures) == "By textbook and phantom right, within 4 %.");
  figures.phantom = 186.4e6;
  CHECK(VerdictOn(4.4e6, figures) == "By the textbook right, within 2 %; by the phantom 98 % too low.");
  figures.textbook.reset();
  figures.phantom.reset();
  figures.measured = 10e6;
  CHECK(VerdictOn(5e6, figures) == "By the run 50 % too low.");
}

TEST_CASE("What a lesson was answered is forgotten with it, and with all") {
  LessonsState state;
  state.done = {PageKey("batch-size", 0), PageKey("batch", 1)};
  state.predictions = {{PageKey("batch-size", 0), 1}, {PageKey("accumulation", 0), 2}};
  state.drawings[PageKey("batch-size", 1)] = {1, 2};
  state.drawings[PageKey("many-gpus", 1)] = {};  // was never drawn
  CHECK(HasAnswers("batch-size", state));
  CHECK_FALSE(HasAnswers("many-gpus", state));
  ForgetAnswers("batch-size", state);
  CHECK_FALSE(HasAnswers("batch-size", state));
  CHECK(state.done == std::set<std::string>{PageKey("batch", 1)});
  CHECK(state.predictions.size() == 1);
  ForgetAnswers("", state);
  CHECK_FALSE(HasAnswers("", state));
}

TEST_CASE("How far a drawing is from a curve is told in words") {
  std::vector<int64_t> bytes(session::kStepColumns, 50'000'000);
  bytes[10] = 100'000'000;
  DrawnCurve drawn(session::kStepColumns, 50);
  drawn[11] = 101;
  CHECK(HowFarApart("Phantom", drawn, bytes) ==
        "Phantom: your curve is 3 % of its peak away on average; your peak is as high and comes at the same "
        "moment.");
  drawn[11] = 50;
  drawn[30] = 150;
  CHECK(HowFarApart("Measured", drawn, bytes).ends_with("your peak is 50 % higher and comes later."));
  CHECK(HowFarApart("Measured", drawn, {}).empty());
  CHECK(HowFarApart("Measured", {}, bytes).empty());
}

}  // namespace
TEST_CASE("A task is done by who did it, not by what was so as its page was opened") {
  LessonBook book;
  lessons::Lesson& lesson = book.lessons.emplace_back();
  lesson.name = "short";
  lesson.pages.resize(1);
  lesson.pages[0].attempts.push_back({{}, "batch=1"});
  TrainingSettings wanted;
  wanted.batch = 1;
  TrainingSettings other;
  const auto ran = Trained({other, wanted});
  const auto ran_before = Trained({wanted, other});
  const std::vector<networks::Network> networks;
  const std::vector<phantom::Card> cards;
  Estimates estimates(&networks);
  LessonsState state;
  state.lesson = lesson.name;
  const auto look = [&](const TrainingSettings& now, const auto& view) {
    MeasuredFigure measured;
    PrepareLessons({&book, {now, "h200"}, view, &networks, &cards}, state, estimates, measured);
    return state.done.contains(TaskKey(lesson.name, 0, 0));
  };
  CHECK_FALSE(look(wanted, ran));
  CHECK_FALSE(look(other, ran_before));
  CHECK(look(wanted, ran));
}

}  // namespace tidemark::gui
