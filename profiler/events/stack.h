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

// The innermost frame of the program's own, whose file is told without a folder; of a package's if there is
// none;
// "" if no frame tells a line.
inline std::string_view InnermostLine(std::string_view stack) {
  std::string_view of_package;
  for (const std::string_view frame : FramesOf(stack)) {
    const std::string_view file = FileOfFrame(frame);
    if (file.empty()) continue;
    if (file.find('/') == std::string_view::npos) return frame;
    if (of_package.empty()) of_package = frame;
  }
  return of_package;
}

inline bool HasFrame(std::string_view stack, std::string_view frame) {
  while (!stack.empty()) {
    const std::string_view innermost = InnermostFrame(stack);
    if (innermost == frame) return true;
    stack.remove_prefix(innermost.size() + (innermost.size() < stack.size() ? kFrameSeparator.size() : 0));
  }
  return false;
}

}  // namespace tidemark::events
