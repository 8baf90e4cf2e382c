#include "app/presenters/moment/bridge.h"

#include <string_view>

#include "app/presenters/moment/level_chain.h"
#include "app/presenters/moment/untold_blocks.h"
#include "profiler/base/saturating.h"
#include "profiler/base/wrapping.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/settled_state.h"

namespace tidemark::presenters {
namespace {

using events::Category;
using Behind = BridgeStep::Behind;
using timeline::Series;
using ByCategory = timeline::BytesByCategory;

struct Words {
  const char* name;
  const char* sentence;
};

// Of gradients and of what is sent, where ranks share gradients layer by layer.
Words WordsForSharded(Category category, bool more) {
  if (category == Category::kGradient) {
    return more ? Words{"gradients beyond the table", "Gradients of more than one layer are whole at once."}
                : Words{"gradients not made yet, or reduced",
                        "At the peak less is whole than the table counts, or backward has not made all "
                        "shards yet."};
  }
  return more
             ? Words{"bucket beyond the table",
                     "What is on its way to other ranks, more than the largest layer's bucket."}
             : Words{"bucket smaller or not there",
                     "A layer has its bucket only while its gradients are reduced; at the peak it is another "
                     "layer's, or none."};
}

// Of gradients between a pipeline's stages.
Words WordsForPassing(bool more) {
  return more ? Words{"on its way beyond the table", "More than one gradient is on its way between stages."}
              : Words{"no gradient on its way, or a smaller one",
                      "A gradient between stages is there only until backward has used it, or it has gone."};
}

// What is alive for a moment depends on what goes on then.
Words WordsForTemporary(events::Phase phase) {
  if (phase == events::Phase::kOptimizer) {
    return {
        "the optimizer's temporaries",
        "While the optimizer steps it holds results as large as the parameters that it works on; no table "
        "lists them."};
  }
  if (phase != events::Phase::kBackward) {
    return {
        "temporaries of forward",
        "Operators need room for a moment, and outputs that nothing keeps for backward are alive until the "
        "next layer has used them; no table lists them."};
  }
  return {
      "gradients of activations, temporaries",
      "In backward the gradient of each activation is alive beside it, and operators need room for a moment; "
      "no table lists them."};
}

Words WordsFor(Category category, bool more) {
  switch (category) {
    case Category::kParameter:
      return more
                 ? Words{"parameters beyond the table",
                         "Weights that the program keeps besides those of the layers."}
                 : Words{"parameters not gathered",
                         "The table counts the most that is gathered of other ranks' parameters; at the peak "
                         "it is a smaller layer, or none."};
    case Category::kOptimizerState:
      return more ? Words{"optimizer state beyond the table",
                          "What the optimizer keeps besides its moments, such as a step counter for each "
                          "parameter."}
                  : Words{"optimizer state not made yet", "The optimizer makes its state in its first step."};
    case Category::kGradient:
      return more ? Words{"gradients beyond the table", "Gradients that are alive more than once."}
                  : Words{"gradients not made yet",
                          "At the peak backward has not yet made all gradients of parameters."};
    case Category::kInput:
      return more ? Words{"labels", "The labels of the batch are on the device too."}
                  : Words{"input let go or not there yet",
                          "Of the batch a part is gone already, or has not come yet."};
    case Category::kActivation:
      return more ? Words{"kept by autograd beyond the table",
                          "What operators save for backward besides the outputs of layers."}
                  : Words{"activations let go or not made yet",
                          "At the peak not all activations of the table are alive together."};
    case Category::kWorkspace:
      return {"library workspaces",
              "Scratch memory that cuBLAS keeps for each thread that multiplies matrices, and what cuDNN "
              "asks for while it runs."};
    case Category::kAutocastCache:
      return more
                 ? Words{"autocast's copies beyond the table",
                         "Low-precision copies of weights that autocast keeps until the forward pass is "
                         "over."}
                 : Words{"autocast's copies let go",
                         "Autocast has dropped its low-precision copies of weights by the time of the peak."};
    case Category::kCommunication:
      return more ? Words{"buckets of gradients beyond the table",
                          "What is on its way to other ranks, more than one copy of the gradients."}
                  : Words{"buckets of gradients not made yet",
                          "The reducer makes its buckets anew once it knows in which order gradients come."};
    case Category::kOutput:  // of which no table has any
      return {
          "outputs",
          "Results of a forward that the program keeps and backward does not need; what calls of the model "
          "without gradients left: results, and what it keeps for its next call."};
    case Category::kTemporary:  // WordsForTemporary
    case Category::kUnknown:
      break;
  }
  return {"unknown", "Blocks whose purpose nobody reported."};
}

// What lies above PyTorch, each with what leads there from the level below.
struct OuterLevel {
  Series series;
  const char* name;
  const char* sentence;
  Words gap;
};
constexpr std::array kOuterLevels = {
    OuterLevel{Series::kDriver,
               "driver",
               "What the process holds from the CUDA driver, PyTorch's segments among it.",
               {"outside of PyTorch", "What libraries and the program took from the driver themselves."}},
    OuterLevel{Series::kProcess,
               "process",
               "What the card's driver says that this process takes (NVML).",
               {"context, modules",
                "The CUDA context, the kernels that were loaded, and rounding to pages of 2 MiB."}},
    OuterLevel{Series::kCard,
               "card",
               "All that is taken of the card, as it reports.",
               {"other processes, the card's own", "What this process has no part in."}}};

// In a container the card's driver often does not tell what this process takes.
constexpr Words kContextAndOthers = {
    "context, other processes", "This process's CUDA context and what others hold: nobody told them apart."};
// The driver is asked now and then: what it told of the process can be from before the process held this
// much.
constexpr Words kContextAndOthersSince = {
    "context, other processes",
    "This process's CUDA context and what others hold: what was told of the process is from before it held "
    "this much, or after, so they cannot be told apart."};

// With backend:cudaMallocAsync, whose pool is the driver's.
constexpr Words kPoolAndOthers = {
    "driver's pool, outside of PyTorch",
    "What CUDA's memory pool keeps beside PyTorch's blocks, and what libraries and the program took from the "
    "driver themselves: nobody told them apart."};

constexpr Words kNotToldApart = {
    "not told apart",
    "What PyTorch's blocks hold, what it caches, and what libraries and the program took themselves: nobody "
    "told how much of each there is."};

constexpr Words kCuptisOwn = {
    "CUPTI's own buffers, at least",
    "What CUPTI says that it reserves for itself while kernels are recorded. It may take more."};

// What cuBLAS takes: tests/gpu/fixtures/h200/card.txt.
constexpr const char* kPredictedProcess =
    "What nvidia-smi would say of this process, at least: libraries take more beside the context, cuBLAS on "
    "an "
    "H100 or H200 64 MiB for each thread that multiplies matrices.";
const char* ContextSentence(const phantom::Card& card) {
  return card.context_is_measured
             ? "What CUDA takes for the process itself: as measured on such a card."
             : "What CUDA takes for the process itself: an estimate, for no such card was measured.";
}

bool HasBlocksOfPool(const timeline::View& view, events::EventIndex index) {
  return LevelAt(view, index, Series::kAllocated) > 0 && LevelAt(view, index, Series::kReserved) == 0 &&
         LevelAt(view, index, Series::kDriver) > 0;
}

class Steps {
 public:
  void AddLevel(const char* name, int64_t bytes, const char* sentence, Behind behind = Behind::kOnlyTheSum) {
    steps_.push_back({BridgeStep::Kind::kLevel, name, bytes, 0, std::nullopt, sentence, behind});
    sum_ = bytes;
  }
  void AddChange(Words words, int64_t bytes, Behind behind = Behind::kOnlyTheSum,
                 std::optional<Category> category = std::nullopt) {
    if (bytes == 0) return;
    steps_.push_back({BridgeStep::Kind::kChange, words.name, bytes, sum_, category, words.sentence, behind});
    AddTo(sum_, bytes);
  }
  // As far as anyone told of them, and no later than what lies below: the card is asked now and then.
  void AddOuterLevels(const timeline::View& view, events::EventIndex index) {
    bool told_process = false;
    Words to_card = kContextAndOthers;
    for (const OuterLevel& level : kOuterLevels) {
      const int64_t bytes = LevelAt(view, index, level.series);
      if (level.series == Series::kProcess && bytes < sum_ && SampleAt(view, index, level.series).bytes > 0)
        to_card = kContextAndOthersSince;
      if (bytes < sum_ || (bytes == sum_ && level.series == Series::kDriver)) continue;
      if (bytes == sum_ && told_process) steps_.pop_back();  // nobody else takes any of the card
      const bool is_apart = level.series != Series::kCard || told_process;
      if (level.series == Series::kProcess)
        AddChange(kCuptisOwn, CuptiShare(view, SaturatingDifference(bytes, sum_)));
      const bool is_pool = level.series == Series::kDriver && HasBlocksOfPool(view, index);
      const Words gap = is_pool ? kPoolAndOthers : level.gap;
      AddChange(is_apart ? gap : to_card, SaturatingDifference(bytes, sum_));
      AddLevel(level.name, bytes, level.sentence);
      told_process = level.series == Series::kProcess;
    }
  }
  // Where nobody told of blocks: from the table to the first level that is told of there is one change.
  void AddFirstToldLevel(const timeline::View& view, events::EventIndex index) {
    for (const OuterLevel& level : kOuterLevels) {
      const int64_t bytes = LevelAt(view, index, level.series);
      if (bytes == 0) continue;
      AddChange(kNotToldApart, SaturatingDifference(bytes, sum_));
      return AddLevel(level.name, bytes, level.sentence);
    }
  }
  void AddPredictedProcess(const phantom::Card& card) {
    AddChange({"context", ContextSentence(card)}, card.context_bytes);
    AddLevel("process", sum_, kPredictedProcess);
  }
  int64_t sum() const { return sum_; }
  std::vector<BridgeStep> Take() { return std::move(steps_); }

