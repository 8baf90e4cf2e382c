#include "app/gui/shell/file_dialog.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/text.h"
#include "app/presenters/run/run_formats.h"
#include "profiler/base/format.h"
#include "profiler/base/natural_order.h"
#include "profiler/networks/specification.h"
#include "profiler/trace/file_types.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;

struct PurposeText {
  const char* title;
  const char* button;
  const char* extension;
};
PurposeText TextOf(FilePurpose purpose) {
  switch (purpose) {
    case FilePurpose::kOpen:
      return {"Open", "Open", ""};
    case FilePurpose::kEarlierRun:
      return {"Earlier runs that were not saved", "Open", ".tide"};
    case FilePurpose::kCompare:
      return {"Compare with", "Compare", ""};
    case FilePurpose::kRunBefore:
      return {"What ran before, in the same process", "Use it", ""};
    case FilePurpose::kData:
      return {"One of CIFAR-10's files", "Use its folder", ".bin"};
    case FilePurpose::kSave:
      return {"Save recording as", "Save", ".tide"};
    case FilePurpose::kExport:
      return {"Export", "Export", ".pftrace"};
    case FilePurpose::kSaveSession:
      return {"Save session as", "Save", kSessionEnding};
    case FilePurpose::kScreenshot:
      break;
  }
  return {"Save a screenshot", "Save", ".png"};
}

Command CommandFor(FilePurpose purpose, const fs::path& file, const std::string& panel) {
  switch (purpose) {
    case FilePurpose::kOpen:
    case FilePurpose::kEarlierRun:
    case FilePurpose::kData:
      return OpenRecording{file};
    case FilePurpose::kCompare:
      return CompareWith{file};
    case FilePurpose::kRunBefore:
      return TakeRunBefore{file};
    case FilePurpose::kSave:
      return SaveRecording{file};
    case FilePurpose::kExport:
      return ExportRecording{file};
    case FilePurpose::kSaveSession:
      return SaveSession{file};
    case FilePurpose::kScreenshot:
      break;
  }
  return TakeScreenshot{file, panel};
}

bool Reads(FilePurpose purpose) {
  return purpose == FilePurpose::kOpen || purpose == FilePurpose::kEarlierRun ||
         purpose == FilePurpose::kCompare || purpose == FilePurpose::kRunBefore ||
         purpose == FilePurpose::kData;
}

void SetName(FileDialogState& state, const std::string& name) {
  const size_t length = std::min(name.size(), state.name.size() - 1);
  std::memcpy(state.name.data(), name.data(), length);
  state.name[length] = 0;
}

bool Shows(const FileFilter& filter, const std::string& name) {
  constexpr std::string_view kBookmarks = ".bookmarks.json";  // they come with their recording
  if (filter.shows != FileFilter::Shows::kAll && name.ends_with(kBookmarks)) return false;
  switch (filter.shows) {
    case FileFilter::Shows::kOpenable:
      return trace::HasOpenableEnding(name) || networks::IsNetworkPath(name) ||
             fs::path(name).extension() == kSessionEnding;
    case FileFilter::Shows::kNetworks:
      return networks::IsNetworkPath(name);
    case FileFilter::Shows::kType:
      return trace::HasEndingOf(trace::OpenableTypes()[filter.type], name);
    case FileFilter::Shows::kEnding:
      return name.ends_with(filter.ending);
    case FileFilter::Shows::kAll:
      break;
  }
  return true;
}

