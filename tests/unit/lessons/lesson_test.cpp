#include "profiler/lessons/lesson.h"

#include <string>

#include "tests/support/catch.h"

namespace tidemark::lessons {
namespace {

constexpr const char* kLesson = R"(# A title
A summary,
over two lines.

## First
```tidemark
set batch=32 card=t4
show bridge, layers
pin peak
highlight batch
lock amp
```
A paragraph with **strong**, *stressed* and `code`,
and 37.88 MB <!-- = textbook.total -->.

- an item
  that goes on
- another

| a | b |
|---|---|
| 1 | 2 |

    x = 1

> **Predict.** How many MB
> with 64? <!-- allocated(batch=64) -->
> **Reveal.** Because.

## Second
> **Try.** Do it. <!-- amp=fp16 -->
)";

Lesson Read(const std::string& text) {
  Result<Lesson> lesson = LessonFromMarkdown(text, "l.md");
  if (!lesson) FAIL(lesson.error().message);
  return *lesson;
}

std::string SentenceOf(const std::string& text) {
  const Result<Lesson> lesson = LessonFromMarkdown(text, "l.md");
  return lesson ? "" : lesson.error().message;
}

}  // namespace

TEST_CASE("A lesson's pages, their setups, texts and tasks are read") {
  const Lesson lesson = Read(kLesson);
  CHECK(lesson.title == "A title");
  CHECK(PlainTextOf(lesson.summary) == "A summary, over two lines.");
  REQUIRE(lesson.pages.size() == 2);
  const Page& page = lesson.pages[0];
  CHECK(page.setup.situation.settings.batch == 32);
  CHECK(page.setup.situation.card == "t4");
  CHECK(page.setup.show == std::vector<std::string>{"bridge", "layers"});
  CHECK(page.setup.pin_peak);
  CHECK(page.setup.lock == std::vector<std::string>{"amp"});
  REQUIRE(page.blocks.size() == 5);
  REQUIRE(page.blocks[0].text.size() == 9);
  CHECK(page.blocks[0].text[1].style == SpanStyle::kStrong);
  CHECK(page.blocks[0].text[7].text == "37.88 MB");
  CHECK(page.blocks[0].text[7].expression == "textbook.total");
  CHECK(PlainTextOf(page.blocks[1].text) == "an item that goes on");
  CHECK(page.blocks[3].rows.size() == 2);
  CHECK(PlainTextOf(page.blocks[4].text) == "x = 1");
  REQUIRE(page.prediction.has_value());
  CHECK(PlainTextOf(page.prediction->question) == "How many MB with 64?");
  CHECK(page.prediction->quantity == "allocated");
  CHECK(page.prediction->situation.settings.batch == 64);
  REQUIRE(page.prediction->reveal.size() == 1);
}

TEST_CASE("A page goes on in the situation of the one before; what is highlighted and locked is its own") {
  const Lesson lesson = Read(kLesson);
  const Page& page = lesson.pages[1];
  CHECK(page.setup.situation == lesson.pages[0].setup.situation);
  CHECK(page.setup.lock.empty());
  REQUIRE(page.attempts.size() == 1);
  Situation now = page.setup.situation;
  CHECK_FALSE(IsDone(page.attempts[0], now));
  now.settings.amp = networks::Precision::kFloat16;
  now.settings.batch = 7;
  CHECK(IsDone(page.attempts[0], now));
}

TEST_CASE("A task may ask for as much as a number, or more") {
  const Attempt attempt{{}, "batch>=512 amp=fp16"};
  Situation now;
  now.settings.amp = networks::Precision::kFloat16;
  now.settings.batch = 511;
  CHECK_FALSE(IsDone(attempt, now));
  for (const int batch : {512, 4096}) {
    now.settings.batch = batch;
    CHECK(IsDone(attempt, now));
  }
  now.settings.amp = networks::Precision::kFloat32;
  CHECK_FALSE(IsDone(attempt, now));
  CHECK_FALSE(Holds(now, "amp>=fp16").ok());
  CHECK_FALSE(Holds(now, "batch>=").ok());
  CHECK_FALSE(Holds(now, "bach>=1").ok());
}

