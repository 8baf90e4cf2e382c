// A run as one Arrow table in Arrow's file format (what pandas calls Feather): a row for each event, with the
// columns of the CSV; the run's description is in the schema's metadata. Names are told in the rows that use
// them, so events that only define one have no row.
#include <cstring>
#include <iterator>
#include <nanoarrow/nanoarrow.hpp>
#include <nanoarrow/nanoarrow_ipc.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/trace/exporters.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;

// A run's names as Arrow wants texts: UTF-8, whatever the run holds.
class CleanNames {
 public:
  explicit CleanNames(const timeline::View& view) : view_(view) {}
  const std::string& Of(events::NameId id) {
    auto [entry, is_new] = clean_.try_emplace(id);
    if (is_new) entry->second = Clean(view_.name(id));
    return entry->second;
  }

 private:
  static std::string Clean(std::string_view text) {
    using Json = nlohmann::json;
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
  }
  const timeline::View& view_;
  std::unordered_map<events::NameId, std::string> clean_;
};

// What a row is made of.
struct Row {
  const Moment& moment;
  CleanNames& names;
};
// Writes a row's value, or that it has none, to the end of a column.
using Put = ArrowErrorCode (*)(const Row& row, ArrowArray* column);

struct ArrowColumn {
  const char* name;
  ArrowType type;
  Put put;
};

ArrowErrorCode PutText(ArrowArray* column, std::string_view text) {
  return ArrowArrayAppendString(column, {text.data(), static_cast<int64_t>(text.size())});
}
ArrowErrorCode PutName(const Row& row, ArrowArray* column, events::NameId name) {
  return name == 0 ? ArrowArrayAppendNull(column, 1) : PutText(column, row.names.Of(name));
}
template <Series kSeries>
ArrowErrorCode PutLevel(const Row& row, ArrowArray* column) {
  return ArrowArrayAppendInt(column, ValueOf(row.moment.values, kSeries));
}

bool TellsSettings(const Event& event) {
  return event.kind == EventKind::kMarker;
}  // where others have an operator

constexpr ArrowColumn kArrowColumns[] = {
    {"index", NANOARROW_TYPE_UINT64,
     [](const Row& row, ArrowArray* out) { return ArrowArrayAppendUInt(out, row.moment.index); }},
    {"time_ns", NANOARROW_TYPE_INT64,
     [](const Row& row, ArrowArray* out) { return ArrowArrayAppendInt(out, row.moment.event.time_ns); }},
    {"kind", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) { return PutText(out, NameOf(row.moment.event.kind)); }},
    {"source", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) { return PutText(out, NameOf(row.moment.event.source)); }},
    {"phase", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) { return PutText(out, NameOf(row.moment.event.phase)); }},
    {"device", NANOARROW_TYPE_UINT8,
     [](const Row& row, ArrowArray* out) { return ArrowArrayAppendUInt(out, row.moment.event.device); }},
    {"stream", NANOARROW_TYPE_UINT64,
     [](const Row& row, ArrowArray* out) { return ArrowArrayAppendUInt(out, row.moment.event.stream); }},
    {"thread", NANOARROW_TYPE_UINT32,
     [](const Row& row, ArrowArray* out) { return ArrowArrayAppendUInt(out, row.moment.event.thread); }},
    {"address", NANOARROW_TYPE_UINT64,
     [](const Row& row, ArrowArray* out) {
       const bool has_address = HasAddress(row.moment.event.kind);
       return has_address ? ArrowArrayAppendUInt(out, row.moment.event.address)
                          : ArrowArrayAppendNull(out, 1);
     }},
    {"bytes", NANOARROW_TYPE_INT64,
     [](const Row& row, ArrowArray* out) { return ArrowArrayAppendInt(out, row.moment.event.bytes); }},
    {"rounded_bytes", NANOARROW_TYPE_INT64,
     [](const Row& row, ArrowArray* out) {
       return ArrowArrayAppendInt(out, row.moment.event.rounded_bytes);
     }},
    {"category", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) {
       const bool is_of_block = IsOfBlock(row.moment.event.kind);
       return is_of_block ? PutText(out, KeyOf(row.moment.event.category)) : ArrowArrayAppendNull(out, 1);
     }},
    {"layer", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) { return PutName(row, out, row.moment.event.layer); }},
    {"operator", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) {
       return PutName(row, out, TellsSettings(row.moment.event) ? 0 : row.moment.event.op);
     }},
    {"name", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) { return PutName(row, out, row.moment.event.name); }},
    {"value", NANOARROW_TYPE_DOUBLE,
     [](const Row& row, ArrowArray* out) {
       const bool has_value = row.moment.event.kind == EventKind::kMetric;
       return has_value ? ArrowArrayAppendDouble(out, events::MetricOf(row.moment.event))
                        : ArrowArrayAppendNull(out, 1);
     }},
    {"recompute", NANOARROW_TYPE_BOOL,
     [](const Row& row, ArrowArray* out) {
       return ArrowArrayAppendInt(out, row.moment.event.recompute != 0);
     }},
    {"allocated_bytes", NANOARROW_TYPE_INT64, PutLevel<Series::kAllocated>},
    {"requested_bytes", NANOARROW_TYPE_INT64, PutLevel<Series::kRequested>},
    {"reserved_bytes", NANOARROW_TYPE_INT64, PutLevel<Series::kReserved>},
    {"settings", NANOARROW_TYPE_STRING,
     [](const Row& row, ArrowArray* out) {
       return PutName(row, out, TellsSettings(row.moment.event) ? row.moment.event.op : 0);
     }},
};

