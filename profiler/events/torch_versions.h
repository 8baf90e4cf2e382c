// Which versions of PyTorch programs on a phantom may have, for sentences.
#pragma once

namespace tidemark::events {

inline constexpr const char* kTorchVersions = "2.5 to 2.11";  // what README.md names was tried

}  // namespace tidemark::events
