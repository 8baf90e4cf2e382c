#include "profiler/phantom/values/card_numbers.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <ATen/core/TransformationHelper.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::phantom {
namespace {

// What one step of a thread's generator gives.
using Words = std::array<uint32_t, 4>;

at::Philox4_32 SequenceOf(const GeneratorState& state, int64_t thread) {
  return at::Philox4_32(state.seed, static_cast<uint64_t>(thread), state.offset / Words().size());
}

Words Next(at::Philox4_32& sequence) { return {sequence(), sequence(), sequence(), sequence()}; }

// --- cuRAND: numbers of words ---

constexpr float kWordInverse = 0x1p-32F;
constexpr double kTwoWordsInverse = 0x1p-53;

Words Whole(const Words& words) { return words; }

std::array<uint64_t, 2> WideWhole(const Words& words) {
  return {uint64_t{words[0]} << 32 | words[1], uint64_t{words[2]} << 32 | words[3]};
}

float Uniform(uint32_t word) { return static_cast<float>(word) * kWordInverse + kWordInverse / 2; }

// In (0, 1].
std::array<float, 4> Uniforms(const Words& words) {
  return {Uniform(words[0]), Uniform(words[1]), Uniform(words[2]), Uniform(words[3])};
}

double TwoWords(uint32_t low, uint32_t high) {
  return static_cast<double>(uint64_t{low} ^ uint64_t{high} << (53 - 32));
}

std::array<double, 2> WideUniforms(const Words& words) {
  return {TwoWords(words[0], words[1]) * kTwoWordsInverse + kTwoWordsInverse / 2,
          TwoWords(words[2], words[3]) * kTwoWordsInverse + kTwoWordsInverse / 2};
}

std::array<float, 2> BoxMuller(uint32_t first, uint32_t second) {
  constexpr float kTurn = kWordInverse * 2 * std::numbers::pi_v<float>;
  const float angle = std::fma(static_cast<float>(second), kTurn, kTurn / 2);
  const float radius = std::sqrt(-2 * std::log(Uniform(first)));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

std::array<float, 4> Normals(const Words& words) {
  const auto [first, second] = BoxMuller(words[0], words[1]);
  const auto [third, fourth] = BoxMuller(words[2], words[3]);
  return {first, second, third, fourth};
}

std::array<double, 2> WideNormals(const Words& words) {
  const auto [uniform, turns] = WideUniforms(words);
  const double radius = std::sqrt(-2 * std::log(uniform));
  const double angle = 2 * std::numbers::pi * turns;
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

// --- PyTorch's loop: calc_execution_policy, distribution_elementwise_grid_stride_kernel ---

int64_t ThreadsFor(int64_t count, at::Device card) {
  constexpr int64_t kBlock = 256;
  const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(card.index());
  const int64_t blocks = properties.multiProcessorCount * (properties.maxThreadsPerMultiProcessor / kBlock);
  return kBlock * std::min((count + kBlock - 1) / kBlock, blocks);
}

// By how much a loop moves its generator on that takes so many numbers of one step.
int64_t OffsetAfter(int64_t count, int64_t at_a_time, at::Device card) {
  return ((count - 1) / (ThreadsFor(count, card) * at_a_time) + 1) * std::ssize(Words());
}

template <auto kNumbersOf>
auto Drawn(int64_t count, const GeneratorState& state, at::Device card) {
  using Number = typename decltype(kNumbersOf(Words()))::value_type;
  const int64_t threads = ThreadsFor(count, card);
  std::vector<Number> drawn(static_cast<size_t>(count));
  for (int64_t thread = 0; thread < std::min(threads, count); ++thread) {
    at::Philox4_32 sequence = SequenceOf(state, thread);
    for (int64_t element = thread; element < count;) {
      for (const Number number : kNumbersOf(Next(sequence))) {
        if (element < count) drawn[static_cast<size_t>(element)] = number;
        element += threads;
      }
    }
  }
  return drawn;
}

// TensorIterator takes elements in the order of their addresses.
void FillInOrderOfAddresses(at::Tensor& result, const at::Tensor& numbers) {
  std::vector<int64_t> dimensions(static_cast<size_t>(result.dim()));
  std::iota(dimensions.begin(), dimensions.end(), 0);
  std::ranges::stable_sort(
      dimensions, [&](int64_t one, int64_t other) { return result.stride(one) > result.stride(other); });
  const at::Tensor ordered = result.permute(dimensions);
  ordered.copy_(numbers.view(ordered.sizes()));
}

template <typename Scalar, typename Numbers, typename Transform>
void FillWith(at::Tensor& result, const Numbers& drawn, const Transform& transform) {
  at::Tensor numbers = at::empty({result.numel()}, result.scalar_type());
  std::ranges::transform(drawn, numbers.data_ptr<Scalar>(), transform);
  FillInOrderOfAddresses(result, numbers);
}

// What a distribution draws, each of its numbers from one of (0, 1], or of a normal distribution.
struct Distribution {
  const GeneratorState& state;
  at::Device card;

  // `transform` takes the number in the precision that the kernel computes in.
  template <typename Scalar, typename Transform>
  void FillUniform(at::Tensor& result, const Transform& transform) const {
    if constexpr (std::is_same_v<Scalar, double>) {
      FillWith<Scalar>(result, Drawn<WideUniforms>(result.numel(), state, card), transform);
    } else {
      FillWith<Scalar>(result, Drawn<Uniforms>(result.numel(), state, card), transform);
    }
  }
  template <typename Scalar, typename Transform>
  void FillNormal(at::Tensor& result, const Transform& transform) const {
    if constexpr (std::is_same_v<Scalar, double>) {
      FillWith<Scalar>(result, Drawn<WideNormals>(result.numel(), state, card), transform);
    } else {
      FillWith<Scalar>(result, Drawn<Normals>(result.numel(), state, card), transform);
    }
  }
};

// --- the operators ---

// uniform_(from, to): bounds that are reversed to [from, to).
bool DrawUniform(const Distribution& distribution, const torch::jit::Stack& arguments, at::Tensor& result) {
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, result.scalar_type(), "uniform_", [&] {
    using Precise = at::opmath_type<scalar_t>;
    const auto from = static_cast<scalar_t>(static_cast<Precise>(arguments.at(1).toDouble()));
    const auto to = static_cast<scalar_t>(static_cast<Precise>(arguments.at(2).toDouble()));
    const auto range = static_cast<Precise>(to - from);
    distribution.FillUniform<scalar_t>(result, [&](Precise drawn) {
      const auto number = static_cast<scalar_t>(std::fma(drawn, range, static_cast<Precise>(from)));
      return number == to ? from : number;
    });
  });
  return true;
}

// normal_(mean, std)
bool DrawNormal(const Distribution& distribution, const torch::jit::Stack& arguments, at::Tensor& result) {
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, result.scalar_type(), "normal_", [&] {
    using Precise = at::opmath_type<scalar_t>;
    const auto mean = static_cast<Precise>(arguments.at(1).toDouble());
    const auto deviation = static_cast<Precise>(arguments.at(2).toDouble());
    distribution.FillNormal<scalar_t>(
        result, [&](Precise drawn) { return static_cast<scalar_t>(std::fma(drawn, deviation, mean)); });
  });
  return true;
}

// exponential_(lambda): with no logarithm that is zero (at::transformation::exponential, on a card).
bool DrawExponential(const Distribution& distribution, const torch::jit::Stack& arguments,
                     at::Tensor& result) {
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, result.scalar_type(), "exponential_", [&] {
    using Precise = at::opmath_type<scalar_t>;
    const auto rate = static_cast<Precise>(arguments.at(1).toDouble());
    constexpr Precise kLeast = std::numeric_limits<Precise>::epsilon() / 2;
    distribution.FillUniform<scalar_t>(result, [&](Precise drawn) {
      const Precise logarithm = drawn >= 1 - kLeast ? -kLeast : std::log(drawn);
      return static_cast<scalar_t>(-1 / rate * logarithm);
    });
  });
  return true;
}

