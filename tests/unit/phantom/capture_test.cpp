// The driver's and the card's sources on the phantom's CUPTI and NVML: what they tell is what the phantom
// device holds. This program is linked with the stand-ins and sets its card itself.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "profiler/base/clock.h"
#include "profiler/base/paths.h"
#include "profiler/capture/cupti/device_work.h"
#include "profiler/capture/cupti/driver_source.h"
#include "profiler/capture/cupti/functions.h"
#include "profiler/capture/nvml/card_sampler.h"
#include "profiler/capture/nvml/cuda_device.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/device_work.h"
#include "profiler/phantom/machine.h"
#include "tests/support/catch.h"

// Of the CUDA runtime, for the code that compilers write.
extern "C" void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                                       dim3*, int*);

namespace tidemark::phantom {
namespace {

using events::Event;
using events::EventKind;
using events::Level;

[[maybe_unused]] const int kCardOfCapture = [] {
  setenv(events::kDeviceWorkVariable, "1", 1);
  setenv(kDeviceCountVariable, "3", 1);
  setenv("CUDA_VISIBLE_DEVICES", "0,2", 1);
  return setenv("TIDEMARK_PHANTOM_CARD", (AssetsFolder() / "cards" / "rtx-4090.json").c_str(), 1);
}();

constexpr size_t kGranule = size_t{2} << 20;

struct Told {
  std::array<int64_t, events::kLevelCount> levels{};
  std::string names;
  int changes = 0;
  std::vector<Event> work;
};

void Drain(transport::RingReader& ring, Told& told) {
  std::array<Event, 64> batch;
  for (size_t count = 1; count > 0;) {
    count = ring.Pop(batch, true);
    for (size_t i = 0; i < count; ++i) {
      if (batch[i].kind == EventKind::kName) told.names += events::NamePiece(batch[i]);
      if (events::IsDeviceWork(batch[i].kind)) told.work.push_back(batch[i]);
      if (batch[i].kind != EventKind::kCounter) continue;
      told.levels[static_cast<size_t>(batch[i].level)] = batch[i].bytes;
      ++told.changes;
    }
  }
}

// Of the one event stream that this process has.
transport::RingReader* TheRing() {
  static transport::RingReader* const ring = [] {
    auto* const made = new transport::RingReader(std::move(*transport::RingReader::Create(1024)));
    capture::OpenEventStream(transport::RingWriter::Beside(*made), 0);
    return made;
  }();
  return ring;
}

int64_t Of(const Told& told, Level level) { return told.levels[static_cast<size_t>(level)]; }

}  // namespace

TEST_CASE("Allocations, mapped memory and pools are the driver's level; the card's follows") {
  transport::RingReader* const ring = TheRing();
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  REQUIRE(cudaFree(nullptr) == cudaSuccess);  // makes the context
  capture::AttachToDriver(capture::cupti::LoadFunctions());
  capture::WatchCard(capture::nvml::LoadFunctions(), capture::CardUuid(properties.uuid.bytes));
  Told told;
  Drain(*ring, told);
  CHECK(told.names.find("live (CUPTI 13.0, the phantom's stand-in)") != std::string::npos);
  CHECK(told.names.find("live (NVML, the phantom's stand-in for driver ") != std::string::npos);
  const int64_t context = Of(told, Level::kProcess);
  CHECK(context > 0);

  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, 3 * kGranule) == cudaSuccess);
  CUmemGenericAllocationHandle piece = 0;
  CHECK(cuMemCreate(&piece, 2 * kGranule, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CUmemAllocationProp on_card = {};
  on_card.location = {CU_MEM_LOCATION_TYPE_DEVICE, {2}};
  CHECK(cuMemCreate(&piece, 2 * kGranule, &on_card, 0) == CUDA_ERROR_INVALID_DEVICE);
  on_card.location.id = 0;
  REQUIRE(cuMemCreate(&piece, 2 * kGranule, &on_card, 0) == CUDA_SUCCESS);
  CUdeviceptr address = 0;
  REQUIRE(cuMemAddressReserve(&address, 8 * kGranule, 0, 0, 0) == CUDA_SUCCESS);
  REQUIRE(cuMemMap(address, 2 * kGranule, 0, piece, 0) == CUDA_SUCCESS);
  REQUIRE(cuMemRelease(piece) == CUDA_SUCCESS);
  capture::SampleCard();
  Drain(*ring, told);
  CHECK(Of(told, Level::kDriver) == static_cast<int64_t>(5 * kGranule));
  CHECK(Of(told, Level::kProcess) == context + static_cast<int64_t>(5 * kGranule));
  CHECK(Of(told, Level::kCard) == Of(told, Level::kProcess));

  void* pooled = nullptr;
  REQUIRE(cudaMallocAsync(&pooled, 1000, nullptr) == cudaSuccess);
  capture::FlushDriver();
  capture::SampleCard();
  Drain(*ring, told);
  CHECK(Of(told, Level::kDriver) > static_cast<int64_t>(5 * kGranule));
  CHECK(Of(told, Level::kProcess) == context + Of(told, Level::kDriver));

  const int64_t pool = Of(told, Level::kDriver) - static_cast<int64_t>(5 * kGranule);
  REQUIRE(cuMemUnmap(address, 2 * kGranule) == CUDA_SUCCESS);
  REQUIRE(cudaFree(block) == cudaSuccess);
  void* refused = nullptr;
  CHECK(cudaMalloc(&refused, size_t{1} << 50) == cudaErrorMemoryAllocation);
  capture::FlushDriver();
  Drain(*ring, told);
  CHECK(Of(told, Level::kDriver) == pool);
  CHECK(told.names.find("too low") == std::string::npos);
  CHECK(told.work.empty());
}

TEST_CASE("The second card that a program sees is found by its name where another one is hidden") {
  CHECK(capture::UuidOfCudaDevice(0) == "GPU-7274782d-3430-3930-0000-000000000000");
  CHECK(capture::UuidOfCudaDevice(1) == "GPU-7274782d-3430-3930-0000-000000000002");
  CHECK(capture::UuidOfCudaDevice(2).empty());
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 1) == cudaSuccess);
  CHECK(capture::UuidOfCudaDevice(1) == capture::CardUuid(properties.uuid.bytes));
}

