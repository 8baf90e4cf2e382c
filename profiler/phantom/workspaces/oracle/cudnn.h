// The real cuDNN, loaded at run time, as far as planning goes: through its documented door for compiling
// ahead of time without a device (cuDNN 9.8 and later: a device-properties descriptor takes the place of the
// handle). One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/phantom/workspaces/question.h"

namespace tidemark::phantom::workspaces {

// The functions that are called. Their status is cudnnStatus_t, 0 for success.
struct CudnnFunctions {
  size_t (*get_version)() = nullptr;
  int (*create)(int type, void** descriptor) = nullptr;
  int (*destroy)(void* descriptor) = nullptr;
  int (*finalize)(void* descriptor) = nullptr;
  int (*set)(void* descriptor, int name, int element, int64_t count, const void* elements) = nullptr;
  int (*get)(void* descriptor, int name, int element, int64_t room, int64_t* count, void* elements) = nullptr;

  // Errors go on after "cuDNN's workspaces are not included: ".
  static Result<CudnnFunctions> Load(const std::filesystem::path& file);
};

// A descriptor of cuDNN's. Remembers the first status that was not success; whatever follows does nothing
// then.
class Backend {
 public:
  Backend(const CudnnFunctions& cudnn, int type);
  ~Backend();
  Backend(Backend&& other) noexcept;
  Backend& operator=(Backend&&) = delete;

  void Set(int name, int element, int64_t count, const void* elements);
  void SetDescriptor(int name, const Backend& value);
  void Finalize();

  // Of an enumeration or an int32, an int64; their default where cuDNN has none.
  int GetInt(int name, int element) const;
  int64_t GetInt64(int name) const;
  std::vector<int> GetInts(int name, int element) const;
  // As many descriptors of this type as the attribute holds, `most` if it is given: of some cuDNN tells the
  // number only to who has room for them.
  std::vector<Backend> GetDescriptors(int name, int type, int64_t most = 0) const;
  std::string GetText(int name) const;

  int status() const { return status_; }
  void* pointer() const { return pointer_; }

 private:
  const CudnnFunctions* cudnn_;
  void* pointer_ = nullptr;
  int status_ = 0;
};

// What stands where the handle would: made from JSON, or a real handle for comparisons on a machine with a
// GPU.
struct DeviceStandIn {
  std::optional<Backend> properties;
  void* handle = nullptr;
  bool has_known_clusters = false;  // shared_tiles.h
};

class Planner {
 public:
  // Errors as above: cuDNN does not take these properties.
  static Result<std::unique_ptr<Planner>> WithoutDevice(const CudnnFunctions& cudnn, const std::string& json);
  Planner(const CudnnFunctions& cudnn, DeviceStandIn device) : cudnn_(cudnn), device_(std::move(device)) {}

  // Workspaces are as a handle of the card would have them, as far as that is known.
  HeuristicsAnswer Heuristics(const std::string& tree);
  PlanAnswer Plan(const std::string& tree, int configuration);
  // As cuDNN gives it; "" where it does not.
  std::string PlanJson(const std::string& tree, int configuration);

 private:
  // A tree as cuDNN has it, and what its heuristics said.
  struct Known {
    DescriptorTree tree;
    std::vector<Backend> descriptors;
    std::vector<Backend> configurations;
    int status = 0;
  };

  // Keeps the last few: the plans of a tree are asked for right after its heuristics.
  Known& Look(const std::string& tree);
  int64_t WithClusters(const Known& known, const std::vector<KnobChoice>& knobs, int64_t told_bytes) const;
  Known Build(const DescriptorTree& tree);
  // Nothing where the heuristics did not name that many.
  std::optional<Backend> PlanOf(const Known& known, int configuration) const;
  void Fill(Backend& descriptor, const DescriptorNode& node, const std::vector<Backend>& before);

  const CudnnFunctions cudnn_;
  const DeviceStandIn device_;
  std::map<std::string, Known> known_;
  std::deque<std::string> order_;
};

}  // namespace tidemark::phantom::workspaces
