// The functions of CUPTI that we call, as a table that is filled at run time: from the library that the
// process has loaded already (the one that its LibTorch uses; on a phantom the phantom's), else from the one
// that is installed; in tests by hand. Nothing here is linked with CUPTI, and its header is not needed: types
// and numbers are those of cupti.h 13.0, of which we read nothing that 12 has otherwise
// (tests/unit/phantom/cupti_test.cpp compares them).
#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/base/result.h"

namespace tidemark::capture::cupti {

// CUptiResult.
using Code = int;
inline constexpr Code kSuccess = 0;
inline constexpr Code kNoMoreRecords = 12;  // CUPTI_ERROR_MAX_LIMIT_REACHED: a buffer's end
inline constexpr Code kNotInitialized = 15;
inline constexpr Code kNotCompatible = 14;
inline constexpr Code kVirtualizedDeviceNotSupported = 33;
inline constexpr Code kInsufficientPrivileges = 35;
inline constexpr Code kMultipleSubscribers = 39;
inline constexpr Code kVirtualizedDevicePrivileges = 40;
inline constexpr Code kConfidentialComputing = 41;
inline constexpr Code kMigDevice = 43;
inline constexpr Code kWslDevice = 45;
inline constexpr Code kUnknownError = 999;  // what most functions answer where there is no driver

// CUpti_CallbackDomain, CUpti_ApiCallbackSite, CUpti_ActivityKind.
inline constexpr int kDriverApi = 1;
inline constexpr int kRuntimeApi = 2;
inline constexpr int kResources = 3;
inline constexpr uint32_t kContextGoes = 2;  // CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING
inline constexpr int kEnter = 0;
inline constexpr int kExit = 1;
inline constexpr int kMemcpy = 1;
inline constexpr int kMemset = 2;
inline constexpr int kConcurrentKernel = 10;
inline constexpr int kMemcpyPeer = 22;
inline constexpr int kMemory2 = 49;
inline constexpr int kMemoryPool = 50;
// CUpti_ActivityAttribute.
inline constexpr int kBufferBytes = 0;      // CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE: a size_t
inline constexpr int kBuffersAtFirst = 6;   // ..._DEVICE_BUFFER_PRE_ALLOCATE_VALUE: a size_t
inline constexpr int kBuffersAreHosts = 8;  // ..._MEM_ALLOCATION_TYPE_HOST_PINNED: a uint8_t

// CUpti_CallbackData.
struct CallbackData {
  int site;
  const char* function_name;
  const void* parameters;
  const void* returned;  // a CUresult or cudaError_t, of a call that has ended
  const char* symbol;
  void* context;  // a CUcontext: the thread's; null if it has none
  uint32_t context_id;
  uint64_t* correlation_data;
  uint32_t correlation_id;
};

// The beginning of CUpti_ResourceData.
struct ResourceData {
  void* context;  // a CUcontext
};

// CUpti_SubscriberParams.
struct SubscriberParameters {
  size_t struct_bytes;
  const char* name;
  char* holder;  // who holds CUPTI, if somebody does
  size_t holder_bytes;
};

// The beginning of CUpti_ActivityMemory4 (112 of its bytes are the same in CUPTI 12).
struct __attribute__((packed, aligned(8))) MemoryRecord {
  int kind;
  int operation;  // kAllocation or kRelease
  int memory_kind;
  uint32_t correlation_id;
  uint64_t address;
  uint64_t bytes;
  uint64_t timestamp;
  uint64_t program_counter;
  uint32_t process_id;
  uint32_t device_id;
  uint32_t context_id;
  uint32_t stream_id;
  const char* name;
  uint32_t is_async;
  uint32_t padding;
  int pool_type;
  uint32_t pool_padding;
  uint64_t pool_address;
  uint64_t pool_release_threshold;
  uint64_t pool_bytes;  // reserved by the pool; of an imported one the number of the process that made it
};
// All of it, as CUPTI writes it that has `enable_source` below.
struct __attribute__((packed, aligned(8))) SourcedMemoryRecord {
  MemoryRecord memory;
  uint64_t pool_used_bytes;
  const char* source;  // the file of the library that asked for it, if CUPTI was told to say
};
// The beginning of CUpti_ActivityMemoryPool3.
struct __attribute__((packed, aligned(8))) PoolRecord {
  int kind;
  int operation;  // kPoolCreated, kPoolDestroyed or kPoolTrimmed
  int pool_type;
  uint32_t correlation_id;
  uint32_t process_id;
  uint32_t device_id;
  uint64_t kept_bytes;
  uint64_t address;
  uint64_t bytes;
  uint64_t release_threshold;
  uint64_t timestamp;
};
// When a kernel, a copy or a memset began and ended on the card; 0 where CUPTI does not know.
struct WorkTimes {
  uint64_t start;
  uint64_t end;
};
// The beginning of CUpti_ActivityKernel10 (112 of its bytes are the same in CUPTI 12).
struct __attribute__((packed, aligned(8))) KernelRecord {
  int kind;
  uint8_t cache_config;
  uint8_t shared_memory_config;
  uint16_t registers;
  int partitioned_cache_requested;
  int partitioned_cache_executed;
  WorkTimes times;
  uint64_t completed;
  uint32_t device_id;
  uint32_t context_id;
  uint32_t stream_id;
  int grid[3];
  int block[3];
  int static_shared_bytes;
  int dynamic_shared_bytes;
  uint32_t local_bytes_per_thread;
  uint32_t local_bytes;
  uint32_t correlation_id;
  int64_t grid_id;
  const char* name;  // mangled
};
// The beginning that CUpti_ActivityMemcpy6, CUpti_ActivityMemcpyPtoP4 and CUpti_ActivityMemset4 share.
struct __attribute__((packed, aligned(8))) TransferRecord {
  int kind;
  uint8_t copy_kind;  // of a copy
  uint8_t other[3];
  uint64_t bytes;
  WorkTimes times;
  uint32_t device_id;
  uint32_t context_id;
  uint32_t stream_id;
};
inline constexpr int kImportedPool = 2;
inline constexpr int kPoolDestroyed = 2;
inline constexpr int kPoolTrimmed = 3;
inline constexpr int kAllocation = 1;
inline constexpr int kRelease = 2;
inline constexpr int kDeviceMemory = 3;
// Of what cuMemMap mapped, as an H200 with CUPTI 13.0 told it: by address, outside of any context.
inline constexpr uint32_t kNoContext = 0xffffffff;

using Subscriber = void*;
// `data`: CallbackData, and of kResources ResourceData.
using Callback = void (*)(void* argument, int domain, uint32_t function, const void* data);
using BufferRequested = void (*)(uint8_t** buffer, size_t* bytes, size_t* most_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                 size_t valid_bytes);

struct Functions {
  Code (*get_version)(uint32_t*) = nullptr;
  Code (*subscribe)(Subscriber*, Callback, void* argument) = nullptr;
  // Null before CUPTI 13: there nobody tells who holds it.
  Code (*subscribe_named)(Subscriber*, Callback, void* argument, SubscriberParameters*) = nullptr;
  Code (*unsubscribe)(Subscriber) = nullptr;
  Code (*enable_callback)(uint32_t on, Subscriber, int domain, uint32_t function) = nullptr;
  Code (*register_buffers)(BufferRequested, BufferCompleted) = nullptr;
  Code (*enable_kind)(int kind) = nullptr;
  Code (*disable_kind)(int kind) = nullptr;
  // Null before CUPTI 12.6: there nobody tells which library asked for memory.
  Code (*enable_source)(uint8_t on) = nullptr;
  // Null where it is not told what CUPTI takes for itself.
  Code (*get_attribute)(int attribute, size_t* bytes, void* value) = nullptr;
  Code (*flush_all)(uint32_t flags) = nullptr;
  Code (*next_record)(uint8_t* buffer, size_t valid_bytes, const int** record) = nullptr;
  Code (*dropped_records)(void* context, uint32_t stream, size_t* dropped) = nullptr;
};

// The CUPTI that this process has loaded, of whatever version, as dlopen answers; null if it has none. Takes
// the dynamic loader's lock.
void* LoadedLibrary();

// Error: a sentence, if there is no CUPTI or one that lacks a function.
Result<Functions> LoadFunctions();

}  // namespace tidemark::capture::cupti
