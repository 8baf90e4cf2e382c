// The steps of a program that trains with torch.optim: each ends with a step() of an optimizer, the next
// begins with the first allocation after it, and the first with the recording.
//
// Any thread; takes no lock.
#pragma once

namespace tidemark::capture {

// Something is allocated: it belongs to a step.
void OpenStep();

}  // namespace tidemark::capture
