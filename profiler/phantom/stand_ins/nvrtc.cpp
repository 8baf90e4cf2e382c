// NVRTC: its version. Nothing is compiled at run time.
#include <cuda_runtime_api.h>

extern "C" int nvrtcVersion(int* major, int* minor) {
  *major = CUDART_VERSION / 1000;
  *minor = CUDART_VERSION % 1000 / 10;
  return 0;
}
