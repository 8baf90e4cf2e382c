#include "app/gui/closing.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

std::vector<std::string> LabelsOf(const HeldQuestion& question) {
  std::vector<std::string> labels;
  for (const HeldQuestion::Choice& choice : question.choices) labels.push_back(choice.label);
  return labels;
}

}  // namespace

TEST_CASE("What closing would end or lose is asked about, and the first answer loses nothing") {
  using Labels = std::vector<std::string>;
  const HeldQuestion program = QuestionBeforeClosing({.program = "train.py"});
  CHECK(program.title == "train.py still runs");
  CHECK(LabelsOf(program) == Labels{"Let it run", "End it"});
  const HeldQuestion run = QuestionBeforeClosing({.run = "MLP on phantom H200", .loses_run = true});
  CHECK(run.title == "Keep MLP on phantom H200?");
  CHECK(LabelsOf(run) == Labels{"Keep and close", "Save as…", "Discard", "Cancel"});
  const HeldQuestion nowhere = QuestionBeforeClosing({.loses_run = true, .can_be_kept = false});
  CHECK(nowhere.title == "Keep this run?");
  CHECK(LabelsOf(nowhere) == Labels{"Save as…", "Discard", "Cancel"});
  const HeldQuestion both = QuestionBeforeClosing({.program = "train.py", .run = "it", .loses_run = true});
  CHECK(both.title == "train.py still runs");
  CHECK(LabelsOf(both) == Labels{"Keep and close", "Save as…", "Discard", "Cancel"});
}

TEST_CASE("Closing is due once what is being written is written, unless that fails") {
  Closing closing;
  CHECK_FALSE(closing.IsDue(false));  // nobody asked for it
  closing.Begin();
  CHECK_FALSE(closing.IsDue(true));
  CHECK(closing.IsDue(false));
  CHECK_FALSE(closing.IsDue(false));
  closing.Begin();
  closing.StayOpen();
  CHECK_FALSE(closing.IsDue(false));
  CHECK_FALSE(closing.is_wanted());
  closing.Close(true);
  CHECK(closing.is_wanted());
  CHECK(closing.is_run_given_up());
}

}  // namespace tidemark::gui
