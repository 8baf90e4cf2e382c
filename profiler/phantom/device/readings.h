// What the program gets when it reads a result that no kernel has computed. Any thread.
#pragma once

#include <cstddef>

#include "profiler/phantom/device/contents.h"

namespace tidemark::phantom::device {

// The kernel that this thread launched last, by its host stub.
void NoteKernel(const void* stub);

// For a copy to the host, already made, of something that is not certain (contents.h). Notes as a doubt that
// it was read, and where, and says so at once where a loop does it over and over. Of what is not known, one
// answer is not zero: whether something is true of all
// elements (torch's `all`) is answered with yes, since programs ask it to check their own values, and zero
// would end them.
void NoteReading(void* to, size_t bytes, Certainty certainty);

}  // namespace tidemark::phantom::device