std::string NameOf(const FileFilter& filter) {
  if (filter.shows == FileFilter::Shows::kOpenable) return "All that can be opened";
  if (filter.shows == FileFilter::Shows::kAll) return "All files";
  if (filter.shows == FileFilter::Shows::kNetworks) return "Networks, also TorchScript's";
  if (filter.shows == FileFilter::Shows::kEnding) return filter.ending;
  std::string name(trace::OpenableTypes()[filter.type].name);
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

void EnterFolder(FileDialogState& state, const fs::path& folder) {
  Result<std::vector<FolderEntry>> entries = ListFolder(folder, state.filter);
  if (!entries) {
    state.trouble = entries.error().message;
    return;
  }
  state.trouble.clear();
  state.folder = folder.lexically_normal();
  state.entries = std::move(*entries);
  if (state.folder != state.kept_runs) return;
  // Their names begin with the time: the latest comes first.
  std::reverse(state.entries.begin() + 1, state.entries.end());
  const std::time_t now = std::time(nullptr);
  for (FolderEntry& entry : state.entries) entry.kept = WordsOfKeptRun(entry.name, now);
}

void ShowEnding(FileDialogState& state, std::string_view ending) {
  state.filter.ending = ending;
  state.overwrite = false;
  EnterFolder(state, state.folder);
}

// What was typed or picked: a folder is entered, a file is taken.
void Accept(FileDialogState& state, fs::path& last_folder, CommandQueue& queue) {
  std::string typed = state.name.data();
  if (typed.empty()) return;
  if (typed.rfind("~/", 0) == 0 && std::getenv("HOME") != nullptr)
    typed = std::string(std::getenv("HOME")) + typed.substr(1);
  fs::path file = fs::path(typed).is_absolute() ? fs::path(typed) : state.folder / typed;
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) {
    EnterFolder(state, file);
    if (Reads(state.purpose)) SetName(state, "");
    return;
  }
  const bool exists = fs::exists(file, ignored);
  if (Reads(state.purpose) && !exists) {
    state.trouble = "There is no file " + file.string() + ". Choose one from the list, or type another name.";
    state.fresh = true;
    return;
  }
  if (!Reads(state.purpose)) {
    file = NameToWrite(state.purpose, file.string(), state.filter.ending);
    if (!fs::is_directory(file.parent_path(), ignored)) {
      state.trouble = "There is no folder " + file.parent_path().string() +
                      ". Choose one from the list, or type another name.";
      state.fresh = true;
      return;
    }
    if (fs::exists(file, ignored) && !state.overwrite) {
      state.overwrite = true;
      state.trouble = file.filename().string() + " exists. Press the button again to replace it.";
      return;
    }
  }
  if (file.parent_path() != state.kept_runs) last_folder = file.parent_path();
  queue.Push(CommandFor(state.purpose, file, state.panel));
  state.open = false;
  ImGui::CloseCurrentPopup();
}

// Of a kept run what its name tells. A name that is longer than there is room for before its size, or that
// is not shown, is told whole under the mouse. True once picked.
bool DrawEntry(const FolderEntry& entry, bool chosen) {
  std::string size = entry.folder ? "" : FormatBytes(static_cast<int64_t>(entry.bytes), ByteUnit::kMegabytes);
  if (entry.kept) size = entry.kept->when + " · " + size;
  const std::string label = std::string(entry.folder ? icons::kFolder : icons::kFile) + "   " +
                            (entry.kept ? entry.kept->title : entry.name);
  const float room = ImGui::GetContentRegionAvail().x - Measure(SmallMuted(), size).x - Px(24);
  const std::string shown = Fitted(Words(), label, room);
  const bool picked = Choice(WholeLabel(shown) + "###" + entry.name, chosen,
                             ImGuiSelectableFlags_NoAutoClosePopups | ImGuiSelectableFlags_AllowDoubleClick);
  if (shown != label || entry.kept) Tooltip(entry.name);
  const float middle = (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y) / 2;
  const ImVec2 corner(ImGui::GetItemRectMax().x - Px(8),
                      std::round(middle - Measure(SmallMuted(), size).y / 2));
  DrawText(ImGui::GetWindowDrawList(), corner, SmallMuted(), size, Align::kRight);
  return picked;
}

