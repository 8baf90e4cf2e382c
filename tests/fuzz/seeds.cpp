// usage: fuzz_seeds FOLDER   One small run in every format that we write, as FOLDER/FORMAT/*: where the
// fuzzers begin.
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "profiler/trace/exporters/export.h"
#include "profiler/trace/save.h"
#include "tests/unit/trace/sample_run.h"

namespace tidemark::trace {
namespace {

namespace fs = std::filesystem;

std::string ContentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path FileIn(const fs::path& folder, const std::string& name) {
  fs::create_directories(folder);
  return folder / name;
}

bool Pack(const fs::path& file, const fs::path& packed) {
  const std::string content = ContentOf(file);
  const gzFile out = gzopen(packed.c_str(), "wb");
  const bool written =
      out != nullptr && gzwrite(out, content.data(), static_cast<unsigned>(content.size())) > 0;
  return gzclose(out) == Z_OK && written;
}

// A snapshot in JSON, which nobody of ours writes.
constexpr std::string_view kJsonSnapshot =
    R"({"segments": [{"device": 0, "address": 512, "total_size": 2097152,
 "stream": 0, "segment_type": "small", "segment_pool_id": [0, 1], "is_expandable": false, "frames": [],
 "blocks": [{"address": 512, "size": 512, "requested_size": 4, "state": "active_allocated",
  "frames": [{"filename": "a.py", "name": "f", "line": 3}]}, {"address": 1024, "size": 512, "state": "inactive"}]}],
 "device_traces": [[{"action": "alloc", "addr": 512, "size": 4, "stream": 0, "time_us": 17, "frames": [],
  "user_metadata": "m", "category": "activation"}, {"action": "segment_map", "addr": 8192, "size": 9},
  {"action": "oom", "device_free": 3, "size": 4}], []], "allocator_settings": {"roundup_power2_divisions": {"1": 2}},
 "external_annotations": [{"stage": "START", "name": "ProfilerStep#1", "device": 0, "time_us": 16}]})";

// torch.profiler's memory timelines: events, and sums by category.
constexpr std::string_view kRawTimeline =
    "[[-1, 1, 4096, 0], [1000, 2, 512, 7], [2000, 3, -512, 7], [2000, 3, 512, 5], [3000, 4, -512, 5]]";
constexpr std::string_view kTimeline =
    "[[10, 20], [[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 50, 0, 7, 0, 0, 40, 0, 3.5]]]";

bool WriteSeeds(const fs::path& folder) {
  const auto view = SampleRun().View();
  Stream rest;
  AddTheRest(rest);
  const auto rest_view = rest.View();
  const std::vector<Bookmark> bookmarks = {{Stream::kBaseNs, "here"}};
  const events::RunDescription description{.title = "sample", .device = "cuda:0", .producer = "seeds"};
  const fs::path pickle = FileIn(folder / "pickle", "run.pickle");
  const fs::path chrome = FileIn(folder / "json", "run.json");
  const fs::path snapshot = FileIn(folder / "json", "snapshot.json");
  std::ofstream(snapshot) << kJsonSnapshot;
  std::ofstream(FileIn(folder / "json", "timeline.raw.json")) << kRawTimeline;
  std::ofstream(FileIn(folder / "json", "timeline.json")) << kTimeline;
  return SaveTide(*view, description, FileIn(folder / "recording", "run.tide")) &&
         Export(*view, description, ExportFormat::kPickle, pickle) &&
         Export(*view, description, ExportFormat::kChrome, chrome) &&
         Export(*rest_view, description, ExportFormat::kChrome, FileIn(folder / "json", "rest.json"), {},
                bookmarks) &&
         Export(*view, description, ExportFormat::kPerfetto, FileIn(folder / "perfetto", "run.pftrace")) &&
         Export(*rest_view, description, ExportFormat::kPerfetto, FileIn(folder / "perfetto", "rest.pftrace"),
                {}, bookmarks) &&
         Export(*view, description, ExportFormat::kSqlite, FileIn(folder / "database", "run.sqlite")) &&
         Pack(pickle, FileIn(folder / "gzip", "run.pickle.gz")) &&
         Pack(snapshot, FileIn(folder / "gzip", "snapshot.json.gz"));
}

}  // namespace
}  // namespace tidemark::trace

int main(int count, char** arguments) {
  if (count == 2 && tidemark::trace::WriteSeeds(arguments[1])) return 0;
  std::fprintf(stderr, "usage: fuzz_seeds FOLDER (that can be written)\n");
  return 1;
}
