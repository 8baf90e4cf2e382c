// Any bytes as a recording, which is then asked for what `what-if` replays, what `plot` draws and what
// `export` writes. Checksums are mended after each mutation, as else nearly every input would end at the
// first of them.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "app/presenters/picture/picture.h"
#include "profiler/session/run_requests.h"
#include "profiler/session/steady_state.h"
#include "profiler/trace/exporters/export.h"
#include "profiler/trace/importers/import.h"
#include "profiler/trace/tide_format.h"
#include "tests/fuzz/timeline_sink.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace tidemark::trace {
namespace {

void MendChecksums(uint8_t* data, size_t size) {
  size_t at = sizeof(FileHeader);
  while (at + sizeof(ChunkHeader) <= size) {
    ChunkHeader header;
    std::memcpy(&header, data + at, sizeof header);
    const size_t payload = at + sizeof header;
    const bool fits = header.packed_bytes <= size - payload;
    if (fits) header.payload_checksum = XXH3_64bits(data + payload, header.packed_bytes);
    header.header_checksum = header.Checksum();
    std::memcpy(data + at, &header, sizeof header);
    if (!fits) return;
    at = payload + header.packed_bytes;
  }
}

// A file in memory, rewritten for each input: recordings are read from files.
const std::string& FileOf(const uint8_t* data, size_t size) {
  static const int fd = memfd_create("fuzzed", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const bool written = ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == static_cast<ssize_t>(size);
  if (!written) std::abort();
  return path;
}

void AskAgain(const timeline::View& view) {
  constexpr int64_t kUsableBytes = int64_t{16} << 30;
  constexpr size_t kRounds = 2;
  (void)session::SteadyState(view);
  (void)session::LateRequestsOf(view, kUsableBytes);
  (void)session::ProlongedRequestsOf(view, kUsableBytes, view.first(), kRounds);
}

// One of the pictures and files, as `choice` says: all of them for each would leave time for a seventh of the
// inputs. And of few events: an input of 64 KiB may unpack to millions.
void Draw(const timeline::View& view, const events::RunDescription& description, uint64_t choice) {
  constexpr timeline::EventIndex kMostEvents = 1 << 12;
  constexpr std::array kFormats = {ExportFormat::kChrome, ExportFormat::kCsv, ExportFormat::kPickle,
                                   ExportFormat::kPerfetto};
  if (view.end() - view.first() > kMostEvents) return;
  switch (const size_t asked = choice % (kFormats.size() + 3)) {
    case kFormats.size():
      return (void)presenters::TimelinePicture(view, description.title);
    case kFormats.size() + 1:
      return (void)presenters::BreakdownPicture(view, description.title);
    case kFormats.size() + 2:
      return (void)presenters::MapPicture(view, description.title);
    default:
      return (void)Export(view, description, kFormats[asked], "/dev/null");
  }
}

}  // namespace
}  // namespace tidemark::trace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned) {
  const size_t mutated = LLVMFuzzerMutate(data, size, most);
  tidemark::trace::MendChecksums(data, mutated);
  return mutated;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace trace = tidemark::trace;
  trace::TimelineSink sink;
  const auto summary = trace::Import(trace::FileOf(data, size), sink.Accept());
  if (!summary) return 0;
  const auto view = sink.Look();
  trace::AskAgain(*view);
  trace::Draw(*view, summary->description, XXH3_64bits(data, size));
  return 0;
}
