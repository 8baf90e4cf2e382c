// One stage's part in the steps of a pipeline: which micro-batch it takes forward or backward, in which
// order, and what it passes to its neighbours and gets from them. As the schedules of
// torch.distributed.pipelining do (2.11, schedules.py: ScheduleGPipe, Schedule1F1B): after a warm-up of
// forward passes, as many as may be in flight, a backward and a forward pass take turns, and what goes to a
// neighbour goes together with what comes from there. All forward, then all backward (GPipe) is a warm-up of
// all micro-batches. Unlike there, memory for what comes is taken when it comes, not for all micro-batches at
// the beginning.
//
// Dropout draws from each rank's own generator, as it does there: masks differ from those of one process,
// whose generator all layers and micro-batches take turns at. To draw alike, a stage would have to draw all
// other stages' masks, too, and have their memory for that, which is what a pipeline is to save.
//
// What has come and what has been sent is an activation until its backward is over; gradients on their way
// are communication. While a stage waits for a neighbour, its phase is idle: the bubble. One thread;
// LibTorch's backward thread takes part. What fails, because another rank is gone, for one, is an exception
// of LibTorch.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/training/distributed/rank_group.h"

namespace tidemark::training {

class Pipeline {
 public:
  // `ranks` outlives this. `stage` is this rank's (textbook::StageOf).
  Pipeline(const RankGroup& ranks, const networks::Network& stage, c10::Device device);

  struct Passes {
    // Of what the stage before gave (undefined of the first) makes what goes on, or the loss.
    std::function<at::Tensor(const at::Tensor& received)> forward;
    // From the result of forward and its gradient (undefined of the loss); micro-batches come in order.
    std::function<void(const at::Tensor& result, const at::Tensor& gradient)> backward;
  };
  // A step's micro-batches; without backward where the settings ask for none.
  void Run(const networks::TrainingSettings& settings, const Passes& passes) const;

  // Of the weight that another stage has, too (Passage::shared_layer): gives the stage behind the values that
  // the one before drew; and adds the other's gradient to this one's.
  void ShareValues(const at::Tensor& weight) const;
  void ShareGradient(const at::Tensor& weight) const;

  // Of all stages.
  double Sum(double value) const;

 private:
  class Step;

  const RankGroup& ranks_;
  const networks::Network::Passage stage_;
  const networks::SampleShape input_;
  const c10::Device device_;
};

}  // namespace tidemark::training
