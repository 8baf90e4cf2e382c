// Recordings that come with Tidemark, made on real cards: for who has no card, or no recording yet. Told in
// assets/sample_traces/samples.json, a list of {"file", "title", "description"}. Pure but for reading that
// file; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::trace {

struct Sample {
  std::filesystem::path file;  // whole
  std::string title;           // "ResNet-50 on an H200, fp16"
  std::string description;     // what there is to see, in sentences
};

std::filesystem::path SamplesFolder();

// In the order to look at them. Errors: there is no list, or it is no such list; the file is named.
Result<std::vector<Sample>> LoadSamples();
Result<std::vector<Sample>> LoadSamplesFrom(const std::filesystem::path& folder);

}  // namespace tidemark::trace
