// Call stacks, as names: frames from where memory was asked for outwards, "forward (model.py:12) ← train
// (train.py:40)". An operator that ran there comes first, "aten::conv2d ← forward (model.py:12) ← ...". They
// are what `op` of an allocation refers to, where stacks are told.
#pragma once

#include <string_view>
#include <vector>

namespace tidemark::events {

inline constexpr std::string_view kFrameSeparator = " ← ";

// "aten::conv2d", or the innermost function; all of a name that is no stack.
inline std::string_view InnermostFrame(std::string_view stack) {
  return stack.substr(0, stack.find(kFrameSeparator));
}

// From the innermost outwards.
inline std::vector<std::string_view> FramesOf(std::string_view stack) {
  std::vector<std::string_view> frames;
  while (!stack.empty()) {
    frames.push_back(InnermostFrame(stack));
    stack.remove_prefix(frames.back().size());
    if (stack.starts_with(kFrameSeparator)) stack.remove_prefix(kFrameSeparator.size());
  }
  return frames;
}

// "forward (model.py:12)": "model.py"; "" if it tells no line.
inline std::string_view FileOfFrame(std::string_view frame) {
  const size_t open = frame.rfind(" (");
  const size_t colon = frame.rfind(':');
  if (!frame.ends_with(')') || open == std::string_view::npos || colon == std::string_view::npos ||
      colon < open) {
    return {};
  }
  return frame.substr(open + 2, colon - open - 2);
}

// What a frame says of the path of its source: a package's from the package on, Python's own and ours from
// their folder on, others without folders. "<string>" stays itself, as all in angles that is no file.
std::string_view NameOfFile(std::string_view path);

// As much of a name of a function or a file as a frame tells: 160 bytes, without a torn letter of UTF-8.
std::string_view Shortened(std::string_view name);

// The innermost frame of the program's own: in a file without a folder, that is neither C++ (of LibTorch's,
// nearly always) nor made while running ("<string>", "<frozen ...>"), save what a person typed. The innermost
// that tells a line if there is none; "" if no frame does.
std::string_view InnermostLine(std::string_view stack);

inline bool HasFrame(std::string_view stack, std::string_view frame) {
  while (!stack.empty()) {
    const std::string_view innermost = InnermostFrame(stack);
    if (innermost == frame) return true;
    stack.remove_prefix(innermost.size() + (innermost.size() < stack.size() ? kFrameSeparator.size() : 0));
  }
  return false;
}

}  // namespace tidemark::events
