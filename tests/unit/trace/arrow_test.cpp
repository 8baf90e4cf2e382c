// What nanoarrow's own reader finds in the files that are written with its writer.
#include <algorithm>
#include <nanoarrow/nanoarrow.hpp>
#include <nanoarrow/nanoarrow_ipc.hpp>
#include <string>
#include <vector>

#include "profiler/trace/exporters/export.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

class ArrowTable {
 public:
  explicit ArrowTable(const std::string& file) {
    REQUIRE(file.starts_with("ARROW1"));
    REQUIRE(file.ends_with("ARROW1"));
    nanoarrow::UniqueBuffer bytes;
    const std::string_view stream = std::string_view(file).substr(8);  // after the file's own beginning
    REQUIRE(ArrowBufferAppend(bytes.get(), stream.data(), static_cast<int64_t>(stream.size())) ==
            NANOARROW_OK);
    ArrowIpcInputStream input{};
    REQUIRE(ArrowIpcInputStreamInitBuffer(&input, bytes.get()) == NANOARROW_OK);
    REQUIRE(ArrowIpcArrayStreamReaderInit(stream_.get(), &input, nullptr) == NANOARROW_OK);
    REQUIRE(ArrowArrayStreamGetSchema(stream_.get(), schema_.get(), nullptr) == NANOARROW_OK);
    for (;;) {
      nanoarrow::UniqueArray batch;
      REQUIRE(ArrowArrayStreamGetNext(stream_.get(), batch.get(), nullptr) == NANOARROW_OK);
      if (batch->release == nullptr) return;
      rows += batch->length;
      batches_.push_back(std::move(batch));
    }
  }

  int64_t rows = 0;

  std::string Run() const {
    ArrowStringView value{};
    REQUIRE(ArrowMetadataGetValue(schema_->metadata, ArrowCharView("tidemark.run"), &value) == NANOARROW_OK);
    return {value.data, static_cast<size_t>(value.size_bytes)};
  }

  // What a row of the first batch has in a column: as text; "-" is none.
  std::string At(int64_t row, const std::string& column) const {
    nanoarrow::UniqueArrayView view;
    REQUIRE(ArrowArrayViewInitFromSchema(view.get(), schema_.get(), nullptr) == NANOARROW_OK);
    REQUIRE(ArrowArrayViewSetArray(view.get(), batches_.at(0).get(), nullptr) == NANOARROW_OK);
    for (int64_t i = 0; i < schema_->n_children; ++i) {
      if (schema_->children[i]->name != column) continue;
      const ArrowArrayView* values = view->children[i];
      if (ArrowArrayViewIsNull(values, row)) return "-";
      if (values->storage_type == NANOARROW_TYPE_STRING) {
        const ArrowStringView text = ArrowArrayViewGetStringUnsafe(values, row);
        return {text.data, static_cast<size_t>(text.size_bytes)};
      }
      if (values->storage_type == NANOARROW_TYPE_DOUBLE) {
        return std::to_string(ArrowArrayViewGetDoubleUnsafe(values, row));
      }
      return std::to_string(ArrowArrayViewGetIntUnsafe(values, row));
    }
    FAIL("no column " << column);
    return {};
  }

  int64_t RowOf(const std::string& kind) const {
    for (int64_t row = 0; row < rows; ++row) {
      if (At(row, "kind") == kind) return row;
    }
    FAIL("no row " << kind);
    return 0;
  }

 private:
  nanoarrow::UniqueArrayStream stream_;
  nanoarrow::UniqueSchema schema_;
  std::vector<nanoarrow::UniqueArray> batches_;
};

ArrowTable ExportedTable(const timeline::View& view, const events::RunDescription& description = {}) {
  const Scratch scratch;
  REQUIRE(Export(view, description, ExportFormat::kArrow, scratch / "out").ok());
  return ArrowTable(ReadFile(scratch / "out"));
}

TEST_CASE("Arrow: a row for each event that is more than a name, with its values", "[export]") {
  Stream run = SampleRun();
  run.Allocate(1 << 30, 1000, events::Category::kActivation);
  run.events.back().pool = 3;
  run.Add({.bytes = 4096, .kind = events::EventKind::kCounter, .level = events::Level::kCard});
  const auto view = run.View();
  events::RunDescription description;
  description.title = "Net on \"phantom\"";
  const ArrowTable table = ExportedTable(*view, description);
  const auto names = std::count_if(run.events.begin(), run.events.end(), [](const events::Event& event) {
    return event.kind == events::EventKind::kName;
  });
  CHECK(table.rows == static_cast<int64_t>(run.events.size()) - names);
  CHECK(table.Run() == events::ToJson(description));

  const int64_t block = table.RowOf("allocate");
  CHECK(table.At(block, "address") == std::to_string(1 << 20));
  CHECK(table.At(block, "bytes") == "1000");
  CHECK(table.At(block, "rounded_bytes") == "1024");
  CHECK(table.At(block, "allocated_bytes") == "1024");
  CHECK(table.At(block, "reserved_bytes") == std::to_string(2 << 20));
  CHECK(table.At(block, "category") == "parameter");
  CHECK(table.At(block, "layer") == "conv1");
  CHECK(table.At(block, "operator") == "aten::convolution");
  CHECK(table.At(block, "value") == "-");

  CHECK(table.At(table.rows - 1, "level") == "card");
  CHECK(table.At(block, "level") == "-");
  CHECK(table.At(table.rows - 2, "pool") == "3");
  CHECK(table.At(block, "pool") == "0");

  const int64_t marker = table.RowOf("marker");
  CHECK(table.At(marker, "name") == "start, with \"quotes\"");
  CHECK(table.At(marker, "settings") == R"({"batch": 64})");
  CHECK(table.At(marker, "operator") == "-");
  CHECK(table.At(marker, "address") == "-");
  CHECK(table.At(table.RowOf("metric"), "value") == "2.500000");
}

TEST_CASE("Arrow: what nobody told of is none", "[export]") {
  const ArrowTable untold = ExportedTable(*UntoldRun().View());
  const int64_t counted = untold.RowOf("counter");
  for (const char* level : {"allocated_bytes", "requested_bytes", "reserved_bytes"})
    CHECK(untold.At(counted, level) == "-");
  Stream without_segments;
  without_segments.Allocate(1 << 20, 1000, events::Category::kActivation);
  const ArrowTable table = ExportedTable(*without_segments.View());
  CHECK(table.At(0, "allocated_bytes") == "1024");
  CHECK(table.At(0, "reserved_bytes") == "-");
}

TEST_CASE("Arrow: many batches, none, and names that are no UTF-8", "[export]") {
  CHECK(ExportedTable(*Stream().View()).rows == 0);
  Stream many;
  many.Name(1, "bad \xff name");
  for (int i = 0; i < 70'000; ++i) many.Metric(1, i, i);
  const ArrowTable table = ExportedTable(*many.View());
  CHECK(table.rows == 70'000);
  CHECK(table.At(0, "name") == "bad \xef\xbf\xbd name");
}

}  // namespace
}  // namespace tidemark::trace
