#include "profiler/lessons/glossary.h"

#include <string>

#include "tests/support/catch.h"

namespace tidemark::lessons {

TEST_CASE("Terms are found as whole words, the longest first, in any case and number") {
  const Result<Glossary> read = Glossary::FromMarkdown(
      "# Glossary\n\n- **gradient**: A slope. More.\n- **gradient of an activation, gradients of "
      "activations**: Two.\n"
      "- **peak**: The top.\n",
      "glossary.md");
  REQUIRE(read.ok());
  const std::string text = "Peaks hold gradients of activations; a Gradient speaks, peakless.";
  std::vector<std::string> found;
  for (const Glossary::Place& place : read->PlacesIn(text))
    found.push_back(text.substr(place.begin, place.end - place.begin));
  CHECK(found == std::vector<std::string>{"Peaks", "gradients of activations", "Gradient"});
  CHECK(read->Find("gradients") == &read->terms()[0]);
  CHECK(read->Find("peaky") == nullptr);
  CHECK(FirstSentence("A slope. More.") == "A slope.");
}

TEST_CASE("Names of layers are no words") {
  const Result<Glossary> read =
      Glossary::FromMarkdown("- **block**: Memory of a tensor.\n- **peak**: The top.\n", "glossary.md");
  REQUIRE(read.ok());
  const auto found = [&](std::string_view text) {
    std::vector<std::string> words;
    for (const Glossary::Place& place : read->PlacesIn(text))
      words.emplace_back(text.substr(place.begin, place.end - place.begin));
    return words;
  };
  CHECK(found("blocks.0.mlp.0 makes most of it, net.block more, stage1.block_2.peak least").empty());
  CHECK(found("At the peak of blocks.0, a block.") == std::vector<std::string>{"peak", "block"});
  CHECK(found("Blocks. Peaks…") == std::vector<std::string>{"Blocks", "Peaks"});
}

TEST_CASE("A meaning is plain text, without Markdown's marks of code") {
  const auto glossary = Glossary::FromMarkdown("- **gradient**: Kept in `.grad`.\n", "g.md");
  REQUIRE(glossary.ok());
  CHECK(glossary->terms().front().meaning == "Kept in .grad.");
}

TEST_CASE("A glossary's wrong line is named") {
  const auto sentence = [](const char* text) {
    const Result<Glossary> read = Glossary::FromMarkdown(text, "g.md");
    return read ? "" : read.error().message;
  };
  CHECK(sentence("# G\n\nwords\n").find("g.md:3: ") == 0);
  CHECK(sentence("- **a**: One.\n- **b, a**: Two.\n").find("'a' is explained twice") != std::string::npos);
  CHECK(sentence("- **a**: ") != "");
}

}  // namespace tidemark::lessons
