// CIFAR-10's binary version (Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009): a
// folder with data_batch_1.bin and so on to train with, and test_batch.bin to evaluate with. A record is a
// label, 0 to 9, and 32×32 pixels of red, then of green, then of blue: 1 + 3,072 bytes. Reads sizes of files,
// not pictures. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/specification.h"

namespace tidemark::networks {

inline constexpr int64_t kCifar10PictureBytes = int64_t{3} * 32 * 32;
inline constexpr int64_t kCifar10RecordBytes = 1 + kCifar10PictureBytes;

struct Cifar10Files {
  std::vector<std::filesystem::path> training;  // at least one, in the order of their names
  std::filesystem::path test;                   // "" where there is none
};
// Errors name the folder or file and what is wanted.
Result<Cifar10Files> FindCifar10(const std::filesystem::path& folder);

// The folder that holds CIFAR-10, of itself or of one of its files; "" if this is neither.
std::filesystem::path Cifar10FolderOf(const std::filesystem::path& chosen);

// Whether the network can learn from it: pictures of 3×32×32 in 10 classes, or of a generator's to judge.
bool TakesCifar10(const Network& network);

// Whether `settings.data`, if any, is there and fits the network.
Status CheckData(const Network& network, const TrainingSettings& settings);

}  // namespace tidemark::networks
