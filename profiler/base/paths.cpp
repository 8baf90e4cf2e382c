#include "profiler/base/paths.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace tidemark {
namespace {

std::filesystem::path AbsoluteFromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value == '/' ? value : "";
}

std::filesystem::path HomeFolder() {
  std::filesystem::path home = AbsoluteFromEnvironment("HOME");
  if (!home.empty()) return home;
  const passwd* person = getpwuid(getuid());
  return person == nullptr || person->pw_dir == nullptr ? "" : person->pw_dir;
}

}  // namespace

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
std::filesystem::path CacheFolder() {
  if (std::filesystem::path own = AbsoluteFromEnvironment("TIDEMARK_CACHE"); !own.empty()) return own;
  const std::filesystem::path general = AbsoluteFromEnvironment("XDG_CACHE_HOME");
  if (!general.empty()) return general / "tidemark";
  const std::filesystem::path home = HomeFolder();
  return home.empty() ? home : home / ".cache" / "tidemark";
}
std::filesystem::path SourceFolder() { return TIDEMARK_SOURCE_FOLDER; }

}  // namespace tidemark
