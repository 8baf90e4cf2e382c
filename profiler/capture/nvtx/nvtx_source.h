// What a program says of itself through NVTX (torch.cuda.nvtx, emit_nvtx, the nvtx package, NVTX's C header):
// pushed ranges become scopes of their thread, marks and ranges that begin here and end elsewhere become
// markers. All domains are told alike.
//
// NVTX's header, compiled into the program, loads the library that NVTX_INJECTION64_PATH names at its first
// call, and calls this entry of it; the layouts are those of nvtx3/nvtxDetail/nvtxTypes.h (version 3). Thread
// safe. What is said while the event stream is not open is not kept.
#pragma once

#include <cstdint>

namespace tidemark::capture::nvtx {

using AnyFunction = void (*)();
// By module and callback: where the program keeps its pointer to a function.
using FunctionTable = AnyFunction**;

struct Callbacks {
  uint64_t bytes;
  int (*functions_of)(int module, FunctionTable* table, unsigned* count);
};
using ExportTable = const void* (*)(uint32_t id);
inline constexpr uint32_t kCallbacksTable = 1;

enum Module : int { kCore = 1, kDomains = 5 };
enum CoreFunction : unsigned {
  kMarkEx = 1,
  kMark,
  kMarkWide,
  kRangeStartEx,
  kRangeStart,
  kRangeStartWide,
  kRangeEnd,
  kRangePushEx,
  kRangePush,
  kRangePushWide,
  kRangePop,
};
enum DomainFunction : unsigned {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainRegisterString = 10,
  kDomainRegisterStringWide = 11,
};

// nvtxEventAttributes_v2, of which only the message is read.
struct Attributes {
  uint16_t version;
  uint16_t bytes;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type;
  int32_t reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
};
enum MessageType : int32_t { kText = 1, kWideText = 2, kRegistered = 3 };

}  // namespace tidemark::capture::nvtx

extern "C" {
// 1: attached to as much as this NVTX has; 0: it is none that is known.
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    tidemark::capture::nvtx::ExportTable table);
}
