// A tensor's numbers as the phantom's device knows them (profiler/phantom/device/contents.h): read for what
// is computed in the kernels' stead (known_values.h), and written with what came out. Any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace tidemark::phantom {

// In what goes in: so many PyTorch computes without waking other threads, which may be busy.
inline constexpr int64_t kMostNumbers = 32'768;

// Once, before all else here; false where there is no phantom.
bool OpenKnownMemory();

bool IsWhole(const at::Tensor& tensor);

// Whether it is of a kind and size that may be known at all: whole numbers, conditions, fractions.
bool MayBeKnown(const at::Tensor& tensor);
// One of memory, whose numbers are as they are stored there, and small; not those of Python, of functorch,
// ...
bool IsPlainAndSmall(const at::Tensor& tensor);

// How far what is there can be trusted, as device::Certainty has it. `copy` has the tensor's own shape; what
// is not known of it becomes zero.
int ReadKnown(const at::Tensor& tensor, const at::Tensor& copy);
// On the host; not defined where it is not known. `worst_certainty` becomes no better than its certainty.
at::Tensor KnownCopy(const at::Tensor& tensor, int& worst_certainty);
// So is what an operator left there.
void Keep(const at::Tensor& tensor, const at::Tensor& result, int certainty);
// A kernel writes there, nobody knows what.
void Forget(const at::Tensor& tensor);

// What a graph is made of has not run, and runs when it is launched.
bool IsCapturing();

// How many the kernels that this thread launches next will be said to have counted, and how certain that is.
void ExpectCount(int64_t count, int certainty);
void ExpectNoCount();

// An index of the program's that is not one of so many.
void NoteMissingElement(int64_t element, int64_t count);

// One takes a step.
void NoteStepOfOptimizer();

}  // namespace tidemark::phantom
