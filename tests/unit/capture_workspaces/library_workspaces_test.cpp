#include "profiler/capture/torch/library_workspaces.h"

#include <array>
#include <vector>

#include "profiler/capture/gates/gates.h"
#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"

namespace tidemark::capture {

TEST_CASE(
    "A workspace of cuDNN's that lies within the block that was made for it, or at its end, names that "
    "block") {
  Result<transport::RingReader> ring = transport::RingReader::Create(64);
  REQUIRE(ring);
  OpenEventStream(transport::RingWriter::Beside(*ring), /*device=*/0);
  AttachToLibraryWorkspaces();
  const auto hand_over = [](uint64_t address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the card's
    Tell(TheGates().cudnn_workspace, reinterpret_cast<void*>(address));
  };
  NoteBlockBorn(0x11000, 0x1000);
  NoteBlockBorn(0x10000, 0x1000);
  hand_over(0x10000);
  hand_over(0x10f00);
  hand_over(0x11000);  // behind it: a block that was made before, as an RNN's is
  NoteBlockBorn(0x20000, 0x1000);
  hand_over(0x21000);  // nothing is left of it for cuDNN
  hand_over(0x30000);  // of none that is known
  std::array<events::Event, 8> told;
  const size_t count = ring->Pop(told, true);
  std::vector<uint64_t> named;
  for (size_t i = 0; i < count; ++i) {
    if (told[i].kind == events::EventKind::kCategorize) named.push_back(told[i].address);
  }
  CHECK(named == std::vector<uint64_t>{0x10000, 0x10000, 0x11000, 0x20000, 0x30000});
}

TEST_CASE("A workspace that cuBLAS keeps is told of once while it lives") {
  static std::vector<uint64_t> kept;
  AttachToLibraryWorkspaces([](uint64_t block) { kept.push_back(block); });
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the card's
  auto* const workspace = reinterpret_cast<void*>(uint64_t{0x20000});
  for (int i = 0; i < 2; ++i) Tell(TheGates().kept_workspace, workspace, size_t{512}, "cuBLAS workspace");
  CHECK(kept == std::vector<uint64_t>{0x20000});
  CHECK(IsKeptWorkspace(0x20000));
  CHECK_FALSE(IsKeptWorkspace(0x20200));
  ForgetLibraryWorkspace(0x20000);
  CHECK_FALSE(IsKeptWorkspace(0x20000));
  Tell(TheGates().kept_workspace, workspace, size_t{512}, "cuBLAS workspace");
  CHECK(kept.size() == 2);
}

}  // namespace tidemark::capture
