// Reads a JSON text as objects, without building a tree of what objects.h condenses. What traces hold by the
// million, their events, is not kept: it is handed on as it is read.
#pragma once

#include "profiler/trace/importers/byte_source.h"
#include "profiler/trace/importers/json_parser.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/pickle.h"

namespace tidemark::trace {

// Who takes, one after another, the events of a trace (the items of "traceEvents", or of a list that is all
// there is) and the rows of a list of lists. All else becomes part of the root.
struct JsonRows {
  JsonHandler& events;
  JsonHandler& rows;
};

ReadObjects ReadJson(ByteSource& source, Objects& objects, const JsonRows& rows);

}  // namespace tidemark::trace
