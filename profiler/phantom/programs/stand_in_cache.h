// The stand-ins for a user's torch: generated and compiled once, by the same build as our own, and kept in
// the user's cache folder. Any thread and any number of processes: one builds, the others wait for it.
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/phantom/programs/torch_installation.h"

namespace tidemark::phantom {

// Where they are kept: $XDG_CACHE_HOME/tidemark/phantom, or ~/.cache/tidemark/phantom.
Result<std::filesystem::path> StandInCacheFolder();

// The folder with the stand-ins for this torch, built now if it is not there: half a minute. Kept by the
// build id of torch's library and by what our own sources hold, so that either's update builds anew. The
// sources are those that this program was built from; `progress` gets the build's lines.
Result<std::filesystem::path> StandInsFor(const TorchInstallation& torch,
                                          const std::function<void(std::string_view line)>& progress);

}  // namespace tidemark::phantom