void Pick(FileDialogState& state, const FolderEntry& entry, fs::path& last_folder, CommandQueue& queue) {
  const bool twice =
      ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) || ImGui::IsKeyPressed(ImGuiKey_Enter);
  state.overwrite = false;
  if (entry.folder)
    return EnterFolder(state, entry.name == ".." ? state.folder.parent_path() : state.folder / entry.name);
  SetName(state, entry.name);
  if (twice) Accept(state, last_folder, queue);
}

// What is picked is taken once they are drawn: it may be a folder by now, whose entries replace them.
void DrawEntries(FileDialogState& state, fs::path& last_folder, CommandQueue& queue) {
  std::optional<FolderEntry> picked;
  for (const FolderEntry& entry : state.entries) {
    if (DrawEntry(entry, entry.name == state.name.data())) picked = entry;
  }
  if (picked) Pick(state, *picked, last_folder, queue);
  if (state.entries.size() <= 1) {
    const bool by_ending = state.filter.shows == FileFilter::Shows::kEnding;
    Put(MutedWords(), by_ending ? "No " + state.filter.ending + " file and no folder here."
                                : std::string("Nothing of this kind and no folder here."));
  }
}

void DrawFilter(FileDialogState& state) {
  const FileFilter before = state.filter;
  if (!BeginChoice("Show", NameOf(state.filter), 0.15F)) return;
  std::vector<FileFilter> filters = {{FileFilter::Shows::kOpenable, 0, ""}};
  for (size_t type = 0; type < trace::OpenableTypes().size(); ++type)
    filters.push_back({FileFilter::Shows::kType, type, ""});
  if (state.purpose == FilePurpose::kOpen) filters.push_back({FileFilter::Shows::kNetworks, 0, ""});
  filters.push_back({FileFilter::Shows::kAll, 0, ""});
  for (const FileFilter& filter : filters) {
    const bool chosen = filter.shows == before.shows && filter.type == before.type;
    if (!Choice(NameOf(filter), chosen)) continue;
    state.filter = filter;
    EnterFolder(state, state.folder);
  }
  ImGui::EndCombo();
}

// What is exported: the name's ending follows, and decides.
void DrawFormat(FileDialogState& state) {
  const auto title = [](const presenters::ExportChoice& choice) {
    return choice.title + " (" + choice.ending + ")";
  };
  const std::string name = state.name.data();
  const std::string named = presenters::EndingOfChoice(name);
  if (!named.empty() && named != state.filter.ending) ShowEnding(state, named);
  const std::vector<presenters::ExportChoice> choices = presenters::ExportChoices();
  const auto chosen = std::ranges::find(choices, state.filter.ending, &presenters::ExportChoice::ending);
  if (!BeginChoice("As", chosen == choices.end() ? state.filter.ending : title(*chosen), 0.15F)) return;
  for (const presenters::ExportChoice& choice : choices) {
    if (!Choice(title(choice), choice.ending == state.filter.ending)) continue;
    if (!named.empty()) SetName(state, name.substr(0, name.size() - named.size()) + choice.ending);
    ShowEnding(state, choice.ending);
  }
  ImGui::EndCombo();
}

// True on Enter. What is typed next replaces a name that was wrong: the field stays the one that is typed
// into.
bool TypeName(FileDialogState& state) {
  bool& stays = ImGui::GetIO().ConfigInputTextEnterKeepActive;
  const bool before = std::exchange(stays, true);
  ImGui::SetNextItemWidth(-1);
  const bool entered = TextField("##name", "A file's name, or a path", state.name);
  stays = before;
  if (ImGui::IsItemEdited()) {
    state.overwrite = false;
    state.trouble.clear();
  }
  return entered;
}

// Where one is not in their folder already.
bool TakesKeptRun(const FileDialogState& state) {
  const bool takes_runs = state.purpose == FilePurpose::kCompare || state.purpose == FilePurpose::kRunBefore;
  return takes_runs && !state.kept_runs.empty() && state.folder != state.kept_runs;
}

