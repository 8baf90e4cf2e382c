// What a kernel of PyTorch's that compares answers where all that it compares is zero, as every result reads
// here: 0 >= 0 and 0 < 1e-6 hold, 0 > 0 does not. Programs, and PyTorch in their name, ask such a thing of
// their own values, and end where the answer is no. And how many different values there are among zeros: one,
// where "none" would be an answer that no card gives. Pure functions; any thread. A question takes a
// microsecond, Holds some nanoseconds.
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

}  // namespace tidemark::phantom::device
