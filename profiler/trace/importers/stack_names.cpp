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
constexpr std::array<std::string_view, 6> kMachineryFunctions = {
    "unwind::unwind", "CapturedTraceback::gather", "gather_with_cpp", "PyEval_", "PyObject_", "PyFunction_"};
// Python's own C functions, as CPython 3.9 to 3.14 name them, and where programs and threads begin.
constexpr std::array<std::string_view, 14> kMachineryInC = {"_start",
                                                            "__libc_start",
                                                            "method_vectorcall",
                                                            "cfunction_",
                                                            "slot_tp_",
                                                            "vectorcall_",
                                                            "_PyRun_",
                                                            "Py_RunMain",
                                                            "Py_BytesMain",
                                                            "pymain_",
                                                            "builtin_exec",
                                                            "start_thread",
                                                            "execute_native_thread",
                                                            "clone3"};
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

bool IsCpp(std::string_view file) { return !file.ends_with(".py") && !file.starts_with('<'); }

// A library, or Python itself: since 2.15 PyTorch tells how far in it a frame is, where no source line is at
// hand.
bool IsBinary(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  constexpr std::string_view kPython = "python";
  const bool is_python = name.starts_with(kPython) &&
                         name.find_first_not_of("0123456789.", kPython.size()) == std::string_view::npos;
  return is_python || name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

bool IsMachinery(std::string_view file, std::string_view function) {
  const auto within = [](std::string_view text) {
    return [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
  };
  const auto begins = [function](std::string_view name) { return function.starts_with(name); };
  if (function == "??" && IsBinary(file)) return true;
  return std::any_of(kMachineryFunctions.begin(), kMachineryFunctions.end(), within(function)) ||
         std::any_of(kMachineryFiles.begin(), kMachineryFiles.end(), within(file)) ||
         (IsCpp(file) && std::any_of(kMachineryInC.begin(), kMachineryInC.end(), begins));
}

// "at::_ops::linear::call(...)" begins with "at::_ops::": "linear", up to the next "::"; else "".
std::string_view PartAfter(std::string_view function, std::string_view prefix) {
  if (!function.starts_with(prefix)) return {};
  function.remove_prefix(prefix.size());
  return function.substr(0, function.find("::"));
}

// "at::Tensor mine::fused<c10::Half>(at::Tensor)": "mine::fused", without what it returns and takes.
std::string QualifiedName(std::string_view function) {
  std::string name;
  int depth = 0;
  for (const char letter : function) {
    if (letter == '(' && depth == 0 && !name.empty()) break;
    if (letter == '<') ++depth;
    if (depth == 0) name += letter;
    if (letter == '>' && depth > 0) --depth;
  }
  return name.substr(name.rfind(' ') + 1);
}

// A function of LibTorch's C++, or of the libraries under it.
bool IsOfLibTorch(std::string_view function) {
  constexpr std::array<std::string_view, 6> kNamespaces = {
      "at::", "c10::", "torch::", "caffe2::", "std::", "pybind11::"};
  const std::string name = QualifiedName(function);
  return std::ranges::any_of(kNamespaces,
                             [&name](std::string_view space) { return name.starts_with(space); });
}

// What a C++ function of LibTorch's tells a reader, as the profiler would call it: the operator, or the node
// of backward; "" of all that calls one another in between. Others keep their names.
std::string TitleOf(std::string_view function) {
  if (const std::string_view op = PartAfter(function, "at::_ops::"); !op.empty())
    return op.starts_with("empty") ? "" : "aten::" + std::string(op);
  if (const std::string_view node = PartAfter(function, "torch::autograd::generated::"); !node.empty())
    return node.find("Backward") == std::string_view::npos ? "" : std::string(node);
  return IsOfLibTorch(function) ? "" : std::string(function);
}

}  // namespace

std::string StackNames::FrameText(const Frame& frame, bool condensed) const {
  const std::string_view path = objects_.TextOf(frame.file);
  const std::string_view function = objects_.TextOf(frame.function);
  if (IsMachinery(path, function)) return "";
  const bool is_told = !condensed || !IsCpp(path);
  std::string title(events::Shortened(is_told ? function : TitleOf(function)));
  const std::string_view file = events::Shortened(events::NameOfFile(path));
  // What stands for a whole way through LibTorch has no one line.
  if (title.empty() || title != events::Shortened(function) || file.empty() || file == "??") return title;
  if (IsBinary(path)) return fmt::format("{} ({})", title, file);
  return fmt::format("{} ({}:{})", title, file, frame.line);
}

std::string StackNames::TextOf(StackId stack, bool condensed) const {
  std::string text;
  std::string latest;
  size_t frames = 0;
  for (const uint32_t id : objects_.FramesOf(stack)) {
    std::string frame = FrameText(objects_.frame(id), condensed);
    const bool is_again = frame == latest && !frame.ends_with(')');  // an operator, redispatched
    if (frame.empty() || is_again) continue;
    if (++frames > kMostFrames) return text + std::string(events::kFrameSeparator) + "…";
    if (!text.empty()) text += events::kFrameSeparator;
    text += frame;
    latest = std::move(frame);
  }
  return text;
}

events::NameId StackNames::Name(StackId stack, int64_t time_ns) {
  constexpr events::NameId kNotYet = ~events::NameId{0};
  if (stack >= names_.size()) names_.resize(stack + 1, kNotYet);
  if (names_[stack] != kNotYet) return names_[stack];
  std::string text;
  if (letters_ < kMostLettersOfAll) text = TextOf(stack, true);
  if (letters_ < kMostLettersOfAll && text.empty()) text = TextOf(stack, false);
  letters_ += text.size();
  return names_[stack] = writer_.Name(text, time_ns);
}

}  // namespace tidemark::trace
