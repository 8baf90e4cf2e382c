// What is told on standard error, where a person may read it on a terminal. Any thread; where nobody reads
// any more there is nobody to tell.
#pragma once

#include <string>
#include <string_view>

namespace tidemark {

// What others named, a file's kernels or a program's arguments, may hold control letters, which a terminal
// would obey: they become pictures, but for line ends and tabs.
std::string AsShown(std::string_view text);

// "tidemark: SENTENCE", as shown, on a line of its own.
void TellSentence(std::string_view sentence);

// As it is, at once: what is for the terminal itself.
void WriteToStandardError(std::string_view text);

}  // namespace tidemark
