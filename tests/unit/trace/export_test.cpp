#include "profiler/trace/exporters/export.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiler/base/utf8.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/sample_run.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

using Json = nlohmann::json;
using timeline::Series;

events::RunDescription ExportedRun() {
  return {"Net on \"phantom\"",
          "phantom",
          "NVIDIA H200",
          1 << 30,
          R"({"batch": 64})",
          "trainer 0.1",
          17,
          42,
          0,
          "",
          "",
          {}};
}

std::string Exported(const timeline::View& view, ExportFormat format) {
  const Scratch scratch;
  const Status done = Export(view, ExportedRun(), format, scratch / "out");
  if (!done) FAIL(done.error().message);
  CHECK(scratch.FileCount() == 1);
  return ReadFile(scratch / "out");
}

Json Chrome(const timeline::View& view) { return Json::parse(Exported(view, ExportFormat::kChrome)); }

std::vector<Json> Select(const Json& trace, const std::string& phase, const std::string& name = "") {
  std::vector<Json> selected;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == phase && (name.empty() || event["name"] == name)) selected.push_back(event);
  }
  return selected;
}

TEST_CASE("Chrome JSON: what the run is", "[export]") {
  const Json trace = Chrome(*SampleRun().View());
  CHECK(trace["displayTimeUnit"] == "ms");
  CHECK(trace["baseTimeNanoseconds"] == Stream::kBaseNs);
  CHECK(trace["deviceProperties"][0]["name"] == "NVIDIA H200");
  CHECK(trace["otherData"]["settings"]["batch"] == 64);
  CHECK(trace["otherData"]["events_lost"] == 7);
  CHECK(trace["otherData"]["health"].size() >= 1);
  CHECK(Select(trace, "M", "process_name").at(0)["args"]["name"] == "Net on \"phantom\"");
  std::vector<std::string> tracks;
  for (const Json& track : Select(trace, "M", "thread_name")) tracks.push_back(track["args"]["name"]);
  CHECK(tracks == std::vector<std::string>{"steps", "micro-batches", "phases", "thread 77", "thread 78"});
}

TEST_CASE("Chrome JSON: the counters are the view's curves", "[export]") {
  const auto view = SampleRun().View();
  const Json trace = Chrome(*view);
  std::map<std::string, int64_t> values;
  std::map<std::string, int64_t> largest;
  bool is_first = true;
  for (const Json& counter : Select(trace, "C")) {
    for (const auto& [key, value] : counter["args"].items()) {
      if (!value.is_number_integer()) continue;
      const std::string name = key == "bytes" ? std::string(counter["name"]) : key;
      values[name] = value;
      largest[name] = std::max(largest[name], values[name]);
    }
    if (counter["name"] != "memory by category") continue;
    CHECK(counter["args"].contains("parameter"));
    CHECK((counter["args"].contains("activation") || values["activation"] == 0));  // 0 for any reader
    if (is_first) CHECK(counter["args"].size() == 2);                              // the only ones in use
    is_first = false;
  }
  CHECK(!is_first);
  const auto last = view->ValuesAt(view->end() - 1);
  CHECK(values["allocated"] == ValueOf(last, Series::kAllocated));
  CHECK(values["requested"] == ValueOf(last, Series::kRequested));
  CHECK(values["reserved"] == 2 << 20);
  CHECK(values["parameter"] == 1024);
  CHECK(values["activation"] == 0);
  CHECK(largest["allocated"] == 1024 + 5120);
  CHECK(largest["requested"] == 6000);
  CHECK(largest["activation"] == 5120);
  CHECK(Select(trace, "C", "device used").at(0)["args"]["value"] == 12345);
  const auto losses = Select(trace, "C", "loss");
  REQUIRE(losses.size() == 2);
  CHECK(losses[1]["args"]["value"] == 1.5);
}