 private:
  std::vector<BridgeStep> steps_;
  int64_t sum_ = 0;
};

void AddTextbook(const textbook::Estimate& textbook, Steps& steps) {
  steps.AddLevel("textbook", textbook.total_bytes,
                 "Parameters, gradients, optimizer state, activations and input, as computed on paper.",
                 Behind::kLayers);
}

Steps Build(const textbook::Estimate& textbook, const ByCategory& bytes, events::Phase phase,
            int64_t allocated, int64_t reserved) {
  Steps steps;
  AddTextbook(textbook, steps);
  // Largest reasons first, as a person would tell it.
  constexpr std::array kOrder = {Category::kTemporary,     Category::kWorkspace, Category::kActivation,
                                 Category::kAutocastCache, Category::kGradient,  Category::kOptimizerState,
                                 Category::kParameter,     Category::kInput,     Category::kCommunication,
                                 Category::kOutput,        Category::kUnknown};
  static_assert(kOrder.size() == events::kCategoryCount);
  for (const Category category : kOrder) {
    const int64_t difference =
        SaturatingDifference(bytes[static_cast<size_t>(category)], textbook::BytesOf(textbook, category));
    const bool by_layer = (category == Category::kGradient || category == Category::kCommunication) &&
                          textbook.whole_gradients_bytes > 0;
    const bool passes = category == Category::kCommunication && textbook.passing_bytes > 0;
    const bool more = difference > 0;
    steps.AddChange(category == Category::kTemporary ? WordsForTemporary(phase)
                    : passes                         ? WordsForPassing(more)
                    : by_layer                       ? WordsForSharded(category, more)
                                                     : WordsFor(category, more),
                    difference, Behind::kCategory, category);
  }
  steps.AddChange(
      {"rounding",
       "The allocator rounds every block up to a multiple of 512 bytes, and does not split off small rests."},
      SaturatingDifference(allocated, steps.sum()), Behind::kRounding);
  steps.AddLevel("allocated", allocated, "Live blocks: PyTorch's memory_allocated().", Behind::kAllBlocks);
  if (reserved <= 0) return steps;
  steps.AddChange(
      {"cached, free", "Segments that the allocator keeps for the next time, and gaps between blocks."},
      SaturatingDifference(reserved, allocated), Behind::kFree);
  steps.AddLevel("reserved", reserved, "Segments from the driver: PyTorch's memory_reserved().",
                 Behind::kSegments);
  return steps;
}

// A level where the bridge ends, as a title has it.
std::string InTitle(std::string_view level) {
  if (level == "driver") return "what the driver gave";
  if (level == "process") return "what the process takes";
  if (level == "card") return "the card";
  return "what was " + std::string(level);
}

}  // namespace

std::string BridgeTitle(const Bridge& bridge) {
  if (bridge.steps.empty()) return "From the textbook";
  return "From the textbook to " + InTitle(bridge.steps.back().name) + ", " + bridge.moment;
}

Bridge MakeBridge(const timeline::View& view, const textbook::Estimate& textbook, const PeakMoment& moment) {
  Bridge bridge;
  bridge.moment = moment.title;
  bridge.untold = WhyUntold(view);
  if (!bridge.untold.empty()) {
    Steps steps;
    AddTextbook(textbook, steps);
    steps.AddFirstToldLevel(view, moment.index);
    steps.AddOuterLevels(view, moment.index);
    bridge.steps = steps.Take();
    return bridge;
  }
  const timeline::State state = timeline::SettledStateAt(view, moment.index, moment.step_end);
  const int64_t reserved = ValueOf(state.values, Series::kReserved);
  Steps steps = Build(textbook, timeline::RequestedByCategory(state), view.event(moment.index).phase,
                      ValueOf(state.values, Series::kAllocated), reserved);
  if (reserved > 0 || HasBlocksOfPool(view, moment.index)) steps.AddOuterLevels(view, moment.index);
  bridge.steps = steps.Take();
  return bridge;
}

Bridge MakeBridge(const session::Prediction& prediction, const textbook::Estimate& textbook,
                  const phantom::Card* card) {
  Bridge bridge;
  bridge.moment = "at the predicted peak";
  Steps steps = Build(textbook, prediction.requested_at_peak, prediction.phase_at_peak,
                      ValueOf(prediction.at_peak, Series::kAllocated), prediction.reserved_peak_bytes);
  if (prediction.reserved_peak_bytes > 0 && card != nullptr) steps.AddPredictedProcess(*card);
  bridge.steps = steps.Take();
  return bridge;
}

}  // namespace tidemark::presenters
