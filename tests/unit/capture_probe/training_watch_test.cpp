// A training that the test plays itself, at the gates, told to a stream of its own: phases, steps, and what
// blocks hold. Tensors are laid out as LibTorch's are.
#include "profiler/capture/probe/training_watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/capture/course/course.h"
#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/user_scope_gate.h"
#include "profiler/capture/operators/context.h"
#include "profiler/capture/operators/layer_scopes.h"
#include "profiler/capture/roles/role_inference.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"
#include "tests/unit/capture_probe/gradient_mode.h"

namespace tidemark::capture {

using events::Category;
using events::EventKind;
using events::Phase;

// By their addresses: what Python calls its optimizers.
thread_local const void* stepping = nullptr;

namespace {

std::mutex telling;
std::vector<std::pair<EventKind, int64_t>> told;
std::vector<Phase> phases;
std::vector<std::pair<uint64_t, Category>> categories;
std::vector<uint64_t> saves;  // blocks that were told of as saved
bool ring_is_full = false;
EvaluationListener evaluation_listener;

constexpr uint64_t kSegment = 0x7000'0000'0000;
constexpr int64_t kSegmentBytes = 1 << 20;

// at::Tensor → c10::TensorImpl → c10::StorageImpl → memory.
struct FakeTensor {
  explicit FakeTensor(uint64_t memory) : storage{1, 1, memory}, impl{1, 1, Address(storage.data())} {}
  const void* handle() {
    pointer = Address(impl.data());
    return &pointer;
  }
  const void* vector() {
    ends = {Address(handle()), Address(handle()) + sizeof pointer, 0};
    return ends.data();
  }
  static uint64_t Address(const void* place) { return reinterpret_cast<uint64_t>(place); }
  std::array<uint64_t, 3> storage;
  std::array<uint64_t, 3> impl;
  uint64_t pointer = 0;
  std::array<uint64_t, 3> ends{};
};

void Turn(const void* optimizer) {
  const std::array<std::byte, 64> scope{};
  stepping = optimizer;
  OnUserScopeBegins("Optimizer.step#SGD.step", scope.data());
  OnRecordFunctionEnds(scope.data() + 16);
}

void StepOften() {
  for (int i = 0; i < 2000; ++i) {
    TheCourse().RecordForward();
    Turn(nullptr);
  }
}

size_t StepsEnded() {
  return static_cast<size_t>(
      std::ranges::count(told, EventKind::kStepEnd, [](const auto& event) { return event.first; }));
}

// What comes from the ring, one event at a time, and what is found out by it.
class Reader {
 public:
  Reader() {
    events::Event segment;
    segment.kind = EventKind::kSegmentAllocate;
    segment.address = kSegment;
    segment.bytes = kSegmentBytes;
    Read(segment);
  }
  void Read(events::Event event) {
    const std::lock_guard lock(telling);
    event.source = events::Source::kAllocator;
    event.thread = static_cast<uint32_t>(gettid());
    if (event.kind == EventKind::kTensorSaved) saves.push_back(event.address);
    for (const events::Event& found : inference_.Infer(std::span(&event, 1))) {
      if (found.kind == EventKind::kCategorize) categories.emplace_back(found.address, found.category);
    }
  }

