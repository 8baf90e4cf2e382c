#include "app/cli/reports/level_report.h"

#include <string>

#include "profiler/base/utf8.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::cli {

TEST_CASE("A long name of what the GPU did is cut between two letters") {
  timeline::Stream stream;
  std::string name = "x";
  for (int i = 0; i < 80; ++i) name += "é";  // two bytes each: 100 is within one of them
  const events::NameId kernel = stream.Name(name);
  events::Event& event = stream.Add(events::EventKind::kKernel, timeline::Stream::kStartNs, 0);
  event.rounded_bytes = 1000;
  event.name = kernel;
  const std::string text = WorkText(*stream.Publish());
  const size_t begin = text.find("xé");
  const size_t end = text.find("...");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  CHECK(end - begin == 99);
  for (size_t at = 0; at < text.size(); at += SizeOfUtf8Letter(text.substr(at)))
    REQUIRE(SizeOfUtf8Letter(text.substr(at)) > 0);
}

}  // namespace tidemark::cli
