#include "profiler/base/csv.h"

#include "tests/support/catch.h"

namespace tidemark {

TEST_CASE("A field of a table is quoted where it would end it, and its quotes are doubled") {
  CHECK(CsvField("aten::conv2d") == "aten::conv2d");
  CHECK(CsvField("").empty());
  CHECK(CsvField("conv<3, 3>") == "\"conv<3, 3>\"");
  CHECK(CsvField("a \"b\"") == "\"a \"\"b\"\"\"");
  CHECK(CsvField("a\r\nb") == "\"a\r\nb\"");
  std::string row = "1,";
  AppendCsvField("x\ny", row);
  CHECK(row == "1,\"x\ny\"");
}

}  // namespace tidemark
