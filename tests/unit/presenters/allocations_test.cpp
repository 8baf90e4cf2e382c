#include "app/presenters/allocations/allocations.h"

#include <limits>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

AllocationFilter Filter(std::string_view text) {
  const ReadFilter read = ReadAllocationFilter(text);
  REQUIRE(read.unreadable.empty());
  return read.filter;
}

std::vector<std::string> Titles(const timeline::View& view, const AllocationTable& table) {
  std::vector<std::string> titles;
  for (const Allocation& row : table.rows) {
    titles.push_back(std::string(view.name(row.block.name)) + "/" +
                     std::string(events::NameOf(row.block.category)));
  }
  return titles;
}

TEST_CASE("The table lists what is alive at a moment, the largest first, with what it turned out to be") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const auto view = training.Publish();
  AllocationQuery query;
  query.moment = training.peak();
  const AllocationTable table = *MakeAllocationTable(*view, query);
  CHECK(table.considered == 3);
  CHECK(table.bytes == 6000);
  CHECK(Titles(*view, table) ==
        std::vector<std::string>{"/temporary", "conv1 output/activation", "conv1.weight/parameter"});
  CHECK(table.rows[0].phase == events::Phase::kBackward);
  CHECK(table.rows[0].freed);
  CHECK_FALSE(table.rows[2].freed);
  CHECK(table.rows[2].life_ns > table.rows[0].life_ns);
}

TEST_CASE("A life between two times that no clock tells is as long as there is") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 512).time_ns = std::numeric_limits<int64_t>::min();
  stream.Allocate(0x2000, 512).time_ns = std::numeric_limits<int64_t>::max();
  const auto view = stream.Publish();
  AllocationQuery query;
  query.moment = view->end() - 1;
  query.sort = AllocationColumn::kBorn;
  query.descending = false;
  const AllocationTable table = *MakeAllocationTable(*view, query);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].life_ns == std::numeric_limits<int64_t>::max());
}

TEST_CASE("The table lists what was born in a stretch, also what is gone since") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  training.Step(1, 4000, 5000);
  const auto view = training.Publish();
  AllocationQuery query;
  query.born_in_range = true;
  query.first = view->steps()[1].begin;
  query.end = view->end();
  query.sort = AllocationColumn::kBorn;
  query.descending = false;
  const AllocationTable table = *MakeAllocationTable(*view, query);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].block.bytes == 4000);
  CHECK(table.rows[0].block.category == events::Category::kActivation);
  CHECK(table.rows[1].block.bytes == 5000);
  query.first = 0;
  CHECK(MakeAllocationTable(*view, query)->rows.size() == 5);
  query.end = query.first;
  CHECK(MakeAllocationTable(*view, query)->rows.empty());
}

TEST_CASE("Each kind of condition leaves out what it says") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const auto view = training.Publish();
  AllocationQuery query;
  query.moment = training.peak();
  const auto left = [&](std::string_view text) {
    query.filter = Filter(text);
    return MakeAllocationTable(*view, query)->rows.size();
  };
  CHECK(left("") == 3);
  CHECK(left("  CONV1 ") == 3);  // the layer of all
  CHECK(left("output") == 1);
  CHECK(left("conv1 backward") == 1);
  CHECK(left("conv1 -backward") == 2);
  CHECK(left(">1000B") == 2);
  CHECK(left(">=1000B") == 3);
  CHECK(left("<=2kB") == 2);
  CHECK(left(">1kB <3kB") == 1);
  CHECK(left("life<1us") == 0);
  CHECK(left("life>=0ns") == 3);
  CHECK(left("born:0..0") == 0);
  CHECK(left("born:0..") == 3);
  CHECK(left("at:0x200000") == 1);
  CHECK(left("at:0x100000..0x200000") == 2);
  CHECK(left("alive:0") == 0);
  CHECK(left("category:activation") == 1);
  CHECK(left("category:activation category:param") == 2);
  CHECK(left("category:optimizer-state") == 0);
  CHECK(left("freed:0..") == 2);
  CHECK(left("freed:0..1") == 0);
}