void DrawContent(FileDialogState& state, fs::path& last_folder, CommandQueue& queue) {
  const PurposeText text = TextOf(state.purpose);
  Put(TitleWords(), text.title);
  Put(SmallMuted(), Fitted(SmallMuted(), state.folder.string(), ImGui::GetContentRegionAvail().x));
  if (ImGui::BeginChild("entries", {0, Px(300)}, ImGuiChildFlags_Borders | ImGuiChildFlags_NavFlattened))
    DrawEntries(state, last_folder, queue);
  ImGui::EndChild();
  if (Reads(state.purpose)) DrawFilter(state);
  if (TakesKeptRun(state) && PlainButton("Earlier runs###kept runs")) {
    EnterFolder(state, state.kept_runs);
    state.fresh = true;  // what is typed goes on to the name
  }
  if (state.purpose == FilePurpose::kExport) DrawFormat(state);
  if (state.fresh) ImGui::SetKeyboardFocusHere();
  state.fresh = false;
  const bool entered = TypeName(state);
  if (entered) Accept(state, last_folder, queue);
  Consequence(state.trouble, Colors().warning);
  if (PrimaryButton(state.overwrite ? "Replace" : text.button, {Px(110), 0}))
    Accept(state, last_folder, queue);
  ImGui::SameLine();
  if (PlainButton("Cancel", {Px(110), 0}) || EscapePressed()) {
    state.open = false;
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace

std::string NameToWrite(FilePurpose purpose, const std::string& name, const std::string& ending) {
  const bool tells =
      purpose == FilePurpose::kExport ? !presenters::EndingOfChoice(name).empty() : name.ends_with(ending);
  return tells ? name : name + ending;
}

Result<std::vector<FolderEntry>> ListFolder(const fs::path& folder, const FileFilter& filter) {
  std::error_code failure;
  std::vector<FolderEntry> entries;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    FolderEntry entry;
    entry.name = it->path().filename().string();
    std::error_code ignored;
    entry.folder = it->is_directory(ignored);
    if (entry.name.front() == '.') continue;
    if (!entry.folder && !Shows(filter, entry.name)) continue;
    if (!entry.folder) entry.bytes = it->file_size(ignored);
    entries.push_back(std::move(entry));
  }
  if (failure)
    return Error{"The folder " + folder.string() + " cannot be read (" + failure.message() +
                 "). Choose another."};
  std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return a.folder != b.folder ? a.folder : NaturalOrder()(a.name, b.name);
  });
  entries.insert(entries.begin(), FolderEntry{"..", true, 0, {}});
  return entries;
}

void OpenFileDialog(FilePurpose purpose, const fs::path& folder, const std::string& name,
                    FileDialogState* state) {
  fs::path kept_runs = std::move(state->kept_runs);
  *state = FileDialogState{};
  state->kept_runs = std::move(kept_runs);
  state->open = true;
  state->purpose = purpose;
  if (const char* extension = TextOf(purpose).extension; *extension != 0)
    state->filter = {FileFilter::Shows::kEnding, 0, extension};
  SetName(*state, name);
  std::error_code failure;
  const fs::path start =
      folder.empty() || !fs::is_directory(folder, failure) ? fs::current_path(failure) : folder;
  EnterFolder(*state, failure ? fs::path("/") : start);
}

void DrawFileDialog(FileDialogState& state, fs::path& last_folder, CommandQueue& queue) {
  if (!ImGui::IsPopupOpen("file dialog")) {
    ImGui::OpenPopup("file dialog");
    state.fresh = true;
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({std::min(Px(760), viewport->Size.x - Px(40)), 0});
  if (ImGui::BeginPopupModal(
          "file dialog", nullptr,
          ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize)) {
    DrawContent(state, last_folder, queue);
    ImGui::EndPopup();
  }
}

}  // namespace tidemark::gui
