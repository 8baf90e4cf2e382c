#include "profiler/timeline/names.h"

#include "profiler/timeline/timeline.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::timeline {

TEST_CASE("Names of any length arrive whole") {
  Stream stream;
  const std::string long_name(3'000, 'x');
  const std::string exact(64, 'y');
  const auto first = stream.Name("conv1");
  const auto second = stream.Name(long_name);
  const auto third = stream.Name(exact);
  const auto view = stream.Publish();
  CHECK(view->name(first) == "conv1");
  CHECK(view->name(second) == long_name);
  CHECK(view->name(third) == exact);
  CHECK(view->name(0).empty());
  CHECK(view->name(77).empty());
  CHECK(view->names().size() == 3);
  CHECK(view->health().unreadable_names == 0);
}

TEST_CASE("Pieces of two producers' names may come between each other") {
  NameTable table;
  NameAssembler assembler(table);
  const auto piece = [](uint32_t thread, uint32_t offset, std::string_view text) {
    events::Event event;
    event.kind = events::EventKind::kName;
    event.name = thread;
    event.thread = thread;
    event.layer = offset;
    event.op = 40;
    events::SetNamePiece(event, text);
    return event;
  };
  const std::string a(32, 'a');
  const std::string b(32, 'b');
  CHECK(assembler.Append(piece(1, 0, a)));
  CHECK(assembler.Append(piece(2, 0, b)));
  CHECK(assembler.Append(piece(1, 32, "aaaaaaaa")));
  CHECK_FALSE(assembler.Append(piece(1, 32, "aaaaaaaa")));
  CHECK(assembler.Append(piece(2, 32, "bbbbbbbb")));
  CHECK(table.Find(1, table.limit()) == std::string(40, 'a'));
  CHECK(table.Find(2, table.limit()) == std::string(40, 'b'));
}

TEST_CASE("Views keep the names of their time") {
  NameTable table;
  CHECK(table.Add(5, "before"));
  const uint64_t limit = table.limit();
  CHECK(table.Add(5, "after"));
  CHECK(table.Add(6, "new"));
  CHECK(table.Find(5, limit) == "before");
  CHECK(table.Find(6, limit).empty());
  CHECK(table.Find(5, table.limit()) == "after");
  CHECK(table.All(limit).size() == 1);
  CHECK(table.All(table.limit()).size() == 2);
}

TEST_CASE("Ids beyond the table are refused") {
  NameTable table;
  CHECK_FALSE(table.Add(0, "nothing"));
  CHECK_FALSE(table.Add(NameTable::kIdLimit, "far"));
  CHECK(table.Add(NameTable::kIdLimit - 1, "last"));
  CHECK(table.Find(NameTable::kIdLimit - 1, table.limit()) == "last");
  CHECK(table.Find(~0U, table.limit()).empty());
}

}  // namespace tidemark::timeline
