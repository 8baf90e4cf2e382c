// What makes a run's numbers less than certain, collected while it runs: what no library answers here, and
// device values that the program acted on although nothing had computed them. Any thread.
#pragma once

#include <cstdint>

namespace tidemark::phantom::device {

// A complete sentence, told once however often it is true. The text must last: a literal.
void Doubt(const char* sentence);

// When the process ends, each sentence is appended as a line to the file that kDoubtsVariable names
// (environment.h), if it names one.

}  // namespace tidemark::phantom::device
