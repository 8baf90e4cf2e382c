#include "profiler/capture/stacks/native_frames.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "profiler/base/demangle.h"

// This library as it is loaded, from its ELF header on: a symbol that the linker defines.
// NOLINTNEXTLINE(readability-identifier-naming): as all that we name outside of C++
extern "C" const std::byte TidemarkOwnFile[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

namespace tidemark::capture {
namespace {

constexpr size_t kMostLettersOfSymbol = 160;

struct Reading {
  std::span<uintptr_t> out;
  size_t count = 0;
};

_Unwind_Reason_Code Take(_Unwind_Context* context, void* argument) {
  auto& reading = *static_cast<Reading*>(argument);
  if (reading.count == reading.out.size()) return _URC_END_OF_STACK;
  const uintptr_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  reading.out[reading.count++] = address;
  return _URC_NO_REASON;
}

// The address to return to may be the next function's.
const void* CallBefore(uintptr_t return_address) { return std::bit_cast<const void*>(return_address - 1); }

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool Holds(uintptr_t address) const { return begin <= address && address < end; }
};

// Where this library lies. The dynamic loader is not asked: its lock may be held by a thread that allocates.
Range OwnRange() {
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(TidemarkOwnFile);
  const auto* const parts = reinterpret_cast<const ElfW(Phdr)*>(TidemarkOwnFile + header->e_phoff);
  const auto begin = reinterpret_cast<uintptr_t>(TidemarkOwnFile);
  Range own{begin, begin};
  for (const ElfW(Phdr) & part : std::span(parts, header->e_phnum)) {
    if (part.p_type == PT_LOAD) own.end = std::max(own.end, begin + part.p_vaddr + part.p_memsz);
  }
  return own;
}

bool IsOwn(uintptr_t address) {
  static const Range own = OwnRange();  // by whichever thread asks first
  return own.Holds(address);
}

void Replace(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// "void f<int>(int, g(char))::{lambda()#1}::operator()() const" keeps what comes before the first argument.
std::string WithoutArguments(std::string name) {
  Replace(name, "(anonymous namespace)", "{anonymous}");
  Replace(name, "operator()", "operator{}");
  int angles = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++angles;
    if (name[i] == '>' && i > 0 && name[i - 1] != '-') --angles;
    if (name[i] == '(' && angles <= 0) {
      name.resize(i);
      break;
    }
  }
  if (name.size() > kMostLettersOfSymbol) name.resize(kMostLettersOfSymbol);
  return name;
}

// An operator's way from one of its kernels to the next.
bool IsDispatch(std::string_view name) {
  return name.starts_with("at::_ops::") && name.ends_with("::redispatch");
}

bool IsInterpreter(std::string_view symbol) {
  constexpr std::array<std::string_view, 8> kBeginnings = {
      "_PyEval", "PyEval_", "_PyObject", "PyObject_", "_PyFunc", "_PyVector", "PyVectorcall", "Py_RunMain"};
  for (const std::string_view beginning : kBeginnings) {
    if (symbol.starts_with(beginning)) return true;
  }
  return false;
}

// The path of the file that this code is of; "" where none is told. The dynamic loader's lock is not taken
// (glibc since 2.35; none is told before): a thread may hold it that waits for one of the caller's.
std::string_view FileOf([[maybe_unused]] uintptr_t return_address) {
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  if (_dl_find_object(const_cast<void*>(CallBefore(return_address)), &found) != 0) return {};
  const std::string_view path = found.dlfo_link_map->l_name;
  return path.empty() ? program_invocation_name : path;  // the program's own has none
#else
  return {};
#endif
}

// What is between the driver and whoever asked it. A phantom's device is one of its libraries.
bool IsCudaMachinery(std::string_view file) {
  constexpr std::array<std::string_view, 4> kBeginnings = {"libcuda.so", "libcudart.so", "libcupti.so",
                                                           "libtidemark-phantom"};
  return std::ranges::any_of(kBeginnings,
                             [&](std::string_view beginning) { return file.starts_with(beginning); });
}

}  // namespace

size_t ReadNativeFrames(std::span<uintptr_t> out) {
  Reading reading{out};
  _Unwind_Backtrace(Take, &reading);
  size_t own = 0;
  while (own < reading.count && IsOwn(out[own] - 1)) ++own;
  for (size_t i = own; i < reading.count; ++i) out[i - own] = out[i];
  return reading.count - own;
}

std::string LibraryThatAsked() {
  constexpr size_t kMostFrames = 32;  // CUDA's own are fewer
  std::array<uintptr_t, kMostFrames> frames{};
  for (const uintptr_t frame : std::span(frames).first(ReadNativeFrames(frames))) {
    const std::string_view path = FileOf(frame);
    if (!path.empty() && !IsOwn(frame - 1) && !IsCudaMachinery(path.substr(path.rfind('/') + 1)))
      return std::string(path);
  }
  return {};
}

std::string TextOf(uintptr_t return_address) {
  Dl_info place{};
  if (dladdr(CallBefore(return_address), &place) == 0 || place.dli_fname == nullptr) {
    return "code of no file";
  }
  const std::string_view path = place.dli_fname;
  const std::string file(path.substr(path.rfind('/') + 1));
  if (place.dli_sname != nullptr) {
    if (IsInterpreter(place.dli_sname)) return {};
    const std::string name = WithoutArguments(Demangled(place.dli_sname));
    return IsDispatch(name) ? "" : name + " (" + file + ")";
  }
  std::array<char, 32> offset{};
  std::snprintf(offset.data(), offset.size(), "+0x%zx",
                static_cast<size_t>(return_address - reinterpret_cast<uintptr_t>(place.dli_fbase)));
  return file + offset.data();
}

}  // namespace tidemark::capture
