// How many steps a kStepEnd with the first step's number may take back as one (event.h): who tells steps by
// what optimizers do learns of the second one late.
//
// Where that turns out to be wrong, for it belongs to another training, the next kStepEnd says so: in the
// place of 1 it has the number that it has if they were not one. From there on they are again what they were
// told as. And where that in turn was wrong, as of a generator that steps twice in each round, a kStepBegin
// with the number after the first step's says so while a later step is open: all that have ended were the
// first, and the open one has that number.
//
// A kStepBegin from Source::kSession is of a step that had begun before the stream did: nobody knows all of
// it, so it is none of the timeline's steps, and its kStepEnd only is not one too many.
#pragma once

namespace tidemark::events {

// A critic's five and the generator's one ("Wasserstein GAN", Arjovsky, Chintala, Bottou, 2017).
inline constexpr int kMostJoinedSteps = 6;

}  // namespace tidemark::events
