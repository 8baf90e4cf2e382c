#include "app/gui/panels/breakdown.h"

#include <string>

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("What a lesson asks for is told under the mouse no sooner than in the table") {
  textbook::Estimate textbook;
  textbook::Term term;
  term.category = events::Category::kGradient;
  term.words = "as large as the parameters";
  term.bytes = 4'316'712;
  textbook.terms.push_back(term);
  presenters::BreakdownRow gradient;
  gradient.title = "gradient";
  gradient.category = events::Category::kGradient;
  gradient.requested_bytes = 4'000'000;
  gradient.measured_bytes = 4'316'712;
  presenters::BreakdownRow sum = gradient;
  sum.category.reset();
  BreakdownInput input;
  input.textbook = &textbook;
  const auto tells = [&](const presenters::BreakdownRow& row, const char* what) {
    return ToldOf(row, input).find(what) != std::string::npos;
  };
  CHECK((tells(gradient, "4,000,000 B were requested") && tells(gradient, "= 4,316,712 B")));
  CHECK(tells(sum, "4,000,000 B were requested"));
  input.asked = {events::Category::kActivation};
  CHECK(tells(gradient, "= 4,316,712 B"));
  CHECK_FALSE(tells(sum, "4,000,000"));
  input.asked = {events::Category::kGradient};
  for (const char* const figure : {"4,000,000", "4,316,712"}) CHECK_FALSE(tells(gradient, figure));
}

}  // namespace tidemark::gui
