// What a process is not certain of is in the file at once, however it ends, each sentence once.
#include "profiler/phantom/device/doubts.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiler/phantom/environment.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::phantom::device {
namespace {

TEST_CASE("Every process appends its doubts, however it ends, and says nothing without any") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "doubts").string();
  setenv(kDoubtsVariable, file.c_str(), 1);
  for (const int count : {0, 1, 3}) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < count; ++i) {
        Doubt("One thing is not known.");
        Doubt("Another thing is not known.");
      }
      raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
  }
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::string once = "One thing is not known.\nAnother thing is not known.\n";
  CHECK(text == once + once);
}

TEST_CASE("However many doubts there are, and whichever thread has them, each is told once") {
  const trace::Scratch scratch;
  const std::string file = (scratch / "doubts").string();
  setenv(kDoubtsVariable, file.c_str(), 1);
  static std::vector<std::string> sentences;
  for (int i = 0; i < 1000; ++i) sentences.push_back("Thing " + std::to_string(i) + " is not known.");
  const pid_t child = fork();
  if (child == 0) {
    const auto doubt_all = [] {
      for (const std::string& sentence : sentences) Doubt(sentence.c_str());
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(doubt_all);
    for (std::thread& thread : threads) thread.join();
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::ifstream stream(file);
  std::multiset<std::string> told;
  for (std::string line; std::getline(stream, line);) told.insert(line);
  CHECK(told == std::multiset<std::string>(sentences.begin(), sentences.end()));
}

}  // namespace
}  // namespace tidemark::phantom::device
