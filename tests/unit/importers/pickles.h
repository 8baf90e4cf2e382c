// Small pickles, written opcode by opcode, and what an import made of one.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/timeline/timeline.h"
#include "profiler/trace/importers/import.h"

namespace tidemark::trace {

// Writes protocol 2; every value is one call, containers are nested by their begin and end.
class PickleWriter {
 public:
  PickleWriter& Number(int64_t value) {
    bytes_ += "\x8a\x08";
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
    return *this;
  }
  PickleWriter& Text(std::string_view text) {
    bytes_ += 'X';
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(text.size() >> (8 * i));
    bytes_ += text;
    return *this;
  }
  PickleWriter& Key(std::string_view key, int64_t value) { return Text(key).Number(value); }
  PickleWriter& Key(std::string_view key, std::string_view value) { return Text(key).Text(value); }
  PickleWriter& Raw(std::string_view opcodes) {
    bytes_ += opcodes;
    return *this;
  }
  PickleWriter& Dictionary() { return Raw("}("); }
  PickleWriter& EndDictionary() { return Raw("u"); }
  PickleWriter& List() { return Raw("]("); }
  PickleWriter& EndList() { return Raw("e"); }
  PickleWriter& Entry(std::string_view action, int64_t address, int64_t size, int64_t time_us) {
    return Dictionary()
        .Key("action", action)
        .Key("addr", address)
        .Key("size", size)
        .Key("stream", 0)
        .Key("time_us", time_us)
        .EndDictionary();
  }
  PickleWriter& Block(std::string_view state, int64_t address, int64_t size, int64_t requested) {
    return Dictionary()
        .Key("address", address)
        .Key("size", size)
        .Key("requested_size", requested)
        .Key("state", state)
        .EndDictionary();
  }
  PickleWriter& Segment(int64_t address, int64_t size) {
    return Dictionary().Key("address", address).Key("total_size", size).Key("device", 0).Key("stream", 0);
  }
  std::string Bytes() const { return "\x80\x02" + bytes_ + "."; }

 private:
  std::string bytes_;
};

struct ImportedRun {
  std::string error;  // "" if there is a run
  TideSummary summary;
  std::shared_ptr<const timeline::View> view;

  std::vector<events::Event> Of(events::EventKind kind) const {
    std::vector<events::Event> found;
    for (timeline::EventIndex i = view->first(); i < view->end(); ++i) {
      if (view->event(i).kind == kind) found.push_back(view->event(i));
    }
    return found;
  }
  timeline::SeriesValues Last() const { return view->ValuesAt(view->end() - 1); }
};

// What `import` makes of it; it takes what the events go to.
template <typename ImportInto>
ImportedRun ImportedBy(const ImportInto& import) {
  timeline::Builder builder;
  const Result<TideSummary> summary = import([&](auto events) { builder.Append(events); });
  ImportedRun run;
  run.view = builder.Publish();
  if (summary) {
    run.summary = *summary;
  } else {
    run.error = summary.error().message;
  }
  return run;
}

inline ImportedRun ImportedFrom(std::string_view bytes) {
  return ImportedBy([&](const auto& sink) { return ImportBytes(ByteSource::Of(bytes), "file", sink); });
}

inline std::string Gzipped(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  std::string input(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// A history of one device: a block from before it, one that comes and goes, one that stays, a failure; and
// what the snapshot found at its end.
inline PickleWriter SmallSnapshot() {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List();
  pickle.Segment(1 << 20, 2 << 20).Text("blocks").List();
  pickle.Block("active_allocated", 1 << 20, 1024, 1000);         // from before
  pickle.Block("active_allocated", (1 << 20) + 1024, 512, 400);  // in the history
  pickle.Block("inactive", (1 << 20) + 1536, (2 << 20) - 1536, 0);
  pickle.EndList().EndDictionary().EndList();
  pickle.Text("device_traces").List().List();
  pickle.Entry("free_requested", (1 << 20) + 4096, 700, 9).Entry("free_completed", (1 << 20) + 4096, 700, 10);
  pickle.Entry("alloc", (1 << 20) + 1024, 400, 11);
  pickle.Entry("alloc", (1 << 20) + 1536, 5000, 12);
  pickle.Entry("free_requested", (1 << 20) + 1536, 5000, 13);
  pickle.Entry("free_completed", (1 << 20) + 1536, 5000, 14);
  pickle.Dictionary()
      .Key("action", "oom")
      .Key("device_free", 77)
      .Key("size", 1 << 30)
      .Key("stream", 0)
      .Key("time_us", 15);
  pickle.EndDictionary().EndList().EndList();
  return pickle.EndDictionary();
}

}  // namespace tidemark::trace
