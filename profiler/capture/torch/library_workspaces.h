// Scratch memory of cuBLAS and cuDNN, known exactly: LibTorch hands each workspace to its library by a call
// (cublasSetWorkspace_v2; cublasLtMatmul; cudnnBackendSetAttribute with CUDNN_ATTR_VARIANT_PACK_WORKSPACE),
// and these calls find our functions first, because the executable exports them. They tag the memory and pass
// the call on.
#pragma once

namespace tidemark::capture {

// Also what makes a program that links this library take the functions along.
void AttachToLibraryWorkspaces();
// After the workspaces have been freed: the next ones are new, even at an old address.
void ForgetLibraryWorkspaces();

}  // namespace tidemark::capture
