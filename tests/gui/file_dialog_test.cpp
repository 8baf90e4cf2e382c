#include "app/gui/shell/file_dialog.h"

#include <ctime>
#include <fstream>
#include <string>

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE("A folder is listed with folders first and only the files that are meant") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tidemark-file-dialog-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "zoo");
  for (const char* name : {"b.tide", "a.tide", "c.json", ".hidden.tide"})
    std::ofstream(folder / name) << "12345";
  const FileFilter tides{FileFilter::Shows::kEnding, 0, ".tide"};
  const Result<std::vector<FolderEntry>> entries = ListFolder(folder, tides);
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 4);
  CHECK((*entries)[0].name == "..");
  CHECK((*entries)[1].name == "zoo");
  CHECK((*entries)[1].folder);
  CHECK((*entries)[2].name == "a.tide");
  CHECK((*entries)[2].bytes == 5);
  CHECK((*entries)[3].name == "b.tide");
  const auto missing = ListFolder(folder / "missing", tides);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message.find("Choose another") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("The file of a kept run tells in words what it was, and when") {
  constexpr std::time_t kThen = 1'773'480'000;
  const std::string title = "SimpleConvNet on phantom H200, batch 64, peak 182.1 MB";
  const auto words = [&](std::time_t later) {
    return *WordsOfKeptRun(KeptTime(kThen) + " " + title + ".tide", kThen + later);
  };
  CHECK(words(0).title == title);
  CHECK(words(59).when.ends_with(" Mar 2026, " + words(0).when.substr(13, 5) + ", just now"));
  CHECK(words(60).when.ends_with(", 1 minute ago"));
  CHECK(words(3 * 3600 + 5).when.ends_with(", 3 hours ago"));
  CHECK(words(49 * 3600).when.ends_with(", 2 days ago"));
  CHECK(words(-5).when.ends_with(", just now"));
  CHECK(WordsOfKeptRun(KeptTime(kThen) + ".2 net.rank0.tide", kThen)->title == "net.rank0");
  CHECK_FALSE(WordsOfKeptRun("run of today.tide", kThen));
  CHECK_FALSE(WordsOfKeptRun(KeptTime(kThen) + ".tide", kThen));
}

TEST_CASE(
    "Earlier runs are listed by what they were and when, the latest first, and kept their files' names") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tidemark-earlier-runs-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::time_t now = std::time(nullptr);
  const std::string first = KeptTime(now - 7200) + " first.tide";
  for (const std::string& name : {first, KeptTime(now - 60) + " second.tide"})
    std::ofstream(folder / name) << "12345";
  FileDialogState state;
  state.kept_runs = folder;
  OpenFileDialog(FilePurpose::kEarlierRun, folder, "", &state);
  REQUIRE(state.entries.size() == 3);
  REQUIRE((state.entries[1].kept && state.entries[2].kept));
  CHECK(state.entries[1].kept->title == "second");
  CHECK(state.entries[2].kept->title == "first");
  CHECK(state.entries[2].name == first);
  CHECK(state.entries[2].kept->when.ends_with(", 2 hours ago"));
  state.kept_runs.clear();
  OpenFileDialog(FilePurpose::kOpen, folder, "", &state);
  CHECK_FALSE(state.entries[1].kept);  // a folder like another
  std::filesystem::remove_all(folder);
}

TEST_CASE("What is opened is filtered by its type") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tidemark-file-filter-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name :
       {"a.tide", "b.pickle", "c.json.gz", "d.sqlite", "e.pftrace", "f.txt", "g.pt", "a.tide.bookmarks.json"})
    std::ofstream(folder / name) << "12345";
  const auto names = [&](const FileFilter& filter) {
    const Result<std::vector<FolderEntry>> entries = ListFolder(folder, filter);
    REQUIRE(entries.ok());
    std::string text;
    for (const FolderEntry& entry : *entries) text += entry.name + " ";
    return text;
  };
  CHECK(names({}) == ".. a.tide b.pickle c.json.gz d.sqlite e.pftrace g.pt ");
  CHECK(names({FileFilter::Shows::kAll, 0, ""}) ==
        ".. a.tide a.tide.bookmarks.json b.pickle c.json.gz d.sqlite e.pftrace f.txt "
        "g.pt ");
  CHECK(names({FileFilter::Shows::kNetworks, 0, ""}) == ".. g.pt ");
  CHECK(names({FileFilter::Shows::kType, 0, ""}) == ".. a.tide ");
  CHECK(names({FileFilter::Shows::kType, 1, ""}) == ".. b.pickle c.json.gz ");
  std::filesystem::remove_all(folder);
}

TEST_CASE("What is written ends as its purpose writes, whatever points its name has") {
  const auto saved = [](const std::string& name) { return NameToWrite(FilePurpose::kSave, name, ".tide"); };
  CHECK(saved("run") == "run.tide");
  CHECK(saved("run.tide") == "run.tide");
  CHECK(saved("a.b") == "a.b.tide");
  CHECK(saved("SimpleConvNet, peak 182.1 MB") == "SimpleConvNet, peak 182.1 MB.tide");
  CHECK(saved("run.rank0") == "run.rank0.tide");
  const auto exported = [](const std::string& name) {
    return NameToWrite(FilePurpose::kExport, name, ".pftrace");
  };
  CHECK(exported("peak 182.1 MB") == "peak 182.1 MB.pftrace");
  CHECK(exported("run.rank0.bridge.svg") == "run.rank0.bridge.svg");
  CHECK(exported("run.json") == "run.json");  // the name's ending decides
}

}  // namespace tidemark::gui
