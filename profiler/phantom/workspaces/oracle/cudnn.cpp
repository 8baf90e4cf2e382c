#include "profiler/phantom/workspaces/oracle/cudnn.h"

#include <dlfcn.h>

#include <cstring>
#include <utility>

#include "profiler/phantom/workspaces/backend.h"
#include "profiler/phantom/workspaces/oracle/shared_tiles.h"

namespace tidemark::phantom::workspaces {
namespace {

// CUDNN_STATUS_BAD_PARAM: for what cannot be asked at all.
constexpr int kBadParameter = 2000;
// Autograd's threads ask about a few trees at a time.
constexpr size_t kKnownTrees = 16;

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::vector<KnobChoice> KnobsOf(const Backend& configuration) {
  constexpr int64_t kMostKnobs = 64;  // cuDNN 9.19 has 40 kinds
  std::vector<KnobChoice> knobs;
  for (const Backend& knob :
       configuration.GetDescriptors(kConfigurationKnobChoices, kKnobChoice, kMostKnobs)) {
    knobs.push_back({knob.GetInt(kKnobChoiceType, kKnobType), knob.GetInt64(kKnobChoiceValue)});
  }
  return knobs;
}

Configuration Describe(const Backend& configuration) {
  Configuration description;
  description.workspace_bytes = configuration.GetInt64(kConfigurationWorkspace);
  description.shared_memory_bytes = configuration.GetInt(kConfigurationSharedMemory, kInt32);
  for (const Backend& engine : configuration.GetDescriptors(kConfigurationEngine, kEngine)) {
    description.engine = engine.GetInt64(kEngineGlobalIndex);
    description.numerical_notes = engine.GetInts(kEngineNumericalNotes, kNumericalNote);
    description.behavior_notes = engine.GetInts(kEngineBehaviorNotes, kBehaviorNote);
  }
  description.knobs = KnobsOf(configuration);
  return description;
}

}  // namespace

Result<CudnnFunctions> CudnnFunctions::Load(const std::filesystem::path& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"cuDNN cannot be loaded (" + std::string(dlerror()) + ")"};
  CudnnFunctions cudnn;
  const bool found = Find(library, "cudnnGetVersion", cudnn.get_version) &&
                     Find(library, "cudnnBackendCreateDescriptor", cudnn.create) &&
                     Find(library, "cudnnBackendDestroyDescriptor", cudnn.destroy) &&
                     Find(library, "cudnnBackendFinalize", cudnn.finalize) &&
                     Find(library, "cudnnBackendSetAttribute", cudnn.set) &&
                     Find(library, "cudnnBackendGetAttribute", cudnn.get);
  if (!found) return Error{file.string() + " is no cuDNN"};
  return cudnn;
}

Backend::Backend(const CudnnFunctions& cudnn, int type) : cudnn_(&cudnn) {
  status_ = cudnn_->create(type, &pointer_);
  if (status_ != 0) pointer_ = nullptr;
}

Backend::Backend(Backend&& other) noexcept
    : cudnn_(other.cudnn_), pointer_(std::exchange(other.pointer_, nullptr)), status_(other.status_) {}

Backend::~Backend() {
  if (pointer_ != nullptr) cudnn_->destroy(pointer_);
}

void Backend::Set(int name, int element, int64_t count, const void* elements) {
  if (status_ == 0) status_ = cudnn_->set(pointer_, name, element, count, elements);
}

void Backend::SetDescriptor(int name, const Backend& value) {
  void* const pointer = value.pointer();
  if (status_ == 0) status_ = value.status();
  Set(name, kDescriptor, 1, &pointer);
}

void Backend::Finalize() {
  if (status_ == 0) status_ = cudnn_->finalize(pointer_);
}

int Backend::GetInt(int name, int element) const {
  int64_t count = 0;
  int number = 0;
  if (status_ == 0) cudnn_->get(pointer_, name, element, 1, &count, &number);
  return number;
}

int64_t Backend::GetInt64(int name) const {
  int64_t count = 0;
  int64_t number = 0;
  if (status_ == 0) cudnn_->get(pointer_, name, kInt64, 1, &count, &number);
  return number;
}

std::vector<int> Backend::GetInts(int name, int element) const {
  int64_t count = 0;
  if (status_ != 0 || cudnn_->get(pointer_, name, element, 0, &count, nullptr) != 0 || count <= 0) return {};
  std::vector<int> numbers(static_cast<size_t>(count));
  if (cudnn_->get(pointer_, name, element, count, &count, numbers.data()) != 0) return {};
  return numbers;
}

std::vector<Backend> Backend::GetDescriptors(int name, int type, int64_t most) const {
  int64_t count = most;
  std::vector<Backend> descriptors;
  if (status_ != 0) return descriptors;
  if (most == 0 && cudnn_->get(pointer_, name, kDescriptor, 0, &count, nullptr) != 0) return descriptors;
  std::vector<void*> pointers;
  for (int64_t i = 0; i < count; ++i) {
    pointers.push_back(descriptors.emplace_back(*cudnn_, type).pointer());
  }
  int64_t given = 0;
  if (count > 0 && cudnn_->get(pointer_, name, kDescriptor, count, &given, pointers.data()) != 0) given = 0;
  while (static_cast<int64_t>(descriptors.size()) > given) descriptors.pop_back();
  return descriptors;
}

