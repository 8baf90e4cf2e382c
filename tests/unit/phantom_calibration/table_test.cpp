// Tables of measured sizes: what is found is what was written, and what is not there is unknown.
#include "profiler/phantom/calibration/table.h"

#include <string>

#include "profiler/base/paths.h"
#include "profiler/phantom/calibration/convolution.h"
#include "profiler/phantom/calibration/operations.h"
#include "profiler/phantom/workspaces/question.h"
#include "tests/support/catch.h"

namespace tidemark::phantom::calibration {
namespace {

Row Measured(const std::string& card, const std::string& version, int64_t bytes) {
  return {card, "cudnn", version, kDropoutStates, {bytes, Provenance::kMeasured, "a test"}};
}

Table TableOf(const std::vector<Row>& rows) {
  const auto table = Table::Parse(TextOf(rows, "a test"), "test.tsv");
  if (!table) FAIL(table.error().message);
  return *table;
}

std::string ProblemWith(const std::string& line) {
  const auto table = Table::Parse("# remark\n" + line + "\n", "test.tsv");
  return table ? "" : table.error().message;
}

TEST_CASE("What was written is found again, with where it comes from") {
  const Table table = TableOf({Measured("h200", "9.19.0", 3'244'032)});
  const Size size = table.Find("h200", "cudnn", "9.19.0", kDropoutStates);
  CHECK(size.bytes == 3'244'032);
  CHECK(size.provenance == Provenance::kMeasured);
  CHECK(size.source == "a test");
}

TEST_CASE("Another card, version, library or operation is not known") {
  const Table table = TableOf({Measured("h200", "9.19.0", 1)});
  CHECK_FALSE(table.Find("h100", "cudnn", "9.19.0", kDropoutStates).bytes.has_value());
  CHECK_FALSE(table.Find("h200", "cudnn", "9.20.0", kDropoutStates).bytes.has_value());
  CHECK_FALSE(table.Find("h200", "cuda", "9.19.0", kDropoutStates).bytes.has_value());
  CHECK(table.Find("h200", "cudnn", "9.19.0", "another").provenance == Provenance::kUnknown);
}

TEST_CASE("Its own row counts before one for every card, and what is unknown hides nothing") {
  const Table table =
      TableOf({Measured("*", "*", 1),
               Measured("h200", "*", 2),
               Measured("h200", "9.19.0", 3),
               {"t4", "cudnn", "*", kDropoutStates, {std::nullopt, Provenance::kUnknown, "refused"}}});
  CHECK(table.Find("h200", "cudnn", "9.19.0", kDropoutStates).bytes == 3);
  CHECK(table.Find("h200", "cudnn", "9.20.0", kDropoutStates).bytes == 2);
  CHECK(table.Find("t4", "cudnn", "9.20.0", kDropoutStates).bytes == 1);
}

TEST_CASE("Measured counts before derived, whichever comes first") {
  Row derived = Measured("h200", "9.19.0", 5);
  derived.size.provenance = Provenance::kDerived;
  const Row measured = Measured("h200", "9.19.0", 7);
  CHECK(TableOf({derived, measured}).Find("h200", "cudnn", "9.19.0", kDropoutStates).bytes == 7);
  CHECK(TableOf({measured, derived}).Find("h200", "cudnn", "9.19.0", kDropoutStates).bytes == 7);
}

TEST_CASE("A line that is no row is a sentence with its number") {
  CHECK(ProblemWith("h200\tcudnn\t9.19.0\tdropout states\t512\tmeasured\tby hand").empty());
  CHECK(ProblemWith("h200\tcudnn").find("Line 2 of the table test.tsv must have seven columns") == 0);
  CHECK(ProblemWith("h200\tcudnn\t9.19.0\t\t512\tmeasured\tby hand").find("empty column") !=
        std::string::npos);
  CHECK(ProblemWith("h200\tcudnn\t9.19.0\tx\t-5\tmeasured\tby hand").find("'-5'") != std::string::npos);
  CHECK(ProblemWith("h200\tcudnn\t9.19.0\tx\t5 MB\tmeasured\tby hand").find("'5 MB'") != std::string::npos);
  CHECK(ProblemWith("h200\tcudnn\t9.19.0\tx\t5\tguessed\tby hand").find("'guessed'") != std::string::npos);
  CHECK(ProblemWith("h200\tcudnn\t9.19.0\tx\t?\tmeasured\tby hand").find("?") != std::string::npos);
  CHECK(ProblemWith("h200\tcudnn\t9.19.0\tx\t5\tunknown\tby hand").find("?") != std::string::npos);
}

TEST_CASE(
    "The tables that come with the program can be read, and a folder that is not there is an empty one") {
  const auto table = Table::Load(AssetsFolder() / "calibration");
  if (!table) FAIL(table.error().message);
  const auto none = Table::Load("/nowhere");
  REQUIRE(none.ok());
  CHECK(none->size() == 0);
}

TEST_CASE("Operations that differ are written differently") {
  const TensorShape first{0, {64, 32, 56, 56}, {100352, 3136, 56, 1}};
  const TensorShape last{0, {64, 32, 56, 56}, {100352, 1, 1792, 32}};
  const std::string text = TextOf(BatchNormSize::kForwardWorkspace, 1, 0, first);
  CHECK(text == "batch norm forward workspace, mode 1, ops 0, input 0:64,32,56,56:100352,3136,56,1");
  CHECK(text != TextOf(BatchNormSize::kForwardWorkspace, 1, 0, last));
  CHECK(text != TextOf(BatchNormSize::kForwardWorkspace, 2, 0, first));
  CHECK(text != TextOf(BatchNormSize::kReserve, 1, 0, first));
  RnnShape shape{2, 0, 0, 0, 0, 128, 256, 256, 1, 16, 64, true};
  const std::string rnn = TextOf(RnnSize::kReserve, shape);
  CHECK(rnn.find('\t') == std::string::npos);
  shape.training = false;
  CHECK(rnn != TextOf(RnnSize::kReserve, shape));
  CHECK(TextOf(RnnSize::kWorkspace, shape) != TextOf(RnnSize::kReserve, shape));
  RnnShape other = shape;
  other.precision = 2;
  CHECK(TextOf(RnnSize::kReserve, shape) != TextOf(RnnSize::kReserve, other));
  other = shape;
  other.math = 2;
  CHECK(TextOf(RnnSize::kReserve, shape) != TextOf(RnnSize::kReserve, other));
}

TEST_CASE("A convolution is a tree that cuDNN's process can read") {
  for (const Direction direction :
       {Direction::kForward, Direction::kBackwardFilter, Direction::kBackwardData}) {
    const auto tree = workspaces::DecodeTree(TreeOf(
        {direction, kFloat16, Layout::kChannelsLast, {8, 32, 28, 28}, {64, 32, 3, 3}, {1, 1}, {2, 2}}));
    REQUIRE(tree.has_value());
    CHECK(tree->size() == 7);
    CHECK((*tree)[4].type == 10 + static_cast<int>(direction));
  }
}

}  // namespace
}  // namespace tidemark::phantom::calibration
