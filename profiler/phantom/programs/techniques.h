// Techniques that a program does not use itself, as if its author had: its Python applies them
// (python/tidemark_techniques.py), and what it then asks the phantom for is PyTorch's own answer. Pure
// functions, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

struct Techniques {
  std::string amp = "off";          // "bf16" or "fp16": what its modules compute forward is under autocast
  std::string checkpoint = "none";  // "blocks": modules of one class in a row are run again in backward

  bool operator==(const Techniques&) const = default;
};

// Error: a sentence, if there is no such word.
Result<Techniques> TechniquesFromText(std::string_view amp, std::string_view checkpoint);

// "NAME=value" entries; empty for none.
std::vector<std::string> EnvironmentOf(const Techniques& techniques);
// For processes some of which shall have techniques: what has their Python look out for them, and has none.
std::vector<std::string> EnvironmentForSome();

// "--amp bf16 --checkpoint blocks", as the options of `tidemark phantom`; "" for none.
std::string OptionsOf(const Techniques& techniques);
// "bf16, checkpointed blocks"; "" for none.
std::string InWords(const Techniques& techniques);

// Each and both together, to be tried on a card of this compute capability (80 for 8.0, phantom::Card's): in
// bfloat16 where it computes in that, from 8.0 on, else in float16. PyTorch runs bfloat16 below, too, but its
// attention has no kernels there that save memory.
std::vector<Techniques> TechniquesToTry(int compute_capability);

}  // namespace tidemark::phantom
