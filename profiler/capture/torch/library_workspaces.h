// Scratch memory of cuBLAS and cuDNN, known exactly: LibTorch hands each workspace to its library by a call,
// and that call has a gate (profiler/capture/gates).
#pragma once

#include <cstdint>

namespace tidemark::capture {

// `known` is told of the block of each, where that is found.
void AttachToLibraryWorkspaces(void (*known)(uint64_t block) = nullptr);
// A block that this thread was given: what it hands to cuDNN lies in one of the last, and not always where
// that begins.
void NoteBlockBorn(uint64_t address, int64_t bytes);
// Whether one that stays begins there. Any thread; a load or two where there are few.
bool IsKeptWorkspace(uint64_t address);
// The block there has been freed: if it was a workspace, the next one is new, even at the same address. Any
// thread; a load where there is none.
void ForgetLibraryWorkspace(uint64_t address);

}  // namespace tidemark::capture
