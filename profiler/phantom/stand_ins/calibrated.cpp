#include "profiler/phantom/stand_ins/calibrated.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/calibration/table.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom {
namespace {

const calibration::Table* LoadTable() {
  Result<calibration::Table> table = calibration::Table::Load(CalibrationFolder());
  if (!table) device::EndProcess(("tidemark phantom: " + table.error().message).c_str());
  return new calibration::Table(std::move(*table));
}

void SayUnknown(const std::string& kind) {
  static Mutex mutex;
  static std::set<std::string>* const said = new std::set<std::string>;
  const MutexLock lock(mutex);
  if (!said->insert(kind).second) return;
  device::DoubtOrSay(kUnknownSizePrefix + kind + ".");
}

}  // namespace

std::filesystem::path CalibrationFolder() {
  const char* card_file = std::getenv(kCardVariable);
  if (card_file == nullptr || *card_file == '\0' || device::TheDevice() == nullptr) {
    device::EndProcess(
        "tidemark phantom: cuDNN was asked for a size where there is no GPU. Choose a card (--card), or see "
        "that "
        "CUDA_VISIBLE_DEVICES does not hide it.");
  }
  return std::filesystem::path(card_file).parent_path().parent_path() / "calibration";
}

size_t CalibratedBytes(const std::string& library, const std::string& version, const std::string& operation,
                       const std::string& kind) {
  // Lives until the process ends, as LibTorch's threads may.
  static const calibration::Table* const table = LoadTable();
  const calibration::Size size = table->Find(device::TheDevice()->card.name, library, version, operation);
  if (!size.bytes) SayUnknown(kind);
  return static_cast<size_t>(size.bytes.value_or(0));
}

std::string VersionText(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

}  // namespace tidemark::phantom
