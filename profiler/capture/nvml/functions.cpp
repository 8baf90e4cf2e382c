#include "profiler/capture/nvml/functions.h"

#include <dlfcn.h>

#include <string>

namespace tidemark::capture::nvml {

Result<Functions> LoadFunctions() {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) {
    return Error{
        "absent: NVML (libnvidia-ml.so.1) is not here, so what the card itself reports is not seen. It comes "
        "with the NVIDIA driver."};
  }
  Functions functions;
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  find("nvmlInit_v2", functions.init);
  find("nvmlSystemGetDriverVersion", functions.driver_version);
  find("nvmlDeviceGetHandleByUUID", functions.device_by_uuid);
  find("nvmlDeviceGetUUID", functions.device_uuid);
  find("nvmlDeviceGetCount_v2", functions.device_count);
  find("nvmlDeviceGetHandleByIndex_v2", functions.device_by_index);
  find("nvmlDeviceGetMemoryInfo", functions.memory_info);
  find("nvmlDeviceGetComputeRunningProcesses_v3", functions.compute_processes);
  if (!missing.empty()) {
    return Error{"absent: this driver is too old (its NVML has no " + missing +
                 "), so what the card itself reports is not seen. Update the driver."};
  }
  return functions;
}

std::string RefusalSentence(Code code) {
  switch (code) {
    case kDriverNotLoaded:
      return "absent: the NVIDIA driver is not loaded, so what the card itself reports is not seen.";
    case kNoPermission:
      return "refused: this user may not ask NVML about the card. In a container, give it the card with the "
             "capability \"utility\".";
    case kLibraryRmVersionMismatch:
      return "refused: the driver was updated and is not loaded yet (NVML's version is another). Restart the "
             "machine.";
    case kNotFound:
      return "absent: NVML does not know the card that this process uses.";
    default:
      return "refused: NVML answered with error " + std::to_string(code) + ".";
  }
}

}  // namespace tidemark::capture::nvml
