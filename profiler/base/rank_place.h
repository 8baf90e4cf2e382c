// The place of a process among the ranks of a distributed run, as launchers tell it in the environment:
// torchrun in RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT; Open MPI and Slurm have names of
// their own for the first three. Any thread that changes no environment.
#pragma once

#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark {

struct RankPlace {
  int rank = 0;                       // 0 leads
  int world = 1;                      // ranks there are
  int local_rank = 0;                 // on this machine
  std::string address = "127.0.0.1";  // where rank 0 is met
  int port = 29500;                   // torch.distributed's usual
};

// A world of one where nobody tells. A variable that makes no sense is an error that names it.
Result<RankPlace> RankPlaceFromEnvironment();

// "NAME=value" entries that tell a child process its place.
std::vector<std::string> EnvironmentOf(const RankPlace& place);

}  // namespace tidemark
