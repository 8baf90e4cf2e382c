#include <iterator>
#include <memory>

#include "profiler/base/csv.h"
#include "profiler/trace/exporters/exporter.h"
#include "profiler/trace/exporters/formatted_text.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;

class CsvExporter final : public Exporter {
 public:
  explicit CsvExporter(const timeline::View& view) : view_(view), told_(view) {}

  void Begin(std::string& out) override {
    out +=
        "index,time_ns,kind,source,phase,device,stream,thread,address,bytes,rounded_bytes,category,layer,"
        "operator,name,value,recompute,allocated_bytes,requested_bytes,reserved_bytes,detail,level,pool,"
        "shape\n";
  }

  void Add(const Moment& moment, std::string& out) override {
    const Event& event = moment.event;
    AppendFormatted(out, FMT_COMPILE("{},{},{},{},{},{},{},{},"), moment.index, event.time_ns,
                    NameOf(event.kind), NameOf(event.source), NameOf(event.phase), event.device,
                    event.kind == EventKind::kName ? 0 : event.stream, event.thread);
    if (HasAddress(event.kind)) fmt::format_to(std::back_inserter(out), FMT_COMPILE("{:#x}"), event.address);
    out += ',';
    if (event.kind == EventKind::kName) {
      out += ',';
    } else {
      AppendFormatted(out, FMT_COMPILE("{},{}"), event.bytes, event.rounded_bytes);
    }
    AppendFormatted(out, FMT_COMPILE(",{},"), IsOfBlock(event.kind) ? KeyOf(event.category) : "");
    AppendNames(event, out);
    if (event.kind == EventKind::kMetric) AppendFormatted(out, FMT_COMPILE("{}"), events::MetricOf(event));
    AppendFormatted(out, FMT_COMPILE(",{},"), event.recompute);
    if (told_.blocks) {
      AppendFormatted(out, FMT_COMPILE("{},{},"), ValueOf(moment.values, Series::kAllocated),
                      ValueOf(moment.values, Series::kRequested));
    } else {
      out += ",,";
    }
    if (told_.reserved) AppendFormatted(out, FMT_COMPILE("{}"), ValueOf(moment.values, Series::kReserved));
    out += ',';
    // Whole with its first piece: the others may begin within a letter.
    if (event.kind == EventKind::kName && event.layer == 0) AppendCsvField(view_.name(event.name), out);
    if (event.kind == EventKind::kMarker) AppendCsvField(view_.name(event.op), out);
    out += ',';
    if (TellsLevel(event)) out += NameOf(event.level);
    AppendFormatted(out, FMT_COMPILE(",{},"), event.pool);
    AppendCsvField(view_.name(view_.ShapeOf(moment.index)), out);
    out += '\n';
  }

  void End(std::string&) override {}

 private:
  // layer, operator, name: of a definition only its number, of a marker the operator's field means the
  // settings.
  void AppendNames(const Event& event, std::string& out) {
    if (event.kind == EventKind::kName) return AppendFormatted(out, FMT_COMPILE(",,{},"), event.name);
    AppendCsvField(view_.name(event.layer), out);
    out += ',';
    if (event.kind != EventKind::kMarker) AppendCsvField(view_.name(event.op), out);
    out += ',';
    AppendCsvField(view_.name(event.name), out);
    out += ',';
  }

  const timeline::View& view_;
  const Told told_;
};

}  // namespace

std::unique_ptr<Exporter> MakeCsvExporter(const timeline::View& view) {
  return std::make_unique<CsvExporter>(view);
}

}  // namespace tidemark::trace