// The probability of all of them is a number.
bool DrawChances(const Distribution& distribution, double chance, at::Tensor& result) {
  AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBFloat16, at::kBool, result.scalar_type(), "bernoulli_", [&] {
    distribution.FillUniform<scalar_t>(result, [&](auto drawn) {
      return static_cast<scalar_t>(drawn < static_cast<decltype(drawn)>(chance));
    });
  });
  return true;
}

// Each has its own (CUDA_tensor_apply2): a thread takes four elements next to each other.
template <typename Precise>
std::vector<bool> DrawnChances(const GeneratorState& state, const at::Tensor& chances) {
  const auto* const chance = chances.const_data_ptr<Precise>();
  std::vector<bool> drawn;
  for (int64_t first = 0; first < chances.numel(); first += std::ssize(Words())) {
    at::Philox4_32 sequence = SequenceOf(state, first / std::ssize(Words()));
    for (const float number : Uniforms(Next(sequence))) {
      if (std::ssize(drawn) < chances.numel()) drawn.push_back(number <= chance[drawn.size()]);
    }
  }
  return drawn;
}

bool DrawOwnChances(const GeneratorState& state, const at::Tensor& given, at::Tensor& result) {
  if (!result.is_contiguous()) return false;  // in an order that depends on both tensors'
  const bool is_wide = result.scalar_type() == at::kDouble;
  const at::Tensor chances = given.to(is_wide ? at::kDouble : at::kFloat).expand(result.sizes()).contiguous();
  const std::vector<bool> drawn =
      is_wide ? DrawnChances<double>(state, chances) : DrawnChances<float>(state, chances);
  AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBFloat16, at::kBool, result.scalar_type(), "bernoulli_", [&] {
    std::ranges::transform(drawn, result.data_ptr<scalar_t>(),
                           [](bool one) { return static_cast<scalar_t>(one); });
  });
  return true;
}

