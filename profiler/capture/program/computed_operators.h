// Which of PyTorch's operators are computed on the host beside their kernels (known_values.h), and what is
// peculiar of each. Pure; any thread.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace tidemark::capture {

class ComputedOperator {
 public:
  // Keeps a reference.
  explicit ComputedOperator(const c10::OperatorHandle& handle)
      : handle_(handle), name_(handle.schema().name()) {}
  // Not those that are made of others, since these are heard, too, and not other libraries' (c10d's would
  // wait for other ranks). What is asked below is of operators that do.
  bool LaunchesKernels() const;
  // Whether this is one at all: none that leaves something as it happens to be.
  bool IsOne() const;
  // Whether it is one for numbers with a fraction, too: element by element, moving them, or reducing a few.
  bool ComputesFractions() const;
  // Whether its kernels write to an argument, which is known no more where they are not computed: what its
  // schema says, and batch norm's running figures in training, of which that does not; but whether gradients
  // overflow (found_inf) stays as it was sent: they do not.
  bool Writes(size_t argument, c10::ArrayRef<const c10::IValue> inputs) const;
  // Its first tensor is only written to.
  bool OverwritesFirst() const;
  bool IsFill() const;
  // It takes its numbers from a generator.
  bool Draws() const;
  // What its kernels counted is read back, to know how large the first result is.
  bool HasCount() const { return name_ == "aten::nonzero" || name_ == "aten::_unique2"; }
  // One of two conditions may decide.
  bool Joins() const {
    return name_ == "aten::bitwise_or" || name_ == "aten::logical_or" || name_ == "aten::bitwise_and" ||
           name_ == "aten::logical_and";
  }
  // The argument that has as many numbers as the result, where one always has.
  std::optional<size_t> SizedAs() const;

  const c10::OperatorHandle& handle() const { return handle_; }
  std::string_view name() const { return name_; }

 private:
  const c10::OperatorHandle& handle_;
  const std::string_view name_;
};

}  // namespace tidemark::capture
