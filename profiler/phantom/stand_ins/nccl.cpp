// NCCL: only what it is asked without a communicator.
#include "tidemark_library_versions.h"

extern "C" int ncclGetVersion(int* version) {
  *version = TIDEMARK_NCCL_VERSION;
  return 0;
}
