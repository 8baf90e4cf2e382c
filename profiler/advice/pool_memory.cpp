#include "profiler/advice/pool_memory.h"

#include <algorithm>
#include <string>

#include "profiler/advice/examined_steps.h"
#include "profiler/session/shortage.h"
#include "profiler/timeline/free_lists.h"
#include "profiler/timeline/graph_replays.h"

namespace tidemark::advice {
namespace {

using events::PoolOwner;
using timeline::PoolBytes;
using timeline::Series;

// As of fragmentation: less is not worth a word.
constexpr int64_t kShareOfReserved = 10;
constexpr int64_t kLeast = int64_t{20} << 20;
// Of what is reserved pools that hold so much decide on which cards the program fits, however little that is
// of the card that it ran on.
constexpr int64_t kMuchOfReserved = 4;

std::string Pools(size_t count, PoolOwner owner) {
  if (owner == PoolOwner::kGraph)
    return count == 1 ? "a CUDA graph's private pool"
                      : FormatNumber(static_cast<int64_t>(count)) + " private pools of CUDA graphs";
  return (count == 1 ? "a private pool that the program made"
                     : FormatNumber(static_cast<int64_t>(count)) + " private pools that the program made") +
         std::string(" (torch.cuda.MemPool, torch.cuda.graph_pool_handle)");
}

std::string WhoUsesIt(PoolOwner owner) {
  return owner == PoolOwner::kGraph
             ? "Replays work there, which allocates nothing, and PyTorch uses it for nothing else between "
               "them."
             : "Only requests of the pool have it, and replays of graphs that were captured into it.";
}

std::string AdviceFor(const PoolBytes& held, PoolOwner owner) {
  if (owner == PoolOwner::kProgram)
    return "Let go of a pool, and of the graphs that use it, once it is not needed any more: its memory is "
           "given back then. A torch.cuda.MemPool made with use_on_oom=True lends what it has free.";
  const std::string let_go =
      "Let go of a graph that is not needed any more: its pool's memory is given back then.";
  if (held.pools == 1) return let_go + " A capture with fewer samples at once works in less.";
  return "CUDA graphs that always run in the order of their capture can share a pool "
         "(torch.cuda.graph(graph, pool=first.pool())): a later one then works in what an earlier one has "
         "free. " +
         let_go;
}

}  // namespace

std::optional<Finding> PoolMemory(const timeline::View& view, ByteUnit unit, int64_t card_bytes) {
  if (!session::WentOnAfterFailures(view)) return {};
  const auto peak = view.PeakIn(Series::kReserved, view.first(), view.end());
  const timeline::EventIndex moment = timeline::MomentBetweenReplays(view);
  const timeline::Layout layout = timeline::LayOut(view.StateAt(moment));
  const PoolBytes of_graphs = timeline::BytesOfPools(layout, PoolOwner::kGraph);
  const PoolBytes of_program = timeline::BytesOfPools(layout, PoolOwner::kProgram);
  const bool graphs_keep_more = of_graphs.free_bytes >= of_program.free_bytes;
  const PoolOwner owner = graphs_keep_more ? PoolOwner::kGraph : PoolOwner::kProgram;
  const PoolBytes& held = graphs_keep_more ? of_graphs : of_program;
  const int64_t reserved = timeline::ValueOf(peak.values, Series::kReserved);
  const bool hold_much = held.bytes >= reserved / kMuchOfReserved;
  const int64_t of_card = hold_much ? 0 : card_bytes / kShareOfCard;
  if (held.free_bytes < std::max({kLeast, reserved / kShareOfReserved, of_card})) return {};
  const std::string much = hold_much ? " Of the " + FormatBytes(reserved, unit) +
                                           " that are reserved at most, the " +
                                           (held.pools == 1 ? "pool holds " : "pools hold ") +
                                           FormatNumber(held.bytes * 100 / reserved) + " %."
                                     : "";
  return Finding{FindingKind::kPoolMemory,
                 FormatBytes(held.free_bytes, unit) + " of the " + FormatBytes(held.bytes, unit) + " of " +
                     Pools(held.pools, owner) + " hold no tensor. " + WhoUsesIt(owner) + much,
                 AdviceFor(held, owner),
                 held.free_bytes,
                 moment,
                 {}};
}

}  // namespace tidemark::advice
