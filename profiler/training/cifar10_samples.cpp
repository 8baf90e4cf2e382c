#include "profiler/training/cifar10_samples.h"

#include <array>
#include <string>

#include "profiler/base/whole_file.h"
#include "profiler/networks/cifar10.h"

namespace tidemark::training {
namespace {

using networks::kCifar10PictureBytes;
using networks::kCifar10RecordBytes;

// Of red, green and blue over the 50,000 pictures of training, from 0 to 1.
constexpr std::array<float, 3> kMeans = {0.4914F, 0.4822F, 0.4465F};
constexpr std::array<float, 3> kDeviations = {0.2470F, 0.2435F, 0.2616F};
constexpr int kHighestLabel = 9;

Status Append(const std::filesystem::path& file, std::vector<uint8_t>& bytes) {
  const Result<std::string> read = ReadWholeFile(file);
  const size_t before = bytes.size();
  if (read) bytes.insert(bytes.end(), read->begin(), read->end());
  if (!read || read->size() % kCifar10RecordBytes != 0)
    return Error{file.string() + " cannot be read to its end."};
  for (size_t record = before; record < bytes.size(); record += kCifar10RecordBytes) {
    if (bytes[record] <= kHighestLabel) continue;
    return Error{file.string() + ": record " + std::to_string((record - before) / kCifar10RecordBytes + 1) +
                 " has the label " + std::to_string(bytes[record]) + ", but CIFAR-10's are 0 to 9."};
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<Samples>> Cifar10Samples::Read(const std::filesystem::path& folder) {
  const Result<networks::Cifar10Files> files = networks::FindCifar10(folder);
  if (!files) return files.error();
  auto samples = std::make_unique<Cifar10Samples>();
  for (const std::filesystem::path& file : files->training) {
    if (const Status read = Append(file, samples->training_.bytes); !read) return read.error();
  }
  if (!files->test.empty()) {
    if (const Status read = Append(files->test, samples->test_.bytes); !read) return read.error();
  }
  return std::unique_ptr<Samples>(std::move(samples));
}

void Cifar10Samples::Take(Records& records, size_t sample) {
  const uint8_t* record = &records.bytes[records.position];
  labels_[sample] = record[0];
  constexpr auto kPlane = static_cast<size_t>(kCifar10PictureBytes) / kMeans.size();
  float* pixels = &pixels_[sample * kCifar10PictureBytes];
  for (size_t index = 0; index < kCifar10PictureBytes; ++index) {
    const size_t colour = index / kPlane;
    pixels[index] =
        (static_cast<float>(record[1 + index]) / 255.0F - kMeans.at(colour)) / kDeviations.at(colour);
  }
  Skip(records, 1);
}

Cifar10Samples::Records& Cifar10Samples::RecordsFor(Use use) {
  return use == Use::kEvaluation && !test_.bytes.empty() ? test_ : training_;
}

void Cifar10Samples::Skip(Records& records, int64_t count) {
  records.position =
      (records.position + static_cast<size_t>(count) * kCifar10RecordBytes) % records.bytes.size();
}

Samples::Batch Cifar10Samples::Next(int64_t count, Use use) {
  Records& records = RecordsFor(use);
  const auto samples = static_cast<size_t>(count);
  pixels_.resize(samples * kCifar10PictureBytes);
  labels_.resize(samples);
  for (size_t sample = 0; sample < samples; ++sample) Take(records, sample);
  return {pixels_.data(), labels_.data()};
}

Samples::Batch Cifar10Samples::NextShare(int64_t count, int64_t rank, int64_t ranks, Use use) {
  Skip(RecordsFor(use), rank * count);
  const Batch share = Next(count, use);
  Skip(RecordsFor(use), (ranks - 1 - rank) * count);
  return share;
}

void Cifar10Samples::Rewind() { training_.position = test_.position = 0; }

}  // namespace tidemark::training
