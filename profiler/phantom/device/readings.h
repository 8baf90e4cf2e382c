// What the program gets when it reads a result that no kernel has computed. Any thread.
#pragma once

#include <cstddef>
#include <functional>

#include "profiler/phantom/device/contents.h"
#include "profiler/phantom/device/device.h"

namespace tidemark::phantom::device {

// The kernel that this thread launched last, by its host stub, and what it was launched with; null where
// neither is known.
void NoteKernel(const void* stub, void* const* arguments);
// The same for one that is captured: noted whenever what is returned is called.
std::function<void()> NotedKernel(const void* stub, void* const* arguments);

// One runs that was compiled as the program ran, by Triton or NVRTC: nobody knows where that one writes, as
// of one whose stub lies in another library than PyTorch's.
void NoteCompiledKernel();

// A new block begins there, for this thread.
void NoteBlock(const void* begin, size_t bytes);

// For a copy to the host, already made, from there on the device, of something that is not certain
// (contents.h). Notes as a doubt that it was read, and where, and says so at once where a `while` does it
// over and over, 10,000 times in one step of an optimizer, or with none; and as what may be why, where an
// exception ends the program and no kernel was launched since, or it was a choice of elements. Neither, of
// what print(tensor) reads for its text. What is not
// known is zero, but for the answer to a question: whether all of something is true, and what PyTorch asks of
// a distribution's arguments, is answered with yes, and a comparison, or a count of different values, with
// what holds of zero (kernel_answers.h), and of batches, which PyTorch divides by, there was one. Programs
// ask such a thing of their own values, and the other answer would end them.
void NoteReading(void* to, const void* from, size_t bytes, Certainty certainty);

// Copies, and notes what that was; false where the memory is not there.
bool CopyAndNote(Device& device, void* to, const void* from, size_t bytes);

}  // namespace tidemark::phantom::device
