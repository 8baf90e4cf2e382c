#include "app/gui/consent.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

HeldQuestion Titled(const std::string& title, const std::string& overtaken = "") {
  HeldQuestion question;
  question.title = title;
  question.overtaken = overtaken;
  return question;
}

struct Person {
  HeldQuestion question;
  std::vector<std::string> told;
  std::vector<std::string> done;
  Consent::Then kept_before;
  Consent::Then saved_before;
  Consent consent{&question,
                  {[this](const std::string& sentence) { told.push_back(sentence); },
                   [this](Consent::Then then) { kept_before = std::move(then); },
                   [this](Consent::Then then) { saved_before = std::move(then); }}};

  void AskFor(const std::string& what, const std::string& overtaken = "") {
    consent.Ask(Titled(what + "?", overtaken), [this, what] {
      CHECK(consent.is_granted());
      done.push_back(what);
    });
  }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("What is held is done when the person says so, once, and else not at all") {
  Person person;
  person.AskFor("ending it");
  CHECK(person.question.open);
  CHECK(person.question.title == "ending it?");
  person.consent.Answer(HeldAnswer::kGoesOn);
  person.consent.Answer(HeldAnswer::kGoesOn);
  CHECK(person.done == Texts{"ending it"});
  CHECK_FALSE(person.consent.is_granted());
  person.AskFor("replacing it");
  person.consent.Answer(HeldAnswer::kStays);
  person.consent.Answer(HeldAnswer::kGoesOn);
  CHECK(person.done == Texts{"ending it"});
}

TEST_CASE("What waits for the run to be kept is done after that") {
  Person person;
  bool is_done = false;
  person.consent.Ask(Titled("Keep it?"), [&] { is_done = true; });
  person.consent.Answer(HeldAnswer::kGoesOnOnceKept);
  CHECK_FALSE(is_done);
  person.kept_before();
  CHECK(is_done);
  is_done = false;
  person.consent.Ask(Titled("Keep it?"), [&] { is_done = true; });
  person.consent.Answer(HeldAnswer::kGoesOnOnceSaved);
  CHECK_FALSE(is_done);
  person.saved_before();
  CHECK(is_done);
}

TEST_CASE("A question that is overtaken by another is not forgotten without a word") {
  Person person;
  person.AskFor("replacing it", "The program was not started.");
  person.AskFor("closing");
  CHECK(person.told == Texts{"The program was not started."});
  person.AskFor("ending it", "It runs on.");
  CHECK(person.told.size() == 1);  // closing can be asked for again
  person.consent.Answer(HeldAnswer::kGoesOn);
  person.AskFor("something else");
  CHECK(person.told.size() == 1);  // the one before was answered
  person.consent.Answer(HeldAnswer::kGoesOn);
  CHECK(person.done == Texts{"ending it", "something else"});
}

}  // namespace tidemark::gui
