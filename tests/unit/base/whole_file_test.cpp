#include "profiler/base/whole_file.h"

#include <sys/stat.h>

#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark {

TEST_CASE("a file is read as it is", "[whole_file]") {
  const trace::Scratch scratch;
  const std::string bytes = std::string(200'000, 'x') + '\0' + "\r\n";
  trace::WriteFile(scratch / "file", bytes);
  CHECK(*ReadWholeFile(scratch / "file") == bytes);
  CHECK(*ReadWholeFile(scratch / "file", bytes.size()) == bytes);
  CHECK(WholeFileOrNothing(scratch / "file") == bytes);
  CHECK(WholeFileOrNothing("/proc/self/cmdline").ends_with('\0'));  // which says that it has 0 bytes
}

TEST_CASE("what cannot be read whole says why, and neither ends the program nor waits", "[whole_file]") {
  const trace::Scratch scratch;
  const auto why = [&scratch](std::string_view name) {
    return ReadWholeFile(scratch / name, 5).error().message;
  };
  std::filesystem::create_directory(scratch / "folder");
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  trace::WriteFile(scratch / "large", "123456");
  CHECK(why("folder").ends_with("folder cannot be read: it is a folder."));
  CHECK(why("pipe").ends_with("pipe cannot be read: it is no regular file."));
  CHECK(why("large").ends_with("large cannot be read: it is larger than 5 bytes."));
  CHECK(why("none").ends_with("none cannot be read: No such file or directory."));
  CHECK(WholeFileOrNothing(scratch / "folder").empty());
}

}  // namespace tidemark
