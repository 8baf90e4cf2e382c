// What the lessons say of the phantom is what it answers. What they say of the textbook:
// tests/unit/lessons/assets_test.cpp.
#include <string>

#include "profiler/lessons/lesson.h"
#include "profiler/session/predictor.h"
#include "tests/support/catch.h"

namespace tidemark::lessons {

TEST_CASE("What the lessons say of the phantom is what it answers") {
  const Result<std::vector<Lesson>> lessons = LoadLessons();
  const Result<std::vector<networks::Network>> networks = networks::LoadNetworks();
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  REQUIRE(lessons.ok());
  REQUIRE(networks.ok());
  REQUIRE(cards.ok());
  session::Predictor predictor;
  const Sources sources{
      &*networks, &*cards, [&](const Situation& asked) -> std::optional<session::Prediction> {
        const Result<session::Prediction> answer = predictor.AskAndWait(asked.settings, {asked.card});
        if (!answer) FAIL(answer.error().message);
        return *answer;
      }};
  int checked = 0;
  for (const Lesson& lesson : *lessons) {
    for (const Page& page : lesson.pages) {
      for (const Claim& claim : page.claims) {
        if ((claim.left + claim.right).find("phantom.") == std::string::npos) continue;
        const Status holds = CheckClaim(claim, page.setup.situation, sources);
        INFO(lesson.name << ":" << claim.line << ": " << (holds ? "" : holds.error().message));
        CHECK(holds.ok());
        ++checked;
      }
      if (!page.prediction) continue;
      INFO(lesson.name << ": " << page.title);
      const PredictedFigures revealed = FiguresOf(*page.prediction, sources);
      INFO(revealed.trouble);
      CHECK(revealed.phantom.has_value());
    }
  }
  CHECK(checked >= 25);
}

}  // namespace tidemark::lessons
