#include "profiler/base/rank_place.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace tidemark {
namespace {

constexpr const char* kAddress = "MASTER_ADDR";
constexpr const char* kPort = "MASTER_PORT";
constexpr int kMostPort = 65535;

bool IsSet(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// Of all launchers' names for the same thing; null where none is set.
const char* SetOf(const char* LauncherNames::*which) {
  for (const LauncherNames& launcher : kLaunchers) {
    if (IsSet(launcher.*which)) return launcher.*which;
  }
  return nullptr;
}

// Of the variable of that name, which may be null: nothing to read.
Status ReadNumber(const char* name, int least, int most, int& number) {
  if (name == nullptr) return Done{};
  const std::string_view text = std::getenv(name);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= least && number <= most)
    return Done{};
  return Error{std::string(name) + " must be a whole number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", not '" + std::string(text) +
               "'. The launcher (torchrun, mpirun, srun) sets it; unset it to train as one process."};
}

}  // namespace

Result<RankPlace> RankPlaceFromEnvironment() {
  RankPlace place;
  const char* const rank = SetOf(&LauncherNames::rank);
  // An allocation of Slurm tells how many tasks it has room for, to a shell that is none of them.
  if (rank == nullptr) return place;
  const int most = std::numeric_limits<int>::max();
  if (Status read = ReadNumber(SetOf(&LauncherNames::world), 1, most, place.world); !read)
    return read.error();
  if (Status read = ReadNumber(rank, 0, place.world - 1, place.rank); !read) return read.error();
  place.local_rank = place.rank;
  if (Status read = ReadNumber(SetOf(&LauncherNames::local_rank), 0, most, place.local_rank); !read)
    return read.error();
  if (Status read = ReadNumber(IsSet(kPort) ? kPort : nullptr, 1, kMostPort, place.port); !read)
    return read.error();
  const char* const address = std::getenv(kAddress);
  if (address != nullptr && *address != '\0') place.address = address;
  return place;
}

std::vector<std::string> EnvironmentOf(const RankPlace& place) {
  return {"RANK=" + std::to_string(place.rank), "WORLD_SIZE=" + std::to_string(place.world),
          "LOCAL_RANK=" + std::to_string(place.local_rank), "MASTER_ADDR=" + place.address,
          "MASTER_PORT=" + std::to_string(place.port)};
}

}  // namespace tidemark
