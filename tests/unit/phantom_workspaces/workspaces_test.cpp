// What a stand-in is told: from the file, from the process, or that it is not known, with the reason, once.
#include "profiler/phantom/workspaces/workspaces.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/paths.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom_workspaces/temporary_folder.h"

namespace tidemark::phantom::workspaces {
namespace {

struct Asked {
  explicit Asked(const std::string& behaviour, const std::filesystem::path& folder = {},
                 const std::filesystem::path& oracle = ExecutableFolder() / "fake_cudnn_oracle")
      : workspaces({Library{behaviour, {}, "identity"}, oracle, "{}", folder,
                    [this](const std::string& reason) { reasons.push_back(reason); }, [] {}}) {}

  std::vector<std::string> reasons;
  Workspaces workspaces;
};

TEST_CASE("Questions are answered by the process") {
  Asked asked("answers");
  const auto heuristics = asked.workspaces.Heuristics("2");
  REQUIRE(heuristics.has_value());
  CHECK(heuristics->configurations ==
        std::vector<Configuration>{{0, 0, 0, {1, 2}, {}, {{2, 3}}}, {1, 0, 0, {1, 2}, {}, {{2, 3}}}});
  CHECK(asked.workspaces.Plan("2", 1) == PlanAnswer{0, 2001});
  CHECK(asked.workspaces.Plan("7", 0) == PlanAnswer{0, 7000});
  CHECK(asked.workspaces.PlanJson("7", 0) == "plan 0");
  CHECK(asked.workspaces.PlanJson("7", 5) == "plan 5");
  CHECK(asked.reasons.empty());
}

TEST_CASE("What was asked once needs no process any more") {
  const TemporaryFolder folder;
  Asked first("answers", folder.path());
  CHECK(first.workspaces.Plan("3", 0) == PlanAnswer{0, 3000});
  Asked second("answers", folder.path(), "/nowhere/oracle");
  CHECK(second.workspaces.Plan("3", 0) == PlanAnswer{0, 3000});
  CHECK(second.reasons.empty());
  CHECK_FALSE(second.workspaces.Plan("4", 0).has_value());
  REQUIRE(second.reasons.size() == 1);
  CHECK(second.reasons[0] ==
        "the program that asks it, /nowhere/oracle, cannot be started (No such file or directory)");
}

TEST_CASE("A card or a cuDNN of its own has a file of its own") {
  const TemporaryFolder folder;
  for (const char* properties : {"{}", "{\"deviceVer\":900}"}) {
    for (const char* identity : {"one", "other"}) {
      Workspaces workspaces({Library{"answers", {}, identity}, ExecutableFolder() / "fake_cudnn_oracle",
                             properties, folder.path(), [](const std::string&) {}, [] {}});
      CHECK(workspaces.Plan("3", 0).has_value());
    }
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 4);
}

TEST_CASE("A process that dies over a question makes that one unknown, and the next is asked in a new one") {
  Asked asked("dies");
  CHECK(asked.workspaces.Plan("1", 0).has_value());
  CHECK_FALSE(asked.workspaces.Plan("die", 0).has_value());
  CHECK(asked.workspaces.Plan("5", 0) == PlanAnswer{0, 5000});
  CHECK(asked.reasons == std::vector<std::string>{"the process that asks cuDNN ended or gave no answer"});
}

TEST_CASE("One that dies again and again is not started for ever, and the reason is said once") {
  Asked asked("dies");
  for (int i = 0; i < 10; ++i) CHECK_FALSE(asked.workspaces.Plan("die", i).has_value());
  CHECK_FALSE(asked.workspaces.Plan("1", 0).has_value());
  CHECK(asked.reasons.size() == 1);
}

TEST_CASE("A cuDNN that cannot answer is not asked again, and says why") {
  Asked old("too-old");
  CHECK_FALSE(old.workspaces.Heuristics("1").has_value());
  CHECK_FALSE(old.workspaces.Heuristics("2").has_value());
  CHECK(old.reasons == std::vector<std::string>{"it is too old"});
  Asked dead("dies-at-once");
  CHECK_FALSE(dead.workspaces.Heuristics("1").has_value());
  CHECK(dead.reasons == std::vector<std::string>{"the process that asks cuDNN ended or gave no answer"});
}

TEST_CASE("A question that is not answered leaves the others") {
  Asked asked("answers");
  CHECK_FALSE(asked.workspaces.Heuristics("refuse").has_value());
  CHECK(asked.workspaces.Heuristics("1").has_value());
  CHECK(asked.reasons == std::vector<std::string>{"this one is not answered"});
}

TEST_CASE("That questions take their time is told once, and again of those that come later") {
  int told = 0;
  Workspaces workspaces({Library{"answers", {}, "identity"}, ExecutableFolder() / "fake_cudnn_oracle", "{}",
                         "", [](const std::string&) {}, [&] { ++told; }, std::chrono::milliseconds(0),
                         std::chrono::milliseconds(300)});
  CHECK(workspaces.Plan("1", 0).has_value());
  CHECK(workspaces.Plan("1", 1).has_value());
  CHECK(told == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  CHECK(workspaces.Plan("1", 2).has_value());
  CHECK(told == 2);
}

TEST_CASE("Without a library nothing is started") {
  std::vector<std::string> reasons;
  Workspaces workspaces({Error{"there is none"}, "/nowhere/oracle", "{}", "",
                         [&](const std::string& reason) { reasons.push_back(reason); }, [] {}});
  CHECK_FALSE(workspaces.Heuristics("1").has_value());
  CHECK_FALSE(workspaces.Plan("1", 0).has_value());
  CHECK(reasons == std::vector<std::string>{"there is none"});
}

TEST_CASE("A fork asks over a connection of its own") {
  Asked asked("answers");
  CHECK(asked.workspaces.Plan("1", 0).has_value());
  const pid_t child = fork();
  if (child == 0) {
    bool right = true;
    for (int i = 0; i < 200; ++i) right = right && asked.workspaces.Plan("8", i) == PlanAnswer{0, 8000 + i};
    _exit(right ? 0 : 1);
  }
  for (int i = 0; i < 200; ++i) REQUIRE(asked.workspaces.Plan("9", i) == PlanAnswer{0, 9000 + i});
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("The process that asks is nobody's child") {
  Asked asked("answers");
  CHECK(asked.workspaces.Plan("1", 0).has_value());
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

}  // namespace
}  // namespace tidemark::phantom::workspaces