constexpr int64_t kRowsOfABatch = 1 << 16;  // what a reader takes at a time

class ArrowExporter final : public Exporter {
 public:
  ArrowExporter(const timeline::View& view, const events::RunDescription& description)
      : names_(view), description_(description) {}

  void Begin(std::string& out) override {
    ArrowIpcOutputStream stream{};
    Keep(ArrowIpcOutputStreamInitBuffer(&stream, written_.get()));
    Keep(ArrowIpcWriterInit(writer_.get(), &stream));
    DescribeColumns();
    if (failed()) return;
    Keep(ArrowIpcWriterStartFile(writer_.get(), &error_));
    Keep(ArrowIpcWriterWriteSchema(writer_.get(), schema_.get(), &error_));
    Keep(ArrowArrayViewInitFromSchema(batch_view_.get(), schema_.get(), &error_));
    BeginBatch();
    Take(out);
  }

  void Add(const Moment& moment, std::string& out) override {
    if (failed() || moment.event.kind == EventKind::kName) return;
    const Row row{moment, names_};
    for (size_t i = 0; i < std::size(kArrowColumns); ++i)
      Keep(kArrowColumns[i].put(row, batch_->children[i]));
    Keep(ArrowArrayFinishElement(batch_.get()));
    if (!failed() && batch_->length == kRowsOfABatch) EndBatch(out);
  }

  void End(std::string& out) override {
    if (failed()) return;
    if (batch_->length > 0) EndBatch(out);
    Keep(ArrowIpcWriterWriteArrayView(writer_.get(), nullptr,
                                      &error_));  // the end, for who reads it as a stream
    Keep(ArrowIpcWriterFinalizeFile(writer_.get(), &error_));
    Take(out);
  }

  Status Outcome() const override {
    if (!failed()) return Done{};
    return Error{"The Arrow table cannot be written: " + std::string(error_.message) + "."};
  }

 private:
  bool failed() const { return code_ != NANOARROW_OK; }
  // The first failure stays.
  void Keep(ArrowErrorCode code) {
    if (failed() || code == NANOARROW_OK) return;
    code_ = code;
    if (error_.message[0] == '\0') ArrowErrorSetString(&error_, std::strerror(code));
  }

  void DescribeColumns() {
    ArrowSchemaInit(schema_.get());
    Keep(ArrowSchemaSetTypeStruct(schema_.get(), std::size(kArrowColumns)));
    if (failed()) return;
    for (size_t i = 0; i < std::size(kArrowColumns); ++i) {
      Keep(ArrowSchemaSetType(schema_->children[i], kArrowColumns[i].type));
      Keep(ArrowSchemaSetName(schema_->children[i], kArrowColumns[i].name));
    }
    nanoarrow::UniqueBuffer metadata;
    Keep(ArrowMetadataBuilderInit(metadata.get(), nullptr));
    const std::string run = events::ToJson(description_);
    Keep(ArrowMetadataBuilderAppend(metadata.get(), ArrowCharView("tidemark.run"),
                                    {run.data(), static_cast<int64_t>(run.size())}));
    Keep(ArrowSchemaSetMetadata(schema_.get(), reinterpret_cast<const char*>(metadata->data)));
  }

  void BeginBatch() {
    batch_.reset();
    Keep(ArrowArrayInitFromSchema(batch_.get(), schema_.get(), &error_));
    Keep(ArrowArrayStartAppending(batch_.get()));
  }

  void EndBatch(std::string& out) {
    Keep(ArrowArrayFinishBuildingDefault(batch_.get(), &error_));
    Keep(ArrowArrayViewSetArray(batch_view_.get(), batch_.get(), &error_));
    Keep(ArrowIpcWriterWriteArrayView(writer_.get(), batch_view_.get(), &error_));
    BeginBatch();
    Take(out);
  }

  void Take(std::string& out) {
    out.append(reinterpret_cast<const char*>(written_->data), static_cast<size_t>(written_->size_bytes));
    written_->size_bytes = 0;
  }

  CleanNames names_;
  const events::RunDescription& description_;
  nanoarrow::UniqueBuffer written_;
  nanoarrow::ipc::UniqueWriter writer_;
  nanoarrow::UniqueSchema schema_;
  nanoarrow::UniqueArray batch_;
  nanoarrow::UniqueArrayView batch_view_;
  ArrowErrorCode code_ = NANOARROW_OK;
  ArrowError error_{};
};

}  // namespace

std::unique_ptr<Exporter> MakeArrowExporter(const timeline::View& view,
                                            const events::RunDescription& description) {
  return std::make_unique<ArrowExporter>(view, description);
}

}  // namespace tidemark::trace
