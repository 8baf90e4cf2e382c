// What cuDNN is told of a card instead of being shown one: the JSON of its device-properties descriptor,
// whose 23 keys are all compulsory. A card that `tidemark calibrate` met has the JSON that cuDNN itself wrote
// there; of any other it is put together from the catalogue. In 2,868 convolutions the compute capability
// decided nearly everything, on Hopper the two clocks too; the number of multiprocessors and the memory
// decided nothing.
#pragma once

#include <filesystem>
#include <string>

#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom::workspaces {

enum class PropertiesOrigin : uint8_t { kRecorded, kDerived };

struct DeviceProperties {
  std::string json;
  PropertiesOrigin origin = PropertiesOrigin::kDerived;
};

// `driver_version` as CUDA counts: 13000. `recorded` is a folder with files NAME.cudnn.json.
DeviceProperties PropertiesOf(const Card& card, int driver_version, const std::filesystem::path& recorded);

}  // namespace tidemark::phantom::workspaces
