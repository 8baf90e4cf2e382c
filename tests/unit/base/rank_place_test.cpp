#include "profiler/base/rank_place.h"

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark {
namespace {

using Entries = std::map<const char*, const char*>;

// Sets variables, and takes them back.
class Environment {
 public:
  explicit Environment(Entries entries) : entries_(std::move(entries)) {
    for (const auto& [name, value] : entries_) setenv(name, value, 1);
  }
  ~Environment() {
    for (const auto& [name, value] : entries_) unsetenv(name);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  Entries entries_;
};

TEST_CASE("a process that nobody launched as a rank is alone", "[rank_place]") {
  const auto place = RankPlaceFromEnvironment();
  REQUIRE(place.ok());
  CHECK(place->world == 1);
  CHECK(place->rank == 0);
  // A shell in an allocation of Slurm is none of its tasks.
  const Environment slurm(Entries{{"SLURM_NTASKS", "8"}});
  CHECK(RankPlaceFromEnvironment()->world == 1);
}

TEST_CASE("torchrun, Open MPI and Slurm tell a rank its place", "[rank_place]") {
  {
    const Environment torchrun(Entries{{"RANK", "5"},
                                       {"WORLD_SIZE", "8"},
                                       {"LOCAL_RANK", "1"},
                                       {"MASTER_ADDR", "node0"},
                                       {"MASTER_PORT", "12345"},
                                       {"SLURM_PROCID", "0"},
                                       {"SLURM_NTASKS", "1"}});
    const auto place = RankPlaceFromEnvironment();
    REQUIRE(place.ok());
    CHECK(place->rank == 5);
    CHECK(place->world == 8);
    CHECK(place->local_rank == 1);
    CHECK(place->address == "node0");
    CHECK(place->port == 12345);
    CHECK(EnvironmentOf(*place) == std::vector<std::string>{"RANK=5", "WORLD_SIZE=8", "LOCAL_RANK=1",
                                                            "MASTER_ADDR=node0", "MASTER_PORT=12345"});
  }
  {
    const Environment mpi(Entries{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
    CHECK(RankPlaceFromEnvironment()->rank == 1);
    CHECK(RankPlaceFromEnvironment()->local_rank == 1);
  }
  const Environment slurm(Entries{{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}, {"SLURM_LOCALID", "0"}});
  CHECK(RankPlaceFromEnvironment()->world == 4);
  CHECK(RankPlaceFromEnvironment()->local_rank == 0);
}

TEST_CASE("a place that makes no sense is refused by the variable's name", "[rank_place]") {
  for (const auto& [rank, world] : {std::pair("8", "8"), std::pair("-1", "8"), std::pair("one", "8"),
                                    std::pair("99999999999999999999", "8"), std::pair("0", "0")}) {
    const Environment torchrun(Entries{{"RANK", rank}, {"WORLD_SIZE", world}});
    INFO(rank << " of " << world);
    const auto place = RankPlaceFromEnvironment();
    REQUIRE_FALSE(place.ok());
    const bool names_one =
        place.error().message.starts_with("RANK") || place.error().message.starts_with("WORLD_SIZE");
    CHECK(names_one);
  }
}

}  // namespace
}  // namespace tidemark
