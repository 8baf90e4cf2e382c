#include "app/cli/console/usage.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace tidemark::cli;

namespace {

// A small command line, and what it says about its arguments.
std::string SentenceAbout(std::vector<std::string> arguments) {
  CLI::App application{"test", "test"};
  application.allow_extras();
  std::string steps;
  std::string file;
  CLI::App* train = application.add_subcommand("train");
  train->add_option("-s,--steps", steps);
  train->add_option("FILE", file);
  application.add_subcommand("info");
  application.add_subcommand("phantom");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    application.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return SentenceFor(error, application);
  }
  return SentenceForUnknownArgument(application).value_or("understood");
}

}  // namespace

TEST_CASE("Arguments that are known are understood") {
  CHECK(SentenceAbout({}) == "understood");
  CHECK(SentenceAbout({"train", "--steps", "5", "run.tide"}) == "understood");
  CHECK(SentenceAbout({"train", "--steps", "-5"}) == "understood");  // a value, though a bad one
  CHECK(SentenceAbout({"train", "-s5"}) == "understood");
}

TEST_CASE("Arguments that are not known are told with what was probably meant") {
  CHECK(SentenceAbout({"trian", "--steps", "5"}) ==
        "There is no subcommand 'trian'; did you mean 'train'? Known: train, info, phantom.");
  CHECK(SentenceAbout({"train", "--step", "5"}) ==
        "There is no option '--step'; did you mean '--steps'? Known: --help, --steps.");
  CHECK(SentenceAbout({"train", "--setps=5"}) ==
        "There is no option '--setps'; did you mean '--steps'? Known: --help, --steps.");
  CHECK(SentenceAbout({"train", "a", "b"}) ==
        "'b' is one argument too many for tidemark train; see tidemark train --help.");
  CHECK(
      SentenceAbout({"phantom", "python", "vit.py"}) ==
      "'python' is one argument too many for tidemark phantom; a program goes after --: tidemark phantom -- "
      "python …");
}

TEST_CASE("Options need one value, once") {
  CHECK(SentenceAbout({"train", "--steps"}) == "--steps needs a value; see tidemark train --help.");
  CHECK(SentenceAbout({"train", "--steps", "1", "--steps", "2"}) ==
        "--steps is given more than once; give it one value.");
}
