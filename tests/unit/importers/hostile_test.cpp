// Files that strangers made to hurt: each ends in a sentence, soon, and with little memory.
#include <algorithm>
#include <chrono>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/importers/pickles.h"

namespace tidemark::trace {
namespace {

using events::EventKind;
using std::literals::string_view_literals::operator""sv;

std::string ErrorOf(std::string_view bytes) { return ImportedFrom(bytes).error; }
bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST_CASE("a pickle that asks to run code runs none, and is told with its place", "[importers]") {
  CHECK(Contains(ErrorOf("\x80\x02"
                         "cos\nsystem\nX\x04\x00\x00\x00true\x85R."sv),
                 "at byte 2, it asks to run code of Python (opcode 'c')"));
  CHECK(Contains(ErrorOf("\x80\x04\x8c\x02os\x8c\x06system\x93."), "at byte 14, it asks to run code"));
  for (const std::string opcode : {"R", "b", "i", "o", "P", "Q", "\x81", "\x82", "\x92", "\x97"}) {
    CHECK(Contains(ErrorOf("\x80\x02N" + opcode), "at byte 3, it asks to run code"));
  }
}

TEST_CASE("pickles that are none", "[importers]") {
  CHECK(Contains(ErrorOf("\x80\x06."), "at byte 0, it is of protocol 6"));
  CHECK(Contains(ErrorOf("\x80\x02\xff"), "at byte 2, byte 0xff begins nothing"));
  CHECK(Contains(ErrorOf("\x80\x02."), "at byte 2, it ends with more or less than one object"));
  CHECK(Contains(ErrorOf("\x80\x02N."), "no memory snapshot"));
  CHECK(Contains(ErrorOf("\x80\x02u"), "ends that has not begun"));
  CHECK(Contains(ErrorOf("\x80\x02(u"), "no dictionary to put into"));
  CHECK(Contains(ErrorOf("\x80\x02}(Nu."), "a key has no value"));
  CHECK(Contains(ErrorOf("\x80\x02s"), "a value is missing"));
  CHECK(Contains(ErrorOf("\x80\x02h\x07"), "it has not put aside"));
  CHECK(Contains(ErrorOf("\x80\x02Nr\xff\xff\xff\xff"), "a number that none has"));
  CHECK(Contains(ErrorOf(std::string("\x80\x02") + "Iseven\n"), "no number where one is announced"));
  CHECK(Contains(ErrorOf("hello"), "nothing that Tidemark can open"));
  CHECK(Contains(ErrorOf("{\"a\": }"), "there is no JSON"));
  CHECK(Contains(ErrorOf("{}"), "no memory snapshot"));
}

TEST_CASE("lengths of 2^63 and other announcements cost nothing", "[importers]") {
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\x7f";
  CHECK(Contains(ErrorOf("\x80\x04\x8d" + huge), "a text of 9223372036854775807 bytes"));
  CHECK(Contains(ErrorOf("\x80\x04\x8e" + huge), "a text of 9223372036854775807 bytes"));
  CHECK(Contains(ErrorOf("\x80\x02\x8b\xff\xff\xff\x7f"), "a number of 2147483647 bytes"));
  CHECK(Contains(ErrorOf("\x80\x02X\xff\xff\xff\x03"
                         "abc"),
                 "the file ends early"));
  CHECK(Contains(ErrorOf("\x80\x04\x95" + huge + "N."),
                 "no memory snapshot"));  // a frame's length is not needed
}

TEST_CASE("nesting a million deep does not recurse; lists without end are refused", "[importers]") {
  CHECK(
      Contains(ErrorOf("\x80\x02" + std::string(1'000'000, ']')), "far more memory than its size explains"));
  CHECK(Contains(ErrorOf("\x80\x02" + std::string(1'000'000, '(')), "the file ends early"));
  std::string nested = "\x80\x02]";
  for (int i = 0; i < 100'000; ++i) nested += "]a";
  CHECK_FALSE(ErrorOf(nested + ".").empty());
  CHECK(Contains(ErrorOf(std::string(1'000'000, '[')), "more than 100 levels deep"));
  std::string objects;
  for (int i = 0; i < 200; ++i) objects += "{\"a\":";
  CHECK(Contains(ErrorOf(objects), "more than 100 levels deep"));
}

TEST_CASE("references multiply nothing", "[importers]") {
  // 2^40 segments by references to references, and one trace 100,000 times.
  std::string bomb = "\x80\x02]q\x01";
  for (char level = 2; level < 40; ++level) {
    const std::string below = std::string("h") + static_cast<char>(level - 1);
    bomb += "](" + below + below + "eq" + level;
  }
  CHECK_FALSE(ErrorOf(bomb + ".").empty());
  PickleWriter pickle;
  pickle.Dictionary().Text("device_traces").List().List();
  for (int i = 0; i < 1000; ++i) pickle.Entry("alloc", 512 * (i + 1), 1, i);
  pickle.EndList().Raw("q\x01");
  for (int i = 0; i < 100'000; ++i) pickle.Raw("h\x01");
  pickle.EndList().EndDictionary();
  const ImportedRun run = ImportedFrom(pickle.Bytes());
  CHECK(run.Of(EventKind::kAllocate).size() == 1000);
  PickleWriter blocks;
  blocks.Dictionary().Text("segments").List().Segment(512, 1 << 20).Text("blocks").List();
  blocks.Block("active_allocated", 512, 512, 1).Raw("q\x01");
  for (int i = 0; i < 100'000; ++i) blocks.Raw("h\x01");
  blocks.EndList().EndDictionary().EndList().EndDictionary();
  CHECK(ImportedFrom(blocks.Bytes()).Of(EventKind::kAllocate).size() == 1);
}

TEST_CASE("a list that holds itself", "[importers]") {
  CHECK_FALSE(ErrorOf("\x80\x02]q\x01h\x01"
                      "a.")
                  .empty());
  const ImportedRun run = ImportedFrom(
      "\x80\x02}(X\x08\x00\x00\x00segments]q\x01h\x01"
      "aX\x0d\x00\x00\x00"
      "device_tracesh\x01u."sv);
  CHECK(run.error.empty());
}

TEST_CASE("a decompression bomb is refused", "[importers]") {
  const std::string bomb = Gzipped("{\"traceEvents\": [" + std::string(100 << 20, ' '));
  REQUIRE(bomb.size() < 200 << 10);
  CHECK(Contains(ErrorOf(bomb), "unpacks to more than 200 times its size"));
}

TEST_CASE("cut off at any byte: one sentence, and what came before is shown", "[importers]") {
  const std::string whole = SmallSnapshot().Bytes();
  size_t most = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const ImportedRun run = ImportedFrom(whole.substr(0, size));
    INFO(size);
    if (!run.error.empty()) continue;  // before there was anything to show
    CHECK_FALSE(run.summary.complete);
    CHECK(Contains(run.summary.warning, "at byte "));
    const size_t events = run.view->end();
    CHECK(events >= most);
    most = std::max(most, events);
  }
  CHECK(most >= 7);
  CHECK(ImportedFrom(whole.substr(0, whole.size() - 5)).Of(EventKind::kAllocate).size() == 3);
}

TEST_CASE("reading tells how far it is, and ends when it is told to", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("device_traces").List().List();
  for (int i = 0; i < 60'000; ++i) pickle.Entry("alloc", 512 * (i + 1), 1, i);
  const std::string large = pickle.EndList().EndList().EndDictionary().Bytes();
  std::string json = R"({"traceEvents": [)";
  while (json.size() < 4 << 20) json += R"({"ph": "i", "name": "[memory]", "ts": 1, "args": {"Bytes": 1}}, )";
  for (const std::string& bytes : {large, json, Gzipped(large)}) {
    std::vector<double> shares;
    const auto ended = ImportBytes(
        ByteSource::Of(bytes), "file", [](auto) {},
        [&](double share) {
          shares.push_back(share);
          return share < 0.2;
        });
    REQUIRE_FALSE(ended.ok());
    CHECK(ended.error().message == "Reading file was cancelled.");
    CHECK(shares.back() >= 0.2);
    CHECK(shares.back() <= 0.5);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    if (bytes.size() > 1 << 20) CHECK(shares.size() > 1);
  }
}

TEST_CASE("a gzip that is cut off or damaged keeps what came before", "[importers]") {
  std::string packed = Gzipped(SmallSnapshot().Bytes());
  const ImportedRun cut = ImportedFrom(packed.substr(0, packed.size() - 30));
  CHECK((Contains(cut.error, "ends early") || Contains(cut.summary.warning, "ends early")));
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  const ImportedRun damaged = ImportedFrom(packed);
  CHECK(Contains(damaged.error + damaged.summary.warning, "at byte "));
}

TEST_CASE("numbers beyond all measure are kept within measure", "[importers]") {
  PickleWriter pickle;
  pickle.Dictionary().Text("segments").List().Segment(-1, INT64_MAX).EndDictionary().EndList();
  pickle.Text("device_traces").List().List();
  pickle.Entry("alloc", -1, INT64_MAX, INT64_MAX).Entry("alloc", INT64_MAX, INT64_MIN, INT64_MIN);
  pickle.Entry("segment_map", -512, INT64_MAX, 0)
      .Entry("segment_unmap", 0, INT64_MIN, 0)
      .Entry("free_completed", -1, -1, 1);
  pickle.EndList().EndList().EndDictionary();
  CHECK(ImportedFrom(pickle.Bytes()).error.empty());
}

}  // namespace
}  // namespace tidemark::trace
