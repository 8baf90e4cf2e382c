#include "app/cli/reports/compare_report.h"

#include <cstdint>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::cli {

TEST_CASE("Runs that allocate the same and are said to hold something else are told so") {
  const auto view = timeline::Stream().Publish();
  const ComparedFile file{"a.tide", {}, view.get(), {}};
  presenters::RunComparison comparison;
  const auto ends_with = [&](const char* sentence) {
    return CompareText(file, file, comparison).ends_with(sentence);
  };
  CHECK(ends_with("\nThe two differ.\n"));  // there is nothing that could be the same
  comparison.streams.ranges.emplace_back();
  comparison.at_peak.categories = {{"gradient", events::Category::kGradient, 512, 512}};
  CHECK(ends_with("\nThe two are the same.\n"));
  comparison.at_peak.categories[0].b = 1024;
  CHECK(ends_with("\nThe two allocate the same; what their blocks are said to hold differs.\n"));
  comparison.at_peak.categories[0].b = 512;
  comparison.at_peak.layers = {{"conv1", {}, 512, 0}};
  CHECK(ends_with("\nThe two allocate the same; whose their blocks are is not told alike.\n"));
  comparison.levels = {{"allocated", {}, 512, 1024, {}, timeline::Series::kAllocated}};
  CHECK(ends_with("\nThe two differ.\n"));
}

TEST_CASE("A multiple is told as one, a share in percent") {
  const auto view = timeline::Stream().Publish();
  const ComparedFile file{"a.tide", {}, view.get(), {}};
  presenters::RunComparison comparison;
  const auto says = [&](int64_t a, int64_t b, const char* words) {
    comparison.levels = {{"allocated", {}, a, b}};
    return CompareText(file, file, comparison).find(words) != std::string::npos;
  };
  CHECK(says(1000, 1125, "+12.50 %"));
  CHECK(says(1000, 875, "−12.50 %"));
  CHECK(says(4, 5'220'404, "× 1,305,101\n"));
}

TEST_CASE("Of what is noted on the runs that is told which only one of them has") {
  const auto view = timeline::Stream().Publish();
  ComparedFile a{"a.tide", {}, view.get(), {"It is cut short."}};
  ComparedFile b{"b.tide", {}, view.get(), {}};
  a.description.notes = {"cuDNN's workspaces are not included.", "Of both."};
  b.description.notes = {"Of both.", "A doubt."};
  const std::string text = CompareText(a, b, {});
  CHECK(text.find("\nNote on A: It is cut short.\nNote on A: cuDNN's workspaces are not included.\n"
                  "Note on B: A doubt.\nThe two differ.\n") != std::string::npos);
  CHECK(text.find("Of both.") == std::string::npos);
  CHECK(CompareJson(a, b, {})["a"]["notes"] == Json{"cuDNN's workspaces are not included.", "Of both."});
}

TEST_CASE("One layer more that differs is one") {
  const auto view = timeline::Stream().Publish();
  const ComparedFile file{"a.tide", {}, view.get(), {}};
  presenters::RunComparison comparison;
  comparison.at_peak.layers.assign(13, {"conv", {}, 512, 1024});
  CHECK(CompareText(file, file, comparison).find("  1 more layer differs; --json") != std::string::npos);
  comparison.at_peak.layers.assign(14, {"conv", {}, 512, 1024});
  CHECK(CompareText(file, file, comparison).find("  2 more layers differ; --json") != std::string::npos);
}

}  // namespace tidemark::cli
