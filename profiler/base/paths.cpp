#include "profiler/base/paths.h"

namespace tidemark {

std::filesystem::path ExecutableFolder() {
  static const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return folder;
}
std::filesystem::path AssetsFolder() { return ExecutableFolder().parent_path() / "share" / "tidemark"; }
std::filesystem::path PhantomFolder() { return ExecutableFolder().parent_path() / "lib" / "phantom"; }
std::filesystem::path TrainerExecutable() { return ExecutableFolder() / "tidemark-trainer"; }
std::filesystem::path ReplayerExecutable() {
  return ExecutableFolder().parent_path() / "lib" / "replay" / "tidemark-replayer";
}
std::filesystem::path SourceFolder() { return TIDEMARK_SOURCE_FOLDER; }

}  // namespace tidemark
