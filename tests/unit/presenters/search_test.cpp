#include "app/presenters/allocations/search.h"

#include <algorithm>

#include "app/presenters/allocations/allocation_filter.h"
#include "tests/support/catch.h"
#include "tests/unit/presenters/training.h"

namespace tidemark::presenters {
namespace {

using Kind = SearchHit::Kind;

std::vector<SearchHit> Of(Kind kind, std::vector<SearchHit> hits) {
  std::erase_if(hits, [kind](const SearchHit& hit) { return hit.kind != kind; });
  return hits;
}

std::vector<SearchHit> Found(const timeline::View& view, const char* query,
                             const std::vector<NamedMoment>& bookmarks = {}) {
  const auto hits = Search(view, query, bookmarks, ByteUnit::kMegabytes, [](double) { return true; });
  REQUIRE(hits);
  return *hits;
}

std::shared_ptr<const timeline::View> ThreeSteps() {
  Training run;
  run.Weight(4096);
  run.Mark(run.Name("fp16 on"));
  for (int64_t step = 0; step < 3; ++step) run.Step(step, 1 << 20, 2 << 20);
  return run.Publish();
}

TEST_CASE("What is typed is found wherever it is a name") {
  const auto view = ThreeSteps();
  const auto find = [&](const char* query) { return Found(*view, query); };
  CHECK(Of(Kind::kLayer, find("CONV1")).at(0).selection == LayerSelected("conv1"));
  CHECK(Of(Kind::kOperator, find("relu")).at(0).selection == OperatorSelected("aten::relu"));
  CHECK(Of(Kind::kCategory, find("activ")).at(0).selection ==
        CategorySelected(events::Category::kActivation));
  CHECK(Of(Kind::kMarker, find("fp16")).at(0).title == "fp16 on");
  const SearchHit step = Of(Kind::kStep, find("step 2")).at(0);
  CHECK(step.title == "step 2");
  CHECK(step.moment == view->steps()[2].peak);
  CHECK(Of(Kind::kEvent, find("step 2")).empty());
  CHECK(Of(Kind::kEvent, find("event 2")).at(0).moment == 2U);
  CHECK(find("no such thing").empty());
}

TEST_CASE("Where memory ran out is found") {
  Training run;
  run.Weight(4096);
  run.Add(events::EventKind::kOutOfMemory, 0, 3'000'000);
  const auto view = run.Publish();
  for (const char* query : {"out of memory", "oom", "memory"}) {
    INFO(query);
    const std::vector<SearchHit> hits = Of(Kind::kMarker, Found(*view, query));
    REQUIRE(hits.size() == 1);
    CHECK(hits[0].title == "out of memory");
    CHECK(hits[0].detail.starts_with("3.0 MB asked for"));
    CHECK(hits[0].moment == view->out_of_memory()[0].index);
  }
  CHECK(Of(Kind::kMarker, Found(*ThreeSteps(), "out of memory")).empty());
}

TEST_CASE("Replays of CUDA graphs are found, the newest first") {
  Training run;
  const events::NameId replay = run.Name("CUDAGraph::replay");
  for (int64_t i = 0; i < 20; ++i) {
    run.Add(events::EventKind::kScopeBegin).op = replay;
    run.Add(events::EventKind::kScopeEnd).op = replay;
  }
  const auto view = run.Publish();
  for (const char* query : {"replay", "CUDA graph", "cudagraph"}) {
    INFO(query);
    const std::vector<SearchHit> hits = Of(Kind::kReplay, Found(*view, query));
    REQUIRE(hits.size() == kMostHitsOfAKind);
    CHECK(hits.front().title == "replay 20 of 20");
    CHECK(hits.front().moment == view->graph_replays().back());
  }
  CHECK(Of(Kind::kReplay, Found(*view, "conv1")).empty());
  CHECK(Of(Kind::kReplay, Found(*ThreeSteps(), "replay")).empty());
}

TEST_CASE("Allocations are found by address, size and name") {
  const auto view = ThreeSteps();
  const auto find = [&](const char* query) { return Of(Kind::kAllocation, Found(*view, query)); };
  CHECK(find("0x200000").size() == 3);
  CHECK(find(">1.5MB").size() == 3);
  CHECK(find("output").size() == 3);
  CHECK(find("0x1").empty());
  const SearchHit hit = find(">1.5MB").front();
  CHECK(hit.selection == AllocationSelected(*hit.moment));
}

TEST_CASE("Each frame of a stack is found, and what it selects is there") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 8192).op =
      stream.Name("aten::mm ← at::linear (libtorch_cpu.so) ← forward (net.py:7) ← thread loader");
  const auto view = stream.Publish();
  const std::vector<timeline::LiveBlock> blocks = view->StateAt(view->end() - 1).blocks;
  REQUIRE(blocks.size() == 1);
  const auto found = [&](const char* query) {
    const SearchHit hit = Of(Kind::kOperator, Found(*view, query)).at(0);
    CHECK(Selects(hit.selection, *view, blocks[0]));
    return hit;
  };
  CHECK(found("mm").selection == OperatorSelected("aten::mm"));
  CHECK(found("linear").selection == FrameSelected("at::linear (libtorch_cpu.so)"));
  CHECK(found("net.py").detail.starts_with("line of code · "));
  CHECK(found("loader").detail.starts_with("frame · "));
}

