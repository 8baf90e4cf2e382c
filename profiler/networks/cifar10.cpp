#include "profiler/networks/cifar10.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace tidemark::networks {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kCifar10Classes = 10;

bool IsTrainingFile(const fs::path& file) {
  return file.filename().string().starts_with("data_batch_") && file.extension() == ".bin";
}
bool IsTestFile(const fs::path& file) { return file.filename() == "test_batch.bin"; }

Status CheckRecords(const fs::path& file) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(file, error);
  if (error) return Error{fmt::format("{} cannot be read: {}.", file.string(), error.message())};
  if (bytes > 0 && bytes % kCifar10RecordBytes == 0) return Done{};
  return Error{fmt::format(
      "{} is not of CIFAR-10's binary version: its {} bytes are no whole number of records of {} bytes.",
      file.string(), bytes, kCifar10RecordBytes)};
}

}  // namespace

Result<Cifar10Files> FindCifar10(const fs::path& folder) {
  Cifar10Files files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (IsTrainingFile(entry->path())) files.training.push_back(entry->path());
    if (IsTestFile(entry->path())) files.test = entry->path();
  }
  if (error || files.training.empty()) {
    return Error{
        fmt::format("There is no CIFAR-10 in {}: it needs data_batch_1.bin and so on, as the binary version "
                    "(cifar-10-binary.tar.gz) holds them.",
                    folder.string())};
  }
  std::sort(files.training.begin(), files.training.end());
  std::vector<fs::path> all = files.training;
  if (!files.test.empty()) all.push_back(files.test);
  for (const fs::path& file : all) {
    if (const Status whole = CheckRecords(file); !whole) return whole.error();
  }
  return files;
}

fs::path Cifar10FolderOf(const fs::path& chosen) {
  std::error_code error;
  const bool is_folder = fs::is_directory(chosen, error);
  if (!is_folder && !IsTrainingFile(chosen) && !IsTestFile(chosen)) return {};
  const fs::path folder = is_folder ? chosen : fs::absolute(chosen).parent_path();
  return FindCifar10(folder) ? folder : fs::path();
}

bool TakesCifar10(const Network& network) {
  const bool judges = network.discriminator > 0;
  return network.vocabulary == 0 && network.sample() == SampleShape{3, 32, 32} &&
         (judges || (network.classes == kCifar10Classes && network.labels().empty()));
}

Status CheckData(const Network& network, const TrainingSettings& settings) {
  if (settings.data.empty()) return Done{};
  if (!TakesCifar10(network)) {
    return Error{fmt::format(
        "--data is a folder of CIFAR-10, pictures of 3×32×32 in {} classes, but {} takes {} and has {}. "
        "Leave --data out for synthetic samples.",
        kCifar10Classes, network.title, TextOf(network.sample()), network.classes)};
  }
  const Result<Cifar10Files> files = FindCifar10(settings.data);
  if (!files) return files.error();
  return Done{};
}

}  // namespace tidemark::networks
