// How what takes long tells how far it is, and hears whether it is still wanted.
#pragma once

#include <functional>

namespace tidemark {

// Told now and then, on the thread that works, which share is done (0..1); false from it means that nobody
// waits for the outcome any more. None = nobody wants to know, and it goes on to the end.
using Progress = std::function<bool(double share)>;

}  // namespace tidemark
