// Indices that are known, and are none of those that there are: of a tensor that is indexed (index,
// index_put, index_fill, index_copy, index_select and so embedding, gather, scatter and so one_hot), and of
// classes (nll_loss, and so cross_entropy). A card's kernels assert that there are none, and end the program.
// Any thread; where there are indices, reading and comparing them takes some microseconds.
#pragma once

#include <ATen/core/ivalue.h>

#include "profiler/phantom/values/computed_operators.h"

namespace tidemark::phantom {

// Tells of them, for an operator that is about to launch its kernels.
void TellOfMissingElements(const ComputedOperator& op, c10::ArrayRef<const c10::IValue> inputs);

}  // namespace tidemark::phantom
