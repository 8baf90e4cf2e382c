#include "app/cli/reports/report.h"

#include <optional>
#include <string>

#include "app/cli/program_ways_out.h"
#include "app/cli/reports/advice_report.h"
#include "app/cli/reports/band_report.h"
#include "app/cli/reports/fit_report.h"
#include "app/cli/reports/level_report.h"
#include "profiler/networks/specification.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

using namespace tidemark;
using namespace tidemark::cli;

namespace {

textbook::Estimate Classic() {
  return textbook::EstimateMemory(*networks::FindNetworkIn(TIDEMARK_ZOO, "simple-conv-net"), {});
}

// Each category another size.
session::Prediction Peaks() {
  session::Prediction peaks;
  for (int category = 0; category < events::kCategoryCount; ++category) {
    peaks.at_peak[static_cast<size_t>(category)] = (category + 1) * 1'000'000;
    peaks.allocated_peak_bytes += (category + 1) * 1'000'000;
  }
  peaks.requested_peak_bytes = 44'000'000;
  peaks.reserved_peak_bytes = 60'000'000;
  peaks.step_seconds = 0.5e-3;
  return peaks;
}

TEST_CASE(
    "Settings that were tried stand in place of advice to try some, and nothing where they save little") {
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, int64_t{4} << 30);
  stream.Allocate(0x100000, int64_t{1} << 30);
  const auto view = stream.Publish();
  const auto rows = [&](const std::optional<std::string>& tried) {
    return FindingRows(*view, 0, [&] { return tried; });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(FindingRows(*view, 0), "tidemark what-if tells"));
  CHECK(has(rows(""), "tidemark what-if tells"));
  CHECK(has(rows("It saves 1 GiB."), "3.00 GiB lay in gaps"));
  CHECK(has(rows("It saves 1 GiB."), "\n    It saves 1 GiB.\n"));
  CHECK_FALSE(has(rows("It saves 1 GiB."), "what-if"));
  CHECK(rows({}).empty());
}

}  // namespace

