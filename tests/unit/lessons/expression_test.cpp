#include "profiler/lessons/expression.h"

#include <string>

#include "tests/support/catch.h"

namespace tidemark::lessons {
namespace {

const Situation kPlain;

struct World {
  std::vector<networks::Network> networks = *networks::LoadNetworks();
  std::vector<phantom::Card> cards = *phantom::LoadCards();
  Sources sources{&networks, &cards, [](const Situation& asked) {
                    session::Prediction answer;
                    answer.allocated_peak_bytes = asked.settings.batch * 1000;
                    answer.out_of_memory = asked.settings.batch > 100;
                    return std::optional(answer);
                  }};
};

double ValueOf(std::string_view expression) {
  const World world;
  const Figure figure = Evaluate(expression, kPlain, world.sources);
  if (!figure) FAIL(figure.error().message);
  return figure->value_or(-1);
}

std::string ErrorOf(std::string_view expression) {
  const World world;
  const Figure figure = Evaluate(expression, kPlain, world.sources);
  return figure ? "" : figure.error().message;
}

}  // namespace

TEST_CASE("Expressions compute as on paper") {
  CHECK(ValueOf("1 + 2 * 3") == 7);
  CHECK(ValueOf("(1 + 2) * 3 - 4 / 8") == 8.5);
  CHECK(ValueOf("2 - 1 - 1") == 0);
  CHECK(ValueOf("textbook.parameter") == 1079178 * 4);
  CHECK(ValueOf("network.parameters") == 1079178);
  CHECK(ValueOf("textbook.conv1.activations") == 64 * 64 * 30 * 30 * 4);
  CHECK(ValueOf("textbook.input(batch=1)") == 3 * 32 * 32 * 4);
  CHECK(ValueOf("textbook.input(batch=2 amp=fp16) / textbook.input(batch=1)") == 2);
  CHECK(ValueOf("phantom.allocated(batch=7)") == 7000);
  CHECK(ValueOf("phantom.fits") == 1);
  CHECK(ValueOf("phantom.fits(batch=128)") == 0);
  CHECK(ValueOf("card.memory(card=t4)") > 15e9);
}

TEST_CASE("A textbook's figure that is computed elsewhere is waited for") {
  World world;
  std::optional<textbook::Estimate> known;
  world.sources.textbook = [&](const networks::TrainingSettings&, int) { return known ? &*known : nullptr; };
  const auto total = [&] { return *Evaluate("textbook.total", kPlain, world.sources); };
  CHECK_FALSE(total());
  known.emplace().total_bytes = 7;
  CHECK(total() == 7);
}

TEST_CASE("What is no expression is said, whatever it is") {
  CHECK(ErrorOf("textbook.totl").find("textbook.totl") != std::string::npos);
  const std::string known = ErrorOf("textbook.comunication");
  CHECK(known.find("did you mean 'textbook.communication'") != std::string::npos);
  for (const char* name : {"phantom.fits", "phantom.workspace", "network.layers", "card.context"})
    CHECK(known.find(name) != std::string::npos);
  CHECK(ErrorOf("textbook.conv9.activations").find("conv9") != std::string::npos);
  CHECK(ErrorOf("textbook.total(bach=1)").find("did you mean 'batch'") != std::string::npos);
  CHECK(ErrorOf("textbook.total(network=none)").find("no network 'none'") != std::string::npos);
  CHECK(ErrorOf("card.memory(card=none)").find("no graphics card 'none'") != std::string::npos);
  for (const char* broken :
       {"", "(", "1 +", "1 2", "textbook", "textbook.total(batch=1", "(1", "*", ")", "1e999999x"}) {
    INFO(broken);
    CHECK_FALSE(ErrorOf(broken).empty());
  }
  CHECK_FALSE(ErrorOf(std::string(100'000, '(')).empty());
}

TEST_CASE("A figure that the phantom has not told yet is none") {
  World world;
  world.sources.phantom = [](const Situation&) { return std::nullopt; };
  const Figure figure = Evaluate("phantom.allocated / textbook.total + 1", kPlain, world.sources);
  REQUIRE(figure.ok());
  CHECK_FALSE(figure->has_value());
}

TEST_CASE("A claim holds to the last digit that is written, and not beyond") {
  const World world;
  const auto holds = [&](const char* text) {
    const Result<ParsedText> parsed = ParseText(text, 1);
    REQUIRE(parsed.ok());
    REQUIRE(parsed->claims.size() == 1);
    return CheckClaim(parsed->claims[0], kPlain, world.sources).ok();
  };
  CHECK(holds("58.49 MB <!-- = textbook.total -->"));
  CHECK(holds("**58.49 MB**<!-- = textbook.total -->"));
  CHECK_FALSE(holds("58.50 MB <!-- = textbook.total -->"));
  CHECK(holds("1,079,178 <!-- = network.parameters -->"));
  CHECK_FALSE(holds("1,079,179 <!-- = network.parameters -->"));
  CHECK(holds("55.8 MiB <!-- = textbook.total -->"));
  CHECK(holds("50 % <!-- = 1/2 -->"));
  CHECK(holds("60 MB <!-- ~ textbook.total -->"));
  CHECK_FALSE(holds("63 MB <!-- ~ textbook.total -->"));
  CHECK(holds("<!-- check textbook.total(batch=1) < textbook.total -->"));
  CHECK_FALSE(holds("<!-- check textbook.total(batch=1) = textbook.total(batch=2) -->"));
}

TEST_CASE("A figure is written with another value in its unit, with as many decimals") {
  CHECK(Restated("182 MB", 186'380'800) == "186 MB");
  CHECK(Restated("1,336 MB", 1.4701e9) == "1,470 MB");
  CHECK(Restated("960 MB", 1.0204e9) == "1,020 MB");
  CHECK(Restated("0.15 MB", 96'000) == "0.10 MB");
  CHECK(Restated("72 %", 0.704) == "70 %");
  CHECK(Restated("1.54 times", 1.526) == "1.53 times");
  CHECK(Restated("about 32 MiB", 64 * 1048576.0) == "about 64 MiB");
  CHECK(Restated("none", 1) == "none");
}

}  // namespace tidemark::lessons