 private:
  RoleInference inference_;
};

void OnRing(const events::Event& event) {
  static Reader reader;
  reader.Read(event);
}

// As LibTorch's allocator tells of it.
void Make(uint64_t block) {
  events::Event event;
  event.kind = EventKind::kAllocate;
  event.category = OnBlockBorn(block);
  event.name = OptimizerAtWork();
  event.address = block;
  OnRing(event);
}
void Free(uint64_t block) {
  OnBlockDied(block);
  events::Event event;
  event.kind = EventKind::kFreeCompleted;
  event.address = block;
  OnRing(event);
}

void MakeAccumulator(const void* node, FakeTensor& leaf) {
  Tell(TheGates().accumulator_made, node, leaf.handle());
}

void Accumulate(const void* node, FakeTensor& gradient, uint64_t copied_into = 0) {
  Tell(TheGates().gradient_arrives, gradient.vector());
  if (copied_into != 0) Make(copied_into);
  Tell(TheGates().gradient_accumulated, node);
}

}  // namespace

const void* FirstArgumentOf(std::string_view, std::string_view) { return stepping; }
bool EventStreamIsOpen() { return true; }
void BeginEngine() {}
void EndEngine() {}
void SetEvaluationListener(const EvaluationListener& listener) { evaluation_listener = listener; }
events::NameId Intern(std::string_view, events::Source) { return 1; }
bool Emit(events::Event& event) {
  if (ring_is_full) return false;
  OnRing(event);
  return true;
}
void EmitPhase(Phase phase) {
  const std::lock_guard lock(telling);
  phases.push_back(phase);
}
void EmitNumbered(EventKind kind, int64_t number) {
  const std::lock_guard lock(telling);
  told.emplace_back(kind, number);
}

TEST_CASE("A step begins with the first forward that saves for backward, and ends with its optimizer") {
  WatchTraining();
  CHECK(told.empty());
  FakeTensor input(kSegment);
  Tell(TheGates().tensor_saved, input.handle());
  Tell(TheGates().tensor_saved, input.handle());
  CHECK(told == std::vector<std::pair<EventKind, int64_t>>{{EventKind::kStepBegin, 0}});
  CHECK(OnBlockBorn(kSegment + 8192) == Category::kUnknown);
  Tell(TheGates().backward_begins);
  CHECK(OnBlockBorn(kSegment + 8192) == Category::kTemporary);
  Tell(TheGates().backward_ended);
  Turn(nullptr);
  CHECK(phases == std::vector<Phase>{Phase::kIdle, Phase::kForward, Phase::kBackward, Phase::kIdle,
                                     Phase::kOptimizer, Phase::kIdle});
  CHECK(StepsEnded() == 1);
  Turn(nullptr);
  CHECK(StepsEnded() == 2);
  Free(kSegment);
  told.clear();
}

TEST_CASE("A backward that began before anybody listened ends unheard, and those after it are told") {
  FakeTensor activation(kSegment);
  phases.clear();
  Tell(TheGates().backward_ended);
  Tell(TheGates().tensor_saved, activation.handle());
  Tell(TheGates().backward_begins);
  Tell(TheGates().backward_ended);
  CHECK(phases == std::vector<Phase>{Phase::kForward, Phase::kBackward, Phase::kIdle});
  Turn(nullptr);
  Free(kSegment);
  told.clear();
}

TEST_CASE("What blocks hold is told by who handles them, once") {
  FakeTensor weight(kSegment + 512);
  FakeTensor activation(kSegment + 1024);
  FakeTensor elsewhere(0x1000);
  FakeTensor without_storage(0);
  without_storage.impl[2] = 0;
  FakeTensor counts_are_wide(kSegment + 2048);
  counts_are_wide.impl[2] = 1;
  static const int node = 0;
  categories.clear();
  MakeAccumulator(&node, weight);
  Tell(TheGates().tensor_saved, weight.handle());
  for (FakeTensor* tensor : {&activation, &elsewhere, &without_storage, &counts_are_wide}) {
    Tell(TheGates().tensor_saved, tensor->handle());
  }
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 512, Category::kParameter},
                                                                 {kSegment + 1024, Category::kActivation}});
  Free(kSegment + 1024);
  Make(kSegment + 1024);
  Tell(TheGates().tensor_saved, activation.handle());
  CHECK(categories.size() == 3);

  categories.clear();
  Tell(TheGates().cast_begins, weight.handle(), int8_t{5});
  Make(kSegment + 4096);
  Tell(TheGates().cast_ended);
  Tell(TheGates().cast_begins, activation.handle(), int8_t{5});
  Make(kSegment + 4608);
  Tell(TheGates().cast_ended);
  CHECK(categories ==
        std::vector<std::pair<uint64_t, Category>>{{kSegment + 4096, Category::kAutocastCache}});
  Tell(TheGates().buckets_begin);
  CHECK(OnBlockBorn(kSegment + 8192) == Category::kCommunication);
  Tell(TheGates().buckets_ended);
  for (const uint64_t block : {512, 1024, 4096, 4608}) Free(kSegment + block);
}

