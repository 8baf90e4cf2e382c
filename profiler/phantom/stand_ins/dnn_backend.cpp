// cuDNN's graph interface, through which LibTorch plans and runs its convolutions and its attention.
// Descriptors remember what they are told; what cuDNN makes of them (which engines, how much workspace) the
// real cuDNN says, in a process of its own or from the file of its answers (workspaces.h); a plan runs
// nothing.
//
// Where it is not known, the heuristics know one engine that takes no workspace, and the process says so
// once.
#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/library_streams.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/stand_ins/calibrated.h"
#include "profiler/phantom/stand_ins/dnn_types.h"
#include "profiler/phantom/workspaces/backend.h"
#include "profiler/phantom/workspaces/workspaces.h"

using namespace tidemark::phantom;
using namespace tidemark::phantom::dnn;
using workspaces::Configuration;
using workspaces::DescriptorTree;
using workspaces::HeuristicsAnswer;
using workspaces::PlanAnswer;

namespace {

// What the heuristics were asked, and what they said.
struct Planned {
  std::string tree;
  HeuristicsAnswer answer;
  bool known = false;
  mutable std::atomic<int64_t> last_executed{-1};  // the place of its plan among the answers
};

struct Content;

struct SetAttribute {
  workspaces::Attribute values;  // of descriptors, their addresses
  std::vector<std::shared_ptr<const Content>> parts;
};

struct Content {
  int type = 0;
  std::vector<SetAttribute> attributes;  // a dozen at most
  // Where this is an answer of the heuristics or a part of one: which.
  std::shared_ptr<const Planned> planned;
  size_t configuration = 0;
  size_t knob = 0;
  int64_t workspace_bytes = 0;  // of a finished plan
};

// Once it was made a part of another, a program may destroy it: what it says lives on there.
struct Descriptor {
  std::shared_ptr<Content> content;
};

void SayLine(const std::string& line) {
  const std::string whole = line + "\n";
  // Where nobody listens there is no other place to say it.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, whole.data(), whole.size());
}

workspaces::Workspaces* OpenWorkspaces() {
  const std::filesystem::path recorded = CalibrationFolder();
  const char* oracle = std::getenv(workspaces::kOracleVariable);
  return new workspaces::Workspaces(
      {workspaces::FindLibrary(), oracle == nullptr ? "" : oracle,
       workspaces::PropertiesOf(device::TheDevice()->card, CUDA_VERSION, recorded).json,
       workspaces::AnswersFolder(),
       [](const std::string& reason) { device::DoubtOrSay(kWithoutWorkspacesPrefix + reason + "."); },
       [] { SayLine(kAskingLine); }});
}

// Lives until the process ends, as LibTorch's threads may.
workspaces::Workspaces& TheWorkspaces() {
  static workspaces::Workspaces* const all = OpenWorkspaces();
  return *all;
}

size_t SizeOf(int element) {
  const std::optional<size_t> bytes = workspaces::SizeOf(element);
  if (!bytes) device::Refuse("cudnnBackendSetAttribute of element type", {static_cast<uint64_t>(element)});
  return *bytes;
}

SetAttribute* Find(Content& content, int name) {
  for (SetAttribute& attribute : content.attributes) {
    if (attribute.values.name == name) return &attribute;
  }
  return nullptr;
}

// Puts a descriptor, after all that it refers to, into a tree that another process can build.
class Gathering {
 public:
  static std::string TreeOf(const Content& root) {
    Gathering gathering;
    gathering.Place(root);
    return workspaces::Encode(gathering.tree_);
  }

 private:
  int64_t Place(const Content& content) {
    for (const auto& [placed, position] : placed_) {
      if (placed == &content) return position;
    }
    workspaces::DescriptorNode node{content.type, {}};
    for (const SetAttribute& attribute : content.attributes) {
      if (attribute.values.element == workspaces::kHandle) continue;
      node.attributes.push_back(attribute.values);
      std::string& bytes = node.attributes.back().bytes;
      for (size_t part = 0; part < attribute.parts.size(); ++part) {
        const int64_t position = Place(*attribute.parts[part]);
        std::memcpy(bytes.data() + part * sizeof position, &position, sizeof position);
      }
    }
    tree_.push_back(std::move(node));
    placed_.emplace_back(&content, static_cast<int64_t>(tree_.size()) - 1);
    return placed_.back().second;
  }

