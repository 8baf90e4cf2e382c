// Reading a run from any file that Tidemark knows, by what is in it and not by its name: recordings (.tide);
// PyTorch memory snapshots (pickles of protocols 0 to 5, or JSON); torch.profiler's traces and memory
// timelines; SQLite exports of Nsight Systems; what we export ourselves. Pickles, JSON and Perfetto traces
// may be packed by gzip.
//
// Files come from strangers: nothing in them is executed, memory stays within a multiple of their size (each
// reader says which), and what is damaged ends in one sentence that names the byte, with what came before
// shown.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/events/event.h"
#include "profiler/trace/importers/byte_source.h"
#include "profiler/trace/tide.h"

namespace tidemark::trace {

// As ReadTide (tide.h), for every format.
Result<TideSummary> Import(const std::filesystem::path& file,
                           const std::function<void(std::span<const events::Event>)>& accept,
                           const Progress& progress = {});

// The same for all formats but recordings and databases, from bytes that are there already; for tests and
// fuzzing.
Result<TideSummary> ImportBytes(ByteSource source, std::string_view name,
                                const std::function<void(std::span<const events::Event>)>& accept,
                                const Progress& progress = {});

}  // namespace tidemark::trace
