// Ranges as people type them, and a sweep through a stand-in for Python that answers as the warm process
// does.
#include "profiler/phantom/programs/sweep.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::phantom {
namespace {

std::vector<int64_t> Values(const std::string& text) {
  const Result<SweepRange> range = SweepRangeFromText(text);
  return range ? range->values : std::vector<int64_t>();
}

TEST_CASE("A range doubles up to its end, a list is itself") {
  CHECK(Values("batch=1..8") == std::vector<int64_t>{1, 2, 4, 8});
  CHECK(Values("batch=3..20") == std::vector<int64_t>{3, 6, 12, 20});
  CHECK(Values("batch=5..5") == std::vector<int64_t>{5});
  CHECK(Values("lr=7,1,7") == std::vector<int64_t>{7, 1, 7});
  CHECK(Values("batch=1..9223372036854775807").size() == 64);
  for (const char* text : {"", "batch", "=1", "batch=", "batch=8..1", "batch=0..4", "batch=-1..4",
                           "batch=1,,2", "batch=1,", "batch=a", "batch=1..b", "batch=1...4"}) {
    INFO(text);
    CHECK(Values(text).empty());
  }
}

Result<std::vector<RunAnswer>> AnswersOf(const SweepTask& task) {
  std::vector<RunAnswer> answers;
  const Status swept =
      Sweep(task, {[&](const RunAnswer& answer) { answers.push_back(answer); }, [] { return true; }});
  if (!swept) return swept.error();
  return answers;
}

SweepTask TaskWith(const trace::Scratch& scratch, const std::string& python) {
  std::ofstream(scratch / "python") << "#!/bin/sh\n" << python;
  std::filesystem::permissions(scratch / "python", std::filesystem::perms::owner_all);
  return {{(scratch / "python").string(), "train.py", "--lr", "3"},
          {"TIDEMARK_TEST_WORD=there"},
          "batch",
          {1, 2}};
}

TEST_CASE("Python's own options are the warm process's too; a launcher is refused") {
  const trace::Scratch scratch;
  SweepTask task =
      TaskWith(scratch, "echo \"tidemark {\\\"value\\\": 1, \\\"sentence\\\": \\\"$1 $2 $3\\\"}\"\n");
  task.values = {1};
  task.program.insert(task.program.begin() + 1, {"-W", "ignore"});
  const auto answers = AnswersOf(task);
  REQUIRE(answers.ok());
  CHECK(answers->at(0).sentence == "-W ignore -u");
  task.program.front() = "torchrun";
  CHECK(!AnswersOf(task).ok());
}

TEST_CASE(
    "Behind what brings its own Python a script or a module is enough; a launcher is refused there, too") {
  const trace::Scratch scratch;
  SweepTask task = TaskWith(scratch, "");
  std::ofstream(scratch / "uv")
      << "#!/bin/sh\nread order\nwords=$(echo \"$1 $2 $4 $5 $order\" | tr -d '\"')\n"
         "echo \"tidemark {\\\"value\\\": 1, \\\"sentence\\\": \\\"$words\\\"}\"\n";
  std::filesystem::permissions(scratch / "uv", std::filesystem::perms::owner_all);
  task.values = {1};
  const auto told = [&](const std::vector<std::string>& words) {
    task.program = {(scratch / "uv").string(), "run"};
    task.program.insert(task.program.end(), words.begin(), words.end());
    const auto answers = AnswersOf(task);
    return answers ? answers->at(0).sentence : answers.error().message;
  };
  CHECK(told({"train.py", "--lr"}).starts_with("run python "));
  CHECK(told({"train.py", "--lr"}).find("arguments:[--lr,--batch,1]") != std::string::npos);
  CHECK(told({"train.py"}).find("script:train.py") != std::string::npos);
  CHECK(told({"-m", "package.train"}).find("module:package.train") != std::string::npos);
  CHECK(told({"torchrun", "train.py"}).find("needs Python and its script") != std::string::npos);
  CHECK(told({"-m", "torch.distributed.run", "train.py"}).find("needs Python") != std::string::npos);
}

TEST_CASE("What Python runs may be joined to its option, and that to others") {
  const trace::Scratch scratch;
  SweepTask task = TaskWith(scratch,
                            "for last; do :; done\nread order\n"
                            "words=$(echo \"$# $1 $last $order\" | tr -d '\"')\n"
                            "echo \"tidemark {\\\"value\\\": 1, \\\"sentence\\\": \\\"$words\\\"}\"\n");
  task.values = {1};
  const auto told = [&](const std::vector<std::string>& words) {
    task.program.resize(1);
    task.program.insert(task.program.end(), words.begin(), words.end());
    const auto answers = AnswersOf(task);
    return answers ? answers->at(0).sentence : answers.error().message;
  };
  const auto is_told = [&](const std::vector<std::string>& words, const std::vector<std::string>& parts) {
    const std::string sentence = told(words);
    INFO(sentence);
    for (const std::string& part : parts) CHECK(sentence.find(part) != std::string::npos);
  };
  is_told({"-mpackage.train", "--lr"}, {"3 -u {", "arguments:[--lr,--batch,1]", "module:package.train"});
  is_told({"-cprint(1)", "-m"}, {"3 -u {", "arguments:[-m,--batch,1]", "code:print(1)"});
  is_told({"-Im", "train"}, {"4 -I {", "arguments:[--batch,1]", "module:train"});
  is_told({"-Werror", "-Xdev", "train.py", "-c"},
          {"5 -Werror {", "arguments:[-c,--batch,1]", "script:train.py"});
  is_told({"-Im"}, {"needs a script or a module"});
}

TEST_CASE("Answers come one by one; what else is said is no answer") {
  const trace::Scratch scratch;
  const SweepTask task =
      TaskWith(scratch,
               "echo noise\n"
               "echo 'tidemark {\"value\": 1, \"allocated_peak_bytes\": 10, \"reserved_peak_bytes\": 20, "
               "\"process\": 77}'\n"
               "echo 'tidemark {broken'\n"
               "echo \"tidemark {\\\"value\\\": 2, \\\"out_of_memory\\\": true, \\\"sentence\\\": "
               "\\\"$TIDEMARK_TEST_WORD\\\"}\"\n");
  const auto answers = AnswersOf(task);
  REQUIRE(answers.ok());
  REQUIRE(answers->size() == 2);
  CHECK(answers->at(0).allocated_peak_bytes == 10);
  CHECK(answers->at(0).reserved_peak_bytes == 20);
  CHECK_FALSE(answers->at(0).out_of_memory);
  CHECK(answers->at(1).out_of_memory);
  CHECK(answers->at(1).sentence == "there");
  CHECK(answers->at(0).process_id == 77);
}

TEST_CASE("An argument takes the place of the one that a command has") {
  const trace::Scratch scratch;
  const std::string python = TaskWith(scratch, "").program.front();
  using Words = std::vector<std::string>;
  const auto arguments_with = [&](Words words) {
    words.insert(words.begin(), {python, "train.py"});
    Words changed = WithArgument(words, "batch", 32);
    changed.erase(changed.begin(), changed.begin() + 2);
    return changed;
  };
  CHECK(arguments_with({}) == Words{"--batch", "32"});
  CHECK(arguments_with({"--batch", "8", "--lr", "1"}) == Words{"--batch", "32", "--lr", "1"});
  CHECK(arguments_with({"--batch=8", "--batches", "2"}) == Words{"--batch=32", "--batches", "2"});
  CHECK(arguments_with({"--batch", "8", "train", "--batch=9"}) == Words{"--batch", "32", "train"});
  CHECK(arguments_with({"--batch"}) == Words{"--batch", "32"});
  CHECK(arguments_with({"--lr", "1", "--", "--batch"}) ==
        Words{"--lr", "1", "--batch", "32", "--", "--batch"});
  CHECK(WithArgument({"no-such-launcher", "--", "train.py"}, "batch", 32) ==
        Words{"no-such-launcher", "--", "train.py", "--batch", "32"});
}

TEST_CASE("An argument keeps the form in which a program takes it") {
  const trace::Scratch scratch;
  const std::string python = TaskWith(scratch, "").program.front();
  using Words = std::vector<std::string>;
  const auto with = [&](const char* name, Words words) {
    words.insert(words.begin(), {python, "train.py"});
    Words changed = WithArgument(words, name, 32);
    changed.erase(changed.begin(), changed.begin() + 2);
    return changed;
  };
  CHECK(with("batch_size", {"--batch_size=8", "--compile=False"}) ==
        Words{"--batch_size=32", "--compile=False"});
  CHECK(with("b", {"-b", "256", "-a", "resnet18"}) == Words{"-b", "32", "-a", "resnet18"});
  CHECK(with("b", {}) == Words{"-b", "32"});
  CHECK(with("data.batch", {"model=gpt", "data.batch=8"}) == Words{"model=gpt", "data.batch=32"});
  CHECK(with("data.batch", {"+data.batch=8"}) == Words{"+data.batch=32"});
  CHECK(with("bs", {"--name", "bs=8", "--bs", "8"}) == Words{"--name", "bs=8", "--bs", "32"});
}

TEST_CASE("What an argument says of the size of a batch is what a sweep goes up to") {
  const trace::Scratch scratch;
  const std::string python = TaskWith(scratch, "").program.front();
  using Words = std::vector<std::string>;
  const auto found = [&](Words words) {
    words.insert(words.begin(), {python, "train.py"});
    const auto range = BatchSweepOf(words);
    return range ? range->name + " up to " + std::to_string(range->values.back()) : "none";
  };
  CHECK(found({"--lr", "1", "--batch-size", "64"}) == "batch-size up to 64");
  CHECK(found({"--batch_size=12"}) == "batch_size up to 12");
  CHECK(found({"-b", "256"}) == "b up to 256");
  CHECK(found({"--per_device_train_batch_size", "4"}) == "per_device_train_batch_size up to 4");
  CHECK(found({"train.batchSize=16"}) == "train.batchSize up to 16");
  CHECK(found({"--batch-size", "1"}) == "none");
  CHECK(found({"data.val.batch_size=64", "train.batch_size=8"}) == "none");
  CHECK(found({"--batch-size"}) == "none");
  CHECK(found({"--batch-size", "auto"}) == "none");
  CHECK(found({"--batch-sampler", "8", "--", "--batch-size", "8"}) == "none");
  CHECK_FALSE(BatchSweepOf({"no-such-launcher", "--batch", "8"}));
}

TEST_CASE("A sweep that ends early says what it heard last, and one without a script what it needs") {
  const trace::Scratch scratch;
  SweepTask task = TaskWith(scratch, "echo no torch here >&2; exit 1\n");
  const auto early = AnswersOf(task);
  REQUIRE_FALSE(early.ok());
  CHECK(early.error().message.find("no torch here") != std::string::npos);
  task.program = {(scratch / "python").string(), "-m"};
  const auto without = AnswersOf(task);
  REQUIRE_FALSE(without.ok());
  CHECK(without.error().message.find("needs a script or a module") != std::string::npos);
}

TEST_CASE("A sweep that is asked to end keeps the answers that it has, and does not wait for the rest") {
  const trace::Scratch scratch;
  const SweepTask task = TaskWith(scratch, "echo 'tidemark {\"value\": 1}'\nexec sleep 60\n");
  std::vector<int64_t> told;
  const auto began = std::chrono::steady_clock::now();
  const Status swept = Sweep(
      task, {[&](const RunAnswer& answer) { told.push_back(answer.value); }, [&] { return told.empty(); }});
  CHECK(swept.ok());
  CHECK(told == std::vector<int64_t>{1});
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
}

TEST_CASE("One Python answers order after order; another one begins where it has ended") {
  const trace::Scratch scratch;
  const SweepTask task = TaskWith(scratch,
                                  "while read order; do\n"
                                  "  case $order in *'\"value\":9'*) echo no nine >&2; exit 1 ;; esac\n"
                                  "  echo \"tidemark {\\\"value\\\": 1, \\\"process\\\": $$}\"\n"
                                  "done\n");
  auto program = WarmProgram::Of(task.program, task.environment);
  REQUIRE(program.ok());
  const auto python_of = [&](int64_t value) {
    int process = 0;
    const Status ran =
        program->Run({{value, "batch"}},
                     {[&](const RunAnswer& answer) { process = answer.process_id; }, [] { return true; }});
    INFO((ran ? "" : ran.error().message));
    CHECK(ran.ok() == (value != 9));
    return process;
  };
  const int first = python_of(1);
  CHECK(first > 0);
  CHECK(python_of(2) == first);
  CHECK(python_of(9) == 0);
  CHECK(python_of(3) != first);
  CHECK(python_of(3) > 0);
}

}  // namespace
}  // namespace tidemark::phantom
