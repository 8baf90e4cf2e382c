#include "profiler/session/ranks.h"

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "profiler/networks/training_settings.h"
#include "profiler/trace/tide.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::session {
namespace {

using events::Event;
using events::EventKind;

// Steps that each allocate one block and free it, and one block that stays.
void WriteRank(const std::filesystem::path& file, const std::vector<int64_t>& peaks, int32_t rank = 0,
               std::optional<size_t> fails_in = {}) {
  std::vector<Event> stream;
  const auto add = [&stream](EventKind kind, uint64_t address, int64_t bytes) {
    Event event;
    event.time_ns = static_cast<int64_t>(stream.size()) * 1000;
    event.kind = kind;
    event.address = address;
    event.bytes = event.rounded_bytes = bytes;
    stream.push_back(event);
  };
  add(EventKind::kSegmentAllocate, 1 << 20, 1 << 20);
  for (size_t step = 0; step < peaks.size(); ++step) {
    add(EventKind::kStepBegin, 0, static_cast<int64_t>(step));
    add(EventKind::kAllocate, 1 << 20, peaks[step]);
    if (fails_in == step) add(EventKind::kOutOfMemory, 0, 1 << 30);
    add(EventKind::kFreeCompleted, 1 << 20, peaks[step]);
    if (fails_in == step && step + 1 == peaks.size()) break;
    add(EventKind::kStepEnd, 0, static_cast<int64_t>(step));
  }
  events::RunDescription description;
  description.rank = rank;
  auto writer = trace::TideWriter::Create(file, description);
  REQUIRE(writer.ok());
  REQUIRE(writer->Append(stream).ok());
  REQUIRE(writer->Close().ok());
}

TEST_CASE("a rank's number is in its file's name") {
  CHECK(RankInName("run.rank3.tide") == 3);
  CHECK(RankInName("rank12.tide") == 12);
  CHECK(RankInName("/2/rank_7_of_8.pickle") == 7);
  CHECK(RankInName("prank.rank-5.tide") == 5);
  CHECK(RankInName("rank1.rank3.tide") == 3);  // of what records into rank1.tide
  CHECK(RankInName("rank3.ranking.tide") == 3);
  CHECK(RankInName("snapshot_41.pickle.gz") == -1);
  CHECK(RankInName("two2.tide") == -1);
  CHECK(RankInName("two2.18048.tide") == -1);  // a process's
  CHECK(RankInName("/9/snapshot.pickle") == -1);
  CHECK(RankInName("99999999999999999999.tide") == -1);
}

TEST_CASE("the recording of a rank tells that of all, and the other way") {
  for (const char* const name : {"/a/run.tide", "rank1.tide", "run"}) {
    CHECK(RecordingOfAllRanks(RecordingOfRank(name, 12)) == name);
    CHECK(RecordingOfAllRanks(name) == name);
  }
  CHECK(RecordingOfAllRanks("run.rank0.4711.tide") == "run.rank0.4711.tide");  // a process's of the rank
}

TEST_CASE("what a program may replace is what it or its ranks have recorded there") {
  const trace::Scratch scratch;
  CHECK(RecordingsAt("").empty());
  CHECK(RecordingsAt(scratch / "no folder" / "run.tide").empty());
  for (const char* name : {"run.rank1.tide", "run.rank0.tide", "run.tide", "run.rank.tide",
                           "run.rank0.4711.tide", "other.rank0.tide", "run.tide.bookmarks.json"})
    std::ofstream(scratch / name) << "something";
  std::ofstream(scratch / "empty.tide").flush();
  CHECK(RecordingsAt(scratch / "run.tide") == std::vector<std::filesystem::path>{scratch / "run.rank0.tide",
                                                                                 scratch / "run.rank1.tide",
                                                                                 scratch / "run.tide"});
  std::ofstream(scratch / "rank1.rank10.tide") << "something";
  std::ofstream(scratch / "rank1.rank9.tide") << "something";
  CHECK(RecordingsAt(scratch / "rank1.tide") ==
        std::vector<std::filesystem::path>{scratch / "rank1.rank9.tide", scratch / "rank1.rank10.tide"});
  CHECK(RecordingsAt(scratch / "empty.tide").empty());
  CHECK(RecordingsAt("/dev/null").empty());
}

TEST_CASE("recordings of different programs are no ranks of one run") {
  Ranks ranks;
  ranks.ranks.resize(3);
  CHECK(WhyNotOneRun(ranks).empty());
  ranks.ranks[0].program = ranks.ranks[1].program = "train.py";
  CHECK(WhyNotOneRun(ranks).empty());  // one does not tell
  ranks.ranks[2].program = "eval.py";
  CHECK(WhyNotOneRun(ranks).find("different programs (eval.py, train.py)") != std::string::npos);
}

TEST_CASE("recordings of one program with different arguments are no ranks of one run") {
  Ranks ranks;
  ranks.ranks.resize(2);
  for (int i = 0; i < 2; ++i) {
    ranks.ranks[i].rank = i;
    ranks.ranks[i].program = "train.py";
    const std::string number = std::to_string(i);
    ranks.ranks[i].arguments = {"--batch", "64",       "--local_rank=" + number, "--rank",
                                number,    "--device", "cuda:" + number};
  }
  CHECK(WhyNotOneRun(ranks).empty());
  ranks.ranks[0].arguments = {"--log", "out/rank8/8.log", "--device", "cuda:0"};
  ranks.ranks[1].arguments = {"--log", "out/rank9/9.log", "--device", "cuda:1"};
  ranks.ranks[0].rank = 8;
  ranks.ranks[1].rank = 9;
  CHECK(WhyNotOneRun(ranks).empty());
  ranks.ranks[0].arguments = {"--lora_rank", "16"};
  ranks.ranks[1].arguments = {"--lora_rank", "32"};
  CHECK_FALSE(WhyNotOneRun(ranks).empty());
  ranks.ranks[0].arguments = {"--batch", "64"};
  ranks.ranks[1].arguments = {"--batch", "8"};
  CHECK(WhyNotOneRun(ranks).find("runs of train.py with different arguments (--batch 64 ") !=
        std::string::npos);
  ranks.ranks[1].arguments.clear();
  CHECK(WhyNotOneRun(ranks).find("→ none)") != std::string::npos);
}

TEST_CASE("recordings of one network with different settings are no ranks of one run") {
  Ranks ranks;
  ranks.ranks.resize(2);
  for (RankPeaks& rank : ranks.ranks) rank.settings = networks::TrainingSettings();
  CHECK(WhyNotOneRun(ranks).empty());
  ranks.ranks[1].settings->data = "/another/machine/cifar10";
  CHECK(WhyNotOneRun(ranks).empty());
  ranks.ranks[1].settings->batch = 8;
  CHECK(WhyNotOneRun(ranks).find("runs with different settings (batch 64 → 8)") != std::string::npos);
}

TEST_CASE("ranks that no recording was opened of are named") {
  Ranks ranks;
  ranks.ranks.resize(3);
  for (int i = 0; i < 3; ++i) ranks.ranks[i].rank = i;
  CHECK(MissingRanks(ranks).empty());
  ranks.ranks[2].rank = 3;
  CHECK(MissingRanks(ranks) == "There is no recording of rank 2 that can be read.");
  ranks.ranks[2].rank = 12;
  CHECK(MissingRanks(ranks) ==
        "There is no recording of ranks 2, 3, 4, 5, 6, 7, 8, 9 and 2 more that can be read.");
  ranks.ranks[2].rank = 4000;  // an iteration's number, say
  CHECK(MissingRanks(ranks).empty());
}

TEST_CASE("what ran is the script of a command, or the network") {
  const trace::Scratch scratch;
  const auto program_of = [&](const std::string& command, const std::string& settings) {
    events::RunDescription description;
    description.command = command;
    description.settings_json = settings;
    auto writer = trace::TideWriter::Create(scratch / "one.tide", description);
    REQUIRE(writer.ok());
    REQUIRE(writer->Close().ok());
    const std::vector<std::filesystem::path> files = {scratch / "one.tide"};
    const Result<Ranks> ranks = ReadRanks(files);
    REQUIRE(ranks.ok());
    return ranks->ranks[0].program;
  };
  CHECK(program_of("python -u train.py --rank 3", "") == "train.py");
  CHECK(program_of("python -m package.train --rank 3", "") == "package.train");
  CHECK(program_of("./a.out", "") == "./a.out");
  CHECK(program_of("python 'my runs/train.py' 'a b.py'", "") == "my runs/train.py");
  CHECK(program_of("", "").empty());
  networks::TrainingSettings settings;
  CHECK(program_of("", networks::ToJson(settings)) == settings.network);
}

TEST_CASE("ranks are read as one run, in the order of their numbers") {
  const trace::Scratch scratch;
  WriteRank(scratch / "run.rank10.tide", {500, 700});
  WriteRank(scratch / "run.rank2.tide", {500, 600, 650});
  std::ofstream(scratch / "run.rank3.tide") << "no recording";
  const std::vector<std::filesystem::path> files = {scratch / "run.rank10.tide", scratch / "run.rank2.tide",
                                                    scratch / "run.rank3.tide"};
  double reported = 0;
  const auto ranks = ReadRanks(files, [&reported](double share) {
    CHECK(share >= reported);
    reported = share;
    return true;
  });
  REQUIRE(ranks.ok());
  CHECK(reported == Approx(1));
  REQUIRE(ranks->ranks.size() == 2);
  CHECK(ranks->ranks[0].rank == 2);
  CHECK(ranks->ranks[0].allocated == 650);
  CHECK(ranks->ranks[0].reserved == 1 << 20);
  REQUIRE(ranks->ranks[0].steps.size() == 3);
  CHECK(ranks->ranks[0].steps[1].number == 1);
  CHECK(ranks->ranks[0].steps[1].allocated == 600);
  REQUIRE(ranks->ranks[0].curves.size() == 4);
  CHECK(ranks->ranks[0].curves[0].highest == std::vector<int64_t>{0});
  CHECK(ranks->ranks[0].curves[2].step == 1);
  CHECK(ranks->ranks[0].curves[2].highest == std::vector<int64_t>{0, 600, 0, 0});  // a part for each event
  CHECK(ranks->ranks[1].rank == 10);
  REQUIRE(ranks->unreadable.size() == 1);
  CHECK(ranks->unreadable.front().find("run.rank3.tide") != std::string::npos);
}

TEST_CASE("a rank that survived that its memory ran out is told apart from one that it ended") {
  const trace::Scratch scratch;
  WriteRank(scratch / "run.rank0.tide", {500, 700}, 0, 0);
  WriteRank(scratch / "run.rank1.tide", {500, 700}, 1, 1);
  const std::vector<std::filesystem::path> files = {scratch / "run.rank0.tide", scratch / "run.rank1.tide"};
  const auto ranks = ReadRanks(files);
  REQUIRE(ranks.ok());
  CHECK_FALSE(ranks->ranks[0].out_of_memory);
  CHECK(ranks->ranks[0].times_survived == 1);
  CHECK(ranks->ranks[1].out_of_memory);
  CHECK(ranks->ranks[1].times_survived == 0);
}

TEST_CASE("a file that is named twice is one rank") {
  const trace::Scratch scratch;
  WriteRank(scratch / "run.rank0.tide", {100});
  WriteRank(scratch / "run.rank1.tide", {200});
  const std::vector<std::filesystem::path> files = {scratch / "run.rank0.tide", scratch / "run.rank1.tide",
                                                    scratch / "." / "run.rank0.tide"};
  const auto ranks = ReadRanks(files);
  REQUIRE(ranks.ok());
  CHECK(ranks->ranks.size() == 2);
  CHECK(ranks->ranks[1].rank == 1);
  REQUIRE(ranks->repeated.size() == 1);
  CHECK(ranks->repeated.front().find("counts once") != std::string::npos);
}

TEST_CASE("files that nobody told a rank of are recordings in their order") {
  const trace::Scratch scratch;
  WriteRank(scratch / "b1.tide", {100});
  WriteRank(scratch / "a2.tide", {200});
  const std::vector<std::filesystem::path> files = {scratch / "b1.tide", scratch / "a2.tide"};
  const auto ranks = ReadRanks(files);
  REQUIRE(ranks.ok());
  CHECK_FALSE(AreRanks(*ranks));
  CHECK(CountOf(*ranks) == "2 recordings");
  CHECK(ranks->ranks[0].rank == 0);
  CHECK(ranks->ranks[0].file == files[0]);
  CHECK(NameOf(ranks->ranks[0]) == "b1.tide");
  CHECK(ranks->ranks[1].rank == 1);
}

TEST_CASE("processes that nobody called ranks are named by their programs and numbers") {
  const trace::Scratch scratch;
  const auto write = [&](const char* file, const char* program, int32_t process, int32_t rank) {
    events::RunDescription description;
    description.title = program;
    description.process_id = process;
    description.rank = rank;
    description.command = "./both.sh";
    auto writer = trace::TideWriter::Create(scratch / file, description);
    REQUIRE(writer.ok());
    REQUIRE(writer->Close().ok());
  };
  write("two2.tide", "gan.py", 18047, 0);
  write("two2.18048.tide", "cnn.py", 18048, 0);
  const std::vector<std::filesystem::path> files = {scratch / "two2.tide", scratch / "two2.18048.tide"};
  const auto processes = ReadRanks(files);
  REQUIRE(processes.ok());
  CHECK(CountOf(*processes) == "2 processes");
  CHECK(NameOf(processes->ranks[0]) == "gan.py, process 18047");
  CHECK(NameOf(processes->ranks[1]) == "cnn.py, process 18048");
  CHECK(MissingRanks(*processes).empty());
  write("two2.tide", "train.py", 18047, 0);  // as their launcher says
  write("two2.18048.tide", "train.py", 18048, 1);
  const auto ranks = ReadRanks(files);
  REQUIRE(ranks.ok());
  CHECK(CountOf(*ranks) == "2 ranks");
  CHECK(NameOf(ranks->ranks[1]) == "rank 1");
}

TEST_CASE("ranks in files of any name have the numbers that they were recorded with, the first too") {
  const trace::Scratch scratch;
  WriteRank(scratch / "leader.tide", {100}, 0);
  WriteRank(scratch / "other.tide", {200}, 5);
  const std::vector<std::filesystem::path> files = {scratch / "other.tide", scratch / "leader.tide"};
  const auto ranks = ReadRanks(files);
  REQUIRE(ranks.ok());
  REQUIRE(ranks->ranks.size() == 2);
  CHECK(ranks->ranks[0].rank == 0);
  CHECK(ranks->ranks[0].file == files[1]);
  CHECK(ranks->ranks[1].rank == 5);
}

TEST_CASE("what cannot be one run of ranks is said") {
  CHECK_FALSE(ReadRanks({}).ok());
  const std::vector<std::filesystem::path> many(kMostRanks + 1, "nowhere.tide");
  CHECK(ReadRanks(many).error().message.find("1,024") != std::string::npos);
  const std::vector<std::filesystem::path> missing(2, "nowhere.tide");
  CHECK(ReadRanks(missing).error().message.find("nowhere.tide") != std::string::npos);
  const trace::Scratch scratch;
  WriteRank(scratch / "a.tide", {100});
  const std::vector<std::filesystem::path> files = {scratch / "a.tide", scratch / "a.tide"};
  CHECK(ReadRanks(files, [](double) { return false; }).error().message.find("cancelled") !=
        std::string::npos);
}

}  // namespace
}  // namespace tidemark::session
