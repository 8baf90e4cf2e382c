// Reads a pickle (protocols 0 to 5) without executing anything: what would import, call or build an object of
// Python's (GLOBAL, REDUCE, BUILD, persistent ids, ...) ends the reading with a sentence that names the byte.
// Shared objects stay shared. No recursion; memory as objects.h says.
#pragma once

#include <string>
#include <vector>

#include "profiler/trace/importers/byte_source.h"
#include "profiler/trace/importers/objects.h"

namespace tidemark::trace {

struct ReadObjects {
  Value root;                     // of a whole text
  std::string damage;             // "" or the end of a sentence: "at byte 17, the file ends early"
  std::vector<Value> unfinished;  // if damaged: what had been read and was not yet part of anything
};

ReadObjects ReadPickle(ByteSource& source, Objects& objects);

}  // namespace tidemark::trace
