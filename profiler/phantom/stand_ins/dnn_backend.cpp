// cuDNN's graph interface, through which LibTorch plans and runs its convolutions: descriptors remember what
// they are told, the heuristics know one engine, a plan runs nothing.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/stand_ins/dnn_types.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::dnn;

namespace {

// Every plan says that it needs none. What a plan really needs only cuDNN itself can tell (by its device-less
// mode, which the phantom does not ask yet), so runs say that cuDNN's workspaces are not included.
constexpr int64_t kPlanWorkspaceBytes = 0;

struct Attribute {
  int name = 0;
  ElementType element = kHandle;
  int64_t count = 0;
  std::vector<std::byte> bytes;
};

struct Descriptor {
  DescriptorType type;
  std::vector<Attribute> attributes;  // a dozen at most
};

size_t SizeOf(ElementType element) {
  switch (element) {
    case kBoolean:
      return 1;
    case kDataType:
    case kFloat:
    case kConvolutionMode:
    case kHeuristicMode:
    case kNumericalNote:
    case kBehaviorNote:
    case kReorderingMode:
    case kInt32:
      return 4;
    case kHandle:
    case kInt64:
    case kDouble:
    case kVoidPointer:
    case kDescriptor:
      return 8;
  }
  device::Refuse("cudnnBackendSetAttribute of element type", {static_cast<uint64_t>(element)});
}

// Engines and knobs are only ever answers, so that nothing of them can be set.
bool IsKnownType(int type) {
  return std::any_of(std::begin(kSettable), std::end(kSettable),
                     [type](const SettableAttributes& row) { return row.descriptor == type; }) ||
         type == kEngine || type == kKnobChoice;
}

bool IsSettable(DescriptorType type, int name, ElementType element) {
  return std::any_of(std::begin(kSettable), std::end(kSettable), [=](const SettableAttributes& row) {
    // A scaling factor is a double where the tensors are.
    const bool alike = element == row.element || (row.element == kFloat && element == kDouble);
    return row.descriptor == type && row.first <= name && name <= row.last && alike;
  });
}

Attribute* Find(Descriptor& descriptor, int name) {
  for (Attribute& attribute : descriptor.attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

// Answers with one number where room for it was given.
template <typename Number>
Status Give(Number number, int64_t room, int64_t* count, void* elements) {
  if (count != nullptr) *count = 1;
  if (room >= 1 && elements != nullptr) std::memcpy(elements, &number, sizeof number);
  return kSuccess;
}

Status GiveNone(int64_t* count) {
  if (count != nullptr) *count = 0;
  return kSuccess;
}

// The caller's own descriptor, of this type, becomes the answer.
Status FillDescriptor(DescriptorType type, int64_t room, int64_t* count, void* elements) {
  if (count != nullptr) *count = 1;
  if (room < 1 || elements == nullptr) return kSuccess;
  const Descriptor* theirs = *static_cast<Descriptor**>(elements);
  return theirs != nullptr && theirs->type == type ? kSuccess : kBadParameter;
}

Status GiveRemembered(const Attribute& attribute, int64_t room, int64_t* count, void* elements) {
  if (count != nullptr) *count = attribute.count;
  if (elements != nullptr && room > 0) {
    const size_t bytes = static_cast<size_t>(room) * SizeOf(attribute.element);
    std::memcpy(elements, attribute.bytes.data(), std::min(bytes, attribute.bytes.size()));
  }
  return kSuccess;
}

}  // namespace

extern "C" {

Status cudnnBackendCreateDescriptor(DescriptorType type, Descriptor** descriptor) {
  if (!IsKnownType(type)) device::Refuse("cudnnBackendCreateDescriptor", {static_cast<uint64_t>(type)});
  *descriptor = new Descriptor{type, {}};
  return kSuccess;
}

Status cudnnBackendDestroyDescriptor(Descriptor* descriptor) {
  delete descriptor;
  return kSuccess;
}

Status cudnnBackendFinalize(Descriptor*) { return kSuccess; }

Status cudnnBackendSetAttribute(Descriptor* descriptor, int name, ElementType element, int64_t count,
                                const void* elements) {
  if (!IsSettable(descriptor->type, name, element)) {
    device::Refuse("cudnnBackendSetAttribute", {static_cast<uint64_t>(descriptor->type),
                                                static_cast<uint64_t>(name), static_cast<uint64_t>(element)});
  }
  Attribute* attribute = Find(*descriptor, name);
  if (attribute == nullptr) attribute = &descriptor->attributes.emplace_back();
  const auto* bytes = static_cast<const std::byte*>(elements);
  attribute->name = name;
  attribute->element = element;
  attribute->count = count;
  attribute->bytes.assign(bytes, bytes + static_cast<size_t>(count) * SizeOf(element));
  return kSuccess;
}

Status cudnnBackendGetAttribute(Descriptor* descriptor, int name, ElementType element, int64_t room,
                                int64_t* count, void* elements) {
  const std::pair<int, int> asked{descriptor->type, name};
  if (asked == std::pair<int, int>{kEngineHeuristics, kHeuristicResults}) {
    return FillDescriptor(kEngineConfiguration, room, count, elements);
  }
  if (asked == std::pair<int, int>{kEngineConfiguration, kConfigurationEngine}) {
    return FillDescriptor(kEngine, room, count, elements);
  }
  if (asked == std::pair<int, int>{kExecutionPlan, kPlanWorkspaceSize}) {
    return Give(kPlanWorkspaceBytes, room, count, elements);
  }
  if (asked == std::pair<int, int>{kEngine, kEngineGlobalIndex})
    return Give(int64_t{0}, room, count, elements);
  // The one engine has no knobs and nothing to note.
  if (asked == std::pair<int, int>{kEngineConfiguration, kConfigurationKnobChoices} ||
      asked == std::pair<int, int>{kEngine, kEngineKnobInfo} ||
      asked == std::pair<int, int>{kEngine, kEngineNumericalNote} ||
      asked == std::pair<int, int>{kEngine, kEngineBehaviorNote}) {
    return GiveNone(count);
  }
  const Attribute* attribute = Find(*descriptor, name);
  if (attribute == nullptr || attribute->element != element) {
    device::Refuse("cudnnBackendGetAttribute", {static_cast<uint64_t>(descriptor->type),
                                                static_cast<uint64_t>(name), static_cast<uint64_t>(element)});
  }
  return GiveRemembered(*attribute, room, count, elements);
}

Status cudnnBackendExecute(void*, Descriptor*, Descriptor*) {
  device::KernelRan();
  return kSuccess;
}

}  // extern "C"
