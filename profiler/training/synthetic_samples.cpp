#include "profiler/training/synthetic_samples.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tidemark::training {
namespace {

constexpr int64_t kSetSize = 1024;
constexpr int64_t kMostElements = int64_t{1} << 24;  // of a set, and of the patterns that are kept
constexpr int64_t kTokensInPlay = 64;                // of a larger vocabulary, so that little training shows
constexpr float kPattern = 0.2F;
constexpr float kNoise = 0.6F;

// SplitMix64 (Steele, Lea, Flood 2014): any counter gives a well-mixed number, so pictures need no common
// sequence.
uint64_t Mix(uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31);
}

class Noise {
 public:
  explicit Noise(uint64_t seed) : state_(Mix(seed)) {}

  uint64_t Bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  // Uniform in ±√3: variance 1, as standardized pictures have.
  float Value() {
    constexpr float kScale = 2 * 1.7320508F / static_cast<float>(1U << 24);
    return static_cast<float>(Bits() >> 40) * kScale - 1.7320508F;
  }

 private:
  uint64_t state_;
};

}  // namespace

SyntheticSamples::SyntheticSamples(const networks::Network& network, uint64_t seed, bool filled)
    : shape_(network.sample()),
      sample_elements_(networks::ElementCount(shape_)),
      labels_per_sample_(networks::ElementCount(network.labels())),
      vocabulary_(network.vocabulary),
      classes_(network.classes),
      seed_(seed),
      filled_(filled) {
  if (!filled_ || vocabulary_ > 0 || labels_per_sample_ > 1) return;
  if (classes_ * sample_elements_ > kMostElements) return;
  std::vector<float> patterns;
  patterns.reserve(static_cast<size_t>(classes_ * sample_elements_));
  for (int64_t label = 0; label < classes_; ++label) {
    for (int64_t element = 0; element < sample_elements_; ++element)
      patterns.push_back(Pattern(label, element));
  }
  patterns_ = std::move(patterns);
}

// Blobs: one value for every 4 elements of a row, and for 4 rows, so that small kernels see them.
float SyntheticSamples::Pattern(int64_t label, int64_t element) const {
  if (!patterns_.empty()) return patterns_[static_cast<size_t>(label * sample_elements_ + element)];
  const int64_t width = shape_.back();
  const int64_t row = element / width;
  const int64_t column = element % width;
  const auto blob = static_cast<uint64_t>((label * sample_elements_ + row / 4) * width + column / 4);
  return Noise(Mix(seed_ ^ 0x5EEDU) + blob).Value();
}

void SyntheticSamples::Paint(int64_t sample) {
  Noise noise(Mix(seed_) + static_cast<uint64_t>(sample));
  const int64_t label = static_cast<int64_t>(noise.Bits() >> 33) % classes_;
  labels_[static_cast<size_t>(sample)] = label;
  float* pixels = &pixels_[static_cast<size_t>(sample * sample_elements_)];
  for (int64_t element = 0; element < sample_elements_; ++element) {
    pixels[element] = kPattern * Pattern(label, element) + kNoise * noise.Value();
  }
}

// Squares of 8 × 8 pixels have one label, and the brighter the higher it is.
void SyntheticSamples::PaintRegions(int64_t sample) {
  Noise noise(Mix(seed_) + static_cast<uint64_t>(sample));
  const int64_t width = shape_.back();
  for (int64_t element = 0; element < sample_elements_; ++element) {
    const int64_t pixel = element % labels_per_sample_;
    const auto square =
        static_cast<uint64_t>((sample * width + pixel / width / 8) * width + pixel % width / 8);
    const auto label = static_cast<int64_t>(Mix(Mix(seed_) ^ square) % static_cast<uint64_t>(classes_));
    labels_[static_cast<size_t>(sample * labels_per_sample_ + pixel)] = label;
    const float brightness = 2 * static_cast<float>(label) / static_cast<float>(classes_ - 1) - 1;
    pixels_[static_cast<size_t>(sample * sample_elements_ + element)] = brightness + kNoise * noise.Value();
  }
}

void SyntheticSamples::Write(int64_t sample) {
  Noise noise(Mix(seed_) + static_cast<uint64_t>(sample));
  const auto in_play = static_cast<uint64_t>(std::min(vocabulary_, kTokensInPlay));
  const auto begin = static_cast<size_t>(sample * sample_elements_);
  const bool follows = labels_per_sample_ > 1;
  const uint64_t label = noise.Bits() % static_cast<uint64_t>(classes_);
  if (!follows) labels_[static_cast<size_t>(sample)] = static_cast<int64_t>(label);
  uint64_t token = noise.Bits() % in_play;
  for (size_t position = begin; position < begin + static_cast<size_t>(sample_elements_); ++position) {
    tokens_[position] = static_cast<int64_t>(token);
    const bool by_chance = noise.Bits() % (follows ? 8 : 2) == 0;
    const uint64_t expected = follows ? Mix(seed_ ^ token) : Mix(seed_ ^ (label * 4 + noise.Bits() % 4));
    token = (by_chance ? noise.Bits() : expected) % in_play;
    if (follows) labels_[position] = static_cast<int64_t>(token % static_cast<uint64_t>(classes_));
  }
}

void SyntheticSamples::MakeUpTo(int64_t count) {
  if (count <= made_) return;
  const auto values = static_cast<size_t>(count * sample_elements_);
  if (!filled_) {  // nothing to keep, so that nothing is copied
    pixels_.clear();
    tokens_.clear();
  }
  if (vocabulary_ > 0) {
    tokens_.resize(values);
  } else {
    pixels_.resize(values);
  }
  labels_.resize(static_cast<size_t>(count * labels_per_sample_));
  for (; made_ < count; ++made_) {
    if (!filled_) continue;
    if (vocabulary_ > 0) {
      Write(made_);
    } else if (labels_per_sample_ > 1) {
      PaintRegions(made_);
    } else {
      Paint(made_);
    }
  }
}

int64_t SyntheticSamples::SetSize(int64_t count) const {
  const int64_t most = filled_ ? std::clamp(kMostElements / sample_elements_, int64_t{1}, kSetSize) : 1;
  return (most + count - 1) / count * count;
}

Samples::Batch SyntheticSamples::Next(int64_t count, Use /*use*/) {
  const int64_t set = SetSize(count);
  // After a change of the batch size the old position may lie inside a batch.
  if (position_ + count > set) position_ = 0;
  MakeUpTo(position_ + count);
  const auto first = static_cast<size_t>(position_ * sample_elements_);
  const Batch batch{
      vocabulary_ > 0 ? static_cast<void*>(&tokens_[first]) : static_cast<void*>(&pixels_[first]),
      &labels_[static_cast<size_t>(position_ * labels_per_sample_)]};
  position_ = (position_ + count) % set;
  return batch;
}

Samples::Batch SyntheticSamples::NextShare(int64_t count, int64_t rank, int64_t ranks, Use use) {
  if (!filled_) return Next(count, use);  // one is as good as another
  Batch batch = Next(count * ranks, use);
  const int64_t skipped = rank * count * sample_elements_;
  batch.values = vocabulary_ > 0 ? static_cast<void*>(static_cast<int64_t*>(batch.values) + skipped)
                                 : static_cast<void*>(static_cast<float*>(batch.values) + skipped);
  batch.labels += rank * count * labels_per_sample_;
  return batch;
}

}  // namespace tidemark::training
