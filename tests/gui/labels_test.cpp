#include "app/gui/widgets/labels.h"

#include <algorithm>
#include <set>

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

TEST_CASE("A label without a meaning is told") {
  CHECK(MeaningOfLabel("no such label").empty());
  CHECK(UnexplainedLabels().contains("no such label"));
}

}  // namespace tidemark::gui