TEST_CASE("Chrome JSON: allocations and frees as torch.profiler writes them", "[export]") {
  const Json trace = Chrome(*SampleRun().View());
  const auto instants = Select(trace, "i", "[memory]");
  REQUIRE(instants.size() == 9);
  const Json& allocation = instants[1];
  CHECK(allocation["s"] == "t");
  CHECK(allocation["tid"] == 77);
  CHECK(allocation["args"]["Bytes"] == 5120);
  CHECK(allocation["args"]["Requested"] == 5000);
  CHECK(allocation["args"]["Total Allocated"] == 6144);
  CHECK(allocation["args"]["Total Reserved"] == 2 << 20);
  CHECK(allocation["args"]["Addr"] == (1 << 20) + 4096);
  CHECK(allocation["args"]["Device Type"] == 1);
  CHECK(allocation["args"]["Category"] == "activation");
  CHECK(allocation["args"]["Layer"] == "conv1");
  CHECK(instants[2]["args"]["Bytes"] == -5120);
  CHECK(instants[2]["args"]["Total Allocated"] == 1024);
}

TEST_CASE("an allocation is exported with the shape of its tensor", "[export]") {
  Stream run;
  run.Name(1, "float16 [2, 250]");
  run.Allocate(1 << 20, 1000, events::Category::kActivation);
  run.Add({.address = 1 << 20, .name = 1, .kind = events::EventKind::kTensorShape});
  run.Allocate(1 << 21, 1000, events::Category::kActivation);
  const auto view = run.View();
  const auto instants = Select(Chrome(*view), "i", "[memory]");
  CHECK(instants.at(0)["args"]["Shape"] == "float16 [2, 250]");
  CHECK_FALSE(instants.at(1)["args"].contains("Shape"));
  const std::string csv = Exported(*view, ExportFormat::kCsv);
  CHECK(csv.find(",pool,shape\n") != std::string::npos);
  CHECK(csv.find(",0,\"float16 [2, 250]\"\n") != std::string::npos);
  CHECK(Exported(*view, ExportFormat::kPickle).find("float16 [2, 250]") != std::string::npos);
}

TEST_CASE("what a snapshot has no place for is told in words of what it is", "[export]") {
  Stream stream;
  stream.Allocate(0x1000, 512, events::Category::kUnknown);
  stream.Add(
      {.address = 0x1000, .kind = events::EventKind::kCategorize, .category = events::Category::kParameter});
  stream.Scope(true, 1, 0);
  CHECK(LeftOutBy(ExportFormat::kPickle, *stream.View()) ==
        std::vector<std::string>{"The format has no place for these, which are left out: changes of what a "
                                 "block holds (but for the last of each): 1; runs of layers and operators: "
                                 "1."});
}

TEST_CASE("bookmarks are instants of a trace, in time's order and inside the run", "[export]") {
  const auto view = SampleRun().View();
  const int64_t begin_ns = view->TimeOf(view->first());
  const int64_t end_ns = view->TimeOf(view->end() - 1);
  const std::vector<Bookmark> bookmarks = {
      {begin_ns - 5000, "before all"}, {begin_ns + 1000, "a \"quoted\" one"}, {end_ns + 9000, "after all"}};
  const Scratch scratch;
  REQUIRE(Export(*view, {}, ExportFormat::kChrome, scratch / "run.json", {}, bookmarks).ok());
  const Json trace = Json::parse(ReadFile(scratch / "run.json"));
  std::vector<Json> marks;
  for (const Json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "bookmark") marks.push_back(event);
  }
  REQUIRE(marks.size() == 3);
  CHECK(marks[0]["name"] == "before all");
  CHECK(marks[0]["ts"] == 0);
  CHECK(marks[1]["name"] == "a \"quoted\" one");
  CHECK(marks[1]["ts"] == 1);
  CHECK(marks[2]["ts"].get<double>() * 1000 == Approx(end_ns - begin_ns));
  REQUIRE(Export(*view, {}, ExportFormat::kPerfetto, scratch / "run.pftrace", {}, bookmarks).ok());
  const std::string bytes = ReadFile(scratch / "run.pftrace");
  const size_t first = bytes.find("before all");
  CHECK(first < bytes.find("a \"quoted\" one"));
  CHECK(bytes.find("after all") != std::string::npos);
  CHECK(LeftOutBy(ExportFormat::kPerfetto, *view, 3) == LeftOutBy(ExportFormat::kPerfetto, *view));
  const auto empty = timeline::Builder().Publish();
  CHECK(LeftOutBy(ExportFormat::kPerfetto, *empty, 1).front().find("bookmarks are left out") !=
        std::string::npos);
  CHECK(LeftOutBy(ExportFormat::kPerfetto, *empty).empty());
  REQUIRE(Export(*empty, {}, ExportFormat::kChrome, scratch / "empty.json", {}, bookmarks).ok());
  CHECK(LeftOutBy(ExportFormat::kCsv, *view, 3)[1].find("bookmarks; 3 are left out") != std::string::npos);
}