TEST_CASE("What is wrong in a lesson is said with its line") {
  CHECK(SentenceOf("").find("begins with its title") != std::string::npos);
  CHECK(SentenceOf("# T\nS.\n").find("no page") != std::string::npos);
  const std::string page = "# T\nS.\n\n## P\n";
  CHECK(SentenceOf(page + "```tidemark\nset bach=1\n```\n").find("l.md:6: ") == 0);
  CHECK(SentenceOf(page + "```tidemark\nset batch=0\n```\n").find("--batch must be between") !=
        std::string::npos);
  CHECK(SentenceOf(page + "```tidemark\nlock bach\n```\n").find("did you mean 'batch'") != std::string::npos);
  CHECK(SentenceOf(page + "```tidemark\nset batch=1\n").find("is not ended") != std::string::npos);
  CHECK(SentenceOf(page + "```python\n").find("Only ```tidemark") != std::string::npos);
  CHECK(SentenceOf(page + "no figure <!-- = 1 -->\n").find("no figure before") != std::string::npos);
  CHECK(SentenceOf(page + "> **Predict.** What? <!-- dreams -->\n").find("'dreams' cannot be predicted") !=
        std::string::npos);
  CHECK(SentenceOf(page + "> **Try.** It. <!-- batch=64 -->\n").find("holds already") != std::string::npos);
  CHECK(SentenceOf(page + "> **Try.** It. <!-- batch>=8 -->\n").find("holds already") != std::string::npos);
  CHECK(SentenceOf(page + "> **Reveal.** It.\n").find("without a **Predict.**") != std::string::npos);
  for (const char* text : {"Afterthought.\n", "| a |\n|---|\n| 1 |\n"})
    CHECK(SentenceOf(page + "> **Try.** It. <!-- batch=8 -->\n\n" + text).find("Text follows") !=
          std::string::npos);
  CHECK(SentenceOf(page + "text <!-- open\n").find("not ended by -->") != std::string::npos);
}

TEST_CASE("A lesson that was cut anywhere is read or refused, never more") {
  const std::string whole = kLesson;
  for (size_t length = 0; length < whole.size(); ++length) {
    const Result<Lesson> lesson = LessonFromMarkdown(whole.substr(0, length), "l.md");
    if (!lesson) CHECK_FALSE(lesson.error().message.empty());
  }
}

TEST_CASE("A page says why no machine is to bear its run") {
  const auto why = [](const std::string& setup, const std::string& text) {
    const Result<Lesson> lesson =
        LessonFromMarkdown("# L\nS.\n\n## P\n```tidemark\n" + setup + "\n```\n" + text + "\n", "l.md");
    REQUIRE(lesson.ok());
    return lesson->pages.front().setup.phantom_because;
  };
  CHECK(why("set ranks=8", "T.") == "8 ranks take as many GPUs");
  CHECK_FALSE(why("set keep_losses=on", "T.").empty());
  CHECK_FALSE(why("set batch=512", "T. <!-- check phantom.fits(batch=512) = 0 -->").empty());
  CHECK(why("set batch=32", "T. <!-- check phantom.fits = 1 -->").empty());
}

TEST_CASE("What is locked keeps its value, whatever else changes") {
  networks::TrainingSettings held;
  networks::TrainingSettings wanted = held;
  wanted.batch = 128;
  wanted.amp = networks::Precision::kFloat16;
  const networks::TrainingSettings kept = KeepLocked(held, wanted, {"amp", "pace"});
  CHECK(kept.batch == 128);
  CHECK(kept.amp == held.amp);
  wanted.data = "/pictures";
  CHECK(KeepLocked(held, wanted, {"data"}).data.empty());
  networks::TrainingSettings invalid = wanted;  // and who takes it says so
  invalid.learning_rate = 1e9;
  CHECK(KeepLocked(held, invalid, {}).learning_rate == invalid.learning_rate);
}

TEST_CASE("The way from one situation to another leads there") {
  Situation from;
  Situation to;
  to.settings.network = "resnet-18";
  to.settings.learning_rate = 0.25;
  to.settings.checkpoint = {networks::CheckpointMode::kSegments, 4};
  to.card = "t4";
  const auto leads_back_and_forth = [&] {
    for (const auto& [begin, end] : {std::pair(from, to), std::pair(to, from)}) {
      const Result<Situation> there = Changed(begin, ChangesBetween(begin, end));
      REQUIRE(there.ok());
      CHECK(*there == end);
    }
  };
  leads_back_and_forth();
  to.settings.network = "/a b/net, 2.json";
  to.settings.data = "/some where/my pictures, 2";
  leads_back_and_forth();
  CHECK(ChangesBetween(to, to).empty());
}

}  // namespace tidemark::lessons
