#include "profiler/capture/stacks/native_frames.h"

#include <dlfcn.h>

#include <array>

#include "tests/support/catch.h"

namespace tidemark::capture {
namespace {

const void* FileOf(const void* code) {
  Dl_info place{};
  return dladdr(code, &place) == 0 ? nullptr : place.dli_fbase;
}

}  // namespace

TEST_CASE("Frames of the file that reads them are left out, of whichever thread comes first") {
  std::array<uintptr_t, 64> frames{};
  const size_t count = ReadNativeFrames(frames);
  REQUIRE(count > 0);  // what called main, at least
  const void* const own = FileOf(reinterpret_cast<const void*>(&ReadNativeFrames));
  REQUIRE(own != nullptr);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): only where it lies is asked
  CHECK(FileOf(reinterpret_cast<const void*>(frames[0] - 1)) != own);
}

}  // namespace tidemark::capture
