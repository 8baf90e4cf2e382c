// What is told of CUDA graphs and of private pools of memory, for whoever tells it (capture/, importers) and
// whoever reads it. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::events {

// The operator of the scope that tells of a program's replay of a graph, after it: nothing lies in it, for a
// replay allocates nothing.
inline constexpr std::string_view kGraphReplay = "CUDAGraph::replay";
// The same with which of its graphs it was, from 1, by the order in which they were first replayed:
// "CUDAGraph::replay (graph 2)".
std::string GraphReplayName(int64_t graph);
bool IsGraphReplay(std::string_view op);
// Which graph; 0 where that is not told.
int64_t GraphOfReplay(std::string_view op);

// `name` of a segment of a private pool: "private pool (1, 0)", PyTorch's two numbers of it
// (c10/core/Allocator.h, MempoolId_t).
std::string PoolName(int64_t first, int64_t second);
// These, of such a name.
std::optional<std::pair<int64_t, int64_t>> PoolNumbers(std::string_view name);

// Whose a pool is, by these numbers: the first is set where a capture made it; the second where the program
// did, by torch.cuda.MemPool, or by torch.cuda.graph_pool_handle for graphs.
enum class PoolOwner : uint8_t { kNotTold, kGraph, kProgram };
PoolOwner OwnerOfPool(std::string_view name);

}  // namespace tidemark::events
