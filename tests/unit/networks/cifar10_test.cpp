#include "profiler/networks/cifar10.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"

using namespace tidemark;
using namespace tidemark::networks;

namespace {

namespace fs = std::filesystem;

// A folder of its own for each test, which goes away with it.
class Folder {
 public:
  Folder() {
    std::string pattern = fs::temp_directory_path() / "tidemark-cifar10-XXXXXX";
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() { fs::remove_all(path_); }
  void Write(const std::string& name, int64_t bytes) const {
    std::ofstream(path_ / name) << std::string(static_cast<size_t>(bytes), '\0');
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string Complaint(const std::string& network, const fs::path& data) {
  TrainingSettings settings;
  settings.data = data;
  const Status checked = CheckData(*FindNetworkIn(TIDEMARK_ZOO, network), settings);
  return checked ? "accepted" : checked.error().message;
}

}  // namespace

TEST_CASE("CIFAR-10 is found in the order of its files, by its folder or one of them") {
  const Folder folder;
  folder.Write("data_batch_2.bin", kCifar10RecordBytes);
  folder.Write("data_batch_1.bin", 2 * kCifar10RecordBytes);
  folder.Write("test_batch.bin", kCifar10RecordBytes);
  folder.Write("readme.html", 7);
  const Result<Cifar10Files> files = FindCifar10(folder.path());
  REQUIRE(files.ok());
  CHECK(files->training ==
        std::vector<fs::path>{folder.path() / "data_batch_1.bin", folder.path() / "data_batch_2.bin"});
  CHECK(files->test == folder.path() / "test_batch.bin");
  CHECK(Cifar10FolderOf(folder.path()) == folder.path());
  CHECK(Cifar10FolderOf(folder.path() / "test_batch.bin") == folder.path());
  CHECK(Cifar10FolderOf(folder.path() / "readme.html").empty());
  CHECK(Cifar10FolderOf("/nowhere").empty());
  CHECK(Complaint("simple-conv-net", folder.path()) == "accepted");
  CHECK(Complaint("dcgan", folder.path()) == "accepted");
  CHECK(Complaint("simple-conv-net", "") == "accepted");
}

TEST_CASE("Data that is not there, not whole, or of another shape is told") {
  const Folder folder;
  CHECK(Complaint("simple-conv-net", folder.path()) ==
        "There is no CIFAR-10 in " + folder.path().string() +
            ": it needs data_batch_1.bin and so on, as the binary version (cifar-10-binary.tar.gz) holds "
            "them.");
  folder.Write("data_batch_1.bin", kCifar10RecordBytes + 1);
  CHECK(Complaint("simple-conv-net", folder.path()) ==
        (folder.path() / "data_batch_1.bin").string() +
            " is not of CIFAR-10's binary version: its 3074 bytes are no whole number of records of 3073 "
            "bytes.");
  CHECK(Complaint("resnet-18", folder.path()) ==
        "--data is a folder of CIFAR-10, pictures of 3×32×32 in 10 classes, but ResNet-18 takes 3×224×224 "
        "and has "
        "1000. Leave --data out for synthetic samples.");
}
