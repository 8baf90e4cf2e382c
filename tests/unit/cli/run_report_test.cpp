#include "app/cli/reports/run_report.h"

#include <string>

#include "profiler/phantom/cards/card.h"
#include "profiler/timeline/timeline.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kGibibyte = int64_t{1} << 30;

phantom::Card CardWith(const char* name, int64_t memory_bytes) {
  phantom::Card card;
  card.name = name;
  card.title = std::string("NVIDIA ") + name;
  card.memory_bytes = memory_bytes;
  card.context_bytes = kGibibyte / 4;
  return card;
}

RunReport ReportWith(int64_t reserved_bytes) {
  const std::vector<phantom::Card> known = {CardWith("small", 4 * kGibibyte),
                                            CardWith("large", 16 * kGibibyte)};
  RunReport report;
  report.peaks.reserved_peak_bytes = reserved_bytes;
  report.fit = session::FitOf(known[1], known, {reserved_bytes}, {});
  return report;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("A run's share of the card counts the context, and the smallest card that would do is named") {
  const std::string rows = CardRows(ReportWith(2 * kGibibyte));
  CHECK(Has(rows, "CUDA context"));
  CHECK(Has(rows, "an estimate"));
  CHECK(Has(rows, "2,415,919,104 B"));
  CHECK(Has(rows, "14.1 % of 16.00 GiB"));
  CHECK(Has(
      rows,
      "By memory alone the NVIDIA small (4 GiB) would do. Its own figures may differ: a run with --card "));
  CHECK(Has(CardRows(ReportWith(8 * kGibibyte)), "no smaller one of the known cards"));
  const std::vector<phantom::Card> only = {CardWith("small", 4 * kGibibyte)};
  RunReport of_smallest;
  of_smallest.fit = session::FitOf(only[0], only, {kGibibyte}, {});
  CHECK(Has(CardRows(of_smallest),
            "By memory alone the NVIDIA small would do, and of the known cards (tidemark cards) that it runs "
            "on none is smaller.\n"));
  RunReport measured = ReportWith(2 * kGibibyte);
  measured.fit->card.context_is_measured = true;
  CHECK(Has(CardRows(measured), "as measured on such a card"));
}

TEST_CASE("Where the order of addresses may take more of the card, what that would be is told, too") {
  RunReport report = ReportWith(2 * kGibibyte);
  CHECK_FALSE(Has(CardRows(report), "at most"));
  report.fit->most_reserved_bytes = 3 * kGibibyte;
  CHECK(Has(CardRows(report), "14.1 % of 16.00 GiB, at most 3,489,660,928 B\n"));
}

TEST_CASE("A card that the program's torch has no kernels for is not named") {
  std::vector<phantom::Card> known = {CardWith("old", 4 * kGibibyte), CardWith("new", 16 * kGibibyte)};
  known[0].compute_capability = 70;
  known[1].compute_capability = 80;
  events::RunDescription description;
  description.device_name = "NVIDIA new";
  timeline::Builder nothing;
  const auto view = nothing.Publish();
  const auto smallest = [&] {
    return MakeRunReport(*view, description, {}, std::nullopt, known).fit->smallest->name;
  };
  CHECK(smallest() == "old");
  description.torch_cuda = "13.0";
  CHECK(smallest() == "new");
}

TEST_CASE("A run that ended early, or for want of memory, gives no advice") {
  RunReport report = ReportWith(2 * kGibibyte);
  report.ending = "The program ended with exit code 1.";
  CHECK(Has(EndingRows(report),
            "The program ended with exit code 1. What follows is what it needed until then."));
  CHECK_FALSE(Has(CardRows(report), "would do"));
  Json json;
  AddRunJson(report, json);
  CHECK(json["card"]["smallest_card"].is_null());
  CHECK(json["card"]["taken_bytes"] == 9 * kGibibyte / 4);
  RunReport cut_off = ReportWith(2 * kGibibyte);
  cut_off.is_cut_off = true;
  CHECK_FALSE(Has(CardRows(cut_off), "would do"));
  RunReport short_of_memory = ReportWith(2 * kGibibyte);
  short_of_memory.shortages.resize(5);
  for (size_t i = 1; i < 5; ++i) short_of_memory.shortages[i].free_bytes = static_cast<int64_t>(i);
  short_of_memory.shortages[0].requested_bytes = 3 * kGibibyte;
  short_of_memory.shortages[0].step = 3;
  short_of_memory.shortages[0].phase = events::Phase::kForward;
  CHECK_FALSE(Has(CardRows(short_of_memory), "would do"));
  const std::string rows = OutOfMemoryRows(short_of_memory);
  CHECK(Has(rows, "Out of memory in step 3, forward\n"));
  CHECK(Has(rows, "3,221,225,472 B"));
  CHECK(Has(rows, "Out of memory 2 more times."));
  CHECK(Has(rows, "tidemark fit --card NAME -- PROGRAM tells"));
  short_of_memory.is_trainer = true;
  CHECK(Has(OutOfMemoryRows(short_of_memory), "estimate --card NAME"));
  CHECK_FALSE(Has(OutOfMemoryRows(short_of_memory), "phantom"));
}

TEST_CASE("What makes it fit is told by a command that names the card and the program") {
  events::RunDescription description;
  description.device_name = "NVIDIA old";
  description.command = "python train.py";
  timeline::Stream stream;
  stream.Allocate(0x100000, kGibibyte);
  stream.Add(events::EventKind::kOutOfMemory, 0, kGibibyte);
  const RunReport report =
      MakeRunReport(*stream.Publish(), description, {}, std::nullopt, {CardWith("old", 4 * kGibibyte)});
  CHECK(Has(
      OutOfMemoryRows(report),
      "What it needs in all, and what makes it fit, tidemark fit --card old -- python train.py tells.\n"));
}

TEST_CASE("What to ask next of a recording is told where its memory ran out") {
  RunReport report;
  CHECK(WaysOutHint(report, "run.tide").empty());
  report.shortages.emplace_back();
  CHECK(WaysOutHint(report, "run.tide") == "tidemark info run.tide --ways-out searches what makes it fit.\n");
  CHECK(WaysOutHint(report, "my runs/a.tide") ==
        "tidemark info 'my runs/a.tide' --ways-out searches what makes it fit.\n");
  CHECK(WaysOutHint(report, "").empty());
}

TEST_CASE(
    "What private pools hold of what is reserved is told where there are any, and what was out of reach") {
  timeline::Stream stream;
  const uint8_t pool = GENERATE(uint8_t{0}, uint8_t{1});
  stream.Add(events::EventKind::kSegmentAllocate, 0x10000000, 64 << 20).pool = pool;
  stream.Allocate(0x10000000, 32 << 20);
  stream.Add(events::EventKind::kOutOfMemory, 0, 16 << 20);
  events::RunDescription description;
  description.tells_pools = true;
  const RunReport report = MakeRunReport(*stream.Publish(), description, {}, std::nullopt, {});
  CHECK(Has(RunText(report), "  of private pools          67,108,864 B     64.0 MiB\n") == (pool != 0));
  Json json;
  AddRunJson(report, json);
  CHECK(json["measured"]["private_pools_bytes"] == (pool != 0 ? 64 << 20 : 0));
  CHECK(Has(RunText(report),
            "  free in them              33,554,432 B     32.0 MiB   PyTorch uses it for nothing else\n") ==
        (pool != 0));
  CHECK(json["measured"]["private_pools_free_bytes"] == (pool != 0 ? 32 << 20 : 0));
  CHECK(json["shortages"][0]["out_of_reach"]["other_pools_bytes"] == (pool != 0 ? 32 << 20 : 0));
}

TEST_CASE("Of private pools is said when they held that, and that those of the program may lend it") {
  timeline::Stream stream;
  const auto [name, is_replayed] =
      GENERATE(table<const char*, bool>({{"private pool (1, 0)", true}, {"private pool (0, 1)", false}}));
  const events::NameId pool = stream.Name(name);
  const events::NameId replay = stream.Name(events::kGraphReplay);
  stream.Add(events::EventKind::kSegmentAllocate, 0x10000000, 64 << 20);
  stream.Add(events::EventKind::kSegmentFree, 0x10000000, 64 << 20);
  events::Event& segment = stream.Add(events::EventKind::kSegmentAllocate, 0x20000000, 32 << 20);
  segment.pool = 1;
  segment.name = pool;
  stream.Add(events::EventKind::kSegmentAllocate, 0x30000000, is_replayed ? 1 << 20 : 64 << 20);
  if (is_replayed) stream.Add(events::EventKind::kScopeBegin).op = replay;
  const std::string text = RunText(MakeRunReport(*stream.Publish(), {}, {}, std::nullopt, {}));
  CHECK(Has(text, is_replayed ? "     32.0 MiB   when a CUDA graph was last replayed\n" : "     32.0 MiB\n"));
  CHECK(Has(text, is_replayed ? "   PyTorch uses it for nothing else\n"
                              : "   PyTorch uses it for nothing else, unless use_on_oom=True lends it\n"));
}

TEST_CASE("Where blocks are not told that is no zero, and no card is said to do") {
  timeline::Stream stream;
  stream.Say(events::Source::kAllocator, "absent: there is no PyTorch in this process");
  stream.Count(events::Level::kDriver, 1'000'000'000);
  stream.Count(events::Level::kProcess, 3'000'000'000);
  const auto cards = phantom::LoadCards();
  REQUIRE(cards);
  events::RunDescription description;
  description.device_name = cards->front().title;
  const RunReport report = MakeRunReport(*stream.Publish(), description, {}, std::nullopt, *cards);
  const std::string text = RunText(report);
  CHECK(Has(text, "  allocated                            –\n  requested                            –\n"));
  CHECK(Has(text, "  driver                 1,000,000,000 B"));
  CHECK(Has(text, "  process                3,000,000,000 B"));
  CHECK(Has(text, "\nWhat is allocated is not known. There is no PyTorch in this process.\n"));
  CHECK_FALSE(Has(text, "By memory alone"));
  Json json;
  AddRunJson(report, json);
  for (const char* key : {"allocated_peak_bytes", "requested_peak_bytes", "reserved_peak_bytes"}) {
    CHECK(json["measured"][key].is_null());
  }
  for (const Json& category : json["measured"]["by_category_at_peak"]) CHECK(category.is_null());
  CHECK(json["card"]["taken_bytes"] == 3'000'000'000);
  CHECK(json["card"]["smallest_card"].is_null());
}

TEST_CASE("Where nobody would tell of private pools, that there are none is not said") {
  events::RunDescription description;
  const auto pools_of = [&](bool are_told) {
    description.tells_pools = are_told;
    Json json;
    AddRunJson(MakeRunReport(*timeline::Stream().Publish(), description, {}, std::nullopt, {}), json);
    return json["measured"]["private_pools_bytes"];
  };
  CHECK(pools_of(true) == 0);
  CHECK(pools_of(false).is_null());
}

TEST_CASE("What is cached when memory runs out is said to be in gaps, or in empty segments, too") {
  RunReport report;
  report.shortages.emplace_back();
  CHECK(Has(OutOfMemoryRows(report), "   gaps in segments that hold live blocks\n"));
  report.shortages[0].barred[timeline::Barrier::kPool] = 1;
  CHECK(Has(OutOfMemoryRows(report), "   gaps in segments, and what private pools hold free\n"));
  report.shortages[0].barred[timeline::Barrier::kHeldBack] = 1;
  CHECK(Has(OutOfMemoryRows(report), "   gaps in segments, and segments without a block\n"));
  report.shortages[0] = {};
  report.shortages[0].cached_bytes = 80 << 20;
  report.shortages[0].barred[timeline::Barrier::kSize] = 2 << 20;
  CHECK(Has(OutOfMemoryRows(report),
            "   gaps in segments that hold live blocks, 2.0 MiB of it out of the request's reach\n"));
}

TEST_CASE("What is alike of many times that memory ran out is told once") {
  RunReport report = ReportWith(2 * kGibibyte);
  report.shortages.resize(10);
  for (size_t i = 0; i < report.shortages.size(); ++i) {
    report.shortages[i].step = static_cast<int64_t>(i);
    report.shortages[i].requested_bytes = i == 4 ? kGibibyte : 2 * kGibibyte;
    report.shortages[i].survived = true;
  }
  const std::string rows = OutOfMemoryRows(report);
  CHECK(Has(rows, "Out of memory in step 0, and the same 8 more times\n"));
  CHECK(Has(rows, "Out of memory in step 4\n"));
  CHECK_FALSE(Has(rows, "in step 1"));
  CHECK_FALSE(Has(rows, "Out of memory 7 more times"));
  const std::vector<std::string> sentences = ShortageSentences(report);
  REQUIRE(sentences.size() == 2);
  CHECK(Has(sentences[0], "In step 0: "));
  CHECK(Has(sentences[0], " The same 8 more times."));
}

TEST_CASE("The out of memory that ended the run is told, however many others came before it") {
  RunReport report = ReportWith(2 * kGibibyte);
  report.shortages.resize(7);
  for (size_t i = 0; i < report.shortages.size(); ++i) {
    report.shortages[i].step = static_cast<int64_t>(i);
    report.shortages[i].requested_bytes = static_cast<int64_t>(i + 1) * kGibibyte;
    report.shortages[i].survived = i < 6;
  }
  const std::string rows = OutOfMemoryRows(report);
  CHECK(Has(rows, "Out of memory in step 0\n"));
  CHECK(Has(rows, "Out of memory in step 1\n"));
  CHECK(Has(rows, "Out of memory in step 6\n"));
  CHECK_FALSE(Has(rows, "in step 2"));
  CHECK(Has(rows, "Out of memory 4 more times."));
}

TEST_CASE("A band beyond the card and one that is not known are both said") {
  RunReport report = ReportWith(15 * kGibibyte);
  report.fit->most_reserved_bytes = 16 * kGibibyte;
  CHECK(Has(CardRows(report), "It may not fit"));
  report.band = Result<session::ReservedBand>(Error{"The run was too long."});
  CHECK(Has(RunText(report), "is not known: The run was too long."));
  Json json;
  AddRunJson(report, json);
  CHECK(json["measured"]["reserved_peak_band_unknown"] == "The run was too long.");
  CHECK(json["card"]["may_not_fit"] == true);
}

TEST_CASE("A band is told with both ends, and that a card is nearly full, in text and in JSON") {
  RunReport report = ReportWith(15 * kGibibyte);
  session::ReservedBand band{{14 * kGibibyte, 16 * kGibibyte, false}, false};
  const auto measured = [&] {
    report.band = Result<session::ReservedBand>(band);
    report.peaks.reserved_band = band;
    Json json;
    AddRunJson(report, json);
    return Json(json["measured"]["reserved_peak_band"]);
  };
  CHECK(measured() ==
        Json{{"least_bytes", 14 * kGibibyte}, {"most_bytes", 16 * kGibibyte}, {"at_the_cliff", false}});
  CHECK_FALSE(Has(RunText(report), "The card is nearly full"));
  band.at_the_cliff = true;
  CHECK(measured()["at_the_cliff"] == true);
  CHECK(Has(RunText(report), "The card is nearly full"));
  CHECK(Has(RunText(report), "by the order of the driver's addresses"));
}

TEST_CASE("What is allocated has a band, too, which is told where it is one") {
  RunReport report = ReportWith(15 * kGibibyte);
  session::ReservedBand band{{15 * kGibibyte, 15 * kGibibyte, false, {1024, 1024}}, false};
  report.band = Result<session::ReservedBand>(band);
  CHECK_FALSE(Has(RunText(report), "by the order"));
  band.bytes.allocated.most_bytes = 2048;
  report.band = Result<session::ReservedBand>(band);
  report.peaks.reserved_band = band;
  CHECK(Has(RunText(report),
            "    and allocated from 1,024 B to 2,048 B (1.0 KiB to 2.0 KiB), by the order of the driver's "
            "addresses\n"));
  Json json;
  AddRunJson(report, json);
  CHECK(json["measured"]["allocated_peak_band"] == Json{{"least_bytes", 1024}, {"most_bytes", 2048}});
  CHECK_FALSE(json["measured"].contains("reserved_peak_with_late_frees_bytes"));
  CHECK_FALSE(Has(RunText(report), "up to"));
  band.late_frees_bytes = 16 * kGibibyte;
  report.band = Result<session::ReservedBand>(band);
  report.peaks.reserved_band = band;
  AddRunJson(report, json);
  CHECK(json["measured"]["reserved_peak_with_late_frees_bytes"] == 16 * kGibibyte);
  CHECK(Has(RunText(report), "    up to 17,179,869,184 B (16.00 GiB) if what other streams used"));
  band.late_frees_bytes = 15 * kGibibyte;  // as it is reserved anyway
  report.band = Result<session::ReservedBand>(band);
  CHECK(Has(RunText(report), "    no more if what other streams used"));
}

TEST_CASE("Notes are told one a line, and what was done in several places as one") {
  CHECK(NoteRows({"One.", "Two."}) == "Note: One.\nNote: Two.\n");
  CHECK(NoteRows({"a.py:1 read it.", "One.", "a.py:2 asked it.", "b.py:3 (called from a.py:7) read it."}) ==
        "Note: a.py:1, b.py:3 (called from a.py:7) read it.\nNote: One.\nNote: a.py:2 asked it.\n");
  CHECK(NoteRows({"a.py:1 read it.", "a.py:2 read it.", "a.py:3 read it.", "a.py:4 read it.",
                  "a.py:5 read it."}) == "Note: a.py:1, a.py:2, a.py:3 and 2 more places read it.\n");
}

}  // namespace
}  // namespace tidemark::cli
