#include "profiler/phantom/workspaces/library.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "profiler/base/whole_file.h"
#include "profiler/phantom/workspaces/answer_cache.h"

namespace tidemark::phantom::workspaces {
namespace {

constexpr const char* kFile = "libcudnn.so.9";

// The packages' folders beside cuDNN's own, wherever they hold libraries.
std::vector<std::filesystem::path> LibraryFolders(const std::filesystem::path& own) {
  std::vector<std::filesystem::path> folders;
  std::error_code failure;
  for (auto entry = std::filesystem::directory_iterator(own.parent_path().parent_path(), failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    const std::filesystem::path folder = entry->path() / "lib";
    std::error_code unreadable;
    if (folder != own && std::filesystem::is_directory(folder, unreadable)) folders.push_back(folder);
  }
  std::sort(folders.begin(), folders.end());
  folders.insert(folders.begin(), own);
  return folders;
}

// Engines that are compiled at run time are missing from cuDNN's answers where their compiler is, so that the
// libraries beside it belong to what it is, by name and size.
std::string IdentityOf(const Library& library, const std::string& front_file) {
  std::vector<std::string> parts;
  for (const std::filesystem::path& folder : library.folders) {
    std::error_code failure;
    for (auto entry = std::filesystem::directory_iterator(folder, failure);
         !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
      const std::string name = entry->path().filename().string();
      const bool matters = name.starts_with("libcudnn") || name.starts_with("libnvrtc");
      std::error_code unreadable;
      if (matters) parts.push_back(name + " " + std::to_string(entry->file_size(unreadable)));
    }
  }
  std::sort(parts.begin(), parts.end());
  std::string all = front_file;
  for (const std::string& part : parts) all += "\n" + part;
  return HexOf(KeyOf(all));
}

Result<Library> LibraryIn(const std::filesystem::path& folder) {
  Library library;
  library.file = folder / kFile;
  const std::string front_file = WholeFileOrNothing(library.file);
  if (front_file.empty()) return Error{library.file.string() + " is not there"};
  library.folders = LibraryFolders(folder);
  library.identity = IdentityOf(library, front_file);
  return library;
}

std::filesystem::path LoadedLibtorch() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* answer) {
        const std::string_view name = object->dlpi_name == nullptr ? "" : object->dlpi_name;
        if (!name.ends_with("/libtorch_cuda.so")) return 0;
        *static_cast<std::string*>(answer) = name;
        return 1;
      },
      &found);
  return found;
}

}  // namespace

Result<Library> FindLibraryBeside(const std::filesystem::path& libtorch_cuda) {
  // site-packages/torch/lib/libtorch_cuda.so, as the dynamic loader found it.
  std::error_code failure;
  std::filesystem::path site = std::filesystem::canonical(libtorch_cuda.parent_path(), failure);
  if (failure) site = libtorch_cuda.parent_path();
  return LibraryIn(site.parent_path().parent_path() / "nvidia" / "cudnn" / "lib");
}

Result<Library> FindLibrary() {
  const char* const choice = std::getenv(kLibraryVariable);
  if (choice != nullptr && std::string_view(choice) == "none") {
    return Error{std::string(kLibraryVariable) + "=none leaves them out"};
  }
  if (choice != nullptr && *choice != '\0') return LibraryIn(choice);
  const std::filesystem::path libtorch = LoadedLibtorch();
  if (libtorch.empty()) return Error{"there is no LibTorch in this process whose cuDNN could be asked"};
  return FindLibraryBeside(libtorch);
}

}  // namespace tidemark::phantom::workspaces
