// Sizes of cuDNN's workspaces by rules, for shapes that no table has. Derived from sizes that were measured
// on an NVIDIA H100 80GB HBM3 with cuDNN 9.19.0 and driver 580.159.04 on 2026-11-22, and equal to every one
// of them: to 10,320 of 10,320 of batch normalisation, to 9,918 of 9,918 of recurrent layers. cuDNN documents
// none of this; an NVIDIA H200 gave the same 3,649 sizes as the H100. On another card or with another version
// it may differ, which kRulesCards and kRulesVersion let a caller say.
//
// What the measured shapes do not speak of has no rule: see each function. Pure functions of constant time,
// in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/phantom/calibration/operations.h"

namespace tidemark::phantom::calibration {

inline constexpr std::array<std::string_view, 2> kRulesCards = {"h100", "h200"};
inline constexpr const char* kRulesVersion = "9.19.0";

struct DerivedSize {
  int64_t bytes = 0;
  const char* doubt =
      "";  // "" where the rule met every measured size of such shapes; else what it lacks, to be said
};

// Spatial batch normalisation, persistent or not, of four dimensions in 32, 16 or bf16 bits, nothing fused.
// No rule for more than four channels whose number four does not divide.
std::optional<DerivedSize> BatchNormBytes(BatchNormSize size, int mode, int ops, const TensorShape& input);

// Recurrent layers in 32 and 16 bits that are computed in 32, with the standard algorithm or with the one
// that PyTorch takes for small hidden sizes. Met by every measured size: the standard algorithm, no dropout,
// sequences of one length, one to four layers, projected or not. Said as a doubt: the workspace with small
// hidden sizes, which was 0.2 to 6.3 % larger in two programs whose history an H100 recorded, and that of
// packed sequences, which was 0.03 % smaller in one. Not said: dropout's masks in the reserve (0.6 % of it in
// one program), and that of batches of 9 to 15, of 17 to 19 and of 65 to 99 and lengths of 101 to 127 none
// was measured, so that where several layers are trained in one direction the limits between them are taken
// to be the powers of two. No rule for other algorithms.
std::optional<DerivedSize> RnnBytes(RnnSize size, const RnnShape& shape);

// cuDNN keeps 49,152 bytes for each multiprocessor: 6,488,064 for the 132 of an H100 and of an H200, the only
// cards measured.
DerivedSize DropoutStatesBytes(int multiprocessors);

}  // namespace tidemark::phantom::calibration
