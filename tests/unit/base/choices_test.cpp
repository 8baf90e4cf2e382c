#include "profiler/base/choices.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace tidemark;

namespace {
const std::vector<std::string> kOptimizers{"sgd", "momentum", "adam", "adamw"};
}  // namespace

TEST_CASE("A slip of the finger finds the name that was meant") {
  CHECK(NearestChoice("adma", kOptimizers) == "adam");
  CHECK(NearestChoice("momentun", kOptimizers) == "momentum");
  CHECK(NearestChoice("adamww", kOptimizers) == "adamw");
}

TEST_CASE("What resembles nothing gets no suggestion") {
  CHECK(NearestChoice("zzzzzz", kOptimizers).empty());
  CHECK(NearestChoice("", kOptimizers).empty());
  CHECK(NearestChoice(std::string(100'000, 'a'), kOptimizers).empty());
  CHECK(NearestChoice("adam", {}).empty());
}

TEST_CASE("An unknown name is answered with all known ones") {
  CHECK(UnknownChoice("optimizer", "adma", kOptimizers) ==
        "There is no optimizer 'adma'; did you mean 'adam'? Known: sgd, momentum, adam, adamw.");
  CHECK(UnknownChoice("optimizer", "lion king", kOptimizers) ==
        "There is no optimizer 'lion king'. Known: sgd, momentum, adam, adamw.");
  CHECK(NotAmong("--optimizer", "adma", kOptimizers) ==
        "--optimizer must be one of sgd, momentum, adam, adamw, not 'adma'; did you mean 'adam'?");
  CHECK(NotAmong("--optimizer", "lion king", kOptimizers) ==
        "--optimizer must be one of sgd, momentum, adam, adamw, not 'lion king'.");
}

TEST_CASE("What was typed is quoted on one line, and not at any length") {
  CHECK(Quoted("simple") == "simple");
  CHECK(Quoted("a\nb\x1b[31m") == "a?b?[31m");
  CHECK(Quoted(std::string(200, 'x')) == std::string(60, 'x') + "…");
  std::string thirds;
  for (int i = 0; i < 40; ++i) thirds += "€";  // three bytes each: 60 is between two of them
  CHECK(Quoted("x" + thirds).starts_with("x€"));
  CHECK(Quoted("x" + thirds).size() == 1 + 19 * 3 + 3);
}
