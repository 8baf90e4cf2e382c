// The file of answers: kept, shared between processes, and never worse than missing.
#include "profiler/phantom/workspaces/answer_cache.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/phantom_workspaces/temporary_folder.h"

namespace tidemark::phantom::workspaces {
namespace {

Key KeyFor(int number) { return KeyOf("question " + std::to_string(number)); }
std::string AnswerFor(int number) { return "answer " + std::string(static_cast<size_t>(number), 'x'); }

std::filesystem::path FileWith(const TemporaryFolder& folder, int answers) {
  std::filesystem::path file = folder.path() / "deep" / "some.answers";
  AnswerCache cache(file);
  for (int number = 0; number < answers; ++number) {
    REQUIRE(cache.Append(KeyFor(number), AnswerFor(number)));
  }
  return file;
}

std::string Read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void Write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// How many of them are found; what is found must be right.
int CountKnown(const AnswerCache& cache, int answers) {
  int known = 0;
  for (int number = 0; number < answers; ++number) {
    const auto answer = cache.Find(KeyFor(number));
    if (!answer) continue;
    CHECK(*answer == AnswerFor(number));
    ++known;
  }
  return known;
}

TEST_CASE("Answers are there again for the next process, and nothing else is") {
  const TemporaryFolder folder;
  const AnswerCache cache(FileWith(folder, 50));
  CHECK(CountKnown(cache, 50) == 50);
  CHECK(cache.size() == 50);
  CHECK(cache.damaged_bytes() == 0);
  CHECK_FALSE(cache.Find(KeyFor(50)).has_value());
}

TEST_CASE("A file that does not exist is an empty one, and a folder that cannot be is no obstacle") {
  const TemporaryFolder folder;
  CHECK(AnswerCache(folder.path() / "none.answers").size() == 0);
  CHECK(AnswerCache("").size() == 0);
  AnswerCache nowhere("/proc/nowhere/some.answers");
  CHECK_FALSE(nowhere.Append(KeyFor(1), AnswerFor(1)));
  CHECK(CountKnown(nowhere, 3) == 1);  // for this process it is known all the same
}

TEST_CASE("What another process appends is seen by those that look again") {
  const TemporaryFolder folder;
  const std::filesystem::path file = FileWith(folder, 3);
  AnswerCache reader(file);
  AnswerCache writer(file);
  writer.Append(KeyFor(3), AnswerFor(3));
  CHECK(CountKnown(reader, 4) == 3);
  reader.ReadNew();
  CHECK(CountKnown(reader, 4) == 4);
}

TEST_CASE("Wherever a file was cut off, what stands before it is kept, and new answers go behind it") {
  const TemporaryFolder folder;
  const std::filesystem::path file = FileWith(folder, 4);
  const std::string whole = Read(file);
  for (size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    Write(file, whole.substr(0, length));
    const int kept = CountKnown(AnswerCache(file), 4);
    AnswerCache(file).Append(KeyFor(9), AnswerFor(9));
    const AnswerCache cache(file);
    REQUIRE(CountKnown(cache, 4) == kept);
    REQUIRE(cache.Find(KeyFor(9)).has_value());
  }
}

TEST_CASE("Wherever a byte was changed, one answer is lost at most, and none is wrong") {
  const TemporaryFolder folder;
  const std::filesystem::path file = FileWith(folder, 4);
  const std::string whole = Read(file);
  for (size_t position = 0; position < whole.size(); ++position) {
    INFO(position);
    std::string damaged = whole;
    damaged[position] = static_cast<char>(damaged[position] ^ 0x20);
    Write(file, damaged);
    REQUIRE(CountKnown(AnswerCache(file), 4) == 3);
  }
}

TEST_CASE("A file of something else is passed over") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "some.answers";
  Write(file, std::string(10'000, 'T') + "TMA1" + std::string(100, '\xff') + "TMA1");
  AnswerCache cache(file);
  CHECK(cache.size() == 0);
  CHECK(cache.Append(KeyFor(1), AnswerFor(1)));
  const AnswerCache again(file);
  CHECK(CountKnown(again, 3) == 1);
  CHECK(again.damaged_bytes() > 10'000);
}

TEST_CASE("Processes that write at the same time lose nothing of each other") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "some.answers";
  constexpr int kProcesses = 4;
  constexpr int kEach = 100;
  for (int process = 0; process < kProcesses; ++process) {
    if (fork() != 0) continue;
    AnswerCache cache(file);
    for (int i = 0; i < kEach; ++i) cache.Append(KeyFor(process * kEach + i), AnswerFor(process * kEach + i));
    _exit(0);
  }
  for (int process = 0; process < kProcesses; ++process) wait(nullptr);
  const AnswerCache cache(file);
  CHECK(CountKnown(cache, kProcesses * kEach) == kProcesses * kEach);
  CHECK(cache.damaged_bytes() == 0);
}

TEST_CASE("A file that grew too large is begun anew") {
  const TemporaryFolder folder;
  const std::filesystem::path file = FileWith(folder, 2);
  std::filesystem::resize_file(file, AnswerCache::kLargestFileBytes + 1);
  AnswerCache(file).Append(KeyFor(7), AnswerFor(7));
  CHECK(std::filesystem::file_size(file) < 1000);
  CHECK(CountKnown(AnswerCache(file), 8) == 1);
}

}  // namespace
}  // namespace tidemark::phantom::workspaces
