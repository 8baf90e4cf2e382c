#include "app/gui/widgets/labels.h"

#include <algorithm>
#include <set>

#include "app/gui/scene/learning.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("Every label means one sentence") {
  std::set<std::string_view> seen;
  for (const auto& [label, sentence] : LabelMeanings()) {
    INFO(label);
    CHECK(seen.insert(label).second);
    CHECK(sentence.size() > 10);
    CHECK(sentence.size() < 120);
    CHECK(sentence.ends_with('.'));
    CHECK(sentence.find(". ") == std::string_view::npos);
    CHECK(MeaningOfLabel(label) == sentence);
  }
  CHECK(UnexplainedLabels().empty());
}

TEST_CASE("Where a block's size stands it is told by how much it may be more than was asked for") {
  CHECK(MeaningOfLabel("block").find("512 B") != std::string::npos);
  CHECK(MeaningOfLabel("block").find("1 MiB") != std::string::npos);
}

TEST_CASE("A label that is a term means what the glossary says") {
  const LessonBook book = LoadLessonBook();
  REQUIRE(book.trouble.empty());
  UseDictionary(DictionaryOf(&book.glossary));
  for (const std::string_view label : {"textbook", "phantom", "measured", "reserved", "requested",
                                       "allocated", "temporary", "Checkpointing"}) {
    INFO(label);
    CHECK_FALSE(MeaningOfLabel(label).empty());
    CHECK(MeaningOfLabel(label) == lessons::MeaningOf(&book.glossary, label));
  }
  CHECK(MeaningOfTerm("the phantom").empty());
  CHECK(UnexplainedLabels().empty());
  UseDictionary({});
}

TEST_CASE("A term that is wrapped is marked in each of its lines") {
  UseDictionary([](std::string_view text) {
    const size_t begin = text.find("mixed precision");
    return begin == std::string_view::npos
               ? std::vector<ExplainedWord>{}
               : std::vector<ExplainedWord>{{begin, begin + std::string_view("mixed precision").size(), "m"}};
  });
  const std::string_view text = "under mixed precision";
  const auto in_line = [&](std::string_view line) {
    const std::vector<ExplainedWord> words = WordsInLine(text, line);
    return words.empty() ? "" : std::string(line.substr(words[0].begin, words[0].end - words[0].begin));
  };
  CHECK(in_line(text) == "mixed precision");
  CHECK(in_line(text.substr(0, 11)) == "mixed");
  CHECK(in_line(text.substr(12)) == "precision");
  CHECK(in_line(text.substr(0, 5)).empty());
  UseDictionary({});
}

TEST_CASE_METHOD(Measured, "What a word means keeps a tooltip as narrow as others") {
  const std::string meaning = "What comes out, told at length: " + [] {
    std::string words;
    for (int i = 0; i < 60; ++i) words += "of it ";
    return words;
  }();
  UseDictionary([&](std::string_view text) {
    return std::vector<ExplainedWord>{{0, text.size(), meaning + " and so on, and so on, and so on."}};
  });
  for (int frame = 0; frame < 3; ++frame) {
    ImGui::EndFrame();
    ImGui::NewFrame();
    ImGui::BeginTooltip();
    PutMeanings("output");
    if (frame == 2) CHECK(ImGui::GetItemRectSize().x < Px(400));
    ImGui::EndTooltip();
  }
  UseDictionary({});
}

TEST_CASE("A label without a meaning is told") {
  CHECK(MeaningOfLabel("no such label").empty());
  CHECK(UnexplainedLabels().contains("no such label"));
}

}  // namespace tidemark::gui
