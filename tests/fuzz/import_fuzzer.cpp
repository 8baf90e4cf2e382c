// Any bytes as a file of any format but recordings and databases: pickle, JSON, Perfetto's, gzip around them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiler/trace/importers/import.h"
#include "tests/fuzz/timeline_sink.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace trace = tidemark::trace;
  trace::TimelineSink sink;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto summary = trace::ImportBytes(trace::ByteSource::Of(bytes), "fuzzed", sink.Accept());
  if (summary) sink.Look();
  return 0;
}
