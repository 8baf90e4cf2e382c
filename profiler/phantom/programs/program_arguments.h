// The arguments of a user's program, in the forms in which programs take them: --batch 8, --batch=8, -b 8,
// and batch=8, train.batch=8, +train.batch=8 (Hydra). Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::phantom {

// A whole number from 0 on that is all of the text.
std::optional<int64_t> Whole(std::string_view text);

// The words with the value of argument `name` ("batch", "b", "train.batch") in the form and the place of the
// first one that is there, and no other; where there is none, as --name VALUE (-n VALUE of one letter) at the
// end. What lies before word `begin` or behind a lone "--" is not the program's.
std::vector<std::string> WithArgumentFrom(const std::vector<std::string>& words, size_t begin,
                                          const std::string& name, int64_t value);

// What by its name says of how many samples a batch is, and how many; nothing where it says one, or where
// there is none or several, as of training and validation.
struct BatchArgument {
  std::string name;
  int64_t value = 0;
};
std::optional<BatchArgument> FindBatchArgument(const std::vector<std::string>& words, size_t begin);

}  // namespace tidemark::phantom