bool DrawBernoulli(const Distribution& distribution, const torch::jit::Stack& arguments, at::Tensor& result) {
  const c10::IValue& chance = arguments.at(1);
  return chance.isTensor() ? DrawOwnChances(distribution.state, chance.toTensor(), result)
                           : DrawChances(distribution, chance.toDouble(), result);
}

// From how many different numbers on each is drawn of 64 bits, where its type has as many, or always.
constexpr bool kOlderThan27 = TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 7;
constexpr uint64_t kWideRange = kOlderThan27 ? uint64_t{1} << 32 : uint64_t{1} << 28;

template <typename Scalar>
void FillRange(const Distribution& distribution, uint64_t range, int64_t base, at::Tensor& result) {
  const auto transform = [&](auto drawn) {
    return at::transformation::uniform_int_from_to<Scalar>(drawn, range, base);
  };
  const auto& [state, card] = distribution;
  if (range >= kWideRange && (!kOlderThan27 || std::is_same_v<Scalar, int64_t>)) {
    FillWith<Scalar>(result, Drawn<WideWhole>(result.numel(), state, card), transform);
  } else {
    FillWith<Scalar>(result, Drawn<Whole>(result.numel(), state, card), transform);
  }
}

// random_(): all that is not negative.
template <typename Scalar>
void FillAll(const Distribution& distribution, at::Tensor& result) {
  const auto transform = [](auto drawn) { return at::transformation::uniform_int<Scalar>(drawn); };
  const auto& [state, card] = distribution;
  if constexpr (std::is_same_v<Scalar, int64_t>) {
    FillWith<Scalar>(result, Drawn<WideWhole>(result.numel(), state, card), transform);
  } else {
    FillWith<Scalar>(result, Drawn<Whole>(result.numel(), state, card), transform);
  }
}

// random_(), random_(to) and random_(from, to), of whole numbers.
bool DrawWhole(const Distribution& distribution, const torch::jit::Stack& arguments, at::Tensor& result) {
  if (!c10::isIntegralType(result.scalar_type(), /*includeBool=*/true)) return false;
  const bool has_from = arguments.size() == 4;
  if (has_from && arguments.at(2).isNone()) return false;
  AT_DISPATCH_INTEGRAL_TYPES_AND(at::kBool, result.scalar_type(), "random_", [&] {
    if (arguments.size() == 2) return FillAll<scalar_t>(distribution, result);
    const int64_t from = has_from ? arguments.at(1).toInt() : 0;
    const int64_t to = arguments.at(has_from ? 2 : 1).toInt();
    FillRange<scalar_t>(distribution, static_cast<uint64_t>(to) - static_cast<uint64_t>(from), from, result);
  });
  return true;
}

