// What a run is: said at its start, in the first message of a live run and in the header of a recording, and
// again at its end, when it is known how it ended and what to doubt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::events {

struct RunDescription {
  std::string title;          // "SimpleConvNet on phantom H200"
  std::string device;         // "phantom", "cpu" or "cuda:0"
  std::string device_name;    // "NVIDIA H200", "CPU", ...
  int64_t device_bytes = 0;   // memory that the device has; 0 = not known or not limited
  std::string settings_json;  // networks::TrainingSettings at the start, as JSON
  std::string producer;       // "tidemark-trainer 0.1 (torch 2.11.0)"
  int64_t start_time_ns = 0;  // CLOCK_REALTIME
  int32_t process_id = 0;
  int32_t rank = 0;     // of those that train one model; how many they are the settings say
  std::string command;  // of a program that is not ours: how it was started
  std::string ending;  // a sentence: how a run ended that did not reach its end; "" if it did, or is not over
  std::vector<std::string> notes;  // sentences: what makes its figures less than certain
  // Whose allocator it was, where a user's torch was: the build id of its libtorch_cuda.so.
  std::string torch_build_id = {};
  std::string torch_cuda = {};          // that it was built with: "13.0"
  std::string allocator_settings = {};  // PYTORCH_CUDA_ALLOC_CONF
  // In which a phantom's driver handed out addresses (profiler/phantom/address_order.h); "" = nobody said.
  std::string address_order = {};
  int32_t pretended_world = 0;  // of how many ranks of a program all but this one are pretended; 0 = none is
  // Whether its memory is told with the private pool that it is of, where it is of one: PyTorch's own
  // snapshots do, and what is compiled for a torch since 2.8; `record` and traces of others do not.
  bool tells_pools = false;
};

// As both of them carry it. Reading accepts any object: what is missing or of another type keeps its default.
std::string ToJson(const RunDescription& description);
Result<RunDescription> DescriptionFromJson(std::string_view json);

}  // namespace tidemark::events
