// What goes into an operator, on the CPU: copies of what the phantom's device knows. For known_values.h.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/phantom/values/computed_operators.h"
#include "profiler/phantom/values/known_memory.h"

namespace tidemark::phantom {

// A tensor that an operator writes to, and its copy.
struct Written {
  at::Tensor on_device;
  at::Tensor on_host;
};

// What values that are not known are taken for.
enum class NotKnownAs : uint8_t { kZeros, kAllClear, kAllSet };

class HostInputs {
 public:
  // All of a value's bits are clear, or set, where any of it is not known, or was computed of what is not.
  HostInputs(const ComputedOperator& op, NotKnownAs guess) : op_(op), guess_(guess) {}

  // False where a value is of a kind that is not computed, or nothing is of the device, or the results may be
  // too many.
  bool Take(c10::ArrayRef<const c10::IValue> inputs);
  torch::jit::Stack& stack() { return stack_; }
  std::vector<Written>& written() { return written_; }
  // That it was given to draw by.
  const std::optional<at::Generator>& generator() const { return generator_; }
  int worst_certainty() const { return worst_certainty_; }
  bool has_fractions() const { return has_fractions_; }
  bool are_many() const { return largest_ > kMostNumbers; }  // of any that goes in

 private:
  bool TakeValue(const c10::IValue& value);
  bool TakeList(const c10::IValue& value);
  std::optional<at::Tensor> CopiedOfList(const at::Tensor& tensor);
  std::optional<at::Tensor> Copied(const at::Tensor& tensor);
  void Count(const at::Tensor& tensor);
  bool MakesFractions(const c10::IValue& value, const c10::Argument& argument) const;
  int64_t MostResults() const;
  bool MayTakeEffort() const;
  int64_t MostIndexed() const;
  int64_t MostSelected() const;
  int64_t MostMade() const;

  const ComputedOperator& op_;
  const NotKnownAs guess_;
  torch::jit::Stack stack_;
  std::vector<Written> written_;
  std::optional<at::Generator> generator_;
  // Of the argument that is being taken.
  bool is_read_ = true;
  bool is_written_ = false;
  bool is_of_card_ = false;
  bool has_fractions_ = false;
  bool makes_fractions_ = false;  // of whole numbers
  int worst_certainty_ = 0;
  at::DimVector shape_;  // that all are broadcast to
  int64_t largest_ = 0;  // how many numbers any has
  int64_t numbers_ = 0;  // all of them
  int64_t factor_ = 1;   // of what is not
  int64_t sum_ = 0;      // in lists
};

}  // namespace tidemark::phantom
