// Makes a run fit: among micro-batches, precisions, checkpointing, optimizers and the allocator's settings,
// which change is the cheapest in estimated time (step_time.h) whose need (needs.h) fits on the card, and how
// large a batch fits as things are. Of a pipeline, whose stages have a card each, the fullest decides. A step
// keeps its number of samples: a smaller micro-batch is accumulated more often. What the textbook knows
// cannot fit is not asked, and neither are larger micro-batches of what did not fit, but where all of them
// are in flight at once (GPipe). Pure but for what it asks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/advice/needs.h"
#include "profiler/advice/sharding.h"
#include "profiler/base/format.h"
#include "profiler/base/result.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::advice {

struct FitQuestion {
  networks::Network network;
  networks::TrainingSettings settings;  // as they are now
  phantom::Card card;                   // with the memory that it shall have
  int64_t samples = 0;                  // in a step, accumulated; 0 = as now
  std::string allocator = {};           // PYTORCH_CUDA_ALLOC_CONF as it is now; "" = PyTorch's own
};

struct Proposal {
  Configuration configuration;
  Need need;
  double step_seconds = 0;  // by roofline
};

struct FitAnswer {
  Proposal present;
  // What makes it fit: for each set of things to change the fastest, where no part of the set is as fast with
  // as little memory. Those that keep the optimizer come first, then those that have room, then the fastest.
  // Empty where nothing fits, and where the present settings do. Every `need` is asked for, none is computed.
  std::vector<Proposal> proposals;
  // Of all that fits, what nothing else beats in both memory and time; ascending by memory.
  std::vector<Proposal> frontier;
  // The largest micro-batch that fits with all else as now; one more does not. 0 = not even one sample.
  int largest_batch = 0;
  // The largest that has room, as ways out have: beyond it PyTorch gives its cache back in between.
  int batch_with_room = 0;
  bool is_at_limit = false;  // largest_batch is the largest that settings may have (networks::kMaxBatch)
  std::vector<Sharding> shardings;  // of the present settings, by formula
  size_t considered = 0;            // configurations
  size_t asked = 0;                 // questions to the phantom, those for the largest batch among them
};

using AskNeeds = std::function<Result<std::vector<Need>>(std::span<const Configuration>)>;
// Keeps `needs` alive, and is one thread's at a time as they are.
AskNeeds AskPhantom(std::shared_ptr<Needs> needs);
// After each round of questions: how many of the configurations are done with; false cancels.
using FitProgress = std::function<bool(size_t done, size_t of)>;

// Fails with a sentence where `samples` cannot be made of micro-batches, the phantom has no answer, or
// `progress` cancelled.
Result<FitAnswer> FindFit(const FitQuestion& question, const AskNeeds& ask, const FitProgress& progress = {});

// The largest micro-batch alone, of those that have room, as ways out have: what fits only since PyTorch
// gives its cache back in between is none. A few questions.
struct LargestBatch {
  int batch = 0;             // 0 = not even one sample
  bool is_at_limit = false;  // as in FitAnswer
};
Result<LargestBatch> FindBatchWithRoom(const FitQuestion& question, const AskNeeds& ask,
                                       const FitProgress& progress = {});

// After an out of memory: the cheapest proposals, three at most. What fits only since PyTorch gives its cache
// back in between is none: in another order of addresses it does not. Nor is what changes more than a cheaper
// one does and saves less than a hundredth more for it.
std::vector<Proposal> WaysOut(const FitAnswer& answer);
// Where there are none since the present settings fit.
inline constexpr const char* kFitsAsItIs =
    "In a process of its own, with all of the card, it fits as it is: a limit that the program set itself "
    "(set_per_process_memory_fraction), what this one had done before, with other settings perhaps, or "
    "another "
    "program on the card took the room. Take such a limit away, and start it again.";

// "batch 64 → 16, accumulate 1 → 4, fp16 on": what a proposal changes; "" if nothing.
std::string DescribeProposal(const FitQuestion& question, const Proposal& proposal);

// "It is too big for the card: it needs 61.2 GiB in all, 4.2 times the 14.6 GiB that the card has beside the
// context."; "" where it is not.
std::string WhyTooBig(const FitQuestion& question, const Need& present, ByteUnit unit);

// "Without a gap it would not fit either: a step allocates 5.9 GiB, and the card has 4.0 GiB beside the
// context."; "" where it might, by other settings of the allocator.
std::string WhyGapsAreNotAll(const FitQuestion& question, const Need& present, ByteUnit unit);

// Of a pipeline, "Each of 2 stages has such a card; the figures are the fullest one's, here stage 0."; else
// "".
std::string DescribeStages(const FitQuestion& question, const Need& present);

inline constexpr const char* kExpandableSegments = "expandable_segments:True";

}  // namespace tidemark::advice
