// Any bytes as an SQLite database.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "profiler/trace/importers/sqlite_import.h"
#include "tests/fuzz/timeline_sink.h"

namespace {

// SQLite opens files by their name only. Removed at the end.
struct ScratchFile {
  std::string path = "/tmp/tidemark-fuzz-XXXXXX";
  int fd = mkstemp(path.data());
  ScratchFile() = default;
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    close(fd);
    unlink(path.c_str());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace trace = tidemark::trace;
  static const ScratchFile file;
  if (ftruncate(file.fd, 0) != 0 || pwrite(file.fd, data, size, 0) != static_cast<ssize_t>(size))
    std::abort();
  trace::TimelineSink sink;
  const auto summary = trace::ImportSqlite(file.path, sink.Accept(), {});
  if (summary) sink.Look();
  return 0;
}
