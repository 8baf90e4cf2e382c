// Choosing a file to open or to write: a folder listing and a line to type in, made for the keyboard. No
// native dialog, so that it is the same everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/gui/shell/kept_run_name.h"
#include "profiler/base/result.h"

namespace tidemark::gui {

enum class FilePurpose : uint8_t {
  kOpen,
  kEarlierRun,
  kCompare,
  kRunBefore,
  kData,
  kSave,
  kExport,
  kScreenshot,
  kSaveSession
};

inline constexpr const char* kSessionEnding = ".tidecode";

// Which files a listing shows.
struct FileFilter {
  enum class Shows : uint8_t { kOpenable, kType, kNetworks, kEnding, kAll };
  Shows shows = Shows::kOpenable;
  size_t type = 0;     // kType: index into trace::OpenableTypes()
  std::string ending;  // kEnding: ".json"
};

struct FolderEntry {
  std::string name;
  bool folder = false;
  uintmax_t bytes = 0;
  std::optional<KeptRunWords> kept;  // of a run that was kept: what its name tells
};

struct FileDialogState {
  bool open = false;
  bool fresh = false;  // what is typed next goes to the name
  FilePurpose purpose = FilePurpose::kOpen;
  FileFilter filter;  // of what is opened
  std::filesystem::path folder;
  std::vector<FolderEntry> entries;
  std::string trouble;     // why the listing or the choice is not possible
  bool overwrite = false;  // the person was asked, and `name` exists
  std::array<char, 1024> name{};
  std::string panel;                // kScreenshot: of which; "" = of the whole window
  std::filesystem::path kept_runs;  // of which one may be compared with; "" = there are none. Stays
};

// `folder` may be empty: the current one.
void OpenFileDialog(FilePurpose purpose, const std::filesystem::path& folder, const std::string& name,
                    FileDialogState* state);
// While it is `open`. Pushes the command for the purpose when a file is chosen. Keeps `last_folder`.
void DrawFileDialog(FileDialogState& state, std::filesystem::path& last_folder, CommandQueue& queue);

// With the ending that is chosen, where it has none of what the purpose writes: a point alone begins none
// ("peak 182.1 MB", "run.rank0").
std::string NameToWrite(FilePurpose purpose, const std::string& name, const std::string& ending);

// Folders first, then the files that the filter shows, both by name; hidden ones are left out. Error: a
// folder that cannot be read.
Result<std::vector<FolderEntry>> ListFolder(const std::filesystem::path& folder, const FileFilter& filter);

}  // namespace tidemark::gui
