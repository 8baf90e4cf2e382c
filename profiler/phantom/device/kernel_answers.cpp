#include "profiler/phantom/device/kernel_answers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace tidemark::phantom::device {
namespace {

using Kind = KernelQuestion::Kind;

// aten/src/ATen/native/cuda/ReduceLogicKernel.cu, BitwiseOpsKernel.cu, BinaryLogicalOpsKernels.cu; isfinite
// multiplies two conditions (TensorCompare.cpp).
constexpr std::array<std::string_view, 4> kAllOf = {"15and_kernel_cuda", "BitwiseAndFunctorIbE",
                                                    "logical_and_kernel_cuda", "MulFunctorIbE"};
// CUDALoops.cuh: these take the number of elements, then what is done to each.
constexpr std::string_view kElementwise = "d_elementwise_kernel";
constexpr size_t kFunctor = 1;
constexpr size_t kAddresses = 2;  // of the tensors, the one that is written first

// What torch.unique, unique_consecutive and isin leave the count with: CUB's select of what differs from what
// stands before it (UniqueCub.cu), Thrust's for rows (Unique.cu), since 2.15 CUB's, too, of rows that a
// lambda compares. CUB's other selects compare nothing. Where they are counted too, what is equal is reduced
// to one, by either.
bool CountsDistinct(std::string_view kernel) {
  constexpr std::array<std::string_view, 4> kByKey = {"ReduceByKeyAgent", "DeviceReduceByKeyKernel",
                                                      "UniqueByKeyAgent", "DeviceUniqueByKeySweepKernel"};
  const auto stands_in = [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
  if (std::any_of(kByKey.begin(), kByKey.end(), stands_in)) return true;
  if (stands_in("__unique")) return stands_in("UniqueAgent");
  constexpr std::array<std::string_view, 3> kEquality = {"8equal_to", "8EqualityE",
                                                         "24unique_dim_cuda_template"};
  return stands_in("DeviceSelectSweepKernel") && std::ranges::any_of(kEquality, stands_in);
}

// Thrust's search, in torch.mode: whether there is one, and its index. Until CUDA 12.6 kernels make room for
// these two afterwards, copy them and clear up: Thrust's own, or CUB's for each of some.
bool SearchesOrMovesWhatWasFound(std::string_view kernel) {
  const auto stands_in = [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
  const bool for_each = stands_in("ParallelForAgent") || stands_in("3cub6detail8for_each");
  return stands_in("__find_if") || (for_each && stands_in("5tupleIJblE"));
}

// CompareKernels.cu, CompareEQKernel.cu: how it is compared stands first, then the number, if it is one.
enum Order : int { kGreaterOrEqual, kGreater, kLessOrEqual, kLess };
enum Equality : int { kEqualTo, kNotEqualTo };

// The letter of the type whose name begins there.
char TypeAt(std::string_view name) {
  if (name.starts_with("N3c104HalfE") || name.starts_with("N3c108BFloat16E")) return 'H';
  constexpr std::string_view kKnown = "fdlisahb";
  return name.empty() || kKnown.find(name.front()) == std::string_view::npos ? '\0' : name.front();
}

template <typename Number>
int SignOf(const std::byte* functor) {
  constexpr size_t kOffset = std::max(sizeof(int), alignof(Number));
  Number number;
  std::memcpy(&number, functor + kOffset, sizeof number);
  return (number > Number{0}) - (number < Number{0});
}

int SignOfHalf(const std::byte* functor) {
  uint16_t bits = 0;
  std::memcpy(&bits, functor + sizeof(int), sizeof bits);
  if ((bits & 0x7fff) == 0) return 0;
  return bits >> 15 != 0 ? -1 : 1;
}

int SignOfScalar(char type, const std::byte* functor) {
  switch (type) {
    case 'f':
      return SignOf<float>(functor);
    case 'd':
      return SignOf<double>(functor);
    case 'l':
      return SignOf<int64_t>(functor);
    case 'i':
      return SignOf<int32_t>(functor);
    case 's':
      return SignOf<int16_t>(functor);
    case 'a':
      return SignOf<int8_t>(functor);
    case 'H':
      return SignOfHalf(functor);
    case 0:
      return 0;  // another tensor, of zeros
    default:
      return SignOf<uint8_t>(functor);
  }
}

// torch.istft refuses windows that leave gaps, where their sum is less than that (SpectralOps.cpp).
constexpr double kGapOfWindows = 1e-11;

bool AsksForGap(const KernelQuestion& question, void* const* arguments) {
  if (question.kind != Kind::kOrder || arguments == nullptr) return false;
  const auto* functor = static_cast<const std::byte*>(arguments[kFunctor]);
  int order = 0;
  std::memcpy(&order, functor, sizeof order);
  if (order != kLess) return false;
  if (question.scalar == 'f') {
    float number = 0;
    std::memcpy(&number, functor + sizeof number, sizeof number);
    return number == static_cast<float>(kGapOfWindows);
  }
  double number = 0;
  if (question.scalar == 'd') std::memcpy(&number, functor + sizeof number, sizeof number);
  return number == kGapOfWindows;
}

bool HoldsInOrder(int order, int sign) {
  switch (order) {
    case kGreaterOrEqual:
      return sign <= 0;
    case kGreater:
      return sign < 0;
    case kLessOrEqual:
      return sign >= 0;
    default:
      return sign > 0;
  }
}

// CUDALoops.cuh: those that take the addresses of their tensors after what is done. Others with such an
// ending do not (_unfold_backward_elementwise_kernel, UnfoldBackwardKernel.cu).
bool TellsWhereItWrites(std::string_view kernel) {
  constexpr std::array<std::string_view, 3> kTelling = {"29vectorized_elementwise_kernel",
                                                        "39vectorized_templated_elementwise_kernel",
                                                        "27unrolled_elementwise_kernel"};
  return std::ranges::any_of(
      kTelling, [&](std::string_view one) { return kernel.find(one) != std::string_view::npos; });
}

// But for whether it is elementwise.
KernelQuestion KindOf(std::string_view kernel) {
  const auto stands_in = [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
  const auto type_after = [&](std::string_view part) {
    return TypeAt(kernel.substr(kernel.find(part) + part.size()));
  };
  if (std::any_of(kAllOf.begin(), kAllOf.end(), stands_in)) return {Kind::kAll};
  if (CountsDistinct(kernel)) return {Kind::kDistinct};
  if (SearchesOrMovesWhatWasFound(kernel)) return {Kind::kFind};
  if (!stands_in(kElementwise)) return {};
  if (stands_in("11FillFunctorIbE")) return {Kind::kFill};
  constexpr std::string_view kScalarOrder = "compare_scalar_kernelI";
  if (stands_in(kScalarOrder)) {
    const char type = type_after(kScalarOrder);
    return type == 0 ? KernelQuestion() : KernelQuestion{Kind::kOrder, type};
  }
  if (stands_in("CompareFunctorI")) return {Kind::kOrder};
  if (!stands_in("CompareEqFunctorI")) return {};
  if (stands_in("CompareEqFunctorIbE") && stands_in("BinaryFunctorI")) return {Kind::kSame};
  if (stands_in("BinaryFunctorI")) return {Kind::kEqual};
  constexpr std::string_view kScalarEquality = "AUnaryFunctorI";
  const char type = stands_in(kScalarEquality) ? type_after(kScalarEquality) : '\0';
  if (type == 0) return {};
  return {Kind::kEqual, type == 'H' ? 'f' : type};  // numbers of 16 bits are compared as float
}

}  // namespace

KernelQuestion QuestionOf(std::string_view kernel) {
  KernelQuestion question = KindOf(kernel);
  question.is_elementwise = TellsWhereItWrites(kernel);
  return question;
}

bool Holds(const KernelQuestion& question, void* const* arguments) {
  if (question.kind == Kind::kNone || question.kind == Kind::kDistinct || question.kind == Kind::kFind) {
    return false;
  }
  if (question.kind == Kind::kAll) return true;
  if (arguments == nullptr) return false;
  const auto* functor = static_cast<const std::byte*>(arguments[kFunctor]);
  if (question.kind == Kind::kFill) return *functor != std::byte{0};
  int comparison = 0;
  std::memcpy(&comparison, functor, sizeof comparison);
  const int sign = SignOfScalar(question.scalar, functor);
  return question.kind == Kind::kOrder ? HoldsInOrder(comparison, sign)
                                       : (comparison == kEqualTo) == (sign == 0);
}

void Answers::Take(const KernelQuestion& question, void* const* arguments) {
  const bool goes_on = question.kind == Kind::kFill || question.kind == Kind::kSame;
  is_of_gap_ = (is_of_gap_ && goes_on) || AsksForGap(question, arguments);
  last_ = {question, (!is_of_gap_ || question.kind == Kind::kFill) && Holds(question, arguments)};
  knows_where_ = begun_count_ > 0 || question.is_elementwise;
  if (question.is_elementwise && arguments != nullptr) {
    const void* address = nullptr;
    std::memcpy(&address, arguments[kAddresses], sizeof address);
    Write(address, last_);
  } else if (question.kind != Kind::kNone) {
    for (size_t i = 0; i < begun_count_; ++i) Write(begun_.at(i), last_);
  }
  begun_count_ = 0;
}

void Answers::Write(const void* address, const KernelAnswer& answer) {
  Forget(address, 1);
  if (answer.question.kind == Kind::kNone) return;
  written_.at(oldest_) = {address, answer};
  oldest_ = (oldest_ + 1) % written_.size();
}

void Answers::BlockBegins(const void* begin, size_t bytes) {
  Forget(begin, bytes);
  if (begun_count_ < begun_.size()) begun_.at(begun_count_++) = begin;
}

KernelAnswer Answers::At(const void* address) const {
  const auto found = std::ranges::find(written_, address, &Written::address);
  if (found != written_.end() && address != nullptr) return found->answer;
  return knows_where_ ? KernelAnswer() : last_;
}

void Answers::Forget(const void* begin, size_t bytes) {
  for (Written& one : written_) {
    const auto offset = reinterpret_cast<uintptr_t>(one.address) - reinterpret_cast<uintptr_t>(begin);
    if (offset < bytes) one = {};
  }
}

}  // namespace tidemark::phantom::device
