// What changes memory and is captured into CUDA graphs: on a card it is done whenever the graph is launched,
// and not before. Noted in its order, for as long as anything is captured. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::phantom::device {

struct CapturedWrite {
  enum class Kind : uint8_t {
    kForget,  // a kernel's, nobody knows what
    kFill,
    kCopy,  // only between what is pinned and the device, or within it
  };
  Kind kind = Kind::kForget;
  void* to = nullptr;
  const void* from = nullptr;
  size_t bytes = 0;
  int value = 0;
};

// For a capture that begins: how many were noted before. From the first that begins to the last that ends,
// all are kept.
size_t BeginCapturedWrites();
// For one that ends: those since then, other streams' among them, where several are captured at once.
std::vector<CapturedWrite> EndCapturedWrites(size_t before);
void NoteCapturedWrite(const CapturedWrite& write);

// A graph of these is launched.
void DoCapturedWrites(const std::vector<CapturedWrite>& writes);

}  // namespace tidemark::phantom::device
