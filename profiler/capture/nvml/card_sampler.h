// What the card itself reports of its memory, as events of events::Level::kCard (all that is taken) and
// kProcess (what this process takes, its context among it) on the process's stream: asked of NVML ten times a
// second, told when it changes. How the source fares is told as its state. One in a process, for as long as
// it lives. Any thread; those that ask now (SampleCard, FreeBytesOfCard) wait for NVML, a millisecond as a
// rule, and for ever where a driver hangs.
#pragma once

#include <cstdint>
#include <string>

#include "profiler/base/result.h"
#include "profiler/capture/nvml/functions.h"

namespace tidemark::capture {

// After the event stream was opened and the card's context was made. Once; a second call changes nothing.
void WatchCard(const Result<nvml::Functions>& functions, const std::string& uuid);

// The same for a process that does not know its card, or has not used it yet: the one that UsesCard names,
// and until then the first card that this process takes memory of, once it does. That is asked so many times,
// a tenth of a second apart (a minute: programs load their data first); UsesCard is waited for however long.
// As the process exits there is a last sample, for which it waits 0.3 s at most.
void WatchCardOfProcess(const Result<nvml::Functions>& functions, int most_guesses = 600);
// The card on which it was seen to work, by the name that NVML has for it. The first that is named holds; ""
// is none. Asks NVML nothing, so that who calls it waits for nobody.
void UsesCard(const std::string& uuid);

// Asks now; otherwise done every 100 ms. What the card has left, in bytes; 0 where nobody knows.
int64_t SampleCard();
// What this card has left now, whether it is watched or not: a process may use several, of which the first is
// watched. In bytes; 0 where nobody knows. Of what WatchCardOfProcess began.
int64_t FreeBytesOfCard(const std::string& uuid);

}  // namespace tidemark::capture
