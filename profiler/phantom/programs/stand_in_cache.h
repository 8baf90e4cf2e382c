// What is put under and beside a user's torch: the stand-ins, and what records its memory. Generated and
// compiled once, by the same build as our own, and kept in the user's cache folder. Any thread and any number
// of processes: one builds, the others wait for it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/phantom/programs/torch_installation.h"

namespace tidemark::phantom {

// Where they are kept: phantom/ in the cache folder (profiler/base/paths.h).
Result<std::filesystem::path> StandInCacheFolder();

struct ProgramLibraries {
  std::filesystem::path stand_ins;  // folder of libcudart.so.12 and the like
  // Folder of what is loaded into a program (profiler/capture/gates/library_names.h).
  std::filesystem::path capture;
  std::filesystem::path replayer;  // executable: profiler/phantom/replay
};

// Those for a torch of this build id, if they are there. An error is a sentence that says how to get them.
Result<ProgramLibraries> KeptLibraries(const std::string& build_id);

// Who waits for a build. Any may be left out.
struct BuildWatch {
  // What is done, and how far: the same line until there is more to tell.
  std::function<void(std::string_view line)> progress = {};
  std::function<bool()> goes_on = {};  // asked five times a second; false ends the build, or the waiting
  std::function<void(double share)> share = {};  // of the build that is done, 0..1, where that is known
};

// Those for this torch, built now if they are not there: a minute, or some on an old machine. Kept by the
// build id of torch's library and by what our own sources hold, so that either's update builds anew; torch
// may lie elsewhere than when they were built. The sources are those that this program was built from. Of
// what fails or is ended, nothing is kept but, of what fails, the log that the error names.
Result<ProgramLibraries> LibrariesFor(const TorchInstallation& torch, const BuildWatch& watch = {});

}  // namespace tidemark::phantom
