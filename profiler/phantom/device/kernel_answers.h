// What a kernel of PyTorch's that compares answers where all that it compares is zero, as every result reads
// here: 0 >= 0 and 0 < 1e-6 hold, 0 > 0 does not. Programs, and PyTorch in their name, ask such a thing of
// their own values, and end where the answer is no (or yes, as in torch.istft). And how many different values
// there are among zeros: one, where "none" would be an answer that no card gives. Pure functions; any thread.
// A question takes a microsecond, Holds some nanoseconds.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemark::phantom::device {

struct KernelQuestion {
  enum class Kind : uint8_t {
    kNone,
    kAll,       // whether all of several things are true: yes
    kOrder,     // >=, >, <=, <
    kEqual,     // ==, !=
    kFill,      // the answer is given
    kSame,      // whether two conditions are the same
    kFind,      // where the first is of what is sought: at the very first, of zeros; Holds says no, too
    kDistinct,  // how many different values there are: Holds says no, for that is no condition
  };
  Kind kind = Kind::kNone;
  // The number that it compares with, as the Itanium C++ ABI writes its type: 'f', 'd', 'l', ...; 'H' for
  // both types of 16 bits with a sign in front. 0 where that is another tensor.
  char scalar = 0;
};

// `kernel`: its mangled name.
KernelQuestion QuestionOf(std::string_view kernel);

// `arguments`: of the launch, as the CUDA runtime takes them.
bool Holds(const KernelQuestion& question, void* const* arguments);

// The answers of the kernels that one thread launches, one after the other.
class Answers {
 public:
  void Take(const KernelQuestion& question, void* const* arguments);
  const KernelQuestion& question() const { return question_; }
  bool holds() const { return holds_; }

 private:
  KernelQuestion question_;
  bool holds_ = false;
  // Whether the last ones are torch.istft's question: a comparison, and, to learn whether that is true, a
  // fill with true and a comparison of the two (at::is_scalar_tensor_true). Others ask like that what is to
  // be true.
  bool is_of_gap_ = false;
};

}  // namespace tidemark::phantom::device
