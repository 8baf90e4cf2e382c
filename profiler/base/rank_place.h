// The place of a process among the ranks of a distributed run, as launchers tell it in the environment:
// torchrun in RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT; Open MPI and Slurm have names of
// their own for the first three. Any thread that changes no environment.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark {

// The variables in which a launcher tells a process its rank, how many ranks there are, and its rank on this
// machine.
struct LauncherNames {
  const char* rank;
  const char* world;
  const char* local_rank;
};
// torchrun, Open MPI, Slurm, MPICH; the first that is set holds.
inline constexpr std::array kLaunchers = {
    LauncherNames{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    LauncherNames{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    LauncherNames{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
    LauncherNames{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"}};

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