TEST_CASE("Names are found in the order in which a person counts") {
  timeline::Stream stream;
  for (const char* const block : {"blocks.10", "blocks.2", "blocks.1"}) {
    const events::NameId layer = stream.Name(block);
    const events::NameId line = stream.Name(std::string("forward (net.py:") + (block + 7) + ")");
    events::Event& event = stream.Allocate(0x1000, 8192);
    event.layer = layer;
    event.op = line;
    stream.Free(0x1000);
  }
  const auto view = stream.Publish();
  const auto titles = [&](Kind kind, const char* query) {
    std::vector<std::string> found;
    for (const SearchHit& hit : Of(kind, Found(*view, query))) found.push_back(hit.title);
    return found;
  };
  CHECK(titles(Kind::kLayer, "blocks") == std::vector<std::string>{"blocks.1", "blocks.2", "blocks.10"});
  CHECK(titles(Kind::kOperator, "net.py") ==
        std::vector<std::string>{"forward (net.py:1)", "forward (net.py:2)", "forward (net.py:10)"});
}

TEST_CASE(
    "A number that ends what is typed is whole: a layer is no operator that is called like it, nor another") {
  timeline::Stream stream;
  for (const char* const layer : {"conv2", "conv20", "layer2.conv2"}) {
    const events::NameId of_layer = stream.Name(layer);
    const events::NameId of_operator = stream.Name("aten::conv2d");
    events::Event& event = stream.Allocate(0x1000, 8192);
    event.layer = of_layer;
    event.op = of_operator;
    stream.Free(0x1000);
  }
  const auto view = stream.Publish();
  const auto layers = Of(Kind::kLayer, Found(*view, "conv2"));
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].title == "conv2");
  CHECK(layers[1].title == "layer2.conv2");
  CHECK(Of(Kind::kOperator, Found(*view, "conv2")).empty());
  CHECK(Of(Kind::kAllocation, Found(*view, "conv2")).size() == 2);
  CHECK(Of(Kind::kOperator, Found(*view, "conv2d")).size() == 1);
  CHECK(Of(Kind::kOperator, Found(*view, "conv")).size() == 1);
  CHECK_FALSE(HoldsWord("aten::conv2d_backward", "conv2"));
  CHECK(HoldsWord("0x7f00", "0x7"));  // no name
  // Kernels' names run on behind a number.
  CHECK(HoldsWord("ampere_h16816gemm_128x64", "h16816"));
  CHECK(HoldsWord("bf16gemm", "bf16"));
}

TEST_CASE("Bookmarks come first, and alone where nothing is typed") {
  const auto view = ThreeSteps();
  const std::vector<NamedMoment> bookmarks = {{7, "where conv1 begins"}, {9, "other"}};
  CHECK(Found(*view, "  ", bookmarks).size() == 2);
  const auto hits = Found(*view, "conv1", bookmarks);
  REQUIRE(hits.size() > 1);
  CHECK(hits[0].kind == Kind::kBookmark);
  CHECK(hits[0].moment == 7U);
  for (const Kind kind : {Kind::kAllocation, Kind::kStep}) CHECK(Of(kind, hits).size() <= kMostHitsOfAKind);
}

TEST_CASE("However long a run is, its first allocation is found, and who waits is told how far it is") {
  timeline::Stream stream;
  stream.Allocate(0x7000, 12'345'344).layer = stream.Name("embedding");
  for (int i = 0; i < 200'000; ++i) {
    stream.Allocate(0x1000, 512);
    stream.Free(0x1000);
  }
  const auto view = stream.Publish();
  CHECK(Of(Kind::kLayer, Found(*view, "embedding")).at(0).selection == LayerSelected("embedding"));
  CHECK(Of(Kind::kAllocation, Found(*view, "embedding")).at(0).selection == AllocationSelected(1));
  CHECK(Of(Kind::kAllocation, Found(*view, "0x7000")).at(0).moment == 1U);
  std::vector<double> told;
  const auto stopped = Search(*view, "embedding", {}, ByteUnit::kMegabytes, [&told](double share) {
    told.push_back(share);
    return share < 0.5;
  });
  CHECK_FALSE(stopped);
  CHECK(told.size() > 10);
  CHECK(std::ranges::is_sorted(told));
  CHECK(told.back() < 0.6);
}

}  // namespace
}  // namespace tidemark::presenters
