// cuDNN's status numbers, as the stand-ins give and name them; its headers are not among what the build
// fetches. Names and values as in the documentation of cuDNN 9, "cudnn_graph library".
#pragma once

namespace tidemark::phantom::dnn {

enum Status : int { kSuccess = 0, kNotInitialized = 1001, kBadParameter = 2000, kNotSupported = 3000 };

// A descriptor of which nothing is ever asked.
struct PlainDescriptor {};

template <typename Descriptor>
Status Create(Descriptor** descriptor) {
  *descriptor = new Descriptor;
  return kSuccess;
}

template <typename Descriptor>
Status Destroy(const Descriptor* descriptor) {
  delete descriptor;
  return kSuccess;
}

}  // namespace tidemark::phantom::dnn
