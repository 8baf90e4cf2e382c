#include "profiler/phantom/device/readings.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/activity.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/kernel_answers.h"
#include "profiler/phantom/device/python_place.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom::device {
namespace {

// Of the kernels that this thread launched.
thread_local Answers answers;

struct Count {
  int64_t count = 0;
  Certainty certainty = Certainty::kKnown;
};
thread_local std::optional<Count> expected_count;

// That are told. Enough to find them; a program that reads in more places reads everywhere.
constexpr size_t kMostPlaces = 32;

// A loop that ends by a result of the card may never end here, and nobody would learn why. A `for` ends by
// itself, though, and who trains reads a loss in each step: so often within one, in a `while`, is suspicious.
constexpr uint64_t kSuspiciousReadings = 10'000;

struct Readings {
  uint64_t step = 0;   // of an optimizer, the latest one
  uint64_t count = 0;  // since it began
};
struct Places {
  Mutex mutex;
  // What is to be told of each place.
  std::map<std::string, Readings> sentences TIDEMARK_GUARDED_BY(mutex);
  std::set<std::string> waiting TIDEMARK_GUARDED_BY(mutex);  // those that were said to be in such a loop
  std::string last_unknown TIDEMARK_GUARDED_BY(mutex);
};

std::atomic<uint64_t> steps{0};
// Whether what was read last may be why the program fails next: until a kernel is launched, but for a choice,
// since what was made of it remains.
enum class Suspicion : uint8_t { kNone, kUntilKernel, kLasts };
std::atomic<Suspicion> suspicion{Suspicion::kNone};
// Of which nobody knows where it wrote.
std::atomic<bool> foreign_kernel_ran{false};

// Never destroyed: threads outlive main.
Places& ThePlaces() {
  static Places* const places = new Places;
  return *places;
}

// libtorch_cuda.so, libtorch_cuda_linalg.so, ...: what their operators write is known
// (profiler/phantom/values).
bool LiesInPyTorch(const void* stub) {
  Dl_info from = {};
  if (dladdr(stub, &from) == 0 || from.dli_fname == nullptr) return false;
  const std::string_view file = from.dli_fname;
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.starts_with("libtorch_cuda") || name.starts_with("libtorch_nvshmem");
}

struct LaunchedKernel {
  const void* stub = nullptr;
  KernelQuestion question;
  bool is_foreign = false;  // another library's
};

// A step launches the same few hundred kernels over and over, and to find a name takes longer than a launch.
const LaunchedKernel& KernelOfStub(const void* stub) {
  constexpr size_t kPlaces = 512;
  constexpr int kAlignmentBits = 4;
  thread_local std::array<LaunchedKernel, kPlaces> known;
  LaunchedKernel& place = known.at((reinterpret_cast<uintptr_t>(stub) >> kAlignmentBits) % kPlaces);
  if (place.stub != stub) {
    const char* name = KernelName(stub);
    place = {stub, name == nullptr ? KernelQuestion() : QuestionOf(name), !LiesInPyTorch(stub)};
  }
  return place;
}

// Functions of PyTorch's own, and of what is generated with most, that go on, or end, only by what a result
// is, and what it then is.
struct OwnQuestion {
  std::string_view file;
  std::string_view function;
  size_t bytes;
  unsigned char answer;
};
constexpr std::array kOwnQuestions = {
    // Whether it can leave out what a mask hides; how much that is it would then read as nothing at all.
    OwnQuestion{"/torch/nn/modules/transformer.py", "forward", 1, 0},
    // Whether degrees of freedom are too few.
    OwnQuestion{"/torch/distributions/wishart.py", "__init__", 1, 0},
    // Whether numbers are in the function's domain.
    OwnQuestion{"/torch/distributions/wishart.py", "_mvdigamma", 1, 1},
    // Draws until enough was accepted.
    OwnQuestion{"/torch/distributions/von_mises.py", "_rejection_sample", 1, 1},
    // Whether all sequences came to their end before the longest, and whether some did not.
    OwnQuestion{"/transformers/generation/utils.py", "_has_unfinished_sequences", 1, 0},
    OwnQuestion{"/transformers/generation/utils.py", "__call__", 1, 0},  // StopCheck's, from 5.17 on
    OwnQuestion{"/transformers/generation/utils.py", "_beam_search", 1, 1}};

// Null where it is none of them.
const OwnQuestion* OwnQuestionOf(size_t bytes) {
  for (const OwnQuestion& question : kOwnQuestions) {
    if (question.bytes == bytes && PythonIsIn(question.file, question.function)) return &question;
  }
  return nullptr;
}

// False for what is no fraction.
bool WriteFraction(void* to, size_t bytes, double value) {
  const auto in_short = static_cast<float>(value);
  if (bytes != sizeof value && bytes != sizeof in_short) return false;
  std::memcpy(to, bytes == sizeof value ? static_cast<const void*>(&value) : &in_short, bytes);
  return true;
}

// torch.lobpcg divides by norms.
bool AnswerNorm(void* to, size_t bytes) {
  return PythonIsIn("/torch/_lobpcg.py", "update") && WriteFraction(to, bytes, 1);
}

// torch.optim.LBFGS ends once a gradient, a slope or the loss changes by next to nothing, and keeps what it
// changed with each iteration, if the product of that (`ys`) is positive. So nothing is next to nothing, the
// loss falls by one whenever it is read, and `ys` is positive.
bool AnswerWhetherDone(void* to, size_t bytes) {
  static std::atomic<int> losses{0};
  constexpr std::string_view kFile = "/torch/optim/lbfgs.py";
  const bool is_step = PythonIsIn(kFile, "step");
  if (bytes != 1) {
    const bool is_loss = is_step || PythonIsIn(kFile, "_directional_evaluate");
    return is_loss && WriteFraction(to, bytes, -++losses);
  }
  if (!is_step) return false;
  *static_cast<unsigned char*>(to) = PythonLine().find("if ys >") == std::string::npos ? 0 : 1;
  return true;
}

// Where a search ended, as Thrust has it: whether it found anything, and which.
bool AnswerSearch(void* to, size_t bytes) {
  if (answers.last().question.kind != KernelQuestion::Kind::kFind || bytes != 2 * sizeof(int64_t))
    return false;
  *static_cast<unsigned char*>(to) = 1;
  return true;
}

// What chooses digits for print(tensor): the text is made of it, and no memory.
constexpr std::string_view kTextOfTensors = "/torch/_tensor_str.py";

constexpr const char* kZero = " read a result that no kernel had computed: it was zero.";
constexpr const char* kLoopGoesOn =
    " asked whether a loop is to end, which no kernel had computed: it was told to go on, as long as it may.";
constexpr const char* kChosenAsBefore =
    " chose elements by what was known before kernels ran that Triton or NVRTC had compiled, or that are "
    "another library's: where these changed it, a card chooses others.";
constexpr const char* kOneValue =
    " read how many different values a result has that no kernel had computed: all are zero, so one, and "
    "what "
    "is made of them may take more on a card.";

const char* AnswerCount(const Count& expected, void* to, size_t bytes) {
  const auto [count, certainty] = expected;
  const bool counts_values = answers.last().question.kind == KernelQuestion::Kind::kDistinct;
  answers.Take({}, nullptr);  // what is read next is something else
  std::memcpy(to, &count, bytes);
  if (certainty >= Certainty::kOfZeros) {
    if (counts_values && count == 1) return kOneValue;
    if (count == 0) {
      return " chose elements by values that no kernel had computed: none here, so what is made of them "
             "takes more on a card.";
    }
    return " chose elements by values that no kernel had computed: as if these were zero, so what is made "
           "of them may take more or less on a card.";
  }
  return foreign_kernel_ran.load(std::memory_order_relaxed) ? kChosenAsBefore : nullptr;
}

// `to`: of what follows from zeros, that; else zero.
const char* WhatWasRead(const void* to, size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(to);
  const bool is_zero = std::all_of(begin, begin + bytes, [](std::byte byte) { return byte == std::byte{0}; });
  return is_zero ? kZero
                 : " read what was computed of results that no kernel had computed: as if these were zero.";
}

// What a single condition is.
const char* AnswerCondition(void* to, const void* from, Certainty certainty) {
  using Kind = KernelQuestion::Kind;
  auto& condition = *static_cast<unsigned char*>(to);
  const KernelAnswer answer = answers.At(from);
  const Kind kind = answer.question.kind;
  if (kind == Kind::kNone) return WhatWasRead(to, sizeof condition);
  const bool is_argument = PythonIsIn("/torch/distributions/distribution.py");
  const bool is_computed =
      certainty == Certainty::kOfZeros && (kind == Kind::kOrder || kind == Kind::kEqual) && !is_argument;
  if (!is_computed) condition = answer.holds || is_argument ? 1 : 0;
  if (condition == 0) return kZero;
  if (kind == Kind::kAll || is_argument) {
    return " asked whether all of something is true, which no kernel had computed: it was told yes.";
  }
  return " compared a result that no kernel had computed: it was told what holds of zero.";
}

// What is told of what was read, and the answer, where it is one; null if there is nothing to doubt.
const char* AnswerUnknown(void* to, const void* from, size_t bytes, Certainty certainty) {
  const bool is_count = bytes == sizeof(int32_t) || bytes == sizeof(int64_t);
  if (is_count && expected_count) return AnswerCount(*std::exchange(expected_count, std::nullopt), to, bytes);
  if (is_count && answers.last().question.kind == KernelQuestion::Kind::kDistinct) {
    answers.Take({}, nullptr);  // what is read next is something else
    *static_cast<unsigned char*>(to) = 1;
    return kOneValue;
  }
  if (AnswerSearch(to, bytes)) {
    return " searched in what no kernel had computed: all is zero, and the first was found.";
  }
  if (AnswerNorm(to, bytes)) return " read a norm that no kernel had computed: it was told one.";
  if (AnswerWhetherDone(to, bytes)) return kLoopGoesOn;
  if (bytes != 1) return WhatWasRead(to, bytes);
  if (const OwnQuestion* question = OwnQuestionOf(bytes)) {
    *static_cast<unsigned char*>(to) = question->answer;
    return question->answer == 0 ? kZero : " asked what no kernel had computed: it was told yes.";
  }
  if (const LoopEnd end = PythonEndOfFor(); end != LoopEnd::kNone) {
    *static_cast<unsigned char*>(to) = end == LoopEnd::kWhenFalse ? 1 : 0;
    return kLoopGoesOn;
  }
  return AnswerCondition(to, from, certainty);
}

// A batch normalisation without momentum divides by this, after a kernel that has added one.
bool AnswerBatches(void* to, size_t bytes) {
  int64_t count = 0;
  if (bytes != sizeof count) return false;
  std::memcpy(&count, to, sizeof count);
  if (count != 0 || !PythonIsIn("/torch/nn/modules/batchnorm.py", "forward")) return false;
  count = 1;
  std::memcpy(to, &count, sizeof count);
  return true;
}

const char* Answer(void* to, const void* from, size_t bytes, Certainty certainty) {
  if (AnswerBatches(to, bytes)) return " read how many batches a kernel had counted: it was told one.";
  // Its scale is computed (profiler/phantom/values), and no gradient has overflowed: nothing is wrong there.
  if (PythonIsIn("/torch/amp/grad_scaler.py"))
    return " read what GradScaler keeps: its scale and its steps are those of a run in which no gradient "
           "overflows.";
  if (certainty >= Certainty::kOfZeros) return AnswerUnknown(to, from, bytes, certainty);
  return " read back what it had sent to the card, or what follows from that, which kernels may have changed "
         "since: it got the value without their changes.";
}

// To whoever wrote a program that such a thing ends.
const char* AdviceFor(bool is_choice, size_t bytes) {
  if (is_choice) return " If that is why, let it go on where nothing was chosen.";
  if (bytes == 1) return " If that is why, let it go on whatever the answer is.";
  return " If that is why, keep such a value from deciding: max(value, 1) of a count, for example, and "
         "max(value, 1e-8) of what is divided by.";
}

void NoteUnknown(const std::string& sentence, std::string_view told, size_t bytes) {
  const bool is_choice = told.starts_with(" chose");
  Places& places = ThePlaces();
  const MutexLock lock(places.mutex);
  places.last_unknown = sentence + AdviceFor(is_choice, bytes);
  suspicion = is_choice ? Suspicion::kLasts : Suspicion::kUntilKernel;
}

// Notes it, and whether it came suspiciously often by now.
bool ComesOften(const std::string& sentence) {
  Places& places = ThePlaces();
  const MutexLock lock(places.mutex);
  const auto [found, is_new] = places.sentences.try_emplace(sentence);
  if (is_new) {
    const bool is_told = places.sentences.size() <= kMostPlaces;
    Doubt(is_told ? found->first.c_str() : "Results that no kernel had computed were read in more places.");
  }
  Readings& readings = found->second;
  if (const uint64_t step = steps.load(std::memory_order_relaxed); readings.step != step)
    readings = {step, 0};
  return ++readings.count % kSuspiciousReadings == 0 && !places.waiting.contains(sentence);
}

// Holds no lock of ours, as long as it asks Python.
void SayThatItWaits(const std::string& sentence) {
  if (!PythonIsInWhile()) return;
  Places& places = ThePlaces();
  const MutexLock lock(places.mutex);
  if (!places.waiting.insert(sentence).second) return;
  std::fprintf(stderr, "tidemark phantom: 10,000 times now: %s A loop that ends by it does not end here.\n",
               sentence.c_str());
}

}  // namespace

