// Scratch memory of cuBLAS and cuDNN, known exactly: LibTorch hands each workspace to its library by a call,
// and that call has a gate (profiler/capture/gates).
#pragma once

namespace tidemark::capture {

void AttachToLibraryWorkspaces();
// After the workspaces have been freed: the next ones are new, even at an old address.
void ForgetLibraryWorkspaces();

}  // namespace tidemark::capture
