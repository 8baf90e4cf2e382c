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
  const Result<std::vector<FolderEntry>> entries = ListFolder(folder, ".tide");
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 4);
  CHECK((*entries)[0].name == "..");
  CHECK((*entries)[1].name == "zoo");
  CHECK((*entries)[1].folder);
  CHECK((*entries)[2].name == "a.tide");
  CHECK((*entries)[2].bytes == 5);
  CHECK((*entries)[3].name == "b.tide");
  const auto missing = ListFolder(folder / "missing", "");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message.find("Choose another") != std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace tidemark::gui
