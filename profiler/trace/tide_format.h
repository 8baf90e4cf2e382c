// The bytes of FORMAT.md, shared by the writer and the reader and by nobody else.
#pragma once

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/events/event.h"
#include "profiler/events/run_description.h"

namespace tidemark::trace {

static_assert(std::endian::native == std::endian::little,
              "recordings are little endian and copied as they lie");

// Versions 2 and 4 have one more category each, version 3 has kernels, memory copies and memsets, version 5
// the shapes of tensors; what is in older files means the same.
inline constexpr uint32_t kOldestVersion = 1;

struct FileHeader {
  std::array<uint8_t, 8> magic{0x89, 'T', 'I', 'D', 'E', '\r', '\n', 0x1a};
  uint32_t version = 5;
  uint32_t event_bytes = sizeof(events::Event);
  bool operator==(const FileHeader&) const = default;
};
static_assert(sizeof(FileHeader) == 16);

enum class ChunkKind : uint32_t { kDescription = 1, kEvents = 2, kClosing = 3 };
enum class Packing : uint32_t { kNone = 0, kZstd = 1 };

struct ChunkHeader {
  std::array<char, 4> magic{'T', 'C', 'H', 'K'};
  ChunkKind kind = ChunkKind::kEvents;
  uint64_t first_event = 0;
  uint32_t events = 0;
  uint32_t unpacked_bytes = 0;
  uint32_t packed_bytes = 0;
  Packing packing = Packing::kNone;
  uint64_t payload_checksum = 0;
  uint64_t header_checksum = 0;

  uint64_t Checksum() const { return XXH3_64bits(this, offsetof(ChunkHeader, header_checksum)); }
};
static_assert(sizeof(ChunkHeader) == 48);

inline constexpr size_t kMaxDescriptionBytes = 1 << 20;

}  // namespace tidemark::trace