  DescriptorTree tree_;
  std::vector<std::pair<const Content*, int64_t>> placed_;  // a few dozen at most
};

Status FinishHeuristics(Content& heuristics) {
  auto planned = std::make_shared<Planned>();
  planned->tree = Gathering::TreeOf(heuristics);
  const std::optional<HeuristicsAnswer> answer = TheWorkspaces().Heuristics(planned->tree);
  planned->known = answer.has_value();
  planned->answer = answer.value_or(HeuristicsAnswer{0, {Configuration{}}});
  heuristics.planned = planned;
  return static_cast<Status>(planned->answer.status);
}

// Null where it was given none.
const Content* ConfigurationOf(Content& plan) {
  const SetAttribute* attribute = Find(plan, workspaces::kPlanConfiguration);
  const bool has_one = attribute != nullptr && attribute->parts.size() == 1;
  return has_one ? attribute->parts.front().get() : nullptr;
}

Status FinishPlan(Content& plan) {
  const Content* const given = ConfigurationOf(plan);
  if (given == nullptr) return kBadParameter;
  const Content& configuration = *given;
  // An engine that the program chose by itself, past the heuristics.
  if (!configuration.planned) device::Refuse("cudnnBackendFinalize of a plan without heuristics", {});
  if (!configuration.planned->known) return kSuccess;
  const std::optional<PlanAnswer> answer =
      TheWorkspaces().Plan(configuration.planned->tree, static_cast<int>(configuration.configuration));
  if (!answer) return kSuccess;
  plan.workspace_bytes = answer->workspace_bytes;
  return static_cast<Status>(answer->status);
}

// A plan takes the longer the less cuDNN's heuristics believe in it, which is all that is known of its time:
// so of plans that are tried against one another, the one that they put first is chosen.
void NoteExecution(Content& plan, const void* stream) {
  constexpr int64_t kStepNs = 1000;
  const Content* const given = ConfigurationOf(plan);
  if (given == nullptr) return;
  const Content& configuration = *given;
  const auto place = static_cast<int64_t>(configuration.configuration);
  device::Work(stream, (place + 1) * kStepNs);
  if (!configuration.planned) return;
  const int64_t before = configuration.planned->last_executed.exchange(place);
  if (before < 0 || before == place) return;
  device::Doubt(
      "Plans of cuDNN were tried against one another (torch.backends.cudnn.benchmark): which is the fastest "
      "only the card knows. Here it is the one that cuDNN's heuristics put first; another may take another "
      "workspace.");
}

// How many of an attribute's elements are given. It is what cuDNN tells as their count (9.19 and 9.26 were
// asked), but for a caller that has room for none, who is told how many there are.
size_t Given(size_t all, int64_t room, int64_t* count, const void* elements) {
  const bool only_counts = room < 1 || elements == nullptr;
  const size_t given = only_counts ? 0 : std::min(all, static_cast<size_t>(room));
  if (count != nullptr) *count = static_cast<int64_t>(only_counts ? all : given);
  return given;
}

template <typename Number>
Status Give(const std::vector<Number>& numbers, int64_t room, int64_t* count, void* elements) {
  const size_t given = Given(numbers.size(), room, count, elements);
  if (given > 0) std::memcpy(elements, numbers.data(), given * sizeof(Number));
  return kSuccess;
}

// The caller's own descriptors, of this type, become the answer's parts, of which there are so many.
Status Fill(const Content& from, int type, size_t parts, int64_t room, int64_t* count, void* elements) {
  const size_t given = Given(parts, room, count, elements);
  for (size_t part = 0; part < given; ++part) {
    const Descriptor* theirs = static_cast<Descriptor**>(elements)[part];
    if (theirs == nullptr || theirs->content->type != type) return kBadParameter;
    theirs->content->planned = from.planned;
    theirs->content->configuration = from.type == workspaces::kEngineHeuristics ? part : from.configuration;
    theirs->content->knob = part;
  }
  return kSuccess;
}

// What a part of an answer says of itself; nothing if it is asked for something else.
std::optional<Status> Describe(const Content& content, int name, int64_t room, int64_t* count,
                               void* elements) {
  const std::vector<Configuration>& all = content.planned->answer.configurations;
  if (name == workspaces::kHeuristicResults) {
    return Fill(content, workspaces::kEngineConfiguration, all.size(), room, count, elements);
  }
  if (content.configuration >= all.size()) return kBadParameter;
  const Configuration& one = all[content.configuration];
  switch (name) {
    case workspaces::kConfigurationEngine:
      return Fill(content, workspaces::kEngine, 1, room, count, elements);
    case workspaces::kConfigurationKnobChoices:
      return Fill(content, workspaces::kKnobChoice, one.knobs.size(), room, count, elements);
    case workspaces::kConfigurationWorkspace:
      return Give(std::vector<int64_t>{one.workspace_bytes}, room, count, elements);
    case workspaces::kConfigurationSharedMemory:
      return Give(std::vector<int32_t>{static_cast<int32_t>(one.shared_memory_bytes)}, room, count, elements);
    case workspaces::kEngineGlobalIndex:
      return Give(std::vector<int64_t>{one.engine}, room, count, elements);
    case workspaces::kEngineNumericalNotes:
      return Give(one.numerical_notes, room, count, elements);
    case workspaces::kEngineBehaviorNotes:
      return Give(one.behavior_notes, room, count, elements);
    case workspaces::kKnobChoiceType:
      return Give(std::vector<int>{one.knobs.at(content.knob).type}, room, count, elements);
    case workspaces::kKnobChoiceValue:
      return Give(std::vector<int64_t>{one.knobs.at(content.knob).value}, room, count, elements);
    default:
      return std::nullopt;
  }
}

// PyTorch, from 2.15 on, reads there whether a plan is one of those that it knows to be faulty.
Status GiveJson(Content& plan, int64_t room, int64_t* count, void* elements) {
  const Content* const configuration = ConfigurationOf(plan);
  if (configuration == nullptr || !configuration->planned || !configuration->planned->known)
    return kNotSupported;
  const std::optional<std::string> json =
      TheWorkspaces().PlanJson(configuration->planned->tree, static_cast<int>(configuration->configuration));
  if (!json || json->empty()) return kNotSupported;
  return Give(std::vector<char>(json->begin(), json->end()), room, count, elements);
}

Status GiveRemembered(const workspaces::Attribute& attribute, int64_t room, int64_t* count, void* elements) {
  const size_t given = Given(static_cast<size_t>(attribute.count), room, count, elements);
  if (given > 0) std::memcpy(elements, attribute.bytes.data(), given * SizeOf(attribute.element));
  return kSuccess;
}

}  // namespace

