#include "profiler/phantom/workspaces/question.h"

#include <cstring>
#include <utility>

#include "profiler/phantom/workspaces/backend.h"
#include "profiler/phantom/workspaces/encoding.h"

namespace tidemark::phantom::workspaces {
namespace {

// Of one question; cuDNN 9.26 has a few dozen at most.
constexpr int kMostPlans = 4096;

Attribute ReadAttribute(ByteReader& reader) {
  Attribute attribute;
  attribute.name = static_cast<int>(reader.Number());
  attribute.element = static_cast<int>(reader.Number());
  attribute.count = static_cast<int64_t>(reader.Number());
  attribute.bytes = reader.Text();
  return attribute;
}

// Whether its bytes are as many as its elements take, and its references lead to descriptors before
// `position`.
bool IsSound(const Attribute& attribute, size_t position) {
  const std::optional<size_t> size = SizeOf(attribute.element);
  const auto bytes = static_cast<int64_t>(attribute.bytes.size());
  if (!size || attribute.count < 0 || attribute.count > bytes) return false;
  if (attribute.count * static_cast<int64_t>(*size) != bytes) return false;
  if (attribute.element == kHandle || attribute.element == kVoidPointer) return false;
  if (attribute.element != kDescriptor) return true;
  for (int64_t i = 0; i < attribute.count; ++i) {
    int64_t other = 0;
    std::memcpy(&other, attribute.bytes.data() + i * static_cast<int64_t>(sizeof other), sizeof other);
    if (other < 0 || other >= static_cast<int64_t>(position)) return false;
  }
  return true;
}

void Write(ByteWriter& writer, const std::vector<int>& numbers) {
  writer.Number(numbers.size());
  for (const int number : numbers) writer.Signed(number);
}

std::vector<int> ReadNumbers(ByteReader& reader) {
  std::vector<int> numbers(reader.Count());
  for (int& number : numbers) number = static_cast<int>(reader.Signed());
  return numbers;
}

}  // namespace

std::string Encode(const DescriptorTree& tree) {
  ByteWriter writer;
  writer.Number(tree.size());
  for (const DescriptorNode& node : tree) {
    writer.Number(static_cast<uint64_t>(node.type));
    writer.Number(node.attributes.size());
    for (const Attribute& attribute : node.attributes) {
      writer.Number(static_cast<uint64_t>(attribute.name));
      writer.Number(static_cast<uint64_t>(attribute.element));
      writer.Number(static_cast<uint64_t>(attribute.count));
      writer.Text(attribute.bytes);
    }
  }
  return writer.Take();
}

std::optional<DescriptorTree> DecodeTree(std::string_view bytes) {
  ByteReader reader(bytes);
  DescriptorTree tree(reader.Count());
  for (size_t position = 0; position < tree.size(); ++position) {
    tree[position].type = static_cast<int>(reader.Number());
    tree[position].attributes.resize(reader.Count());
    for (Attribute& attribute : tree[position].attributes) {
      attribute = ReadAttribute(reader);
      if (!IsSound(attribute, position)) return std::nullopt;
    }
  }
  if (!reader.AtEnd() || tree.empty()) return std::nullopt;
  return tree;
}

std::string Encode(const HeuristicsAnswer& answer) {
  ByteWriter writer;
  writer.Signed(answer.status);
  writer.Number(answer.configurations.size());
  for (const Configuration& configuration : answer.configurations) {
    writer.Signed(configuration.engine);
    writer.Signed(configuration.workspace_bytes);
    writer.Signed(configuration.shared_memory_bytes);
    Write(writer, configuration.numerical_notes);
    Write(writer, configuration.behavior_notes);
    writer.Number(configuration.knobs.size());
    for (const KnobChoice& knob : configuration.knobs) {
      writer.Signed(knob.type);
      writer.Signed(knob.value);
    }
  }
  return writer.Take();
}

std::optional<HeuristicsAnswer> DecodeHeuristics(std::string_view bytes) {
  ByteReader reader(bytes);
  HeuristicsAnswer answer;
  answer.status = static_cast<int>(reader.Signed());
  answer.configurations.resize(reader.Count());
  for (Configuration& configuration : answer.configurations) {
    configuration.engine = reader.Signed();
    configuration.workspace_bytes = reader.Signed();
    configuration.shared_memory_bytes = reader.Signed();
    configuration.numerical_notes = ReadNumbers(reader);
    configuration.behavior_notes = ReadNumbers(reader);
    configuration.knobs.resize(reader.Count());
    for (KnobChoice& knob : configuration.knobs) {
      knob.type = static_cast<int>(reader.Signed());
      knob.value = reader.Signed();
    }
  }
  if (!reader.AtEnd()) return std::nullopt;
  return answer;
}

std::string Encode(const PlanAnswer& answer) {
  ByteWriter writer;
  writer.Signed(answer.status);
  writer.Signed(answer.workspace_bytes);
  return writer.Take();
}

std::optional<PlanAnswer> DecodePlan(std::string_view bytes) {
  ByteReader reader(bytes);
  PlanAnswer answer;
  answer.status = static_cast<int>(reader.Signed());
  answer.workspace_bytes = reader.Signed();
  if (!reader.AtEnd()) return std::nullopt;
  return answer;
}

std::string Encode(const Question& question) {
  ByteWriter writer;
  writer.Signed(question.plan);
  writer.Text(question.tree);
  return writer.Take();
}

std::optional<Question> DecodeQuestion(std::string_view bytes) {
  ByteReader reader(bytes);
  Question question;
  question.plan = static_cast<int>(reader.Signed());
  question.tree = reader.Text();
  if (!reader.AtEnd() || question.plan < Question::AsJson(kMostPlans)) return std::nullopt;
  return question;
}

}  // namespace tidemark::phantom::workspaces
