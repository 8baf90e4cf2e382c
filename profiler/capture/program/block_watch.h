// What the blocks of a program that we do not own hold, as far as LibTorch's own actions tell:
//   parameter        a leaf that autograd accumulates gradients for; where layers are told, what a
//                    torch.nn.Module that is called has for one; outside of modules and passes, what is a
//                    copy of one from birth
//   gradient         what such a leaf has as .grad; what an update by hand reads that backward made
//   activation       what was saved for backward, and is none of these
//   optimizer state  what an optimizer's step made and left behind; where parameters are updated by hand,
//                    what such an update changes or replaces that is as large as one of them
//   autocast cache   what autocast's cast of such a leaf made
//   workspace        what was handed to cuBLAS or cuDNN as scratch memory; what DistributedDataParallel sends
//                    gradients in, called a bucket
//   input            what was filled from the host as soon as it was made, where gradients are recorded and
//                    neither backward nor an optimizer runs; before the first forward only what came after
//                    the last that was filled where no gradients are recorded, as Module.to fills parameters;
//                    and before an evaluation, whether they are recorded or not
//   output           what a forward made, is alive as backward begins, and is none of these: results that the
//                    program keeps; what an evaluation (operators/layer_scopes.h) made and left behind; and
//                    what is put together of that (torch.cat) before gradients are recorded again
// The first of them holds until the block is freed, but that a gradient may have been an activation before,
// or lie in a bucket, a leaf may have been an input, and an output may become anything. Made during backward,
// an optimizer's step or an evaluation and none of these: temporary; so is what a program that updates its
// parameters by hand makes before that update is over and lets go of before the next pass. All else stays
// unknown. Tensors of Python subclasses (DTensor) hide what they hold, so it stays unknown too.
//
// Any thread.
#pragma once

#include <cstdint>

#include "profiler/events/event.h"

namespace at {
class Tensor;
}

namespace tidemark::capture {

// Before the allocator's trace is attached.
void WatchBlocks();

// The call of an outermost layer begins on this thread: whether it is an evaluation; and once that is to end.
bool BeginEvaluationBlocks();
void EndEvaluationBlocks();

// Before a backward begins.
void EndForwardBlocks();

// An operator of an update by hand reads it, and maybe changes it in place.
void ReadInUpdate(const at::Tensor& tensor, bool is_changed);
// Before the step of such an update ends.
void EndUpdateBlocks();
// Before the pass after it begins.
void ForgetUpdateBlocks();

// The address of the block that a tensor lies in, if that is a parameter's; 0 otherwise.
uint64_t ParameterBlockOf(const at::Tensor& tensor);

// Around an optimizer's step, on its thread; `name` is what its state is called.
void BeginOptimizerBlocks();
void EndOptimizerBlocks(events::NameId name);
// A backward has ended on this thread: the optimizer whose closure ran it, if there is one, goes on.
void EndClosureBlocks();

}  // namespace tidemark::capture
