#include "app/cli/programs/phantom_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "app/cli/console/card_option.h"
#include "app/cli/console/numbers.h"
#include "app/cli/programs/user_program.h"
#include "profiler/base/whole_file.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/faults.h"

namespace tidemark::cli {
namespace {

constexpr int64_t kMostRanks = 1 << 20;
constexpr int64_t kMostGpus = 64;  // of a process

Result<phantom::Rank> RankOf(const PhantomOptions& options) {
  const Result<int64_t> world = WholeNumber("--world", options.world, 1, kMostRanks);
  if (!world) return world.error();
  const Result<int64_t> rank = WholeNumber("--rank", options.rank, 0, *world - 1);
  if (!rank) return rank.error();
  return phantom::Rank{*rank, *world};
}

Result<std::optional<phantom::SweepRange>> SweepOf(const PhantomOptions& options) {
  if (options.sweep.empty()) {
    if (!options.json) return std::optional<phantom::SweepRange>();
    return Error{
        "--json goes with --sweep; of one run record it (-o run.tide), then: tidemark info run.tide --json."};
  }
  Result<phantom::SweepRange> sweep = phantom::SweepRangeFromText(options.sweep);
  if (!sweep) return sweep.error();
  if (!options.output.empty() || options.window) {
    return Error{"A recording and the window hold one run: leave out either --sweep or these."};
  }
  return std::optional(std::move(*sweep));
}

bool AsksForRank(const std::string& script) {
  const std::string text = WholeFileOrNothing(script);
  constexpr std::array<std::string_view, 4> kSigns = {"init_process_group", "init_device_mesh", "WORLD_SIZE",
                                                      "LOCAL_RANK"};
  return std::ranges::any_of(kSigns,
                             [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
}

}  // namespace

phantom::Card PhantomOrder::CardAsAsked() const {
  phantom::Card asked = card;
  asked.memory_bytes = memory_bytes.value_or(card.memory_bytes);
  return asked;
}

Result<PhantomOrder> UnderstandPhantom(const PhantomOptions& options) {
  PhantomOrder order;
  Result<phantom::Card> card = phantom::FindCard(options.card);
  if (!card) return card.error();
  order.card = std::move(*card);
  if (!options.memory.empty()) {
    const Result<int64_t> bytes = MemoryFromText(options.memory, order.card);
    if (!bytes) return bytes.error();
    order.memory_bytes = *bytes;
  }
  const Result<phantom::Rank> rank = RankOf(options);
  if (!rank) return rank.error();
  order.rank = *rank;
  const Result<int64_t> gpus = WholeNumber("--gpus", options.gpus, 1, kMostGpus);
  if (!gpus) return gpus.error();
  order.gpus = *gpus;
  const auto addresses = AddressesFromText(options.addresses);
  if (!addresses) return addresses.error();
  order.addresses = addresses->value_or(order.addresses);
  order.faults = fmt::format("{}", fmt::join(options.faults, ","));
  if (!order.faults.empty()) {
    const Result<phantom::Faults> faults = phantom::FaultsFromText(order.faults);
    if (!faults) return faults.error();
  }
  Result<std::optional<phantom::SweepRange>> sweep = SweepOf(options);
  if (!sweep) return sweep.error();
  order.sweep = std::move(*sweep);
  Result<phantom::Techniques> techniques = phantom::TechniquesFromText(options.amp, options.checkpoint);
  if (!techniques) return techniques.error();
  order.techniques = std::move(*techniques);
  order.stacks = options.stacks;
  order.kernels = options.kernels;
  return order;
}

std::string HiddenCard() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr || (*visible != '\0' && *visible != '-')) return "";
  return fmt::format(
      "CUDA_VISIBLE_DEVICES is '{}', which hides every GPU, the phantom too; unset it to see one.", visible);
}

std::string HintOnRanks(const std::vector<std::string>& program, int64_t world, int exit_code) {
  const bool has_rank = std::getenv("RANK") != nullptr && std::getenv("WORLD_SIZE") != nullptr;
  constexpr int kLastOfItsOwn = 128;  // a signal's are larger, as in a shell: somebody stopped it
  if (exit_code == 0 || exit_code > kLastOfItsOwn || world > 1 || has_rank) return "";
  if (ProcessesOfLauncher(program)) return "";
  const bool asks = std::ranges::any_of(
      program, [](const std::string& word) { return word.ends_with(".py") && AsksForRank(word); });
  if (!asks) return "";
  return "If it failed for want of RANK or WORLD_SIZE: --world 8 --rank 0 runs one rank of a distributed "
         "program and pretends the others.";
}

}  // namespace tidemark::cli
