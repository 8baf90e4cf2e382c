// What is asked of cuDNN: a tree of its backend descriptors as the program filled them, without handles and
// addresses, so that another process can build the same tree; and the answers. All of it is values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::phantom::workspaces {

struct Attribute {
  int name = 0;
  int element = 0;    // ElementType
  int64_t count = 0;  // of elements
  // The elements as the program gave them; of descriptors, int64 positions in the tree.
  std::string bytes;
  bool operator==(const Attribute&) const = default;
};

struct DescriptorNode {
  int type = 0;  // DescriptorType
  std::vector<Attribute> attributes;
  bool operator==(const DescriptorNode&) const = default;
};

// Every descriptor comes after those that it refers to; the last is the root, the heuristics' descriptor.
using DescriptorTree = std::vector<DescriptorNode>;

std::string Encode(const DescriptorTree& tree);
// Nothing if these bytes are no tree: too short or long, or a reference that does not lead back.
std::optional<DescriptorTree> DecodeTree(std::string_view bytes);

// A new number with every change of what follows, so that no file of answers is misread, and of the rules
// that answers are corrected by (oracle/shared_tiles.h).
inline constexpr int kAnswersFormat = 4;

struct KnobChoice {
  int type = 0;
  int64_t value = 0;
  bool operator==(const KnobChoice&) const = default;
};

// One of the ways in which cuDNN would do it.
struct Configuration {
  int64_t engine = 0;
  int64_t workspace_bytes = 0;  // before its plan is made, which may say otherwise
  int64_t shared_memory_bytes = 0;
  std::vector<int> numerical_notes;
  std::vector<int> behavior_notes;
  std::vector<KnobChoice> knobs;
  bool operator==(const Configuration&) const = default;
};

// cudnnStatus_t of 0 is success.
struct HeuristicsAnswer {
  int status = 0;
  std::vector<Configuration> configurations;  // the best first
  bool operator==(const HeuristicsAnswer&) const = default;
};

struct PlanAnswer {
  int status = 0;
  int64_t workspace_bytes = 0;
  bool operator==(const PlanAnswer&) const = default;
};

std::string Encode(const HeuristicsAnswer& answer);
std::string Encode(const PlanAnswer& answer);
std::optional<HeuristicsAnswer> DecodeHeuristics(std::string_view bytes);
std::optional<PlanAnswer> DecodePlan(std::string_view bytes);

// One question as it travels and as the cache knows it.
struct Question {
  static constexpr int kHeuristics = -1;
  // Asks how cuDNN tells that plan as JSON; of that, the plan's number again.
  static constexpr int AsJson(int plan) { return kHeuristics - 1 - plan; }
  int plan = kHeuristics;  // or the number of the configuration whose plan is asked for, or that AsJson
  std::string tree;        // Encode(DescriptorTree)
};
std::string Encode(const Question& question);
std::optional<Question> DecodeQuestion(std::string_view bytes);

}  // namespace tidemark::phantom::workspaces
