// The graphics cards that a phantom can be: plain data read from assets/cards/NAME.json, each figure with its
// source. Used by the program (lists, limits) and by the stand-ins (what the CUDA library answers).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom {

struct Card {
  std::string name;               // "h200": what the command line calls it
  std::string title;              // "NVIDIA H200"
  int compute_capability = 0;     // 90 for 9.0
  int compiled_architecture = 0;  // of the kernels that this card runs in torch's binaries: 86 on an 8.9 card
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int64_t shared_bytes_per_block = 0;  // without opt-in
  int64_t shared_bytes_per_block_optin = 0;
  int64_t shared_bytes_per_multiprocessor = 0;
  int64_t l2_bytes = 0;
  int clock_khz = 0;                 // the highest of the multiprocessors
  int memory_clock_khz = 0;          // the highest
  int64_t memory_bytes = 0;          // what cudaMemGetInfo calls total
  int64_t context_bytes = 0;         // of that, taken by the CUDA context with the first kernel of PyTorch
  bool context_is_measured = false;  // on such a card; else an estimate, see `source`
  double memory_bytes_per_second = 0;
  double float32_flops = 0;          // peak, dense, no tensor cores
  double float16_tensor_flops = 0;   // peak, dense; 0 where there are none
  double link_bytes_per_second = 0;  // to another such card, one way: NVLink, or PCIe where there is none
  std::string source;                // where the figures come from
  std::string notes;                 // what a user of this card should know; often empty
};

// Whether a PyTorch that was built with this CUDA ("13.0"; "" = not known, which rules out none) can have
// kernels for the card. As torch.cuda.get_arch_list() says: 2.6 for CUDA 12.4 goes from sm_50 to sm_90, 2.9
// for 12.8 from sm_70 to sm_120, 2.11 for 13.0 begins with sm_75, below which CUDA 13 compiles for none
// (release notes of the CUDA Toolkit 13.0, "Deprecated Architectures").
bool HasKernelsFor(std::string_view cuda, const Card& card);

// Whether it reaches others by NVLink, which is faster than any PCIe.
inline bool HasNvlink(const Card& card) {
  constexpr double kFastestPcie = 64e9;  // bytes a second, one way: 5.0 x16
  return card.link_bytes_per_second > kFastestPcie;
}

Result<Card> CardFromFile(const std::filesystem::path& file);
// All cards of the assets folder, ordered by memory.
Result<std::vector<Card>> LoadCards();
// Null where none of them has the name.
const Card* CardNamed(const std::vector<Card>& cards, std::string_view name);
// One of all by its name.
Result<Card> FindCard(std::string_view name);
// What to say of a name that none of them has: those that begin so are suggested, or else the nearest.
Error UnknownCard(std::string_view name, const std::vector<Card>& cards);

}  // namespace tidemark::phantom
