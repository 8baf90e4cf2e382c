// The steps of a program that trains with torch.optim: each ends with a step() of an optimizer (of each,
// where there are several: optimizer_cycle.h), the next begins with the first allocation after it, and the
// first with the first forward that saves something for backward. What comes before, loading the model, is no
// step.
//
// Any thread. OpenStep takes no lock; the end of an optimizer's step() takes one for a moment.
#pragma once

namespace tidemark::capture {

// Something is allocated: it belongs to a step.
void OpenStep();

}  // namespace tidemark::capture
