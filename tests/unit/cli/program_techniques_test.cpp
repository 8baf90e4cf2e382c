#include "app/cli/programs/program_techniques.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::cli {
namespace {

bool TextHas(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("What techniques make of a program is told with the command that shows the first that fits") {
  const phantom::Card card = *phantom::FindCard("l4");
  const std::vector<TechniqueVerdict> verdicts = {
      {{"bf16", "none"}, false, true, "Tried to allocate 20.00 MiB."},
      {{"off", "blocks"}, true, false, "", int64_t{12} << 30, int64_t{14} << 30},
      {{"bf16", "blocks"}, false, false, "it ended with exit code 1"},
      {{"bf16", "blocks"}, false, true, "", 0, 0, {"--checkpoint blocks"}}};
  PhantomOptions asked;
  asked.card = card.name;
  const std::string of_all = TechniquesText(verdicts, card, asked, "python train.py");
  CHECK(TextHas(of_all, "tidemark phantom --card l4 --checkpoint blocks -- python train.py tells"));
  asked.gpus = "2";
  asked.memory = "16GiB";
  asked.addresses = "first-fit";
  const std::string text = TechniquesText(verdicts, card, asked, "python train.py");
  CHECK(TextHas(text, "On the NVIDIA L4, with techniques that it does not use itself, as if it did:\n"));
  CHECK(TextHas(text, "does not fit\n"));
  CHECK(TextHas(text, "no answer: it ended with exit code 1\n"));
  CHECK(TextHas(text, "does not fit; --checkpoint blocks changed nothing\n"));
  CHECK(TextHas(text, "12.00 GiB"));
  CHECK(TextHas(
      text,
      "tidemark phantom --card l4 --gpus 2 --memory 16GiB --addresses first-fit --checkpoint blocks -- "
      "python train.py tells"));
  CHECK(TextHas(TechniquesText({verdicts.front()}, card, asked, "python train.py"),
                "None of them makes it fit"));
  CHECK(TechniquesText({}, card, asked, "python train.py").empty());
  const Json json = TechniquesJson(verdicts);
  CHECK(json[1]["reserved_peak_bytes"] == int64_t{14} << 30);
  CHECK(json[0]["reserved_peak_bytes"].is_null());
  CHECK(json[0]["ran_out_of_memory"] == true);
  CHECK(json[0]["in_vain"].empty());
  CHECK(json[3]["in_vain"][0] == "--checkpoint blocks");
}

TEST_CASE("Techniques are words of the command line, of the environment and of a title") {
  const Result<phantom::Techniques> both = phantom::TechniquesFromText("bf16", "blocks");
  REQUIRE(both.ok());
  CHECK(phantom::OptionsOf(*both) == "--amp bf16 --checkpoint blocks");
  CHECK(phantom::InWords(*both) == "bf16, checkpointed blocks");
  CHECK(phantom::EnvironmentOf(*both) ==
        std::vector<std::string>{"TIDEMARK_AMP=bf16", "TIDEMARK_CHECKPOINT=blocks"});
  CHECK(phantom::EnvironmentOf({}).empty());
  CHECK(phantom::OptionsOf({}).empty());
  CHECK_FALSE(phantom::TechniquesFromText("int8", "none").ok());
  CHECK_FALSE(phantom::TechniquesFromText("off", "layers").ok());
}

}  // namespace tidemark::cli
