// Trees and answers survive their way through bytes; bytes that are none are told from them.
#include "profiler/phantom/workspaces/question.h"

#include <cstring>
#include <string>

#include "profiler/phantom/workspaces/backend.h"
#include "profiler/phantom/workspaces/messages.h"
#include "tests/support/catch.h"

namespace tidemark::phantom::workspaces {
namespace {

template <typename Number>
std::string BytesOf(std::initializer_list<Number> numbers) {
  return {reinterpret_cast<const char*>(std::data(numbers)), numbers.size() * sizeof(Number)};
}

DescriptorTree SomeTree() {
  return {
      {17, {{901, 1, 1, BytesOf<int>({0})}, {902, kInt64, 4, BytesOf<int64_t>({64, 3, 32, 32})}}},
      {17, {{907, kBoolean, 1, BytesOf<char>({1})}}},
      {10, {{700, kFloat, 1, BytesOf<float>({1})}, {704, kDescriptor, 1, BytesOf<int64_t>({0})}}},
      {kOperationGraph, {{801, kDescriptor, 2, BytesOf<int64_t>({2, 1})}}},
      {kEngineHeuristics, {{200, 8, 1, BytesOf<int>({0})}, {201, kDescriptor, 1, BytesOf<int64_t>({3})}}}};
}

TEST_CASE("A tree of descriptors comes back as it was") {
  const DescriptorTree tree = SomeTree();
  const auto decoded = DecodeTree(Encode(tree));
  REQUIRE(decoded.has_value());
  CHECK(*decoded == tree);
}

TEST_CASE("No part of a tree is taken for a tree, nor is one with something behind it") {
  const std::string bytes = Encode(SomeTree());
  for (size_t length = 0; length < bytes.size(); ++length) {
    INFO(length);
    CHECK_FALSE(DecodeTree(bytes.substr(0, length)).has_value());
  }
  CHECK_FALSE(DecodeTree(bytes + '\0').has_value());
}

TEST_CASE("Bytes that were changed never lead outside of the tree") {
  const std::string bytes = Encode(SomeTree());
  for (size_t position = 0; position < bytes.size(); ++position) {
    for (const int change : {1, 0x40, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[position] = static_cast<char>(damaged[position] ^ change);
      const auto tree = DecodeTree(damaged);
      if (!tree) continue;
      for (size_t node = 0; node < tree->size(); ++node) {
        for (const Attribute& attribute : (*tree)[node].attributes) {
          REQUIRE(attribute.bytes.size() ==
                  *SizeOf(attribute.element) * static_cast<size_t>(attribute.count));
          if (attribute.element != kDescriptor) continue;
          for (int64_t i = 0; i < attribute.count; ++i) {
            int64_t reference = 0;
            std::memcpy(&reference, attribute.bytes.data() + i * 8, sizeof reference);
            REQUIRE((reference >= 0 && reference < static_cast<int64_t>(node)));
          }
        }
      }
    }
  }
}

TEST_CASE("A reference to itself or to what comes later is refused, and so are handles and addresses") {
  DescriptorTree tree = SomeTree();
  tree[2].attributes[1].bytes = BytesOf<int64_t>({2});
  CHECK_FALSE(DecodeTree(Encode(tree)).has_value());
  tree[2].attributes[1].bytes = BytesOf<int64_t>({-1});
  CHECK_FALSE(DecodeTree(Encode(tree)).has_value());
  tree = SomeTree();
  tree[3].attributes.push_back({800, kHandle, 1, BytesOf<int64_t>({4096})});
  CHECK_FALSE(DecodeTree(Encode(tree)).has_value());
}

TEST_CASE("Answers come back as they were, and cut ones do not") {
  const HeuristicsAnswer heuristics{
      3007, {{71, 1 << 20, 4096, {0, 5}, {}, {{2, 31}, {7, -1}}}, {-1, -1, 0, {}, {1}, {}}}};
  const std::string bytes = Encode(heuristics);
  CHECK(DecodeHeuristics(bytes) == heuristics);
  for (size_t length = 0; length < bytes.size(); ++length) {
    CHECK_FALSE(DecodeHeuristics(bytes.substr(0, length)).has_value());
  }
  const PlanAnswer plan{0, 38'535'315};
  CHECK(DecodePlan(Encode(plan)) == plan);
  CHECK_FALSE(DecodePlan("").has_value());
  const auto question = DecodeQuestion(Encode(Question{4, "tree"}));
  REQUIRE(question.has_value());
  CHECK((question->plan == 4 && question->tree == "tree"));
  const auto json = DecodeQuestion(Encode(Question{Question::AsJson(3), "tree"}));
  CHECK((json && Question::AsJson(json->plan) == 3));
  CHECK_FALSE(DecodeQuestion(Encode(Question{Question::AsJson(5000), "tree"})).has_value());
}

TEST_CASE("What is not answered says why") {
  CHECK(*DecodeAnswer(Answered("bytes")) == "bytes");
  const auto refused = DecodeAnswer(Unanswered("it is too old"));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "it is too old");
  CHECK_FALSE(DecodeAnswer("").ok());
}

TEST_CASE("Every type of element that cuDNN has has a size") {
  for (int element = 0; element <= kLastElementType; ++element) CHECK(SizeOf(element).has_value());
  CHECK_FALSE(SizeOf(-1).has_value());
  CHECK_FALSE(SizeOf(kLastElementType + 1).has_value());
}

}  // namespace
}  // namespace tidemark::phantom::workspaces