TEST_CASE("Kernels, memory copies and memsets are told with what is known of them") {
  // The one stream and the one source that this process has.
  transport::RingReader* const ring = TheRing();
  capture::AttachToDriver(capture::cupti::LoadFunctions());
  void* block = nullptr;
  REQUIRE(cudaMalloc(&block, 4096) == cudaSuccess);
  std::array<char, 1024> host{};
  const uint64_t before_ns = static_cast<uint64_t>(RealtimeNs());
  REQUIRE(cudaMemcpy(block, host.data(), host.size(), cudaMemcpyHostToDevice) == cudaSuccess);
  REQUIRE(cudaMemset(block, 0, 64) == cudaSuccess);
  static const char stub = 0;
  __cudaRegisterFunction(nullptr, &stub, nullptr, "_Z4gemmIfEvi", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  REQUIRE(cudaLaunchKernel(&stub, dim3(1), dim3(32), nullptr, 0, nullptr) == cudaSuccess);
  CUcontext second = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&second, 2) == CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(cuDevicePrimaryCtxRetain(&second, 1) == CUDA_SUCCESS);
  REQUIRE(cuCtxSetCurrent(second) == CUDA_SUCCESS);
  int current = 0;
  CHECK((cudaGetDevice(&current) == cudaSuccess && current == 1));
  REQUIRE(cudaLaunchKernel(&stub, dim3(1), dim3(32), nullptr, 0, nullptr) == cudaSuccess);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  capture::FlushDriver();
  Told told;
  Drain(*ring, told);
  REQUIRE(told.work.size() == 4);
  CHECK(told.work[0].kind == EventKind::kMemoryCopy);
  CHECK(told.work[0].bytes == 1024);
  CHECK(told.work[0].address >= before_ns);
  CHECK(told.work[0].rounded_bytes == 0);  // nothing computes, so nobody knows how long it would take
  CHECK(told.work[1].kind == EventKind::kMemorySet);
  CHECK(told.work[1].bytes == 64);
  CHECK(told.work[2].kind == EventKind::kKernel);
  CHECK(told.names.find("host to device") != std::string::npos);
  CHECK(told.names.find("void gemm<float>(int)") != std::string::npos);
  CHECK(cudaFree(block) == cudaSuccess);

  capture::cupti::KernelRecord of_another_card{};
  of_another_card.kind = capture::cupti::kConcurrentKernel;
  of_another_card.device_id = 3;
  capture::TellDeviceWork(&of_another_card.kind);
  Drain(*ring, told);
  REQUIRE(told.work.size() == 5);
  CHECK(told.work[2].device == 0);
  CHECK(told.work[3].device == 1);
  CHECK(told.work[4].device == 3);
}

}  // namespace tidemark::phantom
