// The cache with a cmake and a ninja made up by the test: shell scripts that note that they ran.
#include "profiler/phantom/programs/stand_in_cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include "profiler/base/unique_fd.h"
#include "profiler/events/torch_versions.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::phantom {
namespace {

namespace fs = std::filesystem;

// While it lives, PATH begins with a folder of these tools and the cache is empty.
class Workshop {
 public:
  Workshop() : path_(std::getenv("PATH")) {
    const char* cache = std::getenv("TIDEMARK_CACHE");
    cache_ = cache == nullptr ? "" : cache;
    fs::create_directories(scratch_ / "tools");
    setenv("PATH", ((scratch_ / "tools").string() + ":" + path_).c_str(), 1);
    setenv("TIDEMARK_CACHE", (scratch_ / "cache").c_str(), 1);
    // cmake -G Ninja -S SOURCES -B FOLDER ...; ninja -C FOLDER TARGET...
    Tool("cmake", "echo configured >> " + log() + "; mkdir -p \"$6\"");
    Tool("ninja", "echo built >> " + log() +
                      "; sleep 0.1; mkdir -p \"$2/lib/phantom\" \"$2/lib/capture\"; echo '[3/67] Building "
                      "CXX object'; echo done");
  }
  ~Workshop() {
    setenv("PATH", path_.c_str(), 1);
    cache_.empty() ? unsetenv("TIDEMARK_CACHE") : setenv("TIDEMARK_CACHE", cache_.c_str(), 1);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  void Tool(const std::string& name, const std::string& script) const {
    const fs::path file = scratch_ / "tools" / name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  std::string Said() const {
    std::ifstream file(log());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string log() const { return (scratch_ / "log").string(); }
  fs::path cache() const { return scratch_ / "cache" / "phantom"; }

 private:
  trace::Scratch scratch_;
  std::string path_;
  std::string cache_;
};

TorchInstallation MadeUp() { return {"/usr/bin/python3", "/opt/site", "2.9.0+cu128", "12.8", "00abcdef"}; }

TEST_CASE("The libraries for a torch are built once") {
  const Workshop workshop;
  std::string first_line;
  std::string last_line;
  double share = 0;
  const auto first = LibrariesFor(MadeUp(), {[&](std::string_view line) {
                                               last_line = line;
                                               if (first_line.empty()) first_line = line;
                                             },
                                             {},
                                             [&](double done) { share = done; }});
  REQUIRE(first.ok());
  CHECK(first_line == "building the stand-ins for torch 2.9.0+cu128, once: configuring");
  CHECK(last_line == "building the stand-ins for torch 2.9.0+cu128, once: step 3 of 67");
  CHECK(share == 3.0 / 67);
  CHECK(fs::is_directory(first->stand_ins));
  CHECK(fs::is_directory(first->capture));
  CHECK(first->stand_ins.string().find((workshop.cache() / "00abcdef-").string()) == 0);
  CHECK(workshop.Said() == "configured\nbuilt\n");
  const auto second = LibrariesFor(MadeUp());
  REQUIRE(second.ok());
  CHECK(second->stand_ins == first->stand_ins);
  CHECK(workshop.Said() == "configured\nbuilt\n");
  CHECK_FALSE(fs::exists(workshop.cache() / "00abcdef.building"));

  TorchInstallation other = MadeUp();
  other.build_id = "11abcdef";
  REQUIRE(LibrariesFor(other).ok());
  CHECK(workshop.Said() == "configured\nbuilt\nconfigured\nbuilt\n");
}

TEST_CASE("A torch that was moved is found where it is, and one that is gone is told of") {
  const Workshop workshop;
  const auto link = [](const ProgramLibraries& libraries) {
    return fs::read_symlink(libraries.stand_ins.parent_path() / "torch");
  };
  CHECK(KeptLibraries("00abcdef").error().message.find("Run a program of that torch once") !=
        std::string::npos);
  TorchInstallation torch = MadeUp();
  const auto first = LibrariesFor(torch);
  REQUIRE(first.ok());
  CHECK(link(*first) == "/opt/site/torch");
  CHECK_FALSE(KeptLibraries("00abcdef").ok());  // nothing is in /opt/site
  torch.site = workshop.cache().parent_path() / "venv";
  fs::create_directories(torch.site / "torch");
  const auto moved = LibrariesFor(torch);
  REQUIRE(moved.ok());
  CHECK(link(*moved) == torch.site / "torch");
  CHECK(workshop.Said() == "configured\nbuilt\n");
  const auto kept = KeptLibraries("00abcdef");
  REQUIRE(kept.ok());
  CHECK(kept->replayer == moved->replayer);
  fs::rename(torch.site, torch.site.string() + ".elsewhere");
  CHECK(KeptLibraries("00abcdef").error().message.find("was moved") != std::string::npos);
}

TEST_CASE("What nobody has used for a month goes when others are built") {
  const Workshop workshop;
  TorchInstallation torch = MadeUp();
  torch.site = workshop.cache().parent_path() / "venv";
  fs::create_directories(torch.site / "torch");
  const auto build = [&torch](const char* build_id) {
    torch.build_id = build_id;
    return LibrariesFor(torch)->stand_ins.parent_path();
  };
  const fs::path unused = build("00abcdef");
  const fs::path used = build("11abcdef");
  const auto two_months_ago = fs::file_time_type::clock::now() - std::chrono::hours(24 * 60);
  for (const fs::path& kept : {unused, used}) fs::last_write_time(kept, two_months_ago);
  CHECK(build("11abcdef") == used);  // as it was, and used again
  build("22abcdef");
  CHECK_FALSE(fs::exists(unused));
  CHECK(fs::exists(used));
  fs::remove_all(torch.site / "torch");  // whose torch is gone, too
  fs::last_write_time(used, two_months_ago);
  torch.site = workshop.cache().parent_path() / "venv2";
  fs::create_directories(torch.site / "torch");
  build("33abcdef");
  CHECK_FALSE(fs::exists(used));
}

TEST_CASE("Of two that start at once, one builds and the other waits for it") {
  const Workshop workshop;
  const pid_t other = fork();
  if (other == 0) _exit(LibrariesFor(MadeUp()).ok() ? 0 : 1);
  CHECK(LibrariesFor(MadeUp()).ok());
  int status = 0;
  REQUIRE(waitpid(other, &status, 0) == other);
  CHECK(status == 0);
  CHECK(workshop.Said() == "configured\nbuilt\n");
}

TEST_CASE("A build that is ended leaves nothing half-made, and the next one builds") {
  const Workshop workshop;
  const std::string pid = (workshop.cache().parent_path() / "pid").string();
  workshop.Tool("ninja", "mkdir -p \"$2/lib/phantom\"; echo $$ > " + pid + "; exec sleep 60");
  const auto ended = LibrariesFor(MadeUp(), {{}, [&] { return !fs::exists(pid); }});
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().message.find("Stopped as asked") == 0);
  int builder = 0;
  std::ifstream(pid) >> builder;
  CHECK(kill(builder, 0) == -1);
  for (const auto& entry : fs::directory_iterator(workshop.cache())) {
    CHECK(entry.path().filename() == "00abcdef.lock");
  }
  workshop.Tool("ninja", "mkdir -p \"$2/lib/phantom\"");
  CHECK(LibrariesFor(MadeUp()).ok());
}

TEST_CASE("A build that something else interrupts is told as that, not as one that failed") {
  const Workshop workshop;
  workshop.Tool("ninja", "echo 'ninja: build stopped: interrupted by user.'; exit 130");
  const auto interrupted = LibrariesFor(MadeUp());
  REQUIRE_FALSE(interrupted.ok());
  CHECK(interrupted.error().message.find("interrupted from outside") != std::string::npos);
  CHECK_FALSE(fs::exists(workshop.cache() / "00abcdef.building.log"));
}

TEST_CASE("Waiting for another's build is told of, and ends when asked") {
  const Workshop workshop;
  fs::create_directories(workshop.cache());
  const UniqueFd other(
      open((workshop.cache() / "00abcdef.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  REQUIRE(flock(other.get(), LOCK_EX | LOCK_NB) == 0);
  std::string told;
  const auto ended =
      LibrariesFor(MadeUp(), {[&](std::string_view line) { told = line; }, [&] { return told.empty(); }});
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().message.find("Stopped as asked") == 0);
  CHECK(told == "waiting for another process that builds the stand-ins for torch 2.9.0+cu128");
  CHECK(workshop.Said().empty());
}

TEST_CASE("A build that fails is a sentence with the generator's reason, and is tried again") {
  const Workshop workshop;
  workshop.Tool("ninja", "echo generate_stand_ins.py: libtorch_cuda.so needs libnew.so.1.; exit 1");
  const auto failed = LibrariesFor(MadeUp());
  REQUIRE_FALSE(failed.ok());
  CHECK(
      failed.error().message.find("The stand-ins for torch 2.9.0+cu128 could not be built: libtorch_cuda.so "
                                  "needs libnew.so.1. All that the build said is in ") == 0);
  CHECK(fs::exists(workshop.cache() / "00abcdef.building.log"));
  CHECK_FALSE(fs::exists(workshop.cache() / "00abcdef.building"));
  workshop.Tool("ninja", "mkdir -p \"$2/lib/phantom\"");
  CHECK(LibrariesFor(MadeUp()).ok());
}

TEST_CASE("Of a torch that nobody has tried it is said which were, and what went wrong first") {
  const Workshop workshop;
  TorchInstallation other = MadeUp();
  other.version = "2.4.0+cu121";
  const auto complaint_of = [&](const std::string& tool, const std::string& words) {
    workshop.Tool(tool, "cat << 'END'\n" + words + "\nEND\nexit 1");
    const auto failed = LibrariesFor(other);
    REQUIRE_FALSE(failed.ok());
    return failed.error().message;
  };
  const std::string compiled =
      complaint_of("ninja",
                   "[3/67] Building CXX object roles.o\nIn file included from /a/b/c.h:3,\n"
                   "/src/profiler/roles.cpp:12:3: error: 'Node' is no member of 'torch'\n"
                   "/src/profiler/roles.cpp:19:3: error: another");
  CHECK(compiled.find("The phantom is known to work with torch 2.5 to 2.15; this one is 2.4.0+cu121, and its "
                      "stand-ins could not be built: roles.cpp:12:3: error: 'Node' is no member of 'torch'. "
                      "Install one of those versions. All that the build said is in ") == 0);
  CHECK(complaint_of("ninja", "/usr/bin/ld: x.o: undefined reference to `c10::Device'")
            .find("could not be built: ld: x.o: undefined reference to `c10::Device'. ") !=
        std::string::npos);
  CHECK(complaint_of("ninja", "It is broken.").find("could not be built. Install") != std::string::npos);
  const std::string configured =
      complaint_of("cmake",
                   "-- The CXX compiler\nCMake Error at cmake/LibTorch.cmake:9 (message):\n  There is no\n"
                   "  LibTorch.\n\nCall Stack:\n  x");
  CHECK(configured.find("could not be built: There is no LibTorch. Install") != std::string::npos);
  const std::string lacking = complaint_of(
      "cmake",
      "CMake Error at FindPkgConfig.cmake:607 (message):\n  The following required packages were not "
      "found:\n\n   - libzstd\n   - libxxhash\n\nCall Stack:\n  x");
  CHECK(lacking.find(
            "could not be built: The following required packages were not found: - libzstd - libxxhash. "
            "Install") != std::string::npos);
}

TEST_CASE("Which torch was tried is told by its version") {
  for (const char* tried : {"2.5.0", "2.9.1+cu128", "2.11.0+cu130"}) CHECK(events::IsTriedTorch(tried));
  for (const char* not_tried : {"2.4.1+cu121", "2.16.0", "3.0.0", "1.13.0", "2", "", "nightly"})
    CHECK_FALSE(events::IsTriedTorch(not_tried));
}

TEST_CASE("Without the tools of a build it says which is missing") {
  const Workshop workshop;
  setenv("PATH", "/no/such/folder", 1);
  const auto failed = LibrariesFor(MadeUp());
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("cmake cannot be started") == 0);
}

}  // namespace
}  // namespace tidemark::phantom
