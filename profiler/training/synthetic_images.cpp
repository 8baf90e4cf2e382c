#include "profiler/training/synthetic_images.h"

#include <algorithm>
#include <utility>

namespace tidemark::training {
namespace {

constexpr int64_t kSetSize = 1024;
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

SyntheticImages::SyntheticImages(networks::SampleShape shape, int64_t classes, uint64_t seed)
    : shape_(std::move(shape)),
      sample_elements_(networks::ElementCount(shape_)),
      classes_(classes),
      seed_(seed),
      patterns_(static_cast<size_t>(classes * sample_elements_)) {
  // Blobs: one value for every 4 elements of a row, and for 4 rows, so that small kernels see them.
  const int64_t width = shape_.back();
  for (int64_t index = 0; index < classes_; ++index) {
    for (int64_t element = 0; element < sample_elements_; ++element) {
      const int64_t row = element / width;
      const int64_t column = element % width;
      const auto blob = static_cast<uint64_t>((index * sample_elements_ + row / 4) * width + column / 4);
      patterns_[static_cast<size_t>(index * sample_elements_ + element)] =
          Noise(Mix(seed_ ^ 0x5EEDU) + blob).Value();
    }
  }
}

void SyntheticImages::MakeUpTo(int64_t count) {
  const auto made = static_cast<int64_t>(labels_.size());
  if (count <= made) return;
  pixels_.resize(static_cast<size_t>(count * sample_elements_));
  labels_.resize(static_cast<size_t>(count));
  for (int64_t sample = made; sample < count; ++sample) {
    Noise noise(Mix(seed_) + static_cast<uint64_t>(sample));
    const int64_t label = static_cast<int64_t>(noise.Bits() >> 33) % classes_;
    labels_[static_cast<size_t>(sample)] = label;
    const float* pattern = &patterns_[static_cast<size_t>(label * sample_elements_)];
    float* pixels = &pixels_[static_cast<size_t>(sample * sample_elements_)];
    for (int64_t element = 0; element < sample_elements_; ++element) {
      pixels[element] = kPattern * pattern[element] + kNoise * noise.Value();
    }
  }
}

SyntheticImages::Batch SyntheticImages::Next(int64_t count) {
  const int64_t set = (kSetSize + count - 1) / count * count;
  // After a change of the batch size the old position may lie inside a batch.
  if (position_ + count > set) position_ = 0;
  MakeUpTo(position_ + count);
  const Batch batch{&pixels_[static_cast<size_t>(position_ * sample_elements_)],
                    &labels_[static_cast<size_t>(position_)]};
  position_ = (position_ + count) % set;
  return batch;
}

}  // namespace tidemark::training
