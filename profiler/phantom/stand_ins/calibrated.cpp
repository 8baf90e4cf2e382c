#include "profiler/phantom/stand_ins/calibrated.h"

#include <algorithm>
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

void SayOnce(const std::string& line) {
  static Mutex mutex;
  static std::set<std::string>* const said = new std::set<std::string>;
  const MutexLock lock(mutex);
  if (said->insert(line).second) device::DoubtOrSay(line);
}

void SayUnknown(const std::string& kind) { SayOnce(kUnknownSizePrefix + kind + "."); }

void SayDerived(const std::string& kind, const std::string& card, const std::string& version,
                const char* doubt) {
  const auto& cards = calibration::kRulesCards;
  if (std::find(cards.begin(), cards.end(), card) == cards.end() || version != calibration::kRulesVersion) {
    SayOnce(kDerivedSizePrefix + kind + ", from an H100's with cuDNN " + calibration::kRulesVersion + ".");
  }
  if (*doubt != '\0') SayOnce(kDerivedSizePrefix + kind + ", " + doubt + ".");
}

}  // namespace

const Card& CardOfProcess() {
  const char* card_file = std::getenv(kCardVariable);
  if (card_file == nullptr || *card_file == '\0' || device::TheDevice() == nullptr) {
    device::EndProcess(
        "tidemark phantom: cuDNN was asked for a size where there is no GPU. Choose a card (--card), or see "
        "that CUDA_VISIBLE_DEVICES does not hide it.");
  }
  return device::TheDevice()->card;
}

std::filesystem::path CalibrationFolder() {
  CardOfProcess();
  return std::filesystem::path(std::getenv(kCardVariable)).parent_path().parent_path() / "calibration";
}

size_t CalibratedBytes(const std::string& library, const std::string& version, const std::string& operation,
                       const std::string& kind, const std::optional<calibration::DerivedSize>& derived) {
  // Lives until the process ends, as LibTorch's threads may.
  static const calibration::Table* const table = LoadTable();
  const std::string& card = CardOfProcess().name;
  const calibration::Size measured = table->Find(card, library, version, operation);
  if (measured.bytes) return static_cast<size_t>(*measured.bytes);
  if (!derived) {
    SayUnknown(kind);
    return 0;
  }
  SayDerived(kind, card, version, derived->doubt);
  return static_cast<size_t>(derived->bytes);
}

std::string VersionText(int number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

}  // namespace tidemark::phantom