TEST_CASE("Chrome JSON: slices nest, parents come first, and times are exact", "[export]") {
  const Json trace = Chrome(*SampleRun().View());
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> open;  // by track: begin and end, ns
  const auto ns = [](const Json& micro) { return static_cast<int64_t>(micro.get<double>() * 1000 + 0.5); };
  std::map<std::string, int> count;
  for (const Json& slice : Select(trace, "X")) {
    const int64_t begin = ns(slice["ts"]);
    const int64_t end = begin + ns(slice["dur"]);
    auto& stack = open[slice["tid"]];
    while (!stack.empty() && stack.back().second <= begin) stack.pop_back();
    if (!stack.empty()) {
      CHECK(begin >= stack.back().first);
      CHECK(end <= stack.back().second);
    }
    stack.emplace_back(begin, end);
    ++count[slice["name"]];
  }
  CHECK(count == std::map<std::string, int>{{"step 0", 1},
                                            {"step 1", 1},
                                            {"micro-batch 0", 2},
                                            {"micro-batch 1", 2},
                                            {"forward", 4},
                                            {"backward", 4},
                                            {"optimizer", 2},
                                            {"conv1", 5},
                                            {"aten::convolution", 8}});
  const auto layers = Select(trace, "X", "conv1");
  const auto operators = Select(trace, "X", "aten::convolution");
  CHECK(layers[0]["ts"] == operators[0]["ts"]);
  CHECK(layers[0]["cat"] == "layer");
  CHECK(operators[0]["cat"] == "cpu_op");
  CHECK(operators[0]["args"]["Layer"] == "conv1");
  CHECK(operators[0]["dur"].get<double>() == Approx(1.234));
}

TEST_CASE("Chrome JSON: markers, out of memory, losses, numbers that JSON has no word for", "[export]") {
  const Json trace = Chrome(*SampleRun().View());
  const auto marker = Select(trace, "i", "start, with \"quotes\"").at(0);
  CHECK(marker["s"] == "g");
  CHECK(Json::parse(marker["args"]["settings"].get<std::string>())["batch"] == 64);
  CHECK(Select(trace, "i", "[OutOfMemory]").at(0)["args"]["Bytes"] == 1 << 30);
  CHECK(Select(trace, "i", "events lost").at(0)["args"]["Events"] == 7);
  CHECK(Select(trace, "i", "loss").at(0)["args"]["value"].get<std::string>().find("nan") !=
        std::string::npos);
}

TEST_CASE("Chrome JSON: a scope that never ends is bounded in memory and still written", "[export]") {
  Stream run;
  run.Name(11, "op");
  run.Scope(true, 0, 11);
  constexpr int kCount = 150'000;
  for (int i = 0; i < kCount; ++i) {
    run.Scope(true, 0, 11);
    run.Scope(false, 0, 11);
  }
  CHECK(Select(Chrome(*run.View()), "X").size() == kCount + 1);
}

TEST_CASE("Chrome JSON: times that no clock tells are numbers", "[export]") {
  Stream run = SampleRun();
  run.events.front().time_ns = std::numeric_limits<int64_t>::min();
  run.events.back().time_ns = std::numeric_limits<int64_t>::max();
  const Json trace = Chrome(*run.View());
  for (const Json& event : trace["traceEvents"]) {
    if (event.contains("ts")) CHECK(event["ts"] >= 0);
    if (event.contains("dur")) CHECK(event["dur"] >= 0);
  }
}

