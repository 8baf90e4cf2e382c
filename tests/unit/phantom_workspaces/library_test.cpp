// Which cuDNN is asked, and what it is told of a card.
#include "profiler/phantom/workspaces/library.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include "profiler/phantom/workspaces/device_properties.h"
#include "tests/support/catch.h"
#include "tests/unit/phantom_workspaces/temporary_folder.h"

namespace tidemark::phantom::workspaces {
namespace {

void WriteText(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// As the packages for Python lay it out.
std::filesystem::path MakeSite(const TemporaryFolder& folder) {
  const std::filesystem::path site = folder.path() / "site-packages";
  WriteText(site / "torch/lib/libtorch_cuda.so", "torch");
  WriteText(site / "nvidia/cudnn/lib/libcudnn.so.9", "cudnn 9.19");
  WriteText(site / "nvidia/cu13/lib/libnvrtc.so.13", "nvrtc");
  WriteText(site / "nvidia/cudnn/include/cudnn.h", "");
  return site / "torch/lib/libtorch_cuda.so";
}

TEST_CASE("The cuDNN beside LibTorch is found, with the folders of what it loads") {
  const TemporaryFolder folder;
  const std::filesystem::path libtorch = MakeSite(folder);
  const auto library = FindLibraryBeside(libtorch);
  REQUIRE(library.ok());
  const std::filesystem::path nvidia = libtorch.parent_path().parent_path().parent_path() / "nvidia";
  CHECK(library->file == nvidia / "cudnn/lib/libcudnn.so.9");
  CHECK(library->folders == std::vector<std::filesystem::path>{nvidia / "cudnn/lib", nvidia / "cu13/lib"});
}

TEST_CASE("Another cuDNN, or other libraries beside it, are told apart") {
  const TemporaryFolder folder;
  const std::filesystem::path libtorch = MakeSite(folder);
  const std::filesystem::path nvidia = libtorch.parent_path().parent_path().parent_path() / "nvidia";
  const std::string first = FindLibraryBeside(libtorch)->identity;
  CHECK(FindLibraryBeside(libtorch)->identity == first);
  WriteText(nvidia / "cudnn/lib/libcudnn.so.9", "cudnn 9.20");
  const std::string second = FindLibraryBeside(libtorch)->identity;
  CHECK(second != first);
  std::filesystem::remove(nvidia / "cu13/lib/libnvrtc.so.13");
  CHECK(FindLibraryBeside(libtorch)->identity != second);
}

TEST_CASE("Where there is none, that is the reason, and one can be left out or named") {
  const TemporaryFolder folder;
  const auto none = FindLibraryBeside(folder.path() / "torch/lib/libtorch_cuda.so");
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().message.find("libcudnn.so.9 is not there") != std::string::npos);

  REQUIRE_FALSE(FindLibrary().ok());  // tests run with TIDEMARK_CUDNN=none
  CHECK(FindLibrary().error().message == "TIDEMARK_CUDNN=none leaves them out");
  MakeSite(folder);
  setenv(kLibraryVariable, (folder.path() / "site-packages/nvidia/cudnn/lib").c_str(), 1);
  CHECK(FindLibrary().ok());
  setenv(kLibraryVariable, "/nowhere", 1);
  CHECK_FALSE(FindLibrary().ok());
  unsetenv(kLibraryVariable);
  CHECK(FindLibrary().error().message.find("no LibTorch") != std::string::npos);
  setenv(kLibraryVariable, "none", 1);
}

TEST_CASE("cuDNN is told of a card what the catalogue says, unless the card itself was recorded") {
  const auto card = FindCard("h100");
  REQUIRE(card.ok());
  const TemporaryFolder folder;
  const DeviceProperties derived = PropertiesOf(*card, 13000, folder.path());
  CHECK(derived.origin == PropertiesOrigin::kDerived);
  // What makes the answers; the whole list is cuDNN's to complain about.
  for (const char* part :
       {R"("deviceVer":900)", R"("smClockRateKHz":1980000)", R"("memClockRateKHz":2619000)",
        R"("multiProcessorCount":132)", R"("driverVer":13000)", R"("maxSharedMemoryPerBlockOptin":232448)",
        R"("maxBlockSize":[1024,1024,64])"}) {
    INFO(part);
    CHECK(derived.json.find(part) != std::string::npos);
  }
  WriteText(folder.path() / "h100.cudnn.json",
            R"({"deviceVer":900,"driverVer":12080,"deviceName":"recorded"})");
  const DeviceProperties recorded = PropertiesOf(*card, 13000, folder.path());
  CHECK(recorded.origin == PropertiesOrigin::kRecorded);
  CHECK(recorded.json == R"({"deviceVer":900,"driverVer":13000,"deviceName":"recorded"})");
  WriteText(folder.path() / "h100.cudnn.json", "{\"deviceVer\":900,");
  CHECK(PropertiesOf(*card, 13000, folder.path()).json == derived.json);
}

}  // namespace
}  // namespace tidemark::phantom::workspaces
