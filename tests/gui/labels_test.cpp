#include "app/gui/widgets/labels.h"

#include <algorithm>
#include <set>

#include "app/gui/scene/learning.h"
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

TEST_CASE("A label without a meaning is told") {
  CHECK(MeaningOfLabel("no such label").empty());
  CHECK(UnexplainedLabels().contains("no such label"));
}

}  // namespace tidemark::gui
