#include <string>

#include "app/gui/panels/allocations.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

// What the panel says of what is alive at the end.
std::string AllocationsOf(const timeline::Stream& stream, float width, const std::string& panel) {
  const auto view = stream.Publish();
  presenters::AllocationQuery query;
  query.moment = view->end() - 1;
  const presenters::AllocationTable table = *presenters::MakeAllocationTable(*view, query);
  const presenters::SelectedOwners selected;
  AllocationsInput input;
  input.view = view.get();
  input.table = &table;
  input.selected = &selected;
  AllocationsState state;
  CommandQueue queue;
  return WordsIn(
      {width, 300}, [&] { DrawAllocationsPanel(input, state, queue); }, panel);
}

}  // namespace

TEST_CASE_METHOD(Measured, "A wide table of allocations tells shapes, where the run tells any") {
  timeline::Stream stream;
  const events::NameId shape = stream.Name("float16 [64, 128]");
  stream.Allocate(0x1000, 16'384);
  CHECK(AllocationsOf(stream, 1400, "nothing told").find("shape") == std::string::npos);
  stream.Shape(0x1000, shape);
  const std::string wide = AllocationsOf(stream, 1400, "told");
  CHECK(wide.find("shape") != std::string::npos);
  CHECK(wide.find("float16 [64, 128]") != std::string::npos);
  CHECK(AllocationsOf(stream, 500, "narrow").find("float16 [64, 128]") == std::string::npos);
}

TEST_CASE_METHOD(Measured, "A narrow table of allocations tells names and shapes before blocks and lives") {
  timeline::Stream stream;
  const events::NameId shape = stream.Name("float16 [64, 128]");
  stream.Allocate(0x1000, 16'384);
  stream.Shape(0x1000, shape);
  const std::string narrow = AllocationsOf(stream, 700, "rather narrow");
  CHECK(narrow.find("float16 [64, 128]") != std::string::npos);
  CHECK(narrow.find("block") == std::string::npos);
  CHECK(narrow.rfind("life") == narrow.find("life>10ms"));  // of the filter alone
  CHECK(AllocationsOf(stream, 1000, "wide").find("block") != std::string::npos);
}

}  // namespace tidemark::gui