std::string Backend::GetText(int name) const {
  int64_t count = 0;
  if (status_ != 0 || cudnn_->get(pointer_, name, kChar, 0, &count, nullptr) != 0 || count <= 0) return {};
  std::string text(static_cast<size_t>(count), '\0');
  if (cudnn_->get(pointer_, name, kChar, count, &count, text.data()) != 0) return {};
  text.resize(std::strlen(text.c_str()));
  return text;
}

Result<std::unique_ptr<Planner>> Planner::WithoutDevice(const CudnnFunctions& cudnn,
                                                        const std::string& json) {
  DeviceStandIn device;
  device.properties.emplace(cudnn, kDeviceProperties);
  device.properties->Set(kDevicePropertiesJson, kChar, static_cast<int64_t>(json.size()), json.data());
  device.properties->Finalize();
  if (device.properties->status() != 0) {
    return Error{"cuDNN does not take the card's properties (status " +
                 std::to_string(device.properties->status()) + ")"};
  }
  device.has_known_clusters = KnowsClusters(json);
  return std::make_unique<Planner>(cudnn, std::move(device));
}

HeuristicsAnswer Planner::Heuristics(const std::string& tree) {
  const Known& known = Look(tree);
  HeuristicsAnswer answer;
  answer.status = known.status;
  answer.configurations.reserve(known.configurations.size());
  for (const Backend& configuration : known.configurations) {
    Configuration& description = answer.configurations.emplace_back(Describe(configuration));
    description.workspace_bytes = WithClusters(known, description.knobs, description.workspace_bytes);
  }
  return answer;
}

// What was told, or what holds for a card whose clusters are known.
int64_t Planner::WithClusters(const Known& known, const std::vector<KnobChoice>& knobs,
                              int64_t told_bytes) const {
  if (!device_.has_known_clusters) return told_bytes;
  return WorkspaceOfSharedTiles(known.tree, knobs).value_or(told_bytes);
}

std::optional<Backend> Planner::PlanOf(const Known& known, int configuration) const {
  if (configuration < 0 || static_cast<size_t>(configuration) >= known.configurations.size()) return {};
  std::optional<Backend> plan(std::in_place, cudnn_, kExecutionPlan);
  plan->SetDescriptor(kPlanConfiguration, known.configurations[static_cast<size_t>(configuration)]);
  if (device_.properties) {
    plan->SetDescriptor(kPlanDeviceProperties, *device_.properties);
  } else {
    plan->Set(kPlanHandle, kHandle, 1, &device_.handle);
  }
  plan->Finalize();
  return plan;
}

PlanAnswer Planner::Plan(const std::string& tree, int configuration) {
  const Known& known = Look(tree);
  if (known.status != 0) return {known.status, 0};
  const std::optional<Backend> plan = PlanOf(known, configuration);
  if (!plan) return {kBadParameter, 0};
  const int64_t told_bytes = plan->GetInt64(kPlanWorkspaceSize);
  if (plan->status() != 0 || !device_.has_known_clusters) return {plan->status(), told_bytes};
  const Backend& chosen = known.configurations[static_cast<size_t>(configuration)];
  return {0, WithClusters(known, KnobsOf(chosen), told_bytes)};
}

std::string Planner::PlanJson(const std::string& tree, int configuration) {
  const Known& known = Look(tree);
  const std::optional<Backend> plan = known.status == 0 ? PlanOf(known, configuration) : std::nullopt;
  return plan ? plan->GetText(kPlanJson) : "";
}

Planner::Known& Planner::Look(const std::string& tree) {
  const auto found = known_.find(tree);
  if (found != known_.end()) return found->second;
  if (order_.size() >= kKnownTrees) {
    known_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(tree);
  const std::optional<DescriptorTree> decoded = DecodeTree(tree);
  Known none;
  none.status = kBadParameter;
  return known_.emplace(tree, decoded ? Build(*decoded) : std::move(none)).first->second;
}

Planner::Known Planner::Build(const DescriptorTree& tree) {
  Known known;
  known.descriptors.reserve(tree.size());
  for (const DescriptorNode& node : tree) {
    Backend descriptor(cudnn_, node.type);
    Fill(descriptor, node, known.descriptors);
    descriptor.Finalize();
    known.status = descriptor.status();
    known.descriptors.push_back(std::move(descriptor));
    if (known.status != 0) return known;
  }
  if (tree.back().type != kEngineHeuristics) {
    known.status = kBadParameter;
  } else {
    known.configurations = known.descriptors.back().GetDescriptors(kHeuristicResults, kEngineConfiguration);
    known.tree = tree;
  }
  return known;
}

void Planner::Fill(Backend& descriptor, const DescriptorNode& node, const std::vector<Backend>& before) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.element != kDescriptor) {
      descriptor.Set(attribute.name, attribute.element, attribute.count, attribute.bytes.data());
      continue;
    }
    std::vector<void*> pointers(static_cast<size_t>(attribute.count));
    for (size_t i = 0; i < pointers.size(); ++i) {
      int64_t position = 0;
      std::memcpy(&position, attribute.bytes.data() + i * sizeof position, sizeof position);
      pointers[i] = before[static_cast<size_t>(position)].pointer();
    }
    descriptor.Set(attribute.name, kDescriptor, attribute.count, pointers.data());
  }
  if (node.type == kEngineHeuristics && device_.properties) {
    descriptor.SetDescriptor(kHeuristicDeviceProperties, *device_.properties);
  }
  if (node.type == kOperationGraph && device_.handle != nullptr) {
    descriptor.Set(kGraphHandle, kHandle, 1, &device_.handle);
  }
}

}  // namespace tidemark::phantom::workspaces