TEST_CASE("What is saved again is not told again, but of another block at its address it is") {
  FakeTensor weight(kSegment + 512);
  FakeTensor activation(kSegment + 1024);
  static const int node = 0;
  for (const uint64_t block : {512, 1024}) Make(kSegment + block);
  saves.clear();
  categories.clear();
  MakeAccumulator(&node, weight);
  for (int layer = 0; layer < 3; ++layer) {
    Tell(TheGates().tensor_saved, weight.handle());
    Tell(TheGates().tensor_saved, activation.handle());
  }
  CHECK(saves == std::vector<uint64_t>{kSegment + 1024});
  Free(kSegment + 1024);
  Make(kSegment + 1024);
  Tell(TheGates().tensor_saved, activation.handle());
  CHECK(saves == std::vector<uint64_t>{kSegment + 1024, kSegment + 1024});
  // A block that was no leaf's.
  Free(kSegment + 512);
  Make(kSegment + 512);
  Tell(TheGates().tensor_saved, weight.handle());
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 512, Category::kParameter},
                                                                 {kSegment + 1024, Category::kActivation},
                                                                 {kSegment + 1024, Category::kActivation},
                                                                 {kSegment + 512, Category::kActivation}});
  for (const uint64_t block : {512, 1024}) Free(kSegment + block);
}

TEST_CASE("A hint that a full ring lost is made good by the next") {
  FakeTensor weight(kSegment + 512);
  FakeTensor activation(kSegment + 1024);
  static const int node = 0;
  for (const uint64_t block : {512, 1024}) Make(kSegment + block);
  saves.clear();
  categories.clear();
  ring_is_full = true;
  MakeAccumulator(&node, weight);
  Tell(TheGates().tensor_saved, activation.handle());
  ring_is_full = false;
  CHECK(categories.empty());
  for (FakeTensor* tensor : {&weight, &activation}) Tell(TheGates().tensor_saved, tensor->handle());
  CHECK(saves == std::vector<uint64_t>{kSegment + 512, kSegment + 1024});
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 512, Category::kActivation},
                                                                 {kSegment + 1024, Category::kActivation}});
  for (const uint64_t block : {512, 1024}) Free(kSegment + block);
}

TEST_CASE("A block that two threads save is told of, in each of its lives") {
  constexpr int kLives = 500;
  FakeTensor activation(kSegment + 1024);
  const void* const handle = activation.handle();
  saves.clear();
  categories.clear();
  for (int life = 0; life < kLives; ++life) {
    Make(kSegment + 1024);
    std::array<std::jthread, 2> threads;
    for (std::jthread& thread : threads) {
      thread = std::jthread([handle] {
        for (int i = 0; i < 10; ++i) Tell(TheGates().tensor_saved, handle);
      });
    }
    for (std::jthread& thread : threads) thread.join();
    Free(kSegment + 1024);
  }
  CHECK(saves.size() >= kLives);
  CHECK(saves.size() <= 2 * kLives);
  CHECK(categories ==
        std::vector<std::pair<uint64_t, Category>>(kLives, {kSegment + 1024, Category::kActivation}));
}

// What would follow if each hint were told is asked of a second reader.
TEST_CASE("Whatever is left unsaid, blocks hold what they would hold") {
  constexpr uint64_t kBlocks = 64;
  std::mt19937 random;
  std::deque<FakeTensor> tensors;
  for (uint64_t i = 0; i < kBlocks; ++i) tensors.emplace_back(kSegment + i * 512);
  std::vector<bool> lives(kBlocks);
  static const std::array<int, kBlocks> nodes{};
  const auto play = [&](bool tells_all) {
    random.seed(7);
    for (size_t i = 0; i < kBlocks; ++i) MakeAccumulator(&nodes.at(i), tensors[i]);
    categories.clear();
    saves.clear();
    for (int turn = 0; turn < 20'000; ++turn) {
      const size_t i = random() % kBlocks;
      FakeTensor& tensor = tensors[i];
      const uint64_t block = kSegment + i * 512;
      const uint64_t what = random() % 8;
      if (!lives[i] || what == 0) {
        lives[i] ? Free(block) : Make(block);
        lives[i] = !lives[i];
      } else if (what == 1) {
        MakeAccumulator(&nodes.at(i), tensor);
      } else if (what == 2) {
        Accumulate(&nodes.at(random() % kBlocks), tensor);
      } else if (tells_all) {
        events::Event hint;
        hint.kind = EventKind::kTensorSaved;
        hint.address = block;
        OnRing(hint);
      } else {
        Tell(TheGates().tensor_saved, tensor.handle());
      }
    }
    for (size_t i = 0; i < kBlocks; ++i) {
      if (lives[i]) Free(kSegment + i * 512);
      lives[i] = false;
    }
    return categories;
  };
  const auto told_all = play(true);
  const size_t all = saves.size();
  CHECK(play(false) == told_all);
  CHECK(told_all.size() > 1000);
  CHECK(saves.size() < all / 2);
}

