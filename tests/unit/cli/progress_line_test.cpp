#include <chrono>
#include <string>

#include "app/cli/console/console.h"
#include "tests/support/catch.h"
#include "tests/support/told.h"

namespace tidemark::cli {

TEST_CASE(
    "A log gets a line of progress once, however often it is shown, and the next as soon as it is another") {
  const std::string told = ToldMeanwhile([] {
    ProgressLine line(std::chrono::seconds(0));
    for (const char* text : {"waiting", "waiting", "waiting", "step 1 of 2", "step 2 of 2"}) line.Show(text);
  });
  CHECK(told == "tidemark: waiting\ntidemark: step 1 of 2\ntidemark: step 2 of 2\n");
  CHECK(ToldMeanwhile([] { ProgressLine().Show("waiting"); }).empty());
}

}  // namespace tidemark::cli
