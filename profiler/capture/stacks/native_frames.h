// The C and C++ frames of the calling thread, as addresses, and what the process's own tables of symbols call
// them.
//
// Any thread. Reading allocates nothing and takes no lock of its own (nor does libgcc's unwinder with a glibc
// since 2.35; before, the dynamic loader's); TextOf takes the dynamic loader's for a moment.
// Reading is O(frames), some 100 ns each, by the tables that exceptions are thrown by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tidemark::capture {

// Return addresses, the innermost first, this library's own left out; how many there are, up to out.size().
size_t ReadNativeFrames(std::span<uintptr_t> out);

// "at::empty (libtorch_cpu.so)", without its arguments; "libcuda.so.1+0x3af21" where no symbol is told. ""
// for machinery: LibTorch's dispatch, and the interpreter, whose frames Python's stack tells better.
std::string TextOf(uintptr_t return_address);

// The path of the innermost library on the calling thread's stack that is none of CUDA's own machinery
// (libcuda, libcudart, libcupti) nor this one: who asked the driver for something. "" where there is none, or
// where glibc is older than 2.35. As expensive as reading the frames; takes no lock.
std::string LibraryThatAsked();

}  // namespace tidemark::capture
