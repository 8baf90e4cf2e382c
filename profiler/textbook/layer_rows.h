// The estimate layer by layer: what each keeps and makes again, in numbers and in words. Pure function,
// O(layers + saved tensors · layers).
#pragma once

#include "profiler/textbook/subject.h"

namespace tidemark::textbook {

void AddLayerRows(const Subject& of, Estimate& estimate);

}  // namespace tidemark::textbook
