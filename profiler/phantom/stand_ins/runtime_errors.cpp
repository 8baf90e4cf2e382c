#include "profiler/phantom/stand_ins/runtime_errors.h"

#include <utility>

#include "profiler/phantom/stand_ins/error_texts.h"

namespace tidemark::phantom::runtime {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

cudaError_t Report(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace tidemark::phantom::runtime

using namespace tidemark::phantom;

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(runtime::last_error, cudaSuccess); }

cudaError_t cudaPeekAtLastError() { return runtime::last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* entry = ErrorTextOf(error);
  return entry == nullptr ? "unrecognized error code" : entry->runtime_name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* entry = ErrorTextOf(error);
  return entry == nullptr ? "unrecognized error code" : entry->text;
}

}  // extern "C"
