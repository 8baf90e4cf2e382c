// A JSON text, read once from start to end; what it says is told value by value. More is accepted than RFC
// 8259 allows, as the traces of others need it: NaN and infinities, letters below 0x20 and any letter behind
// a backslash in texts. Not thread safe. Memory: the longest text. At most 100 levels deep. O(bytes).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/trace/importers/byte_source.h"

namespace tidemark::trace {

// Each answer of false ends the reading.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  // Asked before each value, also before the first. One that is not wanted is passed over, and looked at only
  // for where it ends.
  virtual bool Wants() { return true; }
  virtual bool Null() = 0;
  virtual bool Number(int64_t number) = 0;  // true is 1; beyond 2^63 wraps
  // `written`: as it stands there, for whoever needs more than a double holds.
  virtual bool Real(double real, std::string_view written) = 0;
  virtual bool Text(std::string_view text) = 0;
  virtual bool BeginObject() = 0;
  virtual bool Key(std::string_view key) = 0;
  virtual bool EndObject() = 0;
  virtual bool BeginList() = 0;
  virtual bool EndList() = 0;
};

// "" or the end of a sentence, "at byte 17, there is no JSON"; "" too if the handler ended it.
std::string ParseJson(ByteSource& source, JsonHandler& handler);

}  // namespace tidemark::trace
