// A small training run as events: steps with a forward and a backward phase, whose peaks the tests choose.
#pragma once

#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {

class Training : public timeline::Stream {
 public:
  Training() {
    conv_ = Name("conv1");
    weight_ = Name("conv1.weight");
    output_ = Name("conv1 output");
    relu_ = Name("aten::relu");
    loss_ = Name("loss");
    scale_ = Name("loss scale");
    skipped_ = Name("skipped");
  }

  void Weight(int64_t bytes) {
    Allocate(0x100000, bytes, events::Category::kParameter).layer = conv_;
    Categorize(0x100000, events::Category::kParameter, weight_);
  }
  // 14 events.
  void Step(int64_t number, int64_t activation_bytes, int64_t temporary_bytes) {
    BeginStep(number);
    BeginPhase(events::Phase::kForward);
    events::Event& activation = Allocate(0x200000, activation_bytes);
    activation.layer = conv_;
    activation.op = relu_;
    Categorize(0x200000, events::Category::kActivation, output_);
    BeginPhase(events::Phase::kBackward);
    events::Event& temporary = Allocate(0x300000, temporary_bytes);
    temporary.layer = conv_;
    temporary.op = relu_;
    peak_ = latest();
    Free(0x200000);
    Free(0x300000);
    BeginPhase(events::Phase::kOptimizer);
    Metric(loss_, 2.5 / static_cast<double>(number + 1), number);
    EndStep(number);
    BeginPhase(events::Phase::kIdle);
  }
  // Of the last step.
  timeline::EventIndex peak() const { return peak_; }

 protected:
  events::NameId conv_, weight_, output_, relu_, loss_, scale_, skipped_;
  timeline::EventIndex peak_ = 0;
};

}  // namespace tidemark::presenters
