// What runs in a TorchScript file's network, as layers of a specification: the operators of one run on
// samples of zeros, with what each is given and gives. Where it reads what its tensors hold, these zeros
// decide. One thread.
#pragma once

#include <string>

#include "profiler/base/result.h"
#include "profiler/networks/specification.h"

namespace tidemark::training {

// `input`: of one sample; empty, to find one that it takes. Errors: sentences about the file.
Result<networks::Network> DescribeScript(const std::string& file, const networks::SampleShape& input);

}  // namespace tidemark::training
