// LibTorch's operators, on all threads, through at::RecordFunction.
#pragma once

#include "profiler/capture/operators/operator_scopes.h"

namespace tidemark::capture {

// Once, before the first operator that is to be told. Throws what LibTorch throws.
void WatchOperators(const OperatorListener& listener);

}  // namespace tidemark::capture
