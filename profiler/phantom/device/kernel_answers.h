// What a kernel of PyTorch's that compares answers where all that it compares is zero, as every result reads
// here: 0 >= 0 and 0 < 1e-6 hold, 0 > 0 does not. Programs, and PyTorch in their name, ask such a thing of
// their own values, and end where the answer is no (or yes, as in torch.istft). And how many different values
// there are among zeros: one, where "none" would be an answer that no card gives. Pure functions; any thread.
// A question takes a microsecond, Holds some nanoseconds.
#pragma once

#include <array>
#include <cstddef>
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
  bool is_elementwise = false;  // its arguments tell where it writes
};

// `kernel`: its mangled name.
KernelQuestion QuestionOf(std::string_view kernel);

// `arguments`: of the launch, as the CUDA runtime takes them.
bool Holds(const KernelQuestion& question, void* const* arguments);

struct KernelAnswer {
  KernelQuestion question;
  bool holds = false;
};

// The answers of the kernels that one thread launches, one after the other.
class Answers {
 public:
  void Take(const KernelQuestion& question, void* const* arguments);
  const KernelAnswer& last() const { return last_; }
  // A new block begins there: what was answered in its place is gone.
  void BlockBegins(const void* begin, size_t bytes);
  // Of one condition from one address of the device to another, as of a reduction of a single one.
  void Copy(const void* to, const void* from) { Write(to, At(from)); }
  // What was answered at that address of the device, if that was one of the last few; else what the last
  // kernel did, if nobody knows where that wrote.
  KernelAnswer At(const void* address) const;

 private:
  struct Written {
    const void* address = nullptr;
    KernelAnswer answer;
  };
  void Write(const void* address, const KernelAnswer& answer);
  void Forget(const void* begin, size_t bytes);

  KernelAnswer last_;
  bool knows_where_ = false;           // the last one wrote
  std::array<Written, 16> written_{};  // a ring
  size_t oldest_ = 0;
  // Since the last kernel. A reduction's output is one of them, and its scratch memory the others, which no
  // program reads.
  std::array<const void*, 4> begun_{};
  size_t begun_count_ = 0;
  // Whether the last ones are torch.istft's question: a comparison, and, to learn whether that is true, a
  // fill with true and a comparison of the two (at::is_scalar_tensor_true). Others ask like that what is to
  // be true.
  bool is_of_gap_ = false;
};

}  // namespace tidemark::phantom::device
