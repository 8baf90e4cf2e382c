// gpu_cupti_recorder OUT: makes every kind of allocation once on this machine's GPU and keeps CUPTI's buffers
// as they came, for the tests that read them where there is no GPU. A file of buffers: the length of each in
// 8 bytes, then its bytes. What was asked for stands beside it, in OUT.txt.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "profiler/capture/cupti/functions.h"

namespace {

using tidemark::capture::cupti::Functions;

std::FILE* buffers = nullptr;
std::FILE* asked = nullptr;

template <typename Function>
Function Driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "gpu_cupti_recorder: there is no %s in the driver\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function>(found);
}

// Ends the process where a call of the driver's fails: a fixture with a hole tests nothing.
void Must(int code, const char* what) {
  if (code == 0) return;
  std::fprintf(stderr, "gpu_cupti_recorder: %s answered %d\n", what, code);
  std::exit(1);
}

void Said(const char* what, uint64_t address, uint64_t bytes) {
  std::fprintf(asked, "%s 0x%llx %llu\n", what, static_cast<unsigned long long>(address),
               static_cast<unsigned long long>(bytes));
}

void OnRequested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
  *bytes = 64 << 10;
  *buffer = static_cast<uint8_t*>(std::calloc(1, *bytes));
  *most_records = 0;
}

void OnCompleted(void*, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const uint64_t length = valid;
  std::fwrite(&length, sizeof length, 1, buffers);
  std::fwrite(buffer, 1, valid, buffers);
  std::free(buffer);
}

void AllocatePlain() {
  const auto allocate = Driver<int (*)(uint64_t*, size_t)>("cuMemAlloc_v2");
  const auto release = Driver<int (*)(uint64_t)>("cuMemFree_v2");
  const auto pitch = Driver<int (*)(uint64_t*, size_t*, size_t, size_t, unsigned)>("cuMemAllocPitch_v2");
  const auto managed = Driver<int (*)(uint64_t*, size_t, unsigned)>("cuMemAllocManaged");
  const auto host = Driver<int (*)(void**, size_t, unsigned)>("cuMemHostAlloc");
  const auto free_host = Driver<int (*)(void*)>("cuMemFreeHost");
  uint64_t address = 0;
  Must(allocate(&address, 3 << 20), "cuMemAlloc");
  Said("device", address, 3 << 20);
  Must(release(address), "cuMemFree");
  size_t row = 0;
  Must(pitch(&address, &row, 1000, 100, 4), "cuMemAllocPitch");
  Said("pitch", address, row * 100);
  Must(release(address), "cuMemFree");
  Must(managed(&address, 1 << 20, 1), "cuMemAllocManaged");
  Said("managed", address, 1 << 20);
  Must(release(address), "cuMemFree");
  void* pinned = nullptr;
  Must(host(&pinned, 1 << 20, 0), "cuMemHostAlloc");
  Said("host", reinterpret_cast<uint64_t>(pinned), 1 << 20);
  Must(free_host(pinned), "cuMemFreeHost");
}

// CUmemAllocationProp and CUmemAccessDesc, as far as they are filled.
struct Properties {
  int type = 1;      // pinned
  int handles = 0;   // none
  int location = 1;  // device
  int device = 0;
  void* windows = nullptr;
  uint64_t flags = 0;
};
struct Access {
  int location = 1;
  int device = 0;
  int flags = 3;  // read and write
};

void MapPieces() {
  constexpr size_t kPiece = 2 << 20;
  const auto reserve = Driver<int (*)(uint64_t*, size_t, size_t, uint64_t, uint64_t)>("cuMemAddressReserve");
  const auto create = Driver<int (*)(uint64_t*, size_t, const Properties*, uint64_t)>("cuMemCreate");
  const auto map = Driver<int (*)(uint64_t, size_t, size_t, uint64_t, uint64_t)>("cuMemMap");
  const auto allow = Driver<int (*)(uint64_t, size_t, const Access*, size_t)>("cuMemSetAccess");
  const auto unmap = Driver<int (*)(uint64_t, size_t)>("cuMemUnmap");
  const auto release = Driver<int (*)(uint64_t)>("cuMemRelease");
  const auto give_back = Driver<int (*)(uint64_t, size_t)>("cuMemAddressFree");
  uint64_t address = 0;
  Must(reserve(&address, 4 * kPiece, 0, 0, 0), "cuMemAddressReserve");
  Said("reserved", address, 4 * kPiece);
  const Properties properties;
  const Access access;
  for (int piece = 0; piece < 2; ++piece) {
    const uint64_t at = address + static_cast<uint64_t>(piece) * kPiece;
    uint64_t handle = 0;
    Must(create(&handle, kPiece, &properties, 0), "cuMemCreate");
    Must(map(at, kPiece, 0, handle, 0), "cuMemMap");
    Must(allow(at, kPiece, &access, 1), "cuMemSetAccess");
    Must(release(handle), "cuMemRelease");
    Said("mapped", at, kPiece);
  }
  Must(unmap(address, 2 * kPiece), "cuMemUnmap");
  Must(give_back(address, 4 * kPiece), "cuMemAddressFree");
}

void UsePool() {
  const auto allocate = Driver<int (*)(uint64_t*, size_t, void*)>("cuMemAllocAsync");
  const auto release = Driver<int (*)(uint64_t, void*)>("cuMemFreeAsync");
  const auto pool_of = Driver<int (*)(void**, int)>("cuDeviceGetDefaultMemPool");
  const auto trim = Driver<int (*)(void*, size_t)>("cuMemPoolTrimTo");
  const auto wait = Driver<int (*)()>("cuCtxSynchronize");
  void* pool = nullptr;
  Must(pool_of(&pool, 0), "cuDeviceGetDefaultMemPool");
  uint64_t address = 0;
  Must(allocate(&address, 5 << 20, nullptr), "cuMemAllocAsync");
  Said("pool", address, 5 << 20);
  Must(release(address, nullptr), "cuMemFreeAsync");
  Must(wait(), "cuCtxSynchronize");
  Must(trim(pool, 0), "cuMemPoolTrimTo");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: gpu_cupti_recorder OUT\n", stderr);
    return 2;
  }
  const std::string out = arguments[1];
  buffers = std::fopen(out.c_str(), "wb");
  asked = std::fopen((out + ".txt").c_str(), "w");
  const auto cupti = tidemark::capture::cupti::LoadFunctions();
  if (buffers == nullptr || asked == nullptr || !cupti) {
    std::fprintf(stderr, "gpu_cupti_recorder: %s\n",
                 cupti ? "OUT cannot be written" : cupti.error().message.c_str());
    return 1;
  }
  Must(Driver<int (*)(unsigned)>("cuInit")(0), "cuInit");
  Must(cupti->register_buffers(OnRequested, OnCompleted), "cuptiActivityRegisterCallbacks");
  Must(cupti->enable_kind(tidemark::capture::cupti::kMemory2), "cuptiActivityEnable(MEMORY2)");
  Must(cupti->enable_kind(tidemark::capture::cupti::kMemoryPool), "cuptiActivityEnable(MEMORY_POOL)");
  void* context = nullptr;
  Must(Driver<int (*)(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0), "cuDevicePrimaryCtxRetain");
  Must(Driver<int (*)(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  AllocatePlain();
  MapPieces();
  UsePool();
  constexpr uint32_t kForced = 1;
  Must(cupti->flush_all(kForced), "cuptiActivityFlushAll");
  std::fclose(buffers);
  std::fclose(asked);
  return 0;
}
