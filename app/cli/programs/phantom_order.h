// What `tidemark phantom` is asked for: its options, understood before anything is built or started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/address_order.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/program.h"
#include "profiler/phantom/programs/sweep.h"
#include "profiler/phantom/programs/techniques.h"

namespace tidemark::cli {

struct PhantomOptions {
  std::string card = networks::DeviceChoice{}.card;
  std::string memory;
  std::string world = "1";
  std::string rank = "0";
  std::string gpus = "1";
  std::string addresses;  // "" = as the phantom's driver hands them out by itself
  std::string sweep;
  std::vector<std::string> faults;
  std::vector<std::string> stacks;
  std::string amp = phantom::Techniques{}.amp;
  std::string checkpoint = phantom::Techniques{}.checkpoint;
  bool kernels = false;
  bool json = false;
  bool window = false;
  std::string output;
};

struct PhantomOrder {
  phantom::Card card;
  std::optional<int64_t> memory_bytes;  // instead of the card's own
  phantom::Rank rank;
  int64_t gpus = 1;  // that each process has
  phantom::AddressOrder addresses;
  std::optional<phantom::SweepRange> sweep;
  std::string faults;               // as the device reads them
  phantom::Techniques techniques;   // as if the program used them
  std::vector<std::string> stacks;  // told of these languages
  bool kernels = false;             // and memory copies and memsets, are told

  // With the memory that it is to have.
  phantom::Card CardAsAsked() const;
};

Result<PhantomOrder> UnderstandPhantom(const PhantomOptions& options);

// That CUDA_VISIBLE_DEVICES hides the card, as it would hide a real one; "" if it does not.
std::string HiddenCard();

// What to try, of a program that failed by itself and asks its environment for a rank that nobody gave it; ""
// else. Reads the script.
std::string HintOnRanks(const std::vector<std::string>& program, int64_t world, int exit_code);

}  // namespace tidemark::cli
