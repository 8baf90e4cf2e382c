// Of Gloo only what LibTorch's headers name: its code is in libtorch_cpu, its headers come with no package of it.
#pragma once
#include <chrono>

namespace gloo {
class Context {
 public:
  void setTimeout(std::chrono::milliseconds timeout);
};
}  // namespace gloo
