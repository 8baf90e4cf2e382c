#include "tests/unit/phantom_workspaces/temporary_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "tests/support/catch.h"

namespace tidemark::phantom::workspaces {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tidemark-workspaces-XXXXXX").string();
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failure;
  std::filesystem::remove_all(path_, failure);
}

}  // namespace tidemark::phantom::workspaces
