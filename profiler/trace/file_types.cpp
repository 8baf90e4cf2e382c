#include "profiler/trace/file_types.h"

#include <algorithm>
#include <array>

namespace tidemark::trace {
namespace {

constexpr std::string_view kRecording[] = {".tide"};
constexpr std::string_view kSnapshot[] = {".pickle", ".pkl", ".pickle.gz", ".pkl.gz", ".json", ".json.gz"};
constexpr std::string_view kTorchTrace[] = {".json", ".json.gz"};
constexpr std::string_view kPerfetto[] = {".pftrace", ".perfetto-trace"};
constexpr std::string_view kDatabase[] = {".sqlite", ".db"};

constexpr std::array<FileType, 5> kTypes = {{{"recordings", kRecording},
                                             {"PyTorch memory snapshots", kSnapshot},
                                             {"torch.profiler traces and memory timelines", kTorchTrace},
                                             {"Perfetto traces that Tidemark wrote", kPerfetto},
                                             {"SQLite exports of Nsight Systems and Tidemark", kDatabase}}};

}  // namespace

std::span<const FileType> OpenableTypes() { return kTypes; }

bool HasEndingOf(const FileType& type, std::string_view file_name) {
  return std::any_of(type.endings.begin(), type.endings.end(),
                     [&](std::string_view ending) { return file_name.ends_with(ending); });
}

bool HasOpenableEnding(std::string_view file_name) {
  return std::any_of(kTypes.begin(), kTypes.end(),
                     [&](const FileType& type) { return HasEndingOf(type, file_name); });
}

std::string OpenableTypesInWords() {
  std::string text;
  for (size_t i = 0; i < kTypes.size(); ++i) {
    text += i == 0 ? "" : i + 1 == kTypes.size() ? " and " : ", ";
    text += std::string(kTypes[i].name) + " (";
    for (const std::string_view ending : kTypes[i].endings)
      text += std::string(ending == kTypes[i].endings.front() ? "" : ", ") + std::string(ending);
    text += ")";
  }
  return text;
}

}  // namespace tidemark::trace
