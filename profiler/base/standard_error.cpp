#include "profiler/base/standard_error.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "profiler/base/utf8.h"

namespace tidemark {

// Those of ASCII have pictures of their own (U+2400 and on), those behind it (C1) have none.
std::string AsShown(std::string_view text) {
  constexpr uint32_t kPictures = 0x2400;
  constexpr uint32_t kDeletePicture = 0x2421;
  constexpr uint32_t kNoLetter = 0xfffd;
  std::string shown;
  while (!text.empty()) {
    const size_t size = SizeOfControl(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (size == 0 || byte == '\n' || byte == '\t') {
      shown += text.front();
    } else {
      AppendUtf8(size == 2 ? kNoLetter : byte == 0x7f ? kDeletePicture : kPictures + byte, shown);
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return shown;
}

void TellSentence(std::string_view sentence) {
  WriteToStandardError("tidemark: " + AsShown(sentence) + "\n");
}

// fmt::print throws where nobody reads any more.
void WriteToStandardError(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace tidemark