TEST_CASE("A gradient is what was kept as it came, or the copy of it; what is added to one is none") {
  FakeTensor kept(kSegment + 512);
  FakeTensor copied(kSegment + 1024);
  FakeTensor added(kSegment + 2048);
  const std::array<int, 2> nodes{};
  categories.clear();
  Accumulate(&nodes[0], kept);
  Accumulate(&nodes[1], copied, kSegment + 1536);
  Accumulate(&nodes[0], added);
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 512, Category::kGradient},
                                                                 {kSegment + 1536, Category::kGradient}});
  Free(kSegment + 512);  // set to none
  Accumulate(&nodes[0], added);
  CHECK(categories.back() == std::pair<uint64_t, Category>{kSegment + 2048, Category::kGradient});
  Free(kSegment + 1536);
  Free(kSegment + 2048);
}

TEST_CASE("A gradient is kept where another leaf's was before") {
  FakeTensor first(kSegment + 512);
  FakeTensor second(kSegment + 1024);
  static const std::array<int, 2> nodes{};
  Accumulate(&nodes[0], first);
  Accumulate(&nodes[1], second);
  for (const uint64_t block : {512, 1024}) Free(kSegment + block);  // set to none
  categories.clear();
  Accumulate(&nodes[1], first);
  Accumulate(&nodes[0], second);
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 512, Category::kGradient},
                                                                 {kSegment + 1024, Category::kGradient}});
  for (const uint64_t block : {512, 1024}) Free(kSegment + block);
}

TEST_CASE("What is added to a leaf's gradient is none, though the leaf's node is new") {
  FakeTensor weight(kSegment + 512);
  FakeTensor bias(kSegment + 512);  // in the same block
  FakeTensor kept(kSegment + 1024);
  FakeTensor added(kSegment + 2048);
  FakeTensor kept_for_bias(kSegment + 4096);
  static const std::array<int, 3> nodes{};
  categories.clear();
  MakeAccumulator(&nodes[0], weight);
  Accumulate(&nodes[0], kept);
  MakeAccumulator(&nodes[1], weight);
  Accumulate(&nodes[1], added);
  MakeAccumulator(&nodes[2], bias);
  Accumulate(&nodes[2], kept_for_bias);
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 512, Category::kParameter},
                                                                 {kSegment + 1024, Category::kGradient},
                                                                 {kSegment + 4096, Category::kGradient}});
  for (const uint64_t block : {512, 1024, 2048, 4096}) Free(kSegment + block);
}

TEST_CASE("What a hook makes while a gradient is accumulated is no gradient") {
  FakeTensor kept(kSegment + 512);
  FakeTensor copied(kSegment + 1024);
  static const std::array<int, 2> nodes{};
  categories.clear();
  Tell(TheGates().gradient_arrives, kept.vector());
  Make(kSegment + 4096);
  Free(kSegment + 4096);
  Tell(TheGates().gradient_accumulated, static_cast<const void*>(&nodes[0]));
  Tell(TheGates().gradient_arrives, copied.vector());
  Make(kSegment + 1536);
  Make(kSegment + 4096);
  Tell(TheGates().gradient_accumulated, static_cast<const void*>(&nodes[1]));
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 512, Category::kGradient},
                                                                 {kSegment + 1536, Category::kGradient}});
  for (const uint64_t block : {512, 1536, 4096}) Free(kSegment + block);
}

