#include "profiler/phantom/workspaces/device_properties.h"

#include <nlohmann/json.hpp>

#include "profiler/base/whole_file.h"
#include "profiler/phantom/cards/limits.h"

namespace tidemark::phantom::workspaces {
namespace {

nlohmann::ordered_json Derive(const Card& card, int driver_version) {
  return {{"maxGridSize", kGridSize},
          {"maxBlockSize", kBlockSize},
          {"regsPerBlock", kRegisters},
          {"multiProcessorCount", card.multiprocessors},
          {"warpSize", kWarpThreads},
          {"maxSharedMemoryPerBlock", card.shared_bytes_per_block},
          {"maxSharedMemoryPerBlockOptin", card.shared_bytes_per_block_optin},
          {"reservedSharedMemoryPerBlock", ReservedSharedBytes(card)},
          {"maxRegistersPerSM", kRegisters},
          {"maxCtasPerSM", card.blocks_per_multiprocessor},
          {"maxThreadsPerBlock", kThreadsPerBlock},
          {"maxThreadsPerSM", card.threads_per_multiprocessor},
          {"pciDeviceId", 0},
          {"isTccDriver", 0},
          {"supportCoopLaunch", 1},
          {"totalGlobalMem", card.memory_bytes},
          {"smClockRateKHz", card.clock_khz},
          {"memClockRateKHz", card.memory_clock_khz},
          {"l2CacheSize", card.l2_bytes},
          {"cudaDeviceId", 0},
          {"deviceVer", card.compute_capability * 10},
          {"driverVer", driver_version},
          {"deviceName", card.title}};
}

}  // namespace

DeviceProperties PropertiesOf(const Card& card, int driver_version, const std::filesystem::path& recorded) {
  const std::string text = WholeFileOrNothing(recorded / (card.name + ".cudnn.json"));
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_object()) {
    json["driverVer"] = driver_version;  // of the machine that is simulated, not of the one that was recorded
    return {json.dump(), PropertiesOrigin::kRecorded};
  }
  return {Derive(card, driver_version).dump(), PropertiesOrigin::kDerived};
}

}  // namespace tidemark::phantom::workspaces