TEST_CASE("Who filters by time means that time, whatever is in sight") {
  Training training;
  training.Weight(1000);
  training.Step(0, 2000, 3000);
  const events::EventIndex first_peak = training.peak();
  training.Step(1, 4000, 5000);
  const auto view = training.Publish();
  const bool born_in_range = GENERATE(true, false);
  const auto table = [&](const std::string& text) {
    AllocationQuery query;
    query.born_in_range = born_in_range;
    query.moment = query.first = training.peak();
    query.end = training.peak() + 1;
    query.filter = Filter(text);
    query.sort = AllocationColumn::kBytes;
    query.descending = false;
    return *MakeAllocationTable(*view, query);
  };
  const std::string peak = std::to_string(first_peak);
  const AllocationTable alive = table("alive:" + peak);
  CHECK(alive.scope_of_filter);
  REQUIRE(alive.rows.size() == 3);
  CHECK(alive.rows[1].block.bytes == 2000);
  CHECK(alive.rows[2].block.bytes == 3000);
  const AllocationTable born = table("born:1.." + peak + " alive:" + peak);
  CHECK(born.rows.size() == 3);
  CHECK(table("born:.." + peak).rows.size() == 3);
  CHECK(table("born:" + std::to_string(view->steps()[1].begin) + "..").rows.size() == 2);
  CHECK_FALSE(table(">1MB").scope_of_filter);
}

TEST_CASE("What cannot be read is named, with an example") {
  for (const char* text : {">abc", "life>10", "life>1parsec", "born:", "born:200..100", "at:zz",
                           "alive:", ">", "<", "life<", "at:0x..", "<0", "born<100", "alive>7", "life:1ms",
                           "size:1MB", "bytes>=4kB", "address:0x11", "at=0x11"}) {
    INFO(text);
    const std::string sentence = ReadAllocationFilter(text).unreadable;
    CHECK(sentence.find(text) != std::string::npos);
    CHECK(sentence.find("for example") != std::string::npos);
  }
  CHECK(ReadAllocationFilter("-").unreadable.empty());
  for (const char* word : {"lifetime", "aten::add", "at::native", "size", "std::vector<int>"}) {
    INFO(word);
    CHECK(Filter(word).words == std::vector<std::string>{word});
  }
}

TEST_CASE("What can be read counts beside what cannot") {
  const ReadFilter read = ReadAllocationFilter("conv1 life>soon >=4kB born:x -relu");
  CHECK(read.filter.words == std::vector<std::string>{"conv1"});
  CHECK(read.filter.excluded == std::vector<std::string>{"relu"});
  CHECK(read.filter.bytes.least == 4000);
  CHECK(read.filter.life_ns.least == 0);
  CHECK(read.unreadable.find("'life>soon'") < read.unreadable.find("'born:x'"));
  CHECK(read.unreadable.find("conv1") == std::string::npos);
}

TEST_CASE("Rows are sorted by any column") {
  Training training;
  training.Weight(1000);
  training.Step(0, 3000, 2000);
  const auto view = training.Publish();
  AllocationQuery query;
  query.moment = training.peak();
  for (int column = 0; column < kAllocationColumnCount; ++column) {
    query.sort = static_cast<AllocationColumn>(column);
    query.descending = false;
    const AllocationTable up = *MakeAllocationTable(*view, query);
    query.descending = true;
    const AllocationTable down = *MakeAllocationTable(*view, query);
    REQUIRE(up.rows.size() == 3);
    CHECK(down.rows.size() == 3);
  }
  query.sort = AllocationColumn::kBytes;
  query.descending = false;
  const AllocationTable table = *MakeAllocationTable(*view, query);
  CHECK(table.rows[0].block.bytes == 1000);
  CHECK(table.rows[1].block.bytes == 2000);
  query.sort = AllocationColumn::kTensor;
  CHECK(Titles(*view, *MakeAllocationTable(*view, query))[2] == "/temporary");
}

TEST_CASE("Names are sorted in the order in which a person counts") {
  timeline::Stream stream;
  uint64_t address = 0;
  for (const char* const block : {"blocks.10", "blocks.2"})
    stream.Allocate(address += 0x1000, 512).layer = stream.Name(block);
  const auto view = stream.Publish();
  AllocationQuery query;
  query.moment = view->end() - 1;
  query.sort = AllocationColumn::kLayer;
  query.descending = false;
  const AllocationTable table = *MakeAllocationTable(*view, query);
  REQUIRE(table.rows.size() == 2);
  CHECK(view->name(table.rows[0].block.layer) == "blocks.2");
}