extern "C" {

Status cudnnBackendCreateDescriptor(int type, Descriptor** descriptor) {
  if (type < 0 || type > workspaces::kLastDescriptorType) {
    device::Refuse("cudnnBackendCreateDescriptor", {static_cast<uint64_t>(type)});
  }
  *descriptor = new Descriptor{std::make_shared<Content>()};
  (*descriptor)->content->type = type;
  return kSuccess;
}

Status cudnnBackendDestroyDescriptor(Descriptor* descriptor) {
  delete descriptor;
  return kSuccess;
}

Status cudnnBackendFinalize(Descriptor* descriptor) {
  Content& content = *descriptor->content;
  if (content.type == workspaces::kEngineHeuristics) return FinishHeuristics(content);
  if (content.type == workspaces::kExecutionPlan) return FinishPlan(content);
  return kSuccess;
}

Status cudnnBackendSetAttribute(Descriptor* descriptor, int name, int element, int64_t count,
                                const void* elements) {
  const size_t size = SizeOf(element);
  SetAttribute* attribute = Find(*descriptor->content, name);
  if (attribute == nullptr) attribute = &descriptor->content->attributes.emplace_back();
  attribute->values = {name, element, count,
                       std::string(static_cast<const char*>(elements), static_cast<size_t>(count) * size)};
  attribute->parts.clear();
  if (element != workspaces::kDescriptor) return kSuccess;
  for (int64_t part = 0; part < count; ++part) {
    const Descriptor* theirs = static_cast<Descriptor* const*>(elements)[part];
    if (theirs == nullptr || theirs->content == descriptor->content) return kBadParameter;
    attribute->parts.push_back(theirs->content);
  }
  return kSuccess;
}

Status cudnnBackendGetAttribute(Descriptor* descriptor, int name, int element, int64_t room, int64_t* count,
                                void* elements) {
  Content& content = *descriptor->content;
  if (content.planned) {
    const std::optional<Status> described = Describe(content, name, room, count, elements);
    if (described) return *described;
  }
  if (content.type == workspaces::kExecutionPlan && name == workspaces::kPlanWorkspaceSize) {
    return Give(std::vector<int64_t>{content.workspace_bytes}, room, count, elements);
  }
  if (content.type == workspaces::kExecutionPlan && name == workspaces::kPlanJson)
    return GiveJson(content, room, count, elements);
  const SetAttribute* attribute = Find(content, name);
  if (attribute == nullptr || attribute->values.element != element) {
    device::Refuse("cudnnBackendGetAttribute", {static_cast<uint64_t>(content.type),
                                                static_cast<uint64_t>(name), static_cast<uint64_t>(element)});
  }
  return GiveRemembered(attribute->values, room, count, elements);
}

Status cudnnBackendExecute(void* handle, Descriptor* plan, Descriptor*) {
  const uint64_t number = device::NumberOf(handle);
  device::KernelRanWith(number);
  if (plan != nullptr && plan->content) NoteExecution(*plan->content, device::StreamOf(number));
  return kSuccess;
}

}  // extern "C"
