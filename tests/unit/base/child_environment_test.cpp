#include "profiler/base/child_environment.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "profiler/base/command.h"
#include "tests/support/catch.h"

namespace tidemark {
namespace {

// All that a child has under this name.
std::vector<std::string> ValuesOf(const ChildEnvironment& environment, const std::string& name) {
  std::vector<std::string> values;
  for (char* const* entry = environment.entries(); *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind(name + "=", 0) == 0) values.push_back(text.substr(name.size() + 1));
  }
  return values;
}

using Values = std::vector<std::string>;

}  // namespace

TEST_CASE("A child has our environment with some entries set, replaced and left out") {
  setenv("TIDEMARK_TEST_KEPT", "kept", 1);
  setenv("TIDEMARK_TEST_CHANGED", "before", 1);
  setenv("TIDEMARK_TEST_LEFT_OUT", "there", 1);
  const ChildEnvironment environment(
      {"TIDEMARK_TEST_CHANGED=after=all", "TIDEMARK_TEST_LEFT_OUT", "TIDEMARK_TEST_NEW="});
  CHECK(ValuesOf(environment, "TIDEMARK_TEST_KEPT") == Values{"kept"});
  CHECK(ValuesOf(environment, "TIDEMARK_TEST_CHANGED") == Values{"after=all"});
  CHECK(ValuesOf(environment, "TIDEMARK_TEST_LEFT_OUT").empty());
  CHECK(ValuesOf(environment, "TIDEMARK_TEST_NEW") == Values{""});
  CHECK(std::string(std::getenv("TIDEMARK_TEST_CHANGED")) == "before");
}

TEST_CASE("A command runs in the environment that it is given") {
  setenv("TIDEMARK_TEST_LEFT_OUT", "there", 1);
  CommandOptions options;
  options.environment = {"TIDEMARK_TEST_CHANGED=after", "TIDEMARK_TEST_LEFT_OUT"};
  const auto outcome =
      RunCommand({"sh", "-c", "echo $TIDEMARK_TEST_CHANGED${TIDEMARK_TEST_LEFT_OUT-nothing}"}, options);
  REQUIRE(outcome.ok());
  CHECK(outcome->output == "afternothing\n");
}

}  // namespace tidemark
