#include "profiler/trace/importers/stack_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "profiler/events/stack.h"

namespace tidemark::trace {
namespace {

constexpr size_t kMostFrames = 24;
constexpr size_t kMostLettersOfAll = 64 << 20;

// frameFilter of PyTorch's torch/utils/viz/MemoryViz.js.
constexpr std::array<std::string_view, 8> kMachineryFunctions = {
    "unwind::unwind",    "CapturedTraceback::gather",
    "gather_with_cpp",   "_start",
    "__libc_start_main", "PyEval_",
    "PyObject_",         "PyFunction_"};
constexpr std::array<std::string_view, 10> kMachineryFiles = {"core/boxing",
                                                              "/Register",
                                                              "/Redispatch",
                                                              "pythonrun.c",
                                                              "Modules/main.c",
                                                              "Objects/call.c",
                                                              "Objects/methodobject.c",
                                                              "pycore_ceval.h",
                                                              "ceval.c",
                                                              "cpython/abstract.h"};

bool IsMachinery(std::string_view file, std::string_view function) {
  const auto within = [](std::string_view text) {
    return [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
  };
  return std::any_of(kMachineryFunctions.begin(), kMachineryFunctions.end(), within(function)) ||
         std::any_of(kMachineryFiles.begin(), kMachineryFiles.end(), within(file));
}

}  // namespace

std::string StackNames::TextOf(StackId stack) const {
  std::string text;
  size_t frames = 0;
  for (const uint32_t id : objects_.FramesOf(stack)) {
    const Frame& frame = objects_.frame(id);
    const std::string_view path = objects_.TextOf(frame.file);
    const std::string_view function = events::Shortened(objects_.TextOf(frame.function));
    if (IsMachinery(path, objects_.TextOf(frame.function))) continue;
    if (++frames > kMostFrames) return text + std::string(events::kFrameSeparator) + "…";
    if (!text.empty()) text += events::kFrameSeparator;
    text += function;
    const std::string_view file = events::Shortened(events::NameOfFile(path));
    if (!file.empty() && file != "??") text += fmt::format(" ({}:{})", file, frame.line);
  }
  return text;
}

events::NameId StackNames::Name(StackId stack, int64_t time_ns) {
  constexpr events::NameId kNotYet = ~events::NameId{0};
  if (stack >= names_.size()) names_.resize(stack + 1, kNotYet);
  if (names_[stack] != kNotYet) return names_[stack];
  const std::string text = letters_ < kMostLettersOfAll ? TextOf(stack) : std::string();
  letters_ += text.size();
  return names_[stack] = writer_.Name(text, time_ns);
}

}  // namespace tidemark::trace
