// The lessons that come with the program: they can be read, keep to their form, and what they say of the
// textbook is so. What they say of the phantom: tests/integration/session/lessons_test.cpp.
#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>

#include "profiler/lessons/glossary.h"
#include "profiler/lessons/lesson.h"
#include "profiler/lessons/presets.h"
#include "tests/support/catch.h"

namespace tidemark::lessons {
namespace {

constexpr size_t kMostWordsOnAPage = 120;

std::vector<Lesson> Lessons() {
  Result<std::vector<Lesson>> lessons = LoadLessons();
  if (!lessons) FAIL(lessons.error().message);
  return *lessons;
}

size_t WordsIn(const RichText& text) {
  std::istringstream words(PlainTextOf(text));
  size_t count = 0;
  for (std::string word; words >> word;) ++count;
  return count;
}

std::vector<RichText> TextsOf(const Page& page) {
  std::vector<RichText> texts;
  for (const Block& block : page.blocks) {
    texts.push_back(block.text);
    for (const auto& row : block.rows) texts.insert(texts.end(), row.begin(), row.end());
  }
  for (const Attempt& attempt : page.attempts) texts.push_back(attempt.text);
  if (page.prediction) {
    texts.push_back(page.prediction->question);
    texts.insert(texts.end(), page.prediction->reveal.begin(), page.prediction->reveal.end());
  }
  return texts;
}

// A size or a share in words that nothing computes: "58 MB".
std::string UnclaimedFigure(const Span& span) {
  if (!span.expression.empty() || span.style == SpanStyle::kCode) return "";
  for (const char* unit : {" kB", " MB", " GB", " MiB", " GiB", " %"}) {
    for (size_t at = span.text.find(unit); at != std::string::npos; at = span.text.find(unit, at + 1)) {
      if (at > 0 && std::isdigit(static_cast<unsigned char>(span.text[at - 1])) != 0) return span.text;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("A curve is asked for before a page has shown the run that it is of") {
  for (const Lesson& lesson : Lessons()) {
    for (const Page& page : lesson.pages) {
      if (!page.prediction || !IsDrawn(*page.prediction)) continue;
      INFO(lesson.name << ": " << page.title);
      const auto first = std::ranges::find_if(lesson.pages, [&](const Page& other) {
        return other.setup.situation == page.prediction->situation;
      });
      CHECK(&*first == &page);
    }
  }
}

TEST_CASE("There are twelve lessons at least, each with something to predict and something to try or read") {
  const std::vector<Lesson> lessons = Lessons();
  CHECK(lessons.size() >= 12);
  std::set<std::string> names;
  for (const Lesson& lesson : lessons) {
    INFO(lesson.name);
    CHECK(names.insert(lesson.name).second);
    CHECK_FALSE(lesson.summary.empty());
    CHECK(lesson.pages.size() >= 3);
    bool predicts = false;
    for (const Page& page : lesson.pages) {
      predicts = predicts || page.prediction.has_value();
      CHECK((!page.prediction || !page.prediction->reveal.empty()));
    }
    CHECK(predicts);
  }
}

TEST_CASE("A page is short, and every size on it is computed by something") {
  for (const Lesson& lesson : Lessons()) {
    for (const Page& page : lesson.pages) {
      INFO(lesson.name << ": " << page.title);
      size_t words = 0;
      for (const Block& block : page.blocks) {
        if (block.kind != Block::Kind::kTable) words += WordsIn(block.text);
      }
      CHECK(words <= kMostWordsOnAPage);
      for (const RichText& text : TextsOf(page)) {
        for (const Span& span : text) CHECK(UnclaimedFigure(span) == "");
      }
    }
  }
}

TEST_CASE("Pages that no machine is to bear are for the phantom, and no others") {
  std::vector<std::string> pages;
  for (const Lesson& lesson : Lessons()) {
    for (size_t i = 0; i < lesson.pages.size(); ++i) {
      if (!lesson.pages[i].setup.phantom_because.empty())
        pages.push_back(lesson.name + "/" + std::to_string(i + 1));
    }
  }
  CHECK(pages == std::vector<std::string>{"batch-size/3", "evaluation-and-leaks/3", "evaluation-and-leaks/4",
                                          "the-caching-allocator/4", "many-gpus/1", "many-gpus/2",
                                          "many-gpus/3", "many-gpus/4", "many-gpus/5"});
}

TEST_CASE("What is to be done one after the other is as many tasks") {
  for (const Lesson& lesson : Lessons()) {
    for (const Page& page : lesson.pages) {
      for (const Attempt& attempt : page.attempts) {
        INFO(lesson.name << ": " << page.title);
        CHECK(PlainTextOf(attempt.text).find(", then ") == std::string::npos);
      }
    }
  }
}

TEST_CASE("A page points at what it says to try") {
  for (const Lesson& lesson : Lessons()) {
    for (const Page& page : lesson.pages) {
      for (const Attempt& attempt : page.attempts) {
        for (const std::string& change : WordsOf(attempt.changes)) {
          INFO(lesson.name << ": " << page.title << ": " << change);
          CHECK(std::ranges::count(page.setup.highlight, change.substr(0, change.find_first_of(">="))) == 1);
        }
      }
    }
  }
}

TEST_CASE("What the lessons say of the textbook and of cards is what the program computes") {
  const Result<std::vector<networks::Network>> networks = networks::LoadNetworks();
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  REQUIRE(networks.ok());
  REQUIRE(cards.ok());
  const Sources sources{&*networks, &*cards, [](const Situation&) { return std::nullopt; }};
  int checked = 0;
  for (const Lesson& lesson : Lessons()) {
    for (const Page& page : lesson.pages) {
      for (const Claim& claim : page.claims) {
        if ((claim.left + claim.right).find("phantom.") != std::string::npos) continue;
        const Status holds = CheckClaim(claim, page.setup.situation, sources);
        INFO(lesson.name << ":" << claim.line << ": " << (holds ? "" : holds.error().message));
        CHECK(holds.ok());
        ++checked;
      }
      CHECK(
          Evaluate("network.layers", page.setup.situation, sources).ok());  // the network and card are known
    }
  }
  CHECK(checked > 80);
}

TEST_CASE("Presets set what can be set, and a wrong one is named") {
  const Result<std::vector<Preset>> presets = LoadPresets();
  if (!presets) FAIL(presets.error().message);
  CHECK(presets->size() >= 5);
  for (const Preset& preset : *presets) {
    INFO(preset.title);
    CHECK(networks::FindNetwork(preset.state.settings.network).ok());
    CHECK(phantom::FindCard(preset.state.device.card).ok());
    CHECK(preset.sentence.ends_with('.'));
  }
  const auto wrong = PresetsFromMarkdown("# P\n\n- **A**: B. `tidemark1:batch=1:00000000`\n", "p.md");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message.find("p.md:3: ") == 0);
  CHECK_FALSE(PresetsFromMarkdown("- none\n", "p.md").ok());
}

TEST_CASE("The glossary explains the words that the lessons are made of") {
  const Result<Glossary> glossary = Glossary::Load();
  REQUIRE(glossary.ok());
  CHECK(glossary->terms().size() > 30);
  for (const char* word :
       {"peak", "Activations", "gradients", "caching allocator", "sharding", "underflow", "weights"}) {
    INFO(word);
    CHECK(glossary->Find(word) != nullptr);
  }
}

TEST_CASE("ZeRO's stages are not those of a pipeline") {
  const Result<Glossary> glossary = Glossary::Load();
  REQUIRE(glossary.ok());
  for (const char* text : {"stage 1", "stage 3: (4 + 4 + 8)/N", "ZeRO stage"}) {
    INFO(text);
    const std::vector<Glossary::Place> places = glossary->PlacesIn(text);
    REQUIRE(places.size() == 1);
    CHECK(places[0].term->meaning.starts_with("How much ZeRO divides"));
  }
  CHECK(MeaningOf(&*glossary, "stages").find("pipeline") != std::string::npos);
}

TEST_CASE("The glossary explains every category and level that the window names") {
  const Result<Glossary> glossary = Glossary::Load();
  REQUIRE(glossary.ok());
  for (int category = 0; category < events::kCategoryCount; ++category) {
    const std::string name(events::NameOf(static_cast<events::Category>(category)));
    INFO(name);
    REQUIRE(glossary->Find(name) != nullptr);
    CHECK_FALSE(FirstSentence(glossary->Find(name)->meaning).empty());
  }
  for (const char* level : {"requested", "allocated", "reserved", "driver", "context"}) {
    INFO(level);
    CHECK(glossary->Find(level) != nullptr);
  }
}

}  // namespace tidemark::lessons
