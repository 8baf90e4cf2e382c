#include <fmt/compile.h>

#include <memory>

#include "profiler/trace/exporters.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;

// RFC 4180: quoted if it holds a comma, a quote or a line end; quotes are doubled.
void AppendQuoted(std::string_view text, fmt::memory_buffer& row) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return row.append(text);
  row.push_back('"');
  for (const char letter : text) {
    if (letter == '"') row.push_back('"');
    row.push_back(letter);
  }
  row.push_back('"');
}

class CsvExporter final : public Exporter {
 public:
  explicit CsvExporter(const timeline::View& view) : view_(view) {}

  void Begin(std::string& out) override {
    out +=
        "index,time_ns,kind,source,phase,device,stream,thread,address,bytes,rounded_bytes,category,layer,"
        "operator,name,"
        "value,recompute,allocated_bytes,requested_bytes,reserved_bytes,detail\n";
  }

  void Add(const Moment& moment, std::string& out) override {
    const Event& event = moment.event;
    row_.clear();
    Append(FMT_COMPILE("{},{},{},{},{},{},{},{},"), moment.index, event.time_ns, NameOf(event.kind),
           NameOf(event.source), NameOf(event.phase), event.device,
           event.kind == EventKind::kName ? 0 : event.stream, event.thread);
    if (HasAddress(event.kind)) Append(FMT_COMPILE("{:#x}"), event.address);
    row_.push_back(',');
    if (event.kind == EventKind::kName) {
      row_.push_back(',');
    } else {
      Append(FMT_COMPILE("{},{}"), event.bytes, event.rounded_bytes);
    }
    Append(FMT_COMPILE(",{},"), IsOfBlock(event.kind) ? KeyOf(event.category) : "");
    AppendNames(event);
    if (event.kind == EventKind::kMetric) Append(FMT_COMPILE("{}"), events::MetricOf(event));
    Append(FMT_COMPILE(",{},{},{},{},"), event.recompute, ValueOf(moment.values, Series::kAllocated),
           ValueOf(moment.values, Series::kRequested), ValueOf(moment.values, Series::kReserved));
    if (event.kind == EventKind::kName) AppendQuoted(events::NamePiece(event), row_);
    if (event.kind == EventKind::kMarker) AppendQuoted(view_.name(event.op), row_);
    row_.push_back('\n');
    out.append(row_.data(), row_.size());
  }

  void End(std::string&) override {}

 private:
  // Into the library's own kind of buffer: to any other it writes letter by letter.
  template <typename Format, typename... Arguments>
  void Append(const Format& format, const Arguments&... arguments) {
    fmt::format_to(fmt::appender(row_), format, arguments...);
  }

  // layer, operator, name: of a definition only its number, of a marker the operator's field means the
  // settings.
  void AppendNames(const Event& event) {
    if (event.kind == EventKind::kName) return Append(FMT_COMPILE(",,{},"), event.name);
    AppendQuoted(view_.name(event.layer), row_);
    row_.push_back(',');
    if (event.kind != EventKind::kMarker) AppendQuoted(view_.name(event.op), row_);
    row_.push_back(',');
    AppendQuoted(view_.name(event.name), row_);
    row_.push_back(',');
  }

  const timeline::View& view_;
  fmt::memory_buffer row_;  // being written
};

}  // namespace

std::unique_ptr<Exporter> MakeCsvExporter(const timeline::View& view) {
  return std::make_unique<CsvExporter>(view);
}

}  // namespace tidemark::trace
