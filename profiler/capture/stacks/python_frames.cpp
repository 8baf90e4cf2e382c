#include "profiler/capture/stacks/python_frames.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "profiler/base/utf8.h"
#include "profiler/events/stack.h"

namespace tidemark::capture {
namespace {

// Where a CPython of that minor version keeps what is read, in bytes: offsetof() of its own headers
// (Include/cpython/pystate.h, frameobject.h, code.h, internal/pycore_frame.h), compiled for x86-64
// with 3.9.18, 3.10.13, 3.11.7, 3.12.1 and 3.13.0. Releases of one minor version do not change them.
struct Layout {
  int minor;
  size_t thread_frame;    // in the thread's state: its frame, or what points to it
  int frame_indirection;  // -1: the frame itself; else where it lies in what is pointed to
  size_t frame_code;
  size_t frame_before;
  size_t frame_owner;  // 0 = is not told
  size_t instruction;
  int instruction_bytes;  // the index of the instruction counts in these; 0 = it is an address
  size_t code_begin;      // of the instructions, in the code object
  size_t code_file;
  size_t code_function;
  size_t code_first_line;
  size_t first_local;  // of a frame
};
constexpr std::array<Layout, 5> kLayouts = {{
    {9, 24, -1, 32, 24, 0, 104, 1, 0, 104, 112, 40, 360},
    {10, 24, -1, 32, 24, 0, 96, 2, 0, 104, 112, 40, 352},
    {11, 56, 8, 32, 48, 69, 56, 0, 184, 112, 120, 72, 72},
    {12, 56, 0, 0, 8, 70, 56, 0, 192, 112, 120, 68, 72},
    {13, 72, -1, 0, 8, 70, 56, 0, 200, 112, 120, 68, 72},
}};
constexpr size_t kTupleSize = 16;
constexpr size_t kTupleFirst = 24;
constexpr size_t kObjectType = 8;                 // in every object
constexpr unsigned char kOwnedByInterpreter = 3;  // FRAME_OWNED_BY_CSTACK: where C calls Python

template <typename Value>
Value At(const void* place, size_t offset) {
  Value value;
  std::memcpy(&value, static_cast<const std::byte*>(place) + offset, sizeof value);
  return value;
}

const Layout* LayoutOf(const char* version) {
  constexpr std::string_view kThree = "3.";
  const std::string_view text = version;
  if (!text.starts_with(kThree) || text.find("free-threading") != std::string_view::npos) return nullptr;
  const int minor = std::atoi(version + kThree.size());
  for (const Layout& layout : kLayouts) {
    if (layout.minor == minor) return &layout;
  }
  return nullptr;
}

template <typename Function>
void Find(const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Of CPython's functions those that only read; found in the process, since no Python is linked.
struct Python {
  const Layout* layout = nullptr;
  const char* version = nullptr;
  void* (*thread_state)() = nullptr;  // the thread's own, with and without the lock
  int (*is_initialized)() = nullptr;
  int (*is_finalizing)() = nullptr;
  int (*line)(const void* code, int instruction) = nullptr;
  ptrdiff_t (*length)(const void* text) = nullptr;
  uint32_t (*letter)(const void* text, ptrdiff_t index) = nullptr;
  const void* code_type = nullptr;
  const void* tuple_type = nullptr;

  Python() {
    const char* (*get_version)() = nullptr;
    Find("Py_GetVersion", get_version);
    if (get_version == nullptr) return;
    version = get_version();
    Find("PyGILState_GetThisThreadState", thread_state);
    Find("Py_IsInitialized", is_initialized);
    Find("Py_IsFinalizing", is_finalizing);
    if (is_finalizing == nullptr) Find("_Py_IsFinalizing", is_finalizing);
    Find("PyCode_Addr2Line", line);
    Find("PyUnicode_GetLength", length);
    Find("PyUnicode_ReadChar", letter);
    code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    tuple_type = dlsym(RTLD_DEFAULT, "PyTuple_Type");
    const bool complete = thread_state != nullptr && is_initialized != nullptr && is_finalizing != nullptr &&
                          line != nullptr && length != nullptr && letter != nullptr && code_type != nullptr &&
                          tuple_type != nullptr;
    if (complete) layout = LayoutOf(version);
  }
};

const Python& ThePython() {
  static const Python python;
  return python;
}

const void* InnermostFrame(const Python& python) {
  // At its end Python frees the state of threads that it does not wait for.
  if (python.is_initialized() == 0 || python.is_finalizing() != 0) return nullptr;
  const void* const state = python.thread_state();
  if (state == nullptr) return nullptr;
  const auto* const frame = At<const void*>(state, python.layout->thread_frame);
  if (frame == nullptr || python.layout->frame_indirection < 0) return frame;
  return At<const void*>(frame, static_cast<size_t>(python.layout->frame_indirection));
}

int InstructionOf(const Layout& layout, const void* frame, const void* code) {
  if (layout.instruction_bytes > 0) return At<int>(frame, layout.instruction) * layout.instruction_bytes;
  const auto* const begin = static_cast<const std::byte*>(code) + layout.code_begin;
  return static_cast<int>(At<const std::byte*>(frame, layout.instruction) - begin);
}

// Letter by letter: what gives its UTF-8 would keep that with the string. Whole, so that a path's package is
// found, but for what is longer than a path can be.
std::string Utf8Of(const Python& python, const void* text) {
  constexpr ptrdiff_t kMostLetters = 4096;  // PATH_MAX of Linux
  std::string out;
  const ptrdiff_t letters = python.length(text);
  for (ptrdiff_t i = letters > kMostLetters ? letters - kMostLetters : 0; i < letters; ++i) {
    AppendUtf8(python.letter(text, i), out);
  }
  return out;
}

const void* FrameBefore(const Python& python, const void* frame) {
  return At<const void*>(frame, python.layout->frame_before);
}

// The frame, or the next further out, that is not the interpreter's own; null if none is.
const void* NextOfPython(const Python& python, const void* frame) {
  const Layout& layout = *python.layout;
  for (; frame != nullptr; frame = FrameBefore(python, frame)) {
    const auto* const code = At<const void*>(frame, layout.frame_code);
    if (code == nullptr || At<const void*>(code, kObjectType) != python.code_type) continue;
    if (layout.frame_owner == 0 || At<unsigned char>(frame, layout.frame_owner) != kOwnedByInterpreter) {
      return frame;
    }
  }
  return nullptr;
}

PythonFrame PartsOf(const Layout& layout, const void* frame) {
  const auto* const code = At<const void*>(frame, layout.frame_code);
  return {code, At<const void*>(code, layout.code_file), At<const void*>(code, layout.code_function),
          InstructionOf(layout, frame, code), At<int>(code, layout.code_first_line)};
}

}  // namespace

size_t ReadPythonFrames(std::span<PythonFrame> out) {
  const Python& python = ThePython();
  if (python.layout == nullptr) return 0;
  size_t count = 0;
  const void* frame = NextOfPython(python, InnermostFrame(python));
  for (; frame != nullptr && count < out.size(); frame = NextOfPython(python, FrameBefore(python, frame))) {
    out[count++] = PartsOf(*python.layout, frame);
  }
  return count;
}

const void* FirstArgumentOf(std::string_view function, std::string_view file) {
  const Python& python = ThePython();
  if (python.layout == nullptr) return nullptr;
  const void* frame = NextOfPython(python, InnermostFrame(python));
  for (; frame != nullptr; frame = NextOfPython(python, FrameBefore(python, frame))) {
    const PythonFrame parts = PartsOf(*python.layout, frame);
    if (Utf8Of(python, parts.function) != function || !Utf8Of(python, parts.file).ends_with(file)) continue;
    const auto* const arguments = At<const void*>(frame, python.layout->first_local);
    const bool is_tuple =
        arguments != nullptr && At<const void*>(arguments, kObjectType) == python.tuple_type;
    if (!is_tuple || At<ptrdiff_t>(arguments, kTupleSize) < 1) return nullptr;
    return At<const void*>(arguments, kTupleFirst);
  }
  return nullptr;
}

std::string TextOf(const PythonFrame& frame) {
  const Python& python = ThePython();
  const std::string function = Utf8Of(python, frame.function);
  const std::string file = Utf8Of(python, frame.file);
  return std::string(events::Shortened(function)) + " (" +
         std::string(events::Shortened(events::NameOfFile(file))) + ":" +
         std::to_string(python.line(frame.code, frame.instruction)) + ")";
}

std::string WhyNoPythonFrames() {
  const Python& python = ThePython();
  if (python.version == nullptr || python.layout != nullptr) return {};
  const std::string_view version = python.version;
  return "Python's stacks are not told: they can be read in CPython 3.9 to 3.13, and this is " +
         std::string(version.substr(0, version.find(' '))) + ".";
}

}  // namespace tidemark::capture
