// How a child process is put on a phantom GPU: the environment that places the stand-ins under its LibTorch.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/base/result.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::phantom {

// "NAME=value" entries to add to the child's environment (LD_PRELOAD of the stand-ins before what this
// process has there, the file of the card of that name in the assets folder). With no card the machine looks
// as if it had no GPU at all: what a CPU run needs, since the CUDA libraries that LibTorch links are not
// installed where there is no driver. Fails with a sentence when the stand-ins are not where the build put
// them. `preload_first`: libraries of the program's own, which are found before the stand-ins.
Result<std::vector<std::string>> PhantomEnvironment(
    const std::optional<Card>& card, const std::filesystem::path& stand_in_folder = PhantomFolder(),
    const std::vector<std::filesystem::path>& preload_first = {});

// The one of these entries that says which card it is.
std::string CardEntry(const std::optional<Card>& card);

// How the stand-ins are told of the card's file, and of a memory size instead of the card's own, in bytes.
inline constexpr const char* kCardVariable = "TIDEMARK_PHANTOM_CARD";
inline constexpr const char* kMemoryVariable = "TIDEMARK_PHANTOM_MEMORY";
// In which order the driver hands out addresses: see address_order.h.
inline constexpr const char* kAddressesVariable = "TIDEMARK_PHANTOM_ADDRESSES";
// What is to go wrong on it: see faults.h.
inline constexpr const char* kFaultsVariable = "TIDEMARK_PHANTOM_FAULTS";
// What its CUPTI answers to whoever wants to listen, for those who are to be seen coping with it: "held=NAME"
// (another tool does), "refuses=CODE" (a CUptiResult) or "version=NUMBER" (as cuptiGetVersion tells it).
inline constexpr const char* kCuptiVariable = "TIDEMARK_PHANTOM_CUPTI";
// The file to which they append what makes its numbers less than certain, as it comes up.
inline constexpr const char* kDoubtsVariable = "TIDEMARK_PHANTOM_DOUBTS";
// The folder in which ranks that are processes of this machine exchange what NCCL would: see
// ranks/mailbox.h. Without one, or with "", the others are pretended.
inline constexpr const char* kRanksVariable = "TIDEMARK_PHANTOM_RANKS";
// Where a rank among pretended ones finds what it asks others for: JSON, the folder first
// (programs/python/tidemark_other_ranks.py).
inline constexpr const char* kAskedVariable = "TIDEMARK_PHANTOM_ASKED";
// For the program's Python (programs/python), too: how many ranks there are, where all but one are pretended,
// and how many of them share a machine at the most; and, set at all, that it is to tell its layers.
inline constexpr const char* kWorldVariable = "TIDEMARK_PHANTOM_WORLD";
inline constexpr const char* kMachineRanksVariable = "TIDEMARK_PHANTOM_MACHINE_RANKS";
inline constexpr const char* kLayersVariable = "TIDEMARK_LAYERS";
// For commands that answer in the place of the system's (programs/commands): the Python that runs them.
inline constexpr const char* kPythonVariable = "TIDEMARK_PHANTOM_PYTHON";

// What the device's library exports for the allocator's listeners: PyTorch hands out this memory anew.
inline constexpr const char* kBlockBeginsFunction = "TidemarkPhantomBlockBegins";
using BlockBeginsFunction = void (*)(const void* pointer, size_t bytes);
// And has taken it back.
inline constexpr const char* kBlockEndsFunction = "TidemarkPhantomBlockEnds";

// PyTorch keeps a block that was freed until another stream is done with it.
inline constexpr const char* kBlockWaitsFunction = "TidemarkPhantomBlockWaits";
using BlockWaitsFunction = void (*)();

// A kernel runs: for who has none of its own to launch.
inline constexpr const char* kKernelRanFunction = "TidemarkPhantomKernelRan";
using KernelRanFunction = void (*)();

