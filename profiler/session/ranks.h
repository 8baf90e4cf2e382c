// The ranks of one distributed run, one file each, as one: the peaks of every rank, step by step. Likewise
// several processes that nobody called ranks. A rank's
// events are let go as soon as its peaks are known, so that a thousand ranks cost what the few cost that are
// read at a time. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/run.h"

namespace tidemark::session {

inline constexpr size_t kMostRanks = 1024;

struct RankPeaks {
  // As its file's name tells ("run.rank3.tide"), else as the recording does; where two files tell the same,
  // or they are not of one run ("fp16.tide", "fp32.tide"), they are no ranks, and this is its place among
  // them.
  int64_t rank = 0;
  std::string name;            // of what is no rank: its program and process, else its file; "" of a rank
  std::filesystem::path file;  // "" of a rank that goes on
  int64_t allocated = 0;       // bytes, over the whole recording
  int64_t reserved = 0;
  struct Step {
    int64_t number = 0;
    int64_t allocated = 0;
    int64_t reserved = 0;
  };
  std::vector<Step> steps;  // by number, each once: of a restarted run the later one; incomplete ones too
  // For stacks of ranks: the highest allocated in each of equally many events, exact where there are as many
  // parts as events.
  struct Curve {
    int64_t step = -1;  // its number; -1 = before the first
    std::vector<int64_t> highest;
  };
  std::vector<Curve> curves;   // what is before the first step, then each step in its turn with what follows
                               // it; a restarted run has a number again. Empty where nobody asked for them
  bool out_of_memory = false;  // it ended it
  int64_t times_survived = 0;  // memory ran out, and the rank went on
  std::string warning;         // "" or what its file lacks
  std::string program;  // what ran: a script or program, or the network that was trained; "" = not told
  std::vector<std::string> arguments;                  // that a script or program was given
  std::optional<networks::TrainingSettings> settings;  // of a network of ours, as it began
};

struct Ranks {
  std::vector<RankPeaks> ranks;            // by rank
  std::vector<std::string> unreadable;     // a sentence for each file that could not be read
  std::vector<std::string> repeated = {};  // and for each that was named again: it counts once
  // What they are: ranks where each was told as one; else processes, or recordings that tell of none.
  std::string_view one = "rank";
  std::string_view many = "ranks";
};

bool AreRanks(const Ranks& ranks);
// "rank 3", "gan.py, process 4711" or "fp16.tide".
std::string NameOf(const RankPeaks& peaks);
// "4 ranks", "1 process".
std::string CountOf(const Ranks& ranks);

// "" where all that tell what ran, and how, tell the same; else a sentence: they are no ranks of one run.
std::string WhyNotOneRun(const Ranks& ranks);
// "" where each rank up to the highest is there, or they are none; else a sentence.
std::string MissingRanks(const Ranks& ranks);

// The number behind the last "rank" in a file's name that one stands behind, -1 if there is none.
int64_t RankInName(const std::filesystem::path& file);

// run.tide → run.rank3.tide
std::filesystem::path RecordingOfRank(const std::filesystem::path& recording, int rank);
// And the other way; of another recording itself.
std::filesystem::path RecordingOfAllRanks(const std::filesystem::path& recording);
// The files, by name, that hold something which a program that records there may replace: that file, and
// those of a launcher's ranks.
std::vector<std::filesystem::path> RecordingsAt(const std::filesystem::path& recording);

// One of the ranks that a run has here, as far as it has come.
struct RankSoFar {
  std::shared_ptr<const timeline::View> view;
  RunStatus status;
  int64_t rank = 0;
};
// Of the run's owner's thread; none of a run that is one alone.
std::vector<RankSoFar> RanksSoFar(const Run& run);
// In their order. Curves cost some 2 ms a rank.
Ranks PeaksOf(std::span<const RankSoFar> ranks, bool with_curves);

// Reads all files, some at a time, with curves. An error if none can be read, if there are more than
// kMostRanks, or if `progress` (0..1, from any of the reading threads, one at a time) answered false.
// O(events).
Result<Ranks> ReadRanks(std::span<const std::filesystem::path> files, const Progress& progress = {});

}  // namespace tidemark::session
