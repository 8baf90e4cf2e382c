#include "app/cli/programs/phantom_order.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/cli/console/recording_file.h"
#include "app/cli/programs/phantom_sweep.h"
#include "app/cli/programs/user_program.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::cli {
namespace {

TEST_CASE("A command line is told as one could type it, and not in full where it goes on and on") {
  CHECK(CommandLineOf({"python", "train.py", "--name", "a b", ""}) == "python train.py --name 'a b' ''");
  CHECK(CommandLineOf({std::string(5000, 'x')}).size() < 1100);
}

TEST_CASE("A program's title is its script or module") {
  CHECK(TitleOf({"python", "-W", "ignore", "a/train.py", "x"}) == "train.py");
  CHECK(TitleOf({"python", "-m", "train.main"}) == "train.main");
  CHECK(TitleOf({"/usr/bin/python3", "-c", "print()"}) == "python3");
  CHECK(TitleOf({"venv/bin/torchrun", "--nproc-per-node", "2", "a/train.py", "b.py"}) == "train.py");
  CHECK(TitleOf({"a/train.py", "--epochs", "3"}) == "train.py");  // behind uv run
  CHECK(TitleOf({"-m", "pkg.train", "--epochs", "3"}) == "pkg.train");
  CHECK(TitleOf({"torchrun", "--nproc-per-node", "4", "-m", "pkg.train", "x.py"}) == "pkg.train");
  CHECK(TitleOf({"python", "-m", "torch.distributed.run", "--nproc-per-node", "4", "--module",
                 "pkg.train"}) == "pkg.train");
  CHECK(TitleOf({"python", "-m", "pkg.train", "--launcher", "deepspeed"}) == "pkg.train");
  CHECK(TitleOf({"accelerate", "launch", "train"}) == "accelerate");
}

TEST_CASE("A launcher's processes are as many as it is told, by any of the ways to write that") {
  CHECK(ProcessesOfLauncher({"torchrun", "--nproc-per-node", "4", "train.py"}) == 4);
  CHECK(ProcessesOfLauncher({"env", "A=1", "venv/bin/torchrun", "--nproc_per_node=8", "train.py"}) == 8);
  CHECK(ProcessesOfLauncher({"python", "-m", "torch.distributed.run", "--nproc-per-node=2", "t.py"}) == 2);
  CHECK(ProcessesOfLauncher({"accelerate", "launch", "--num_processes", "3", "t.py"}) == 3);
  CHECK(ProcessesOfLauncher({"torchrun", "--nproc-per-node", "gpu", "train.py"}) == 1);
  CHECK(ProcessesOfLauncher({"torchrun", "--nproc-per-node"}) == 1);
  CHECK(ProcessesOfLauncher({"torchrun", "--nproc-per-node=-3", "train.py"}) == 1);
  CHECK(ProcessesOfLauncher({"torchrun", "train.py", "--num-gpus", "4"}) == 1);
  CHECK(ProcessesOfLauncher({"torchrun", "-m", "pkg.train", "--num-gpus", "4"}) == 1);
  CHECK_FALSE(ProcessesOfLauncher({"python", "train.py", "--num-gpus", "4"}));
}

TEST_CASE("A script that asks for its rank and failed gets a hint") {
  unsetenv("RANK");
  const trace::Scratch scratch;
  const std::string script = (scratch / "train.py").string();
  std::ofstream(script) << "torch.distributed.init_process_group()\n";
  CHECK(HintOnRanks({"python", script}, 1, 1).find("--world 8 --rank 0") != std::string::npos);
  CHECK(HintOnRanks({"python", script}, 1, 0).empty());
  CHECK(HintOnRanks({"python", script}, 1, 128 + SIGINT).empty());
  CHECK(HintOnRanks({"python", script}, 8, 1).empty());
  CHECK(HintOnRanks({"torchrun", script}, 1, 1).empty());
  std::ofstream(script) << "print()\n";
  CHECK(HintOnRanks({"python", script}, 1, 1).empty());
  const std::string folder = (scratch / "folder.py").string();
  std::filesystem::create_directory(folder);
  CHECK(HintOnRanks({"python", folder}, 1, 1).empty());
}

TEST_CASE("A recording's name tells that it is one, or how it becomes what it says") {
  const trace::Scratch scratch;
  CHECK(WhyNoRecordingName("").empty());
  CHECK(WhyNoRecordingName("run.tide").empty());
  CHECK(WhyNoRecordingName("/dev/null").empty());
  CHECK(WhyNoRecordingName((scratch / ".").string()).empty());  // a folder is told of where it is opened
  CHECK(WhyNoRecordingName("x/run.pickle") ==
        "What is recorded is a .tide, not a .pickle. Record to x/run.tide, then: tidemark convert x/run.tide "
        "x/run.pickle");
  CHECK(WhyNoRecordingName("run").ends_with("name it run.tide."));
}

TEST_CASE("A sweep's row of a run that failed has no figures") {
  phantom::Card card;
  card.title = "NVIDIA T4";
  card.memory_bytes = 1000;
  card.context_bytes = 100;
  const phantom::SweepTask task{{}, {}, "batch", {1, 2, 3}};
  const std::string table = SweepTable(task, card,
                                       {{{1, 7, 300, 400, true, false, ""}, {}},
                                        {{2, 8, 300, 400, true, true, "Tried to allocate 9 MiB."}, {}},
                                        {{3, 9, 0, 0, false, false, ""}, {}}});
  CHECK(table.find("           1                 300 B                 400 B      50.0 %        500 B\n") !=
        std::string::npos);
  CHECK(table.find("–  does not fit: Tried to allocate 9 MiB.\n") != std::string::npos);
  CHECK(table.find("–  it asked the phantom GPU for no memory\n") != std::string::npos);
  CHECK(table.find("orders") == std::string::npos);
}

TEST_CASE("The cards of a process and the order of its addresses are what was asked for, or a sentence") {
  PhantomOptions options;
  CHECK(UnderstandPhantom(options)->gpus == 1);
  CHECK(UnderstandPhantom(options)->addresses == phantom::AddressOrder{});
  options.gpus = "2";
  options.addresses = "scattered-7";
  CHECK(UnderstandPhantom(options)->gpus == 2);
  CHECK(UnderstandPhantom(options)->addresses == *phantom::AddressOrderFromText("scattered-7"));
  options.addresses = "sideways";
  CHECK(UnderstandPhantom(options).error().message.find("not 'sideways'") != std::string::npos);
  options.addresses = "";
  options.gpus = "0";
  CHECK(UnderstandPhantom(options).error().message.find("--gpus") != std::string::npos);
}

session::ReservedBand BandOf(int64_t least, int64_t most) { return {{least, most}, false}; }

TEST_CASE("A sweep tells the band where there is one, and once that there is none") {
  phantom::Card card;
  card.memory_bytes = 1000;
  card.context_bytes = 100;
  const phantom::SweepTask task{{}, {}, "batch", {1, 2, 3}};
  SweepRow same;
  same.run = {1, 7, 300, 400, true, false, ""};
  same.band = BandOf(400, 400);
  SweepRow moved;
  moved.run = {2, 8, 300, 500, true, false, ""};
  moved.band = BandOf(450, 901);
  SweepRow unknown;
  unknown.run = {3, 9, 300, 500, true, false, ""};
  unknown.band = Result<session::ReservedBand>(Error{"Its allocator tells nothing."});
  const std::string all_same = SweepTable(task, card, {same, same});
  CHECK(all_same.find("the same in all 17 orders") != std::string::npos);
  CHECK(all_same.find("500 B\n") != std::string::npos);  // nothing after what is free
  const std::string mixed = SweepTable(task, card, {same, moved, unknown});
  CHECK(mixed.find("  reserved 450 B to 901 B  may not fit\n") != std::string::npos);
  CHECK(mixed.find("least and most stand in the row") != std::string::npos);
  CHECK(mixed.find(
            "batch 3: how far the order of addresses moves what is reserved is not known. Its allocator") !=
        std::string::npos);
}

}  // namespace
}  // namespace tidemark::cli
