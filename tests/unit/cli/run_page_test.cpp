#include "app/cli/reports/run_page.h"

#include <limits>

#include "tests/support/catch.h"

namespace tidemark::cli {
namespace {

TEST_CASE("A page tells sizes that no memory has as well as 64 bits can") {
  RunPage page;
  presenters::BridgeStep step;
  step.name = "less";
  step.kind = presenters::BridgeStep::Kind::kChange;
  step.bytes = std::numeric_limits<int64_t>::min();
  page.bridge.steps = {step};
  for (const std::string& text : {MarkdownOf(page), HtmlOf(page)}) {
    CHECK(text.find("− 9,223,372,036,854,775,807") != std::string::npos);
  }
}

}  // namespace
}  // namespace tidemark::cli
