// What makes a run's numbers less than certain, collected while it runs: what no library answers here, and
// device values that the program acted on although nothing had computed them. Any thread.
#pragma once

#include <string>

namespace tidemark::phantom::device {

// A complete sentence, told once however often it is true: appended as a line to the file that
// kDoubtsVariable names (environment.h), if it names one. At once, so that no way to end the process loses
// it. The text must last: a literal.
void Doubt(const char* sentence);

// The same for what somebody also reads on standard error: "tidemark phantom: " and the sentence go there
// where no file is named.
void DoubtOrSay(const std::string& line);

}  // namespace tidemark::phantom::device
