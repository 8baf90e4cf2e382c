// The course of a training that we do not own, as phases and steps, as far as LibTorch tells of it:
//   forward    from the first operator that records for backward
//   backward   while autograd's engine runs
//   optimizer  during the step() of a torch.optim.Optimizer, which announces itself to profilers
// A step ends with an optimizer's, and the next begins with the next forward: several backwards make one step
// where gradients are accumulated. With several optimizers it ends once each has stepped
// (optimizer_cycle.h). A program without an optimizer has no
// complete step; nor has one whose optimizers run inside backward. All else is idle.
//
// Any thread.
#pragma once

namespace tidemark::capture {

// Before the first operator that is to be seen.
void WatchCourse();

// An operator has recorded something for backward, ever.
bool HasTrainingBegun();
// Neither backward nor an optimizer runs.
bool IsBetweenPasses();

// An operator has recorded something for backward.
void OnForwardRecorded();

}  // namespace tidemark::capture
