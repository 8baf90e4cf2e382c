#include "profiler/events/stack.h"

#include <algorithm>
#include <array>

#include "profiler/base/utf8.h"

namespace tidemark::events {
namespace {

constexpr size_t kMostBytesOfName = 160;

bool IsCpp(std::string_view file) {
  constexpr std::array<std::string_view, 10> kEndings = {".c",   ".cc", ".cpp", ".cxx", ".cu",
                                                         ".cuh", ".h",  ".hh",  ".hpp", ".inl"};
  return std::ranges::any_of(kEndings, [file](std::string_view ending) { return file.ends_with(ending); });
}

// At Python's prompt, or in a notebook of before ipykernel 6.
bool IsTyped(std::string_view file) { return file == "<stdin>" || file.starts_with("<ipython-input"); }

bool IsOfProgram(std::string_view file) {
  if (file.starts_with('<')) return IsTyped(file);
  return file.find('/') == std::string_view::npos && !IsCpp(file);
}

}  // namespace

std::string_view NameOfFile(std::string_view path) {
  if (path.starts_with('<')) return path;
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(folder);
    if (at != std::string_view::npos) return path.substr(at + folder.size());
  }
  const size_t own = path.rfind("/share/tidemark/python/");  // between a program and its modules, as of --amp
  if (own != std::string_view::npos) return path.substr(own + std::string_view("/share/").size());
  constexpr std::string_view kLibraries = "/lib/";
  const size_t library = path.find("/lib/python3");
  if (library != std::string_view::npos) return path.substr(library + kLibraries.size());
  return path.substr(path.rfind('/') + 1);
}

std::string_view Shortened(std::string_view name) { return FirstLetters(name, kMostBytesOfName); }

std::string_view InnermostLine(std::string_view stack) {
  std::string_view other;
  for (const std::string_view frame : FramesOf(stack)) {
    const std::string_view file = FileOfFrame(frame);
    if (file.empty()) continue;
    if (IsOfProgram(file)) return frame;
    if (other.empty()) other = frame;
  }
  return other;
}

}  // namespace tidemark::events