void NoteKernel(const void* stub, void* const* arguments) {
  const LaunchedKernel& kernel = KernelOfStub(stub);
  answers.Take(kernel.question, arguments);
  // While a count is expected, what its operator's kernels do is computed on the host.
  if (kernel.is_foreign && !expected_count) foreign_kernel_ran.store(true, std::memory_order_relaxed);
  if (suspicion.load(std::memory_order_relaxed) == Suspicion::kUntilKernel) suspicion = Suspicion::kNone;
}

// The arguments last as long as the call, so the answer is found now: to those of the same thread's capture.
std::function<void()> NotedKernel(const void* stub, void* const* arguments) {
  thread_local Answers captured;
  const LaunchedKernel& kernel = KernelOfStub(stub);
  captured.Take(kernel.question, arguments);
  return [noted = captured, is_foreign = kernel.is_foreign] {
    answers = noted;
    if (is_foreign) foreign_kernel_ran.store(true, std::memory_order_relaxed);
  };
}

void NoteCompiledKernel() {
  NoteKernel(nullptr, nullptr);
  foreign_kernel_ran.store(true, std::memory_order_relaxed);
}

void NoteBlock(const void* begin, size_t bytes) { answers.BlockBegins(begin, bytes); }

void NoteReading(void* to, const void* from, size_t bytes, Certainty certainty) {
  if (certainty == Certainty::kKnown) return;
  const std::optional<std::string> place = PythonPlace();
  const char* const told = Answer(to, from, bytes, certainty);
  if (told == nullptr || PythonComesFrom(kTextOfTensors)) return;
  if (told == kChosenAsBefore && !place) return;  // backward's thread, which chooses as forward did
  const std::string sentence = place.value_or("The program") + told;
  if (certainty >= Certainty::kOfZeros) NoteUnknown(sentence, told, bytes);
  if (ComesOften(sentence)) SayThatItWaits(sentence);
}

bool CopyAndNote(Device& device, void* to, const void* from, size_t bytes) {
  auto certainty = Certainty::kKnown;
  if (!device.memory.Copy(to, from, bytes, &certainty)) return false;
  NoteReading(to, from, bytes, certainty);
  if (device.memory.IsDevice(to) && bytes == 1) answers.Copy(to, from);
  return true;
}

extern "C" void TidemarkPhantomExpectCount(int64_t count, int certainty) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomExpectCount), ExpectCountFunction>);
  expected_count.reset();
  if (count != kCountNotExpected) expected_count = Count{count, static_cast<Certainty>(certainty)};
}

extern "C" void TidemarkPhantomStepBegins() {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomStepBegins), StepBeginsFunction>);
  steps.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void TidemarkPhantomProgramFails(const char* exception) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomProgramFails), ProgramFailsFunction>);
  Places& places = ThePlaces();
  const MutexLock lock(places.mutex);
  if (suspicion == Suspicion::kNone) return;
  DoubtOrSay(std::string("tidemark phantom: ") + exception + " ended the program. Last before that, " +
             places.last_unknown);
}

}  // namespace tidemark::phantom::device