TEST_CASE("The textbook's JSON has the classic table's figures and the layers with parameters") {
  const Json json = TextbookJson(Classic());
  CHECK(json["parameters_bytes"] == 4'316'712);
  CHECK(json["gradients_bytes"] == 4'316'712);
  CHECK(json["optimizer_bytes"] == 8'633'424);
  CHECK(json["activations_bytes"] == 40'435'712);
  CHECK(json["input_bytes"] == 786'432);
  CHECK(json["total_bytes"] == 58'488'992);
  REQUIRE(json["layers"].size() == 3);
  CHECK(json["layers"][0]["name"] == "conv1");
  CHECK(json["layers"][1]["name"] == "conv2");
  CHECK(json["layers"][2]["name"] == "fc");
  CHECK(json["layers"][0]["parameters"] == 1'792);
  CHECK(json["layers"][0]["parameters_bytes"] == 7'168);
  CHECK(json["layers"][0]["activations_bytes"] == 14'745'600);
}

TEST_CASE("The peaks' JSON sums to the allocated peak") {
  const Json json = PeaksJson(Peaks());
  int64_t sum = 0;
  for (const auto& [name, bytes] : json["by_category_at_peak"].items()) sum += bytes.get<int64_t>();
  CHECK(sum == json["allocated_peak_bytes"]);
  CHECK(json["by_category_at_peak"].size() == 11);
  CHECK(json["by_category_at_peak"]["optimizer_state"] == 2'000'000);
  CHECK(json["requested_peak_bytes"] == 44'000'000);
  CHECK(json["reserved_peak_bytes"] == 60'000'000);
  CHECK(json["step_seconds"] == 0.5e-3);
  CHECK(json["out_of_memory"] == false);
  CHECK_FALSE(json.contains("sentence"));
}

TEST_CASE("What does not fit says so") {
  session::Prediction peaks = Peaks();
  peaks.out_of_memory = true;
  peaks.sentence = "It does not fit.";
  const Json json = PeaksJson(peaks);
  CHECK(json["out_of_memory"] == true);
  CHECK(json["sentence"] == "It does not fit.");
}

TEST_CASE("The table has a column a source, and leaves out categories that are empty everywhere") {
  session::Prediction peaks = Peaks();
  peaks.at_peak[static_cast<size_t>(events::Category::kUnknown)] = 0;
  const std::string table = PeaksTable(Classic(), {{"phantom", peaks}, {"measured", peaks}});
  CHECK(table.find("unknown") == std::string::npos);
  CHECK(table.find("  workspace                              –        7.00        7.00\n") !=
        std::string::npos);
  CHECK(table.find("  allocated                          58.49       66.00       66.00\n") !=
        std::string::npos);
  CHECK(table.find("  reserved, highest                      –       60.00       60.00\n") !=
        std::string::npos);
}

TEST_CASE("Memory that ran out without ending the run is told, and is no failure") {
  session::Prediction peaks = Peaks();
  CHECK(SurvivedRow(peaks.times_survived).empty());
  peaks.times_survived = 4;
  CHECK(SurvivedRow(peaks.times_survived).starts_with("Memory ran out 4 times, and the run went on"));
  CHECK(SurvivedRow(1).starts_with("Memory ran out 1 time, and"));
  const Json json = PeaksJson(peaks);
  CHECK(json["out_of_memory"] == false);
  CHECK(json["times_survived"] == 4);
}

TEST_CASE("The parts of the textbook's JSON add up to its total, of every network") {
  const Result<std::vector<networks::Network>> zoo = networks::LoadNetworks();
  REQUIRE(zoo.ok());
  for (const networks::Network& network : *zoo) {
    INFO(network.name);
    const Json json = TextbookJson(textbook::EstimateMemory(network, {}));
    int64_t sum = 0;
    for (const auto& [key, value] : json.items()) {
      if (key != "total_bytes" && key != "halved_everything_bytes" && key != "layers")
        sum += value.get<int64_t>();
    }
    CHECK(sum == json["total_bytes"]);
  }
}

TEST_CASE("What is reserved is told at its highest, and is left out where nobody told of it") {
  session::Prediction peaks = Peaks();
  CHECK(PeakRows(peaks, true).find("  reserved, highest         60,000,000 B ") != std::string::npos);
  peaks.reserved_peak_bytes = 0;
  CHECK(PeakRows(peaks, true).find("reserved") == std::string::npos);
}

TEST_CASE("Under a table in MB the order of addresses moves MB, and bytes where that tells no difference") {
  const session::ReservedBand band{{3'000'000'000, 4'000'000'000, false, {1'000'000, 1'000'512}}, false};
  CHECK(BandRowsOfTable(band) ==
        "    from 3,000.00 to 4,000.00, by the order of the driver's addresses\n"
        "    and allocated from 1,000,000 B to 1,000,512 B, by the order of the driver's addresses\n");
  CHECK(BandRows(band) ==
        "    from 3,000,000,000 B to 4,000,000,000 B (2.79 GiB to 3.73 GiB), by the order of the driver's "
        "addresses\n"
        "    and allocated from 1,000,000 B to 1,000,512 B (976.6 KiB to 977.1 KiB), by the order of the "
        "driver's addresses\n");
}

TEST_CASE("What was requested stands beside each category whose blocks are larger, where it is told") {
  session::Prediction peaks = Peaks();
  for (size_t category = 0; category < peaks.requested_at_peak.size(); ++category)
    peaks.requested_at_peak[category] = peaks.at_peak[category];
  CHECK(PeakRows(peaks, true).find(" B requested") == std::string::npos);
  peaks.requested_at_peak[0] = 999'680;
  CHECK(PeakRows(peaks, true)
            .starts_with("  parameter                  1,000,000 B    976.6 KiB   999,680 B requested\n"));
  CHECK(PeakRows(peaks, false).find(" B requested") == std::string::npos);
}

TEST_CASE("What lies between levels of two moments is not known") {
  using timeline::Series;
  const std::string text = LevelRowsText({{"reserved", 900, Series::kReserved},
                                          {"outside of PyTorch", 100},
                                          {"driver", 1000, Series::kDriver},
                                          {"context", -300},
                                          {"process", 700, Series::kProcess, 11'860'000},
                                          {"other processes", 50},
                                          {"card", 750, Series::kCard, 11'870'000}});
  CHECK(text.find("+ outside of PyTorch ") != std::string::npos);
  CHECK(text.find("    not known then: context\n  process, told ") != std::string::npos);
  CHECK(text.find("+ other processes ") != std::string::npos);
  const auto between = [](int64_t bytes, int64_t away_ns) {
    return LevelRowsText({{"driver", 1000, Series::kDriver},
                          {"context", bytes},
                          {"process", 1000 + bytes, Series::kProcess, away_ns}});
  };
  CHECK(between(300, 0).find("+ context ") != std::string::npos);
  CHECK(between(300, -1).find("not known then: context\n") != std::string::npos);
  CHECK(between(-300, 0).find("not known then: context\n") != std::string::npos);
}

TEST_CASE("Of another card it is said that workspaces are those of the first") {
  advice::AllocatorSetup own;
  own.card.name = "h200";
  own.card.title = "NVIDIA H200";
  advice::AllocatorSetup other = own;
  other.card.memory_bytes = 1;
  CHECK(OtherCardNote(own, other).empty());
  other.card.name = "t4";
  const std::string note = OtherCardNote(own, other);
  CHECK(note.find("made on an NVIDIA H200") != std::string::npos);
  CHECK(note.find("--card t4") != std::string::npos);
  CHECK(WhatIfText(own, other, {}).find(note) != std::string::npos);
  CHECK(WhatIfJson(own, other, {})["card_note"] == note);
}

TEST_CASE("Text that is not UTF-8 does not break JSON") {
  const std::string text = TextOf(Json{{"title", "caf\xe9"}});
  CHECK(Json::accept(text));
}

TEST_CASE("settings that make room are told with why others were not tried, and how far to trust them",
          "[report]") {
  const std::string fit = "tidemark fit --card l4 -- python train.py";
  advice::AllocatorTrials tried;
  advice::AllocatorTrial trial{"expandable_segments:True", {}};
  trial.outcome.is_as_recorded = true;
  tried.trials = {trial};
  CHECK(RoomNotes({tried, "", fit}).empty());
  CHECK(RoomRows({tried, "", fit})
            .find("PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: has room for all that") !=
        std::string::npos);
  tried.trials.front().outcome.ends_at_failure = true;
  CHECK(RoomRows({tried, "", fit}).find("expandable_segments:True: gets past the request that failed, ") !=
        std::string::npos);
  CHECK(RoomNotes({tried, "", fit}) == std::vector<std::string>{advice::kRestIsNotKnown});
  tried.error = "PyTorch's allocator does not take the settings.";
  tried.trials.front().outcome.is_as_recorded = false;
  tried.trials.front().outcome.after.failures = 1;
  const std::string rows = RoomRows({tried, "", fit});
  CHECK(rows.find("  None of the allocator's settings that were tried makes room.\n") != std::string::npos);
  CHECK(rows.find("  Not all could be tried. " + tried.error + "\n") != std::string::npos);
  CHECK(rows.find(std::string("  ") + advice::kNotAsRecorded + "\n") != std::string::npos);
  CHECK(rows.find("or a larger card: " + fit + " tries them.\n") != std::string::npos);
}

TEST_CASE(
    "what-if says first that it does not fit, and tells nothing as saved that requests lack which failed",
    "[report]") {
  const advice::AllocatorSetup setup;
  advice::WhatIf answer;
  answer.is_as_recorded = true;
  answer.before.allocated_peak_bytes = answer.before.reserved_peak_bytes = 1000;
  answer.after.allocated_peak_bytes = answer.after.reserved_peak_bytes = 800;
  CHECK(WhatIfText(setup, setup, answer).find("-20.0 %") != std::string::npos);
  CHECK(WhatIfJson(setup, setup, answer)["fits"] == true);
  answer.after.failures = 7;
  const std::string text = WhatIfText(setup, setup, answer);
  CHECK(text.find("It does not fit: 7 of its requests fail.") < text.find("at the peak"));
  CHECK(text.find(" %") == std::string::npos);
  CHECK(WhatIfJson(setup, setup, answer)["fits"] == false);
}

TEST_CASE("what-if says that it does not fit, and of what is not known since the run ended", "[report]") {
  const advice::AllocatorSetup setup;
  advice::WhatIf answer;
  answer.is_as_recorded = true;
  CHECK(WhatIfText(setup, setup, answer).find("It does not fit") == std::string::npos);
  CHECK(WhatIfText(setup, setup, answer).find(advice::kEndsAtFailure) == std::string::npos);
  answer.after.failures = 1;
  answer.ends_at_failure = true;
  CHECK(WhatIfText(setup, setup, answer).find("It does not fit") != std::string::npos);
  CHECK(WhatIfText(setup, setup, answer).find(advice::kEndsAtFailure) != std::string::npos);
  CHECK(WhatIfJson(setup, setup, answer)["ends_at_failure"] == true);
}

TEST_CASE("Where much is unknown it is said how the lines of code behind it are told") {
  constexpr int64_t kMiB = 1 << 20;
  const auto rows = [&](int64_t unknown, int64_t known) {
    timeline::Stream stream;
    stream.Add(events::EventKind::kSegmentAllocate, 0x100000, unknown + known);
    stream.Allocate(0x100000, unknown, events::Category::kUnknown);
    stream.Allocate(0x100000 + unknown, known, events::Category::kParameter);
    return ProgramFindingRows(*stream.Publish(), 0);
  };
  CHECK(rows(4 * kMiB, 12 * kMiB) == "--stacks python tells the lines of code behind what is unknown.\n");
  CHECK(rows(4 * kMiB, 13 * kMiB).empty());
  CHECK(rows(3 * kMiB, kMiB).empty());
}