// And for what computes in the kernels' stead (profiler/phantom/values/known_values.h). How far what is
// there can be trusted, as device::Certainty has it, so that kNotKnown is the worst; then what is not known
// of it is zero, and what follows from such zeros is kOfZeros. To null: only that.
inline constexpr const char* kReadKnownFunction = "TidemarkPhantomReadKnown";
using ReadKnownFunction = int (*)(const void* pointer, size_t bytes, void* to);
inline constexpr int kAsWritten = 1;
inline constexpr int kOfZeros = 2;
inline constexpr int kNotKnown = 3;
// A result, no more certain than what it was made of. From null: what is there is no more certain than that.
inline constexpr const char* kWriteComputedFunction = "TidemarkPhantomWriteComputed";
using WriteComputedFunction = void (*)(void* pointer, const void* from, size_t bytes, int certainty);
// Whether anybody's work is being captured into a CUDA graph; and what is captured of this stream writes
// there, nobody knows what, each time that the graph is launched.
inline constexpr const char* kCaptureLastsFunction = "TidemarkPhantomCaptureLasts";
using CaptureLastsFunction = bool (*)();
inline constexpr const char* kForgetOnLaunchFunction = "TidemarkPhantomForgetOnLaunch";
using ForgetOnLaunchFunction = void (*)(const void* stream, void* pointer, size_t bytes);
// The next count that this thread reads of which no kernel has written anything, and how certain that is;
// kCountNotExpected: there is no such count.
inline constexpr int64_t kCountNotExpected = -1;
inline constexpr const char* kExpectCountFunction = "TidemarkPhantomExpectCount";
using ExpectCountFunction = void (*)(int64_t count, int certainty);

// This thread's program asks for an element that is not there, of so many: a card's kernel asserts that it
// is.
inline constexpr const char* kElementIsMissingFunction = "TidemarkPhantomElementIsMissing";
using ElementIsMissingFunction = void (*)(int64_t element, int64_t count);

// An optimizer takes a step: a program that trains goes on, however often it reads what is not known.
inline constexpr const char* kStepBeginsFunction = "TidemarkPhantomStepBegins";
using StepBeginsFunction = void (*)();

// For the program's Python (programs/python/sitecustomize.py): an exception of this name ends it.
inline constexpr const char* kProgramFailsFunction = "TidemarkPhantomProgramFails";
using ProgramFailsFunction = void (*)(const char* exception);

// Whether this process's GPU is a phantom: the stand-ins are loaded. Any thread. Here, since what is loaded
// into programs of others asks it, too, without the rest of this folder.
inline bool IsOnPhantom() { return dlsym(RTLD_DEFAULT, kBlockBeginsFunction) != nullptr; }

// The first line that a stand-in writes to stderr before it ends the process over a CUDA function that nobody
// modelled: this prefix, then the function's name. The session turns it into a sentence for the window.
inline constexpr const char* kUnmodelledPrefix = "tidemark phantom: not modelled: ";

// The line with which a stand-in says, once, that it answers cuDNN's plans with no workspace, and why: this
// prefix, then the reason and a full stop.
inline constexpr const char* kWithoutWorkspacesPrefix =
    "tidemark phantom: cuDNN's workspaces are not included: ";
// The line with which it says, once for each kind, that a size is in no table and counts as 0: this prefix,
// then the kind and a full stop.
inline constexpr const char* kUnknownSizePrefix = "tidemark phantom: Not known, counted as 0: ";
// The line with which it says, once for each kind, that a size is not measured but follows a rule: this
// prefix, then the kind, a comma, from what the rule is, and a full stop.
inline constexpr const char* kDerivedSizePrefix = "tidemark phantom: Derived, not measured: ";
// How the doubt begins that tells of memory that PyTorch's figures are without: see device/outside_memory.h.
inline constexpr const char* kOutsideMemoryDoubt =
    "Memory was taken from the CUDA driver outside of PyTorch's allocator";
// The line with which it says, once, why the program is slow: questions that nobody has put to cuDNN before.
inline constexpr const char* kAskingLine =
    "tidemark phantom: asking cuDNN for its workspaces; the answers are kept for the next time.";

}  // namespace tidemark::phantom
