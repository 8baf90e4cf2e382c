#include "profiler/capture/cupti/library_memory.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::capture::cupti {
namespace {

std::vector<std::pair<std::string, int64_t>> libraries_told;

LibraryMemory FreshLibraries() {
  libraries_told.clear();
  return LibraryMemory(
      [](const std::string& library, int64_t live, int64_t) { libraries_told.emplace_back(library, live); });
}

}  // namespace

TEST_CASE("Each library holds what it asked for, by the times of the records and not by their order") {
  LibraryMemory memory = FreshLibraries();
  memory.Allocated(0x1000, 512, "/usr/lib/libcublas.so.13", 30);  // where the one before was
  memory.Freed(0x1000, 20);
  memory.Allocated(0x1000, 4096, "/venv/libc10_cuda.so", 10);
  memory.Allocated(0x9000, 1024, "/venv/libc10_cuda.so", 15);
  CHECK(libraries_told.empty());
  memory.Settle();
  CHECK(libraries_told == std::vector<std::pair<std::string, int64_t>>{{"libc10_cuda.so", 4096},
                                                                       {"libc10_cuda.so", 5120},
                                                                       {"libc10_cuda.so", 1024},
                                                                       {"libcublas.so.13", 512}});
}

TEST_CASE("What nobody asked for by name is unknown's, and a release that was lost leaves nothing behind") {
  LibraryMemory memory = FreshLibraries();
  memory.Allocated(0x1000, 4096, nullptr, 10);
  memory.Allocated(0x1000, 512, "", 20);
  memory.Freed(0x5000, 30);
  memory.Settle();
  memory.Settle();
  CHECK(libraries_told ==
        std::vector<std::pair<std::string, int64_t>>{{"unknown", 4096}, {"unknown", 0}, {"unknown", 512}});
}

TEST_CASE("What is mapped is its library's at once, until it is unmapped, one piece or several") {
  LibraryMemory memory = FreshLibraries();
  memory.Mapped(0x10000, 4096, "/venv/libc10_cuda.so");
  memory.Mapped(0x11000, 4096, "/venv/libc10_cuda.so");
  memory.Mapped(0x12000, 512, "");
  memory.Unmapped(0x10000, 0x2000);
  memory.Unmapped(0x50000, 0x1000);
  CHECK(libraries_told == std::vector<std::pair<std::string, int64_t>>{{"libc10_cuda.so", 4096},
                                                                       {"libc10_cuda.so", 8192},
                                                                       {"unknown", 512},
                                                                       {"libc10_cuda.so", 4096},
                                                                       {"libc10_cuda.so", 0}});
}

TEST_CASE("What nobody counts any more is held by none, whatever comes then") {
  LibraryMemory memory = FreshLibraries();
  memory.Allocated(0x1000, 4096, "/venv/libc10_cuda.so", 10);
  memory.Settle();
  memory.Mapped(0x10000, 512, "/usr/lib/libcublas.so.13");
  memory.CountNoMore();
  memory.Allocated(0x2000, 4096, "/venv/libc10_cuda.so", 20);
  memory.Mapped(0x20000, 512, "/usr/lib/libcublas.so.13");
  memory.Settle();
  CHECK(libraries_told == std::vector<std::pair<std::string, int64_t>>{{"libc10_cuda.so", 4096},
                                                                       {"libcublas.so.13", 512},
                                                                       {"libc10_cuda.so", 0},
                                                                       {"libcublas.so.13", 0}});
}

}  // namespace tidemark::capture::cupti
