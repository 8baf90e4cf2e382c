// The rules give what was measured on a card: some sizes of every class. No rule speaks of what was not
// measured.
#include "profiler/phantom/calibration/rules.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/phantom/calibration/convolution.h"
#include "tests/support/catch.h"

namespace tidemark::phantom::calibration {
namespace {

// The whole numbers of a text, in their order.
std::vector<int> NumbersIn(std::string text) {
  for (char& letter : text) {
    if (letter < '0' || letter > '9') letter = ' ';
  }
  std::istringstream words(text);
  std::vector<int> numbers;
  for (int number = 0; words >> number;) numbers.push_back(number);
  return numbers;
}

struct Derivation {
  std::string operation;  // as operations.h writes what was derived
  std::optional<DerivedSize> size;
};

Derivation OfBatchNorm(const std::string& operation) {
  const std::vector<int> n = NumbersIn(operation);
  REQUIRE(n.size() == 11);
  const TensorShape input{n[2], {n[3], n[4], n[5], n[6]}, {n[7], n[8], n[9], n[10]}};
  const BatchNormSize size = operation.starts_with("batch norm forward") ? BatchNormSize::kForwardWorkspace
                             : operation.starts_with("batch norm backward")
                                 ? BatchNormSize::kBackwardWorkspace
                                 : BatchNormSize::kReserve;
  return {TextOf(size, n[0], n[1], input), BatchNormBytes(size, n[0], n[1], input)};
}

Derivation OfRnn(const std::string& operation) {
  const std::vector<int> n = NumbersIn(operation);
  REQUIRE(n.size() == 12);
  const bool training = operation.find("training") != std::string::npos;
  const RnnShape shape{n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], training, n[11]};
  const RnnSize size = operation.starts_with("rnn workspace") ? RnnSize::kWorkspace : RnnSize::kReserve;
  return {TextOf(size, shape), RnnBytes(size, shape)};
}

TEST_CASE("The rules give every measured size, and doubt none") {
  std::ifstream file(TIDEMARK_MEASURED);
  int sizes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const size_t tab = line.find('\t');
    REQUIRE(tab != std::string::npos);
    const std::string operation = line.substr(0, tab);
    const Derivation derived = operation.starts_with("rnn") ? OfRnn(operation) : OfBatchNorm(operation);
    INFO(operation);
    REQUIRE(derived.operation == operation);
    REQUIRE(derived.size.has_value());
    CHECK(derived.size->bytes == std::stoll(line.substr(tab + 1)));
    CHECK(std::string(derived.size->doubt).empty());
    ++sizes;
  }
  CHECK(sizes >= 200);
}

TEST_CASE("Where one dimension is 1, channels last and channels first are told apart by the others") {
  const TensorShape one_channel{kFloat32, {16, 1, 75, 1}, {75, 75, 1, 1}};
  CHECK(BatchNormBytes(BatchNormSize::kForwardWorkspace, 2, 0, one_channel)->bytes == 1256);
  const TensorShape first{kFloat32, {64, 32, 56, 56}, {100352, 3136, 56, 1}};
  CHECK(BatchNormBytes(BatchNormSize::kForwardWorkspace, 2, 0, first)->bytes == 0);
}

TEST_CASE("No rule for batch normalisation that was not measured") {
  const TensorShape known{kFloat32, {8, 64, 4, 4}, {1024, 1, 256, 64}};
  const auto has_rule = [](int mode, int ops, const TensorShape& input) {
    return BatchNormBytes(BatchNormSize::kBackwardWorkspace, mode, ops, input).has_value();
  };
  CHECK(has_rule(2, 0, known));
  CHECK_FALSE(has_rule(0, 0, known));
  CHECK_FALSE(has_rule(2, 1, known));
  CHECK_FALSE(has_rule(2, 0, {1, known.sizes, known.strides}));
  CHECK_FALSE(has_rule(2, 0, {kFloat32, {8, 6, 4, 4}, {96, 1, 24, 6}}));
  CHECK_FALSE(has_rule(2, 0, {kFloat32, {8, 64, 2, 4, 4}, {2048, 1, 1024, 256, 64}}));
}

TEST_CASE("Recurrent layers: no rule, or a doubt, where it was not measured so") {
  const RnnShape known{2, 0, kFloat32, kFloat32, 0, 128, 256, 256, 2, 16, 64, true};
  REQUIRE(RnnBytes(RnnSize::kWorkspace, known).has_value());
  CHECK(std::string(RnnBytes(RnnSize::kWorkspace, known)->doubt).empty());
  RnnShape other = known;
  other.algorithm = 1;
  CHECK_FALSE(RnnBytes(RnnSize::kWorkspace, other).has_value());
  other.algorithm = 3;
  CHECK_FALSE(std::string(RnnBytes(RnnSize::kWorkspace, other)->doubt).empty());
  CHECK(RnnBytes(RnnSize::kWorkspace, other)->bytes == RnnBytes(RnnSize::kWorkspace, known)->bytes);
  other = known;
  other.element = kBfloat16;
  CHECK_FALSE(RnnBytes(RnnSize::kReserve, other).has_value());
}

// The reserves that three programs took on that H100: a GRU and an RNN with the algorithm for small hidden
// sizes, and a projected LSTM over packed sequences of 7, 5 and 2 steps.
TEST_CASE("Reserves are those of recorded programs") {
  CHECK(RnnBytes(RnnSize::kReserve, {3, 0, kFloat32, kFloat32, 0, 32, 48, 48, 1, 4, 10, true, 3})->bytes ==
        46'336);
  CHECK(RnnBytes(RnnSize::kReserve, {1, 0, kFloat32, kFloat32, 0, 48, 32, 32, 1, 4, 10, true, 3})->bytes ==
        5'376);
  CHECK(RnnBytes(RnnSize::kReserve, {2, 0, kFloat16, kFloat32, 1, 32, 64, 16, 1, 3, 7, true, 0, 14})->bytes ==
        11'456);
}

TEST_CASE("The state of dropout is what was measured on 132 multiprocessors") {
  CHECK(DropoutStatesBytes(132).bytes == 6'488'064);
}

}  // namespace
}  // namespace tidemark::phantom::calibration
