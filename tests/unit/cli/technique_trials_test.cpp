#include "app/cli/programs/technique_trials.h"

#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::cli {
namespace {

session::ProgramOrder OrderOn(std::optional<std::string> card) {
  session::ProgramOrder order;
  order.command = "python train.py";
  order.card = std::move(card);
  order.memory = "8GiB";
  order.recording = "run.tide";
  return order;
}

std::vector<std::string> TitlesOf(const session::ProgramOrder& order) {
  std::vector<std::string> titles;
  for (const session::TechniqueOrder& one : TechniqueTrials().of(order)) titles.push_back(one.title);
  return titles;
}

}  // namespace

TEST_CASE("Of a program on a phantom its own techniques come first, and then the others to try") {
  session::ProgramOrder order = OrderOn("l4");
  CHECK(TitlesOf(order) ==
        std::vector<std::string>{"as it is", "bf16", "checkpointed blocks", "bf16, checkpointed blocks"});
  const std::vector<session::TechniqueOrder> all = TechniqueTrials().of(order);
  CHECK(all[0].program.amp.empty());
  CHECK(all[3].program.amp == "bf16");
  CHECK(all[3].program.checkpoint == "blocks");
  CHECK(all[3].program.memory == "8GiB");
  CHECK(all[3].program.recording.empty());  // that is of the run that is shown
  order.card = "t4";                        // which does not compute in bfloat16
  CHECK(TitlesOf(order) ==
        std::vector<std::string>{"as it is", "fp16", "checkpointed blocks", "fp16, checkpointed blocks"});
  order.card = "l4";
  order.amp = "bf16";
  CHECK(TitlesOf(order) ==
        std::vector<std::string>{"bf16", "as it is", "checkpointed blocks", "bf16, checkpointed blocks"});
  order.amp = "fp16";
  CHECK(TitlesOf(order).size() == 5);
  CHECK(TitlesOf(OrderOn(std::nullopt)).empty());  // on this machine it runs as it is
}

TEST_CASE("What cannot be read of a program whose techniques are tried is told before anything starts") {
  session::ProgramOrder order = OrderOn("l4");
  order.memory = "much";
  std::optional<session::ProgramField> blamed;
  session::StartWatch watch;
  watch.blamed = [&](session::ProgramField field) { blamed = field; };
  CHECK_FALSE(TechniqueTrials().run(TechniqueTrials().of(order), {}, watch));
  CHECK(blamed == session::ProgramField::kMemory);
  order.command = "python 'train.py";
  CHECK_FALSE(TechniqueTrials().run(TechniqueTrials().of(order), {}, watch));
}

}  // namespace tidemark::cli
