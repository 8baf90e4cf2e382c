// A run as one Arrow table in Arrow's file format (what pandas calls Feather): a row for each event, with the
// columns of the CSV; the run's description is in the schema's metadata. Names are told in the rows that use
// them, so events that only define one have no row.
#include <cstring>
#include <iterator>
#include <nanoarrow/nanoarrow.hpp>
#include <nanoarrow/nanoarrow_ipc.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/trace/exporters/arrow_columns.h"
#include "profiler/trace/exporters/exporter.h"

namespace tidemark::trace {
namespace {

using events::Event;
using events::EventKind;
using timeline::Series;

// What a row is made of.
struct Row {
  Event event;
  timeline::EventIndex index = 0;
  std::optional<int64_t> allocated;  // none: nobody told of it
  std::optional<int64_t> requested;
  std::optional<int64_t> reserved;
};
using Rows = std::span<const Row>;
// Writes the rows' values, or that they have none, to the end of a column.
using Put = ArrowErrorCode (*)(Rows rows, const timeline::View& view, ArrowArray* column);

struct ArrowColumn {
  const char* name;
  ArrowType type;
  Put put;
};

// Where others have an operator.
bool TellsSettings(const Event& event) { return event.kind == EventKind::kMarker; }

template <typename Number, Number Row::*kNumber>
ArrowErrorCode OfRow(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutNumbers<Number>(rows, column, [](const Row& row) { return row.*kNumber; });
}
template <std::optional<int64_t> Row::*kBytes>
ArrowErrorCode IfTold(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutNumbersOrNone<int64_t>(rows, column, [](const Row& row) { return row.*kBytes; });
}
template <typename Number, Number Event::*kNumber>
ArrowErrorCode OfEvent(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutNumbers<Number>(rows, column, [](const Row& row) { return row.event.*kNumber; });
}
template <auto kWord>
ArrowErrorCode InWords(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutTextsOrNone(rows, column, [](const Row& row) { return std::optional(NameOf(row.event.*kWord)); });
}
// `kName` gives an event's name; 0 = none.
template <auto kName>
ArrowErrorCode Named(Rows rows, const timeline::View& view, ArrowArray* column) {
  return PutTextsOrNone(rows, column, [&view](const Row& row) -> std::optional<std::string_view> {
    const events::NameId name = kName(row.event);
    if (name == 0) return std::nullopt;
    return view.name(name);
  });
}

ArrowErrorCode PutAddresses(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutNumbersOrNone<uint64_t>(rows, column, [](const Row& row) {
    return HasAddress(row.event.kind) ? std::optional(row.event.address) : std::nullopt;
  });
}
ArrowErrorCode PutCategories(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutTextsOrNone(rows, column, [](const Row& row) {
    return IsOfBlock(row.event.kind) ? std::optional(KeyOf(row.event.category)) : std::nullopt;
  });
}
ArrowErrorCode PutLevels(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutTextsOrNone(rows, column, [](const Row& row) {
    return TellsLevel(row.event) ? std::optional(NameOf(row.event.level)) : std::nullopt;
  });
}
ArrowErrorCode PutShapes(Rows rows, const timeline::View& view, ArrowArray* column) {
  return PutTextsOrNone(rows, column, [&view](const Row& row) -> std::optional<std::string_view> {
    const events::NameId shape = view.ShapeOf(row.index);
    if (shape == 0) return std::nullopt;
    return view.name(shape);
  });
}
ArrowErrorCode PutMetrics(Rows rows, const timeline::View&, ArrowArray* column) {
  return PutNumbersOrNone<double>(rows, column, [](const Row& row) {
    return row.event.kind == EventKind::kMetric ? std::optional(events::MetricOf(row.event)) : std::nullopt;
  });
}
ArrowErrorCode PutRecomputes(Rows rows, const timeline::View&, ArrowArray* column) {
  for (const Row& row : rows) {
    const ArrowErrorCode code = ArrowArrayAppendInt(column, row.event.recompute != 0 ? 1 : 0);
    if (code != NANOARROW_OK) return code;
  }
  return NANOARROW_OK;
}

events::NameId LayerOf(const Event& event) { return event.layer; }
events::NameId OperatorOf(const Event& event) { return TellsSettings(event) ? 0 : event.op; }
events::NameId OwnNameOf(const Event& event) { return event.name; }
events::NameId SettingsOf(const Event& event) { return TellsSettings(event) ? event.op : 0; }

constexpr ArrowColumn kArrowColumns[] = {
    {"index", NANOARROW_TYPE_UINT64, OfRow<uint64_t, &Row::index>},
    {"time_ns", NANOARROW_TYPE_INT64, OfEvent<int64_t, &Event::time_ns>},
    {"kind", NANOARROW_TYPE_STRING, InWords<&Event::kind>},
    {"source", NANOARROW_TYPE_STRING, InWords<&Event::source>},
    {"phase", NANOARROW_TYPE_STRING, InWords<&Event::phase>},
    {"device", NANOARROW_TYPE_UINT8, OfEvent<uint8_t, &Event::device>},
    {"stream", NANOARROW_TYPE_UINT64, OfEvent<uint64_t, &Event::stream>},
    {"thread", NANOARROW_TYPE_UINT32, OfEvent<uint32_t, &Event::thread>},
    {"address", NANOARROW_TYPE_UINT64, PutAddresses},
    {"bytes", NANOARROW_TYPE_INT64, OfEvent<int64_t, &Event::bytes>},
    {"rounded_bytes", NANOARROW_TYPE_INT64, OfEvent<int64_t, &Event::rounded_bytes>},
    {"category", NANOARROW_TYPE_STRING, PutCategories},
    {"layer", NANOARROW_TYPE_STRING, Named<LayerOf>},
    {"operator", NANOARROW_TYPE_STRING, Named<OperatorOf>},
    {"name", NANOARROW_TYPE_STRING, Named<OwnNameOf>},
    {"value", NANOARROW_TYPE_DOUBLE, PutMetrics},
    {"recompute", NANOARROW_TYPE_BOOL, PutRecomputes},
    {"allocated_bytes", NANOARROW_TYPE_INT64, IfTold<&Row::allocated>},
    {"requested_bytes", NANOARROW_TYPE_INT64, IfTold<&Row::requested>},
    {"reserved_bytes", NANOARROW_TYPE_INT64, IfTold<&Row::reserved>},
    {"settings", NANOARROW_TYPE_STRING, Named<SettingsOf>},
    {"level", NANOARROW_TYPE_STRING, PutLevels},
    {"pool", NANOARROW_TYPE_UINT8, OfEvent<uint8_t, &Event::pool>},
    {"shape", NANOARROW_TYPE_STRING, PutShapes},
};

constexpr int64_t kRowsOfABatch = 1 << 16;  // what a reader takes at a time
static_assert(kRowsOfABatch % kArrowRowsAtOnce == 0);

class ArrowExporter final : public Exporter {
 public:
  ArrowExporter(const timeline::View& view, const events::RunDescription& description)
      : view_(view), told_(view), description_(description) {}

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
    const auto if_told = [&](bool is_told, Series level) {
      return is_told ? std::optional(ValueOf(moment.values, level)) : std::nullopt;
    };
    rows_.push_back({moment.event, moment.index, if_told(told_.blocks, Series::kAllocated),
                     if_told(told_.blocks, Series::kRequested), if_told(told_.reserved, Series::kReserved)});
    if (rows_.size() < kArrowRowsAtOnce) return;
    PutRows();
    if (!failed() && batch_->length == kRowsOfABatch) EndBatch(out);
  }

  void End(std::string& out) override {
    PutRows();
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

  void PutRows() {
    for (size_t i = 0; i < std::size(kArrowColumns) && !failed(); ++i)
      Keep(kArrowColumns[i].put(rows_, view_, batch_->children[i]));
    batch_->length += static_cast<int64_t>(rows_.size());
    rows_.clear();
  }

  void BeginBatch() {
    batch_.reset();
    Keep(ArrowArrayInitFromSchema(batch_.get(), schema_.get(), &error_));
    Keep(ArrowArrayStartAppending(batch_.get()));
    if (!failed()) Keep(ArrowArrayReserve(batch_.get(), kRowsOfABatch));
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

  const timeline::View& view_;
  const Told told_;
  const events::RunDescription& description_;
  std::vector<Row> rows_;  // that are not in the batch yet
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
