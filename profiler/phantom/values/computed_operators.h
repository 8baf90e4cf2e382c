// Which of PyTorch's operators are computed on the host beside their kernels (known_values.h), and what is
// peculiar of each, looked up once. Any thread.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::phantom {

// Of a sparse tensor; it launches its kernels by another key than those of dense ones.
inline constexpr std::string_view kCoalesce = "aten::_coalesce";

// Of boxes that overlap the best alone: which remain. Of torchvision, which has it for the CPU, too.
inline constexpr std::string_view kSuppression = "torchvision::nms";

class ComputedOperator {
 public:
  explicit ComputedOperator(const c10::OperatorHandle& handle);
  // Not those that are made of others, since these are heard, too, and not other libraries' (c10d's would
  // wait for other ranks), but for kSuppression. What is asked below is of operators that do.
  static bool LaunchesKernels(const c10::OperatorHandle& handle);
  // Whether this is one at all: none that leaves something as it happens to be.
  bool IsOne() const { return is_one_; }
  // Whether it is one for numbers with a fraction, too: element by element, moving them, or reducing a few.
  bool ComputesFractions() const { return computes_fractions_; }
  // The arguments that its kernels write to, which are known no more where they are not computed: what its
  // schema says, and batch norm's running figures in training, of which that does not; but whether gradients
  // overflow (found_inf) stays as it was sent: they do not.
  const std::vector<size_t>& Written(c10::ArrayRef<const c10::IValue> inputs) const {
    const bool evaluates = training_ && inputs[*training_].isBool() && !inputs[*training_].toBool();
    return evaluates ? written_evaluating_ : written_;
  }
  // Its argument of that number is only written to: a first one, or both results of cummax.
  bool Overwrites(size_t argument) const {
    return argument == 0 ? overwrites_first_ : overwrites_two_ && (argument == 1 || argument == 2);
  }
  // It takes its numbers from a generator.
  bool Draws() const { return draws_; }
  // Of numbers alone, where others that do so are given a tensor to fill.
  bool MakesTriangle() const { return makes_triangle_; }
  // What its kernels counted is read back, to know how large the first result is.
  bool HasCount() const { return has_count_; }
  // So many elements as are not zero: how large a mask's choice is.
  bool Chooses() const { return name() == "aten::nonzero"; }
  // The same of what kernels of its own choose: of as many as its second argument has.
  bool Suppresses() const { return name() == kSuppression; }
  // It writes where its second argument's indices and masks say.
  bool PutsAtIndices() const { return puts_at_indices_; }
  // How its arguments say which elements it takes or writes to; its kernels assert that these are there.
  // By a list, and from either end, a negative index counts from the end.
  enum class Indexing : uint8_t { kNone, kByList, kAlongDimension, kAlongFromEitherEnd, kClasses };
  Indexing indexing() const { return indexing_; }
  // Of whole numbers and a fraction it makes fractions; divided, they are fractions anyway.
  bool IsArithmetic() const;
  bool Divides() const { return name() == "aten::div" && handle_.schema().arguments().size() == 2; }
  // It makes all of the first of its arguments zero.
  bool IsZeros(const std::vector<c10::IValue>& inputs) const;
  // One of two conditions, or of two numbers bit by bit, may decide.
  bool Joins() const { return joins_; }
  // Its results follow from so many fractions that are not known, taken as zeros: from few, since a training
  // step is full of them, but where whole numbers or conditions come of them, and not in the lists of an
  // optimizer.
  int64_t MostFractionsOfZeros() const { return most_fractions_of_zeros_; }
  // Whether all of something is true.
  bool AsksForAll() const { return name() == "aten::all"; }
  // Whether two tensors are the same, which it makes a condition of by itself, out of hearing.
  bool Compares() const { return name() == "aten::equal"; }
  // It refuses values that a card may not have computed, and asks for that what is computed as well.
  bool ChecksValues() const { return name() == "aten::multinomial"; }
  // The argument that has as many numbers as the result, where one always has.
  std::optional<size_t> SizedAs() const { return sized_as_; }

  const c10::OperatorHandle& handle() const { return handle_; }
  std::string_view name() const { return handle_.schema().name(); }

 private:
  c10::OperatorHandle handle_;
  bool draws_;
  bool is_one_;
  bool computes_fractions_;
  bool overwrites_first_;
  bool overwrites_two_;
  bool makes_triangle_;
  bool has_count_;
  bool puts_at_indices_;
  Indexing indexing_;
  bool joins_;
  std::optional<size_t> sized_as_;
  int64_t most_fractions_of_zeros_;
  std::vector<size_t> written_;
  std::optional<size_t> training_;  // the argument that says so, of those that write more then
  std::vector<size_t> written_evaluating_;
};

// The operator that runs there, null where it launches no kernels. Some nanoseconds, but for a thread's first
// time.
const ComputedOperator* OperatorOf(const at::RecordFunction& function);

}  // namespace tidemark::phantom
