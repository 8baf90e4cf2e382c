#include "profiler/capture/torch/library_workspaces.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "profiler/capture/gates/gates.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

// cuBLAS's and cuBLASLt's, one each per handle and stream, which LibTorch hands over again for every matrix
// product; and the random states of cuDNN's dropout, one per card, which autograd saves, too, like what
// backward needs.
constexpr size_t kRememberedWorkspaces = 64;
std::array<std::atomic<void*>, kRememberedWorkspaces> kept_workspaces{};

// Where one was that has been freed; what comes after it in the array may still be there.
void* const kFreed = &kept_workspaces;

// True the first time that this address is seen since it was forgotten.
bool Remember(void* workspace) {
  std::atomic<void*>* room = nullptr;
  for (auto& slot : kept_workspaces) {
    void* const known = slot.load(std::memory_order_relaxed);
    if (known == workspace) return false;
    if (room == nullptr && (known == nullptr || known == kFreed)) room = &slot;
    if (known == nullptr) break;
  }
  if (room != nullptr) room->store(workspace, std::memory_order_relaxed);  // lost to a thread: told again
  return true;
}

void (*workspace_known)(uint64_t block) = nullptr;

void Announce(uint64_t block, int64_t bytes, const char* name) {
  EmitCategory(block, bytes, events::Category::kWorkspace, Intern(name));
}

void TellOfKnown(uint64_t block) {
  if (workspace_known != nullptr) workspace_known(block);
}

void OnKeptWorkspace(void* workspace, size_t bytes, const char* name) {
  if (!Remember(workspace)) return;
  const auto block = reinterpret_cast<uint64_t>(workspace);
  Announce(block, static_cast<int64_t>(bytes), name);
  TellOfKnown(block);
}

struct Born {
  uint64_t address = 0;
  uint64_t bytes = 0;
};
// Of this thread: LibTorch sets a workspace aside as one of the last things before the call (an RNN's reserve
// comes between).
constexpr size_t kRecentlyBorn = 4;
thread_local std::array<Born, kRecentlyBorn> recently_born;  // the latest first

// cudnn_frontend keeps the beginning of what PyTorch set aside to itself (attention's backward adds up there)
// and hands the rest to cuDNN. That may be none: then it begins where the block ends, as the next block may.
// 0 = none of those.
uint64_t BlockOfWorkspace(uint64_t address) {
  const auto begins = [address](const Born& born) { return born.address == address; };
  if (std::ranges::any_of(recently_born, begins)) return address;
  const auto holds = [address](const Born& born) { return address - born.address <= born.bytes; };
  const auto* const found = std::ranges::find_if(recently_born, holds);
  return found == recently_born.end() ? 0 : found->address;
}

void OnCudnnWorkspace(void* workspace) {
  const auto address = reinterpret_cast<uint64_t>(workspace);
  const uint64_t block = BlockOfWorkspace(address);
  Announce(block == 0 ? address : block, 0, "cuDNN workspace");
  if (block != 0) TellOfKnown(block);
}

}  // namespace

void AttachToLibraryWorkspaces(void (*known)(uint64_t block)) {
  workspace_known = known;
  TheGates().kept_workspace = OnKeptWorkspace;
  TheGates().cudnn_workspace = OnCudnnWorkspace;
}

void NoteBlockBorn(uint64_t address, int64_t bytes) {
  std::ranges::move_backward(recently_born.begin(), std::prev(recently_born.end()), recently_born.end());
  recently_born.front() = {address, static_cast<uint64_t>(bytes)};
}

bool IsKeptWorkspace(uint64_t address) {
  for (const auto& slot : kept_workspaces) {
    void* const known = slot.load(std::memory_order_relaxed);
    if (known == nullptr) return false;
    if (reinterpret_cast<uint64_t>(known) == address) return true;
  }
  return false;
}

void ForgetLibraryWorkspace(uint64_t address) {
  for (Born& born : recently_born) {
    if (born.address == address) born = {};
  }
  for (auto& slot : kept_workspaces) {
    void* const known = slot.load(std::memory_order_relaxed);
    if (known == nullptr) return;
    if (reinterpret_cast<uint64_t>(known) == address) slot.store(kFreed, std::memory_order_relaxed);
  }
}

}  // namespace tidemark::capture
