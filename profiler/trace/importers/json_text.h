// Reads a JSON text as objects, without building a tree of what objects.h condenses. At most 100 levels deep.
#pragma once

#include "profiler/trace/importers/byte_source.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/pickle.h"

namespace tidemark::trace {

ReadObjects ReadJson(ByteSource& source, Objects& objects);

}  // namespace tidemark::trace