TEST_CASE("an empty view and odd names export to valid files", "[export]") {
  CHECK(Chrome(*Stream().View())["traceEvents"].size() > 0);
  Stream run;
  run.Name(1, "bad \xff utf-8 \x01 and \\ \n");
  run.Add({.name = 1, .kind = events::EventKind::kMarker});
  run.Add({.name = 99, .kind = events::EventKind::kMarker});
  run.Scope(false, 0, 0);
  run.Free(12);
  const Json trace = Chrome(*run.View());
  CHECK(Select(trace, "i").size() == 4);  // two markers and both frees of a block that nobody knows
  CHECK(Exported(*Stream().View(), ExportFormat::kCsv).find("index,time_ns,") == 0);
  const std::string csv = Exported(*run.View(), ExportFormat::kCsv);
  CHECK(csv == ValidUtf8(csv));
  CHECK(csv.find("bad \xef\xbf\xbd utf-8") != std::string::npos);
}

TEST_CASE("settings that are none are exported as the text they are, however deep they nest", "[export]") {
  const Scratch scratch;
  events::RunDescription hostile = ExportedRun();
  hostile.settings_json = std::string(500'000, '[');
  const Status done = Export(*Stream().View(), hostile, ExportFormat::kChrome, scratch / "out");
  REQUIRE(done.ok());
  CHECK(Json::parse(ReadFile(scratch / "out"))["otherData"]["settings"] == hostile.settings_json);
}

// Rows of fields, by RFC 4180.
std::vector<std::vector<std::string>> Rows(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (size_t i = 0; i < csv.size(); ++i) {
    if (quoted && csv[i] == '"' && i + 1 < csv.size() && csv[i + 1] == '"') {
      rows.back().back() += csv[++i];
    } else if (csv[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && csv[i] == ',') {
      rows.back().emplace_back();
    } else if (!quoted && csv[i] == '\n') {
      rows.emplace_back(1);
    } else {
      rows.back().back() += csv[i];
    }
  }
  rows.pop_back();
  return rows;
}

TEST_CASE("CSV: a header and one row per event, with the values after it", "[export]") {
  Stream run = SampleRun();
  run.Allocate(1 << 30, 1000, events::Category::kActivation);
  run.events.back().pool = 3;
  run.Add({.bytes = 4096, .kind = events::EventKind::kCounter, .level = events::Level::kDriver});
  const auto view = run.View();
  const auto rows = Rows(Exported(*view, ExportFormat::kCsv));
  REQUIRE(rows.size() == view->end() + 1);
  std::map<std::string, size_t> column;
  for (size_t i = 0; i < rows[0].size(); ++i) column[rows[0][i]] = i;
  int allocations = 0;
  for (size_t row = 1; row < rows.size(); ++row) {
    REQUIRE(rows[row].size() == rows[0].size());
    const auto field = [&](const char* name) { return rows[row][column.at(name)]; };
    const auto& event = view->event(row - 1);
    CHECK(field("index") == std::to_string(row - 1));
    CHECK(field("time_ns") == std::to_string(event.time_ns));
    CHECK(field("kind") == NameOf(event.kind));
    CHECK(field("allocated_bytes") == std::to_string(ValueOf(view->ValuesAt(row - 1), Series::kAllocated)));
    if (event.kind == events::EventKind::kAllocate) {
      ++allocations;
      CHECK(field("layer") == "conv1");
      CHECK(field("operator") == "aten::convolution");
      CHECK(field("category") == KeyOf(event.category));
      CHECK(field("address").substr(0, 2) == "0x");
    }
    if (event.kind == events::EventKind::kMarker) {
      CHECK(field("name") == "start, with \"quotes\"");
      CHECK(field("detail") == R"({"batch": 64})");
    }
    CHECK(field("pool") == (row == rows.size() - 2 ? "3" : "0"));
    CHECK(field("level") == (row == rows.size() - 1 ? "driver" : ""));
    if (event.kind == events::EventKind::kMetric && event.bytes == 0) CHECK(field("value") == "2.5");
  }
  CHECK(allocations == 6);
}

TEST_CASE("what nobody told of is left out of a trace and empty in a table", "[export]") {
  const auto untold = UntoldRun().View();
  REQUIRE_FALSE(untold->tells_blocks());
  const Json trace = Chrome(*untold);
  for (const char* level : {"allocated", "requested", "reserved"}) CHECK(Select(trace, "C", level).empty());
  const auto fields_of = [](const timeline::View& view, const std::vector<const char*>& names) {
    const auto rows = Rows(Exported(view, ExportFormat::kCsv));
    std::vector<std::string> fields;
    for (const char* name : names)
      fields.push_back(
          rows.back().at(static_cast<size_t>(std::ranges::find(rows[0], name) - rows[0].begin())));
    return fields;
  };
  const std::vector<const char*> levels = {"allocated_bytes", "requested_bytes", "reserved_bytes"};
  CHECK(fields_of(*untold, levels) == std::vector<std::string>{"", "", ""});
  Stream without_segments;
  without_segments.Allocate(1 << 20, 1000, events::Category::kActivation);
  const auto view = without_segments.View();
  CHECK(fields_of(*view, levels) == std::vector<std::string>{"1024", "1000", ""});
  CHECK(Select(Chrome(*view), "C", "reserved").empty());
  CHECK(Select(Chrome(*view), "C", "allocated").size() == 1);
}

TEST_CASE("an export that fails leaves nothing behind and keeps what was there", "[export]") {
  const auto view = SampleRun().View();
  const Scratch scratch;
  const auto format = GENERATE(ExportFormat::kChrome, ExportFormat::kCsv);
  const auto error_of = [&](const std::filesystem::path& file) {
    const Status done = Export(*view, ExportedRun(), format, file);
    REQUIRE_FALSE(done.ok());
    CHECK(done.error().message.find(file.string()) != std::string::npos);
    return done.error().message;
  };
  CHECK(error_of("/dev/full").find("Free some space") != std::string::npos);
  CHECK(error_of(scratch / "no/such/out").find("Create its folder") != std::string::npos);
  CHECK(error_of(scratch / ".").find("irectory") != std::string::npos);

  WriteFile(scratch / "out", "before");
  const Status cancelled =
      Export(*view, ExportedRun(), format, scratch / "out", [](double) { return false; });
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().message.find("cancelled") != std::string::npos);
  CHECK(ReadFile(scratch / "out") == "before");
  CHECK(scratch.FileCount() == 1);

  std::filesystem::create_symlink(scratch / "out", scratch / "link");
  REQUIRE(Export(*view, ExportedRun(), format, scratch / "link").ok());
  CHECK(std::filesystem::is_symlink(scratch / "link"));
  CHECK(ReadFile(scratch / "out").size() > 1000);
}

TEST_CASE("progress ends at 1", "[export]") {
  const Scratch scratch;
  std::vector<double> seen;
  REQUIRE(Export(*SampleRun().View(), ExportedRun(), ExportFormat::kCsv, scratch / "out", [&](double share) {
            seen.push_back(share);
            return true;
          }).ok());
  REQUIRE_FALSE(seen.empty());
  CHECK(seen.back() == 1);
}

TEST_CASE("formats have names", "[export]") {
  CHECK(*ExportFormatFromText("chrome") == ExportFormat::kChrome);
  CHECK(*ExportFormatFromText("csv") == ExportFormat::kCsv);
  CHECK(*ExportFormatFromText("perfetto") == ExportFormat::kPerfetto);
  CHECK(*ExportFormatFromText("sqlite") == ExportFormat::kSqlite);
  CHECK(ExportFormatFromText("pdf").error().message.find("chrome, csv, arrow, sqlite, pickle") !=
        std::string::npos);
}

}  // namespace
}  // namespace tidemark::trace