// randperm(n) sorts random keys of so many bits.
int BitsOfKeys(int64_t count) {
  const auto n = static_cast<double>(count);
  const double threshold = std::log(0.9) * 12;
  return std::min(64, static_cast<int>(std::ceil(std::log2(n - (6 * n * n + 1) / threshold))));
}

// What has the same key is put in an order of its own.
void ShuffleEqual(const std::vector<uint64_t>& keys, const GeneratorState& state,
                  std::vector<int64_t>& order) {
  const auto key_of = [&](size_t place) { return keys.at(static_cast<size_t>(order[place])); };
  // Before any of them moves: all threads look at once.
  std::vector<std::pair<size_t, size_t>> islands;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && key_of(end) == key_of(begin)) ++end;
    if (end - begin > 1) islands.emplace_back(begin, end - begin);
  }
  for (const auto& [begin, size] : islands) {
    at::Philox4_32 sequence = SequenceOf(state, static_cast<int64_t>(begin));
    for (size_t last = size - 1; last > 0; --last)
      std::swap(order[begin + last], order[begin + sequence() % (last + 1)]);
  }
}

bool DrawOrder(const Distribution& distribution, const torch::jit::Stack& arguments, at::Tensor& result) {
  const int64_t count = arguments.at(0).toInt();
  result.resize_({count});
  if (count == 0) return true;
  const int bits = BitsOfKeys(count);
  const auto& [state, card] = distribution;
  const bool is_narrow = bits <= std::numeric_limits<uint32_t>::digits;
  // The keys lie between the least and the greatest of their type, less one.
  const uint64_t range =
      is_narrow ? std::numeric_limits<uint32_t>::max() : std::numeric_limits<uint64_t>::max();
  const bool is_drawn_wide = !is_narrow || range >= kWideRange;
  std::vector<uint64_t> keys;
  if (is_drawn_wide) {
    keys = Drawn<WideWhole>(count, state, card);
  } else {
    std::ranges::copy(Drawn<Whole>(count, state, card), std::back_inserter(keys));
  }
  const uint64_t mask = std::numeric_limits<uint64_t>::max() >> (64 - bits);
  for (uint64_t& key : keys) key = key % range & mask;
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t element) { return keys[static_cast<size_t>(element)]; });
  const int64_t drawn = OffsetAfter(count, is_drawn_wide ? 2 : 4, card);
  ShuffleEqual(keys, {state.seed, state.offset + static_cast<uint64_t>(drawn)}, order);
  result.copy_(at::tensor(order, at::kLong));
  return true;
}

struct Drawing {
  std::string_view name;
  bool (*draw)(const Distribution&, const torch::jit::Stack&, at::Tensor&);
};
constexpr std::array kDrawing = {Drawing{"aten::uniform_", DrawUniform},
                                 Drawing{"aten::normal_", DrawNormal},
                                 Drawing{"aten::exponential_", DrawExponential},
                                 Drawing{"aten::bernoulli_", DrawBernoulli},
                                 Drawing{"aten::random_", DrawWhole},
                                 Drawing{"aten::randperm", DrawOrder}};

}  // namespace

bool DrawsAsOnCard(std::string_view name) {
  return std::ranges::find(kDrawing, name, &Drawing::name) != kDrawing.end();
}

bool DrawAsOnCard(const ComputedOperator& op, const torch::jit::Stack& arguments, const GeneratorState& state,
                  at::Device card, at::Tensor& result) {
  const auto* const found = std::ranges::find(kDrawing, op.name(), &Drawing::name);
  return found != kDrawing.end() && found->draw({state, card}, arguments, result);
}

}  // namespace tidemark::phantom