TEST_CASE("As CSV every row has every field, quoted where it must be") {
  timeline::Stream stream;
  const events::NameId name = stream.Name("a, \"b\"");
  stream.Allocate(0x1000, 10);
  stream.Categorize(0x1000, events::Category::kParameter, name);
  const auto view = stream.Publish();
  AllocationQuery query;
  query.moment = view->end() - 1;
  const std::string csv = AllocationsAsCsv(*view, MakeAllocationTable(*view, query)->rows);
  CHECK(csv ==
        "tensor,category,requested_bytes,block_bytes,layer,operator,phase,recompute,stream,born,freed,life_"
        "ns,address,shape\n"
        "\"a, \"\"b\"\"\",parameter,10,512,,,idle,0,0,1,,1000,0x1000,\n");
}

TEST_CASE("A block's shape is in its row, found by words and sorted by, also of what is gone") {
  timeline::Stream stream;
  const events::NameId logits = stream.Name("float32 [8, 1024, 50257]");
  const events::NameId weights = stream.Name("float16 [768, 768]");
  stream.Allocate(0x1000, 4096);
  stream.Shape(0x1000, weights);
  stream.Allocate(0x2000, 2048);
  stream.Shape(0x2000, logits);
  stream.Allocate(0x3000, 512);
  stream.Free(0x2000);
  const auto view = stream.Publish();
  AllocationQuery query;
  query.moment = view->end() - 1;
  CHECK(MakeAllocationTable(*view, query)->tells_shapes);
  query.born_in_range = true;
  query.end = view->end();
  query.sort = AllocationColumn::kShape;
  const AllocationTable all = *MakeAllocationTable(*view, query);
  REQUIRE(all.rows.size() == 3);
  CHECK(all.rows[0].block.shape == logits);
  CHECK(all.rows[1].block.shape == weights);
  CHECK(all.rows[2].block.shape == 0);
  query.filter = ReadAllocationFilter("float32 50257").filter;
  const AllocationTable found = *MakeAllocationTable(*view, query);
  REQUIRE(found.rows.size() == 1);
  CHECK(AllocationsAsCsv(*view, found.rows).ends_with(",0x2000,\"float32 [8, 1024, 50257]\"\n"));
  query.filter = ReadAllocationFilter("-float16 -float32").filter;
  CHECK_FALSE(MakeAllocationTable(*view, query)->tells_shapes);
}

TEST_CASE("As CSV what has no name is called what the table calls it") {
  timeline::Stream stream;
  const events::NameId op = stream.Name("aten::conv2d");
  stream.Allocate(0x1000, 10, events::Category::kTemporary).op = op;
  const auto view = stream.Publish();
  AllocationQuery query;
  query.moment = view->end() - 1;
  const std::string csv = AllocationsAsCsv(*view, MakeAllocationTable(*view, query)->rows);
  CHECK(csv.find("\ntemporary of aten::conv2d,temporary,10,") != std::string::npos);
}

TEST_CASE("A table that nobody waits for any more is not made") {
  timeline::Stream stream;
  for (uint64_t i = 0; i < 10'000; ++i) stream.Allocate(0x1000 + 512 * i, 512);
  const auto view = stream.Publish();
  AllocationQuery query;
  query.moment = view->end() - 1;
  int asked = 0;
  CHECK_FALSE(MakeAllocationTable(*view, query, [&](double) { return ++asked < 2; }));
  CHECK(asked == 2);
  double share = 0;
  CHECK(MakeAllocationTable(*view, query, [&](double now) {
          CHECK(now >= share);
          CHECK(now <= 1);
          share = now;
          return true;
        })->rows.size() == 10'000);
}

TEST_CASE("Of nothing there is no table") {
  const auto view = timeline::Stream().Publish();
  CHECK(MakeAllocationTable(*view, {})->rows.empty());
}

}  // namespace
}  // namespace tidemark::presenters
