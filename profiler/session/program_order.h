// What a person asks for who starts a program of theirs from the window.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/run.h"

namespace tidemark::session {

// --name VALUE, in the place of the one that a command has.
struct ProgramArgument {
  std::string name;
  int64_t value = 0;

  bool operator==(const ProgramArgument&) const = default;
};

struct ProgramOrder {
  std::string command;              // "python train.py --batch 64", as one would type it
  std::optional<std::string> card;  // on the phantom of this card; none = as it is, on this machine
  bool cpu = false;                 // there: PyTorch's tensors on the CPU are told
  std::string memory;               // of that card instead of its own: "16GiB"; "" = its own
  std::string recording;            // .tide file to write; "" = none
  std::string amp;                  // on a phantom as if it used "bf16" or "fp16"; "" = as it is
  std::string checkpoint;           // the same, "blocks"; "" = as it is
  std::vector<std::string> stacks;  // of these languages (events/stack_languages.h) are told
  bool kernels = false;             // and memory copies and memsets, are told
  bool operators = false;           // PyTorch's are told; on a phantom they are anyway
  std::optional<ProgramArgument> argument = {};

  bool operator==(const ProgramOrder&) const = default;
};

// What of an order may be wrong.
enum class ProgramField : uint8_t { kCommand, kMemory, kRecording, kSweep };

// Who waits for a start. Any may be left out.
struct StartWatch {
  std::function<void(std::string_view line)> told = {};  // what is being done, and how far
  std::function<bool()> goes_on = {};                    // asked several times a second; false ends the start
  // Before an error that is not about the command: what it is about.
  std::function<void(ProgramField field)> blamed = {};
  std::function<void(double share)> share = {};  // how far it is, 0..1, where that is known
};

// Starts it; its run ends it when it goes, and then waits for it: for no thread of a window. May take a
// minute where a phantom's stand-ins have to be built. Any thread. Errors: what is wrong with the order, or
// missing, or ended by `watch`.
using StartProgram =
    std::function<Result<std::shared_ptr<Run>>(const ProgramOrder& order, const StartWatch& watch)>;

// Many runs of one program on a phantom, each with another value of one of its arguments.
struct SweepOrder {
  ProgramOrder program;
  std::string range;  // "batch=1..512" (doubling) or "batch=8,24,96": the program gets --batch VALUE
};

// One of them.
struct SweepPoint {
  int64_t value = 0;
  bool has_peaks = false;  // it came to its end and used the card; else the four below say nothing
  int64_t allocated_peak_bytes = 0;
  int64_t reserved_peak_bytes = 0;
  // What that would be in other orders of the driver's addresses (session/reserved_band.h); the same where
  // that is not known.
  int64_t least_reserved_bytes = 0;
  int64_t most_reserved_bytes = 0;
  bool out_of_memory = false;
  std::string sentence;  // why it ended early; "" if it did not
};

// Who is told of a sweep, on the thread that it runs on.
struct SweepListener {
  std::function<void(const std::string& name, const std::vector<int64_t>& values)> begun;
  std::function<void(const SweepPoint& point)> answered;  // in the order of the values
};

// Runs it, and returns what makes its figures less than certain. Where `watch` ends it, the points told so
// far are all. Any thread. Errors: as StartProgram's, and what is no range.
using SweepProgram = std::function<Result<std::vector<std::string>>(
    const SweepOrder& order, const SweepListener& listener, const StartWatch& watch)>;

// A program on a phantom with other techniques than one has that is shown.
struct TechniqueOrder {
  ProgramOrder program;
  std::string title;  // "bf16, checkpointed blocks", or "as it is"
};

// PYTORCH_CUDA_ALLOC_CONF with which what a program asks for has room.
struct SettingsWithRoom {
  std::string settings;
  HeldOfCard held;
};

// What a program came to on the card.
struct TechniqueAnswer {
  bool fits = false;                      // it came to its end there
  bool ran_out = false;                   // of memory, and ended by it
  std::string failure = {};               // why it did not come to its end; "" if it did
  int64_t allocated_bytes = 0;            // at the peak, on the fullest of several; 0 where it does not fit
  HeldOfCard held = {};                   // the same
  Need needed = {};                       // where it ran out: nothing = not known (yet)
  std::vector<std::string> in_vain = {};  // of its techniques, as options, those that changed nothing
  std::optional<SettingsWithRoom> fits_with = {};  // where it ran out: none = none is known
};

// `order`: its place among those that were to be tried.
using TechniqueAnswered = std::function<void(size_t order, const TechniqueAnswer& answer)>;

// Both are there, or neither.
struct TechniqueTrials {
  // What there is to try of a program, whose own order comes first; none where it runs on no phantom. Reads
  // the assets folder.
  std::function<std::vector<TechniqueOrder>(const ProgramOrder& order)> of;
  // Runs the same program with each, tells the answers in their order, then those that ran out again with
  // what they need, and returns what makes the figures less than certain. Where `watch` ends it, the answers
  // told so far are all. Any thread. Errors: as StartProgram's.
  std::function<Result<std::vector<std::string>>(const std::vector<TechniqueOrder>& orders,
                                                 const TechniqueAnswered& answered, const StartWatch& watch)>
      run;
};

}  // namespace tidemark::session
