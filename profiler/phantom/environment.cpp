#include "profiler/phantom/environment.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "profiler/phantom/workspaces/workspaces.h"

namespace tidemark::phantom {
namespace {

// The stand-ins are told from the library that they share by their names: libcudart.so.13,
// libtidemark-phantom-device.so.
bool IsStandIn(const std::filesystem::path& file) {
  return file.filename().string().find(".so.") != std::string::npos;
}

// "NAME=value", followed by what the variable already says, if anything.
std::string Prepended(const std::string& name, const std::string& value) {
  const char* present = std::getenv(name.c_str());
  return name + "=" + value + (present == nullptr || *present == '\0' ? "" : ":" + std::string(present));
}

}  // namespace

Result<std::vector<std::string>> PhantomEnvironment(const std::optional<Card>& card,
                                                    const std::filesystem::path& folder,
                                                    const std::vector<std::filesystem::path>& preload_first) {
  // The dynamic loader takes both as the end of a path, and knows no way to quote them.
  if (folder.string().find_first_of(" :\t") != std::string::npos) {
    return Error{"The program lies in a folder whose path has a space or a colon (" + folder.string() +
                 "), where the phantom GPU cannot be loaded from. Move the program to another folder."};
  }
  std::vector<std::string> stand_ins;
  std::error_code failure;
  for (auto entry = std::filesystem::directory_iterator(folder, failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    if (IsStandIn(entry->path())) stand_ins.push_back(entry->path().string());
  }
  if (failure || stand_ins.empty()) {
    return Error{"The phantom GPU is not in " + folder.string() +
                 ". Build or install the program again, with LibTorch."};
  }
  std::sort(stand_ins.begin(), stand_ins.end());
  for (auto file = preload_first.rbegin(); file != preload_first.rend(); ++file) {
    stand_ins.insert(stand_ins.begin(), file->string());
  }
  std::string preload;
  for (const std::string& file : stand_ins) preload += (preload.empty() ? "" : ":") + file;
  std::vector<std::string> environment{Prepended("LD_PRELOAD", preload), CardEntry(card),
                                       // Where Triton looks for what it links its launchers with.
                                       "TRITON_LIBCUDA_PATH=" + folder.string(),
                                       std::string(workspaces::kOracleVariable) + "=" +
                                           (ExecutableFolder() / "tidemark-cudnn-oracle").string()};
#if defined(__SANITIZE_ADDRESS__)
  // The sanitizer's runtime wants to be the first library of a process; behind the stand-ins it works as
  // well.
  environment.push_back(Prepended("ASAN_OPTIONS", "verify_asan_link_order=0"));
#endif
  return environment;
}

std::string CardEntry(const std::optional<Card>& card) {
  const std::filesystem::path file = card ? AssetsFolder() / "cards" / (card->name + ".json") : "";
  return std::string(kCardVariable) + "=" + file.string();
}

}  // namespace tidemark::phantom
