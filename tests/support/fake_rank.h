// Ranks that a launcher seems to have started, for tests that link nothing which runs them.
#pragma once

#include <cstdlib>
#include <string>

namespace tidemark {

// One of `world`, made with fake_rank.cpp: asks the recorder whose environment entry ("NAME=socket") this is,
// makes as many blocks of 1 MiB as its number and one more, and ends. Its exit code. A rank below 0 is a
// launcher, which is no rank and makes none.
inline int RunFakeRank(const std::string& entry, int rank, int world) {
  const std::string place = "RANK=" + std::to_string(rank) + " WORLD_SIZE=" + std::to_string(world) +
                            " LOCAL_RANK=" + std::to_string(rank) + " ";
  return std::system(((rank < 0 ? "" : place) + TIDEMARK_FAKE_RANK + " '" +
                      entry.substr(entry.find('=') + 1) + "' " + std::to_string(rank + 1))
                         .c_str());
}

}  // namespace tidemark