TEST_CASE("A gradient that an optimizer in backward has used up is none, nor is what the optimizer made") {
  FakeTensor used_up(kSegment + 512);
  static const int node = 0;
  const std::array<std::byte, 64> scope{};
  categories.clear();
  Tell(TheGates().gradient_arrives, used_up.vector());
  OnUserScopeBegins("Optimizer.step#Adam.step", scope.data());
  Make(kSegment + 1024);
  Make(kSegment + 1536);
  Free(kSegment + 1536);
  OnRecordFunctionEnds(scope.data() + 16);
  Free(kSegment + 512);  // set to none
  Tell(TheGates().gradient_accumulated, static_cast<const void*>(&node));
  CHECK(categories ==
        std::vector<std::pair<uint64_t, Category>>{{kSegment + 1024, Category::kOptimizerState}});
  Free(kSegment + 1024);
}

TEST_CASE("What an optimizer's step leaves is its state") {
  const std::array<std::byte, 64> scope{};
  categories.clear();
  OnUserScopeBegins("Optimizer.step#Adam.step", scope.data());
  Make(kSegment + 512);
  Make(kSegment + 1024);
  Free(kSegment + 512);
  OnRecordFunctionEnds(scope.data() + 16);
  CHECK(categories ==
        std::vector<std::pair<uint64_t, Category>>{{kSegment + 1024, Category::kOptimizerState}});
  Free(kSegment + 1024);
  told.clear();
}

TEST_CASE(
    "A model's call without gradients is a phase and leaves outputs; with them, or in an optimizer, it does "
    "not") {
  const std::array<std::byte, 64> scope{};
  WatchEvaluations();
  c10::GradMode::set_enabled(true);
  CHECK_FALSE(evaluation_listener.begins());
  c10::GradMode::set_enabled(false);
  OnUserScopeBegins("Optimizer.step#SGD.step", scope.data());
  CHECK_FALSE(evaluation_listener.begins());
  OnRecordFunctionEnds(scope.data());
  categories.clear();
  phases.clear();
  CHECK(evaluation_listener.begins());
  current_context.evaluates = true;
  Make(kSegment + 512);
  Make(kSegment + 1024);
  Free(kSegment + 512);
  evaluation_listener.ends();
  current_context.evaluates = false;
  Make(kSegment + 2048);
  CHECK(categories == std::vector<std::pair<uint64_t, Category>>{{kSegment + 1024, Category::kOutput}});
  CHECK(phases == std::vector<Phase>{Phase::kEvaluation, Phase::kIdle});
  Free(kSegment + 1024);
  Free(kSegment + 2048);
}

TEST_CASE("What the closure of an optimizer's step runs is forward and backward, and leaves no state") {
  const std::array<std::byte, 64> scope{};
  FakeTensor activation(kSegment + 16384);
  Make(kSegment + 16384);
  phases.clear();
  categories.clear();
  const size_t steps = StepsEnded();
  OnUserScopeBegins("Optimizer.step#SGD.step", scope.data());
  for (int i = 0; i < 2; ++i) {  // LBFGS runs it several times
    Tell(TheGates().tensor_saved, activation.handle());
    CHECK(OptimizerAtWork() == 0);
    Make(kSegment + 20480 + 512 * i);  // a workspace
    Tell(TheGates().backward_begins);
    Tell(TheGates().backward_ended);
    CHECK(OptimizerAtWork() == 1);
  }
  Make(kSegment + 24576);
  OnRecordFunctionEnds(scope.data());
  CHECK(phases == std::vector<Phase>{Phase::kOptimizer, Phase::kForward, Phase::kBackward, Phase::kOptimizer,
                                     Phase::kForward, Phase::kBackward, Phase::kOptimizer, Phase::kIdle});
  CHECK(categories ==
        std::vector<std::pair<uint64_t, Category>>{{kSegment + 16384, Category::kActivation},
                                                   {kSegment + 24576, Category::kOptimizerState}});
  CHECK(StepsEnded() == steps + 1);
  Free(kSegment + 16384);
}

TEST_CASE("Threads that step at once tell of each step's begin and end once, and in that order") {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(StepOften);
  threads.clear();
  std::vector<std::pair<EventKind, int64_t>> expected;
  for (int64_t step = told.empty() ? 0 : told.front().second; expected.size() < told.size(); ++step) {
    expected.emplace_back(EventKind::kStepBegin, step);
    expected.emplace_back(EventKind::kStepEnd, step);
  }
  CHECK_FALSE(told.empty());
  CHECK(told == expected);
  told.clear();
}

