#include "profiler/capture/cupti/sentences.h"

namespace tidemark::capture::cupti {
namespace {

// cupti_version.h: up to CUDA 12 a running number, 18 with 12.0; since 13.0 MMmmuu.
constexpr uint32_t kFirstOfNewCount = 100'000;
constexpr uint32_t kFirstOfCuda12 = 18;

constexpr const char* kGoesOn = " The rest is recorded.";

}  // namespace

int MajorVersion(uint32_t version) {
  if (version >= kFirstOfNewCount) return static_cast<int>(version / 10'000);
  return version >= kFirstOfCuda12 ? 12 : 11;
}

std::string VersionText(uint32_t version) {
  if (version < kFirstOfNewCount) {
    return "of CUDA " + std::to_string(MajorVersion(version)) +
           (MajorVersion(version) < 12 ? " or older" : "");
  }
  return std::to_string(version / 10'000) + "." + std::to_string(version / 100 % 100);
}

std::string RefusalSentence(Code code, uint32_t version, std::string_view holder) {
  switch (code) {
    case kMultipleSubscribers: {
      const std::string who = holder.empty() ? "another tool" : std::string(holder);
      return "blocked by " + who + ": CUPTI serves one tool at a time. End it to see the driver's level." +
             kGoesOn;
    }
    case kInsufficientPrivileges:
    case kVirtualizedDevicePrivileges:
      return "refused: the driver lets only an administrator trace "
             "(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES). Ask for the module option "
             "NVreg_RestrictProfilingToAdminUsers=0, or in a container for CAP_SYS_ADMIN." +
             std::string(kGoesOn);
    case kMigDevice:
      return "not supported: CUPTI does not trace this slice of a card (MIG). Take a whole card to see the "
             "driver's level." +
             std::string(kGoesOn);
    case kWslDevice:
      return "not supported: CUPTI does not trace this card under WSL; on Windows 11 with a newer driver it "
             "may." +
             std::string(kGoesOn);
    case kVirtualizedDeviceNotSupported:
      return "not supported: CUPTI does not trace this virtual GPU." + std::string(kGoesOn);
    case kConfidentialComputing:
      return "not supported: CUPTI does not trace a card in confidential computing mode." +
             std::string(kGoesOn);
    case kNotCompatible:
      return "refused: this driver is too old for CUPTI " + VersionText(version) +
             ". Update the driver, or use a PyTorch for an older CUDA." + kGoesOn;
    case kNotInitialized:
    case kUnknownError:
      return "absent: there is no NVIDIA driver that answers (libcuda.so.1). Install or load it." +
             std::string(kGoesOn);
    default:
      return "refused: CUPTI answered with error " + std::to_string(code) + "." + kGoesOn;
  }
}

std::string GivenUpSentence(std::string_view library) {
  const bool is_torch = library.starts_with("libtorch");
  return "given up to " + (is_torch ? "torch.profiler" : "the program's " + std::string(library)) +
         ": CUPTI serves one tool at a time, and the program asked for it. Leave that out of the program to "
         "see "
         "the driver's level to its end." +
         kGoesOn;
}

}  // namespace tidemark::capture::cupti
