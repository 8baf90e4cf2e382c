// A tensor's numbers as the phantom's device knows them (profiler/phantom/device/contents.h): read for what
// is computed in the kernels' stead (known_values.h), and written with what came out. Any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace tidemark::phantom {

// So many PyTorch computes without waking other threads, which may be busy.
inline constexpr int64_t kMostNumbers = 32'768;
// Of whole numbers and conditions that are known for certain: a graph has millions of edges.
inline constexpr int64_t kMostIndices = int64_t{1} << 24;

// Once, before all else here; false where there is no phantom.
bool OpenKnownMemory();

bool IsWhole(const at::Tensor& tensor);

// Of the types that index and choose (int64, int32, bool): other whole numbers are pixels and weights.
bool IsOfIndices(const at::Tensor& tensor);
// Whether it is of a kind and size that may be known at all: whole numbers, conditions, fractions.
bool MayBeKnown(const at::Tensor& tensor);
// One of memory, whose numbers are as they are stored there, and small; not those of Python, of functorch,
// ...
bool IsPlainAndSmall(const at::Tensor& tensor);

// How far what is there can be trusted, as device::Certainty has it. `copy` has the tensor's own shape; what
// is not known of it becomes zero.
int ReadKnown(const at::Tensor& tensor, const at::Tensor& copy);
// Whether there are so many that they are known for certain, or not at all, and are not.
bool AreTooManyNotKnown(const at::Tensor& tensor);
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