TEST_CASE("Steps of a second training are numbered on") {
  Course course;
  static const std::array<int, 2> optimizers{};
  told.clear();
  for (const size_t turn : {0, 0, 1, 1, 1}) {
    course.RecordForward();
    course.BeginOptimizer();
    course.EndOptimizer(&optimizers.at(turn));
  }
  std::vector<int64_t> ends;
  for (const auto& [kind, number] : told) {
    if (kind == EventKind::kStepEnd) ends.push_back(number);
  }
  CHECK(ends == std::vector<int64_t>{0, 1, 0, 3, 4});
  told.clear();
}

TEST_CASE("The first round of a generator that steps twice is one step") {
  Course course;
  static const std::array<int, 2> optimizers{};
  told.clear();
  for (const size_t turn : {0, 1, 1, 0, 1, 1}) {
    course.RecordForward();
    course.BeginOptimizer();
    course.EndOptimizer(&optimizers.at(turn));
  }
  CHECK(told == std::vector<std::pair<EventKind, int64_t>>{{EventKind::kStepBegin, 0},
                                                           {EventKind::kStepEnd, 0},
                                                           {EventKind::kStepBegin, 1},
                                                           {EventKind::kStepEnd, 0},
                                                           {EventKind::kStepBegin, 1},
                                                           {EventKind::kStepEnd, 2},
                                                           {EventKind::kStepBegin, 3},
                                                           {EventKind::kStepBegin, 1},
                                                           {EventKind::kStepEnd, 1}});
  told.clear();
}

TEST_CASE("The first round of two optimizers is one step") {
  Course course;
  static const std::array<int, 2> optimizers{};
  told.clear();
  for (int round = 0; round < 2; ++round) {
    for (const int& optimizer : optimizers) {
      course.RecordForward();
      course.BeginOptimizer();
      course.EndOptimizer(&optimizer);
    }
  }
  CHECK(told == std::vector<std::pair<EventKind, int64_t>>{{EventKind::kStepBegin, 0},
                                                           {EventKind::kStepEnd, 0},
                                                           {EventKind::kStepBegin, 1},
                                                           {EventKind::kStepEnd, 0},
                                                           {EventKind::kStepBegin, 1},
                                                           {EventKind::kStepEnd, 1}});
  told.clear();
}

TEST_CASE("Optimizers that step inside of backward make one step of it") {
  Course course;
  static const int behind_it = 0;
  told.clear();
  phases.clear();
  for (int step = 0; step < 2; ++step) {
    course.RecordForward();
    course.BeginBackward();
    for (int layer = 0; layer < 12; ++layer) CHECK_FALSE(course.BeginOptimizer());
    course.BeginBackward();  // what is checkpointed with reentry
    course.EndBackward();
    CHECK(StepsEnded() == static_cast<size_t>(step));
    course.EndBackward();
    CHECK(StepsEnded() == static_cast<size_t>(step) + 1);
  }
  CHECK(phases.back() == Phase::kIdle);
  // What a last optimizer does behind it is of the same step, once it is known.
  for (int step = 0; step < 3; ++step) {
    course.RecordForward();
    course.BeginBackward();
    CHECK_FALSE(course.BeginOptimizer());
    course.EndBackward();
    CHECK(course.BeginOptimizer());
    course.EndOptimizer(&behind_it);
  }
  CHECK(told.back() == std::pair<EventKind, int64_t>{EventKind::kStepEnd, 2});
  told.clear();
}

TEST_CASE("Of two optimizers of one class each is known by itself") {
  const std::array<int, 2> optimizers{};
  for (int round = 0; round < 20; ++round) {  // whatever stepped before is gone by then
    Turn(&optimizers[0]);
    Turn(&optimizers[1]);
  }
  told.clear();
  for (int round = 0; round < 5; ++round) {
    Turn(&optimizers[0]);
    Turn(&optimizers[1]);
  }
  CHECK(StepsEnded() == 5);
  told.clear();
}

}  // namespace tidemark::capture
