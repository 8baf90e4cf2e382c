#include "app/gui/shell/file_dialog.h"

#include <fstream>

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
