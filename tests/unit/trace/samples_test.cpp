#include "profiler/trace/samples.h"

#include <algorithm>

#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

TEST_CASE("Every sample is a whole recording made on a card, and its words say what is in it") {
  const Result<std::vector<Sample>> samples = LoadSamples();
  REQUIRE(samples.ok());
  REQUIRE(samples->size() >= 4);
  for (const Sample& sample : *samples) {
    INFO(sample.file);
    bool ran_out = false;
    const Result<TideSummary> read = ReadTide(sample.file, [&](std::span<const events::Event> chunk) {
      ran_out |= std::ranges::any_of(
          chunk, [](const events::Event& event) { return event.kind == events::EventKind::kOutOfMemory; });
    });
    REQUIRE(read.ok());
    CHECK(read->complete);
    CHECK(read->warning.empty());
    CHECK(read->description.device == "cuda:0");
    CHECK(read->description.device_name == "NVIDIA H200");
    CHECK(sample.title.find("H200") != std::string::npos);
    CHECK(ran_out == (sample.title.find("runs out of memory") != std::string::npos));
    const bool is_mixed = read->description.settings_json.find("fp16") != std::string::npos;
    CHECK(is_mixed == (sample.title.find("fp16") != std::string::npos));
    CHECK_FALSE(sample.description.empty());
  }
}

TEST_CASE("A list of samples that makes no sense is a sentence that names it") {
  const Scratch scratch;
  CHECK_FALSE(LoadSamplesFrom(scratch / "").ok());
  for (const char* list : {"", "{}", "[7]", R"([{"file": "a.tide", "title": "A"}])",
                           R"([{"file": "a.tide", "title": "A", "description": 3}])"}) {
    WriteFile(scratch / "samples.json", list);
    const Result<std::vector<Sample>> samples = LoadSamplesFrom(scratch / "");
    REQUIRE_FALSE(samples.ok());
    CHECK(samples.error().message.find("samples.json is no list of") != std::string::npos);
  }
  WriteFile(scratch / "samples.json", R"([{"file": "a.tide", "title": "A", "description": "What it is."}])");
  const Result<std::vector<Sample>> one = LoadSamplesFrom(scratch / "");
  REQUIRE(one.ok());
  REQUIRE(one->size() == 1);
  CHECK(one->front().file == scratch / "a.tide");
  CHECK(one->front().description == "What it is.");
}

}  // namespace
}  // namespace tidemark::trace
