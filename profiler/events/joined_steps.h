// How many steps a kStepEnd with the first step's number may take back as one (event.h): who tells steps by
// what optimizers do learns of the second one late.
#pragma once

namespace tidemark::events {

// A critic's five and the generator's one ("Wasserstein GAN", Arjovsky, Chintala, Bottou, 2017).
inline constexpr int kMostJoinedSteps = 6;

}  // namespace tidemark::events
