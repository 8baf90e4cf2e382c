// What the program is doing at the moment, per thread: which layer and operator run, and what the memory
// asked for now will hold. Allocation events take their context from here.
//
// Threads that LibTorch starts for an operator (OpenMP's on the CPU) have no context of their own; they share
// the one of the operator that was begun last.
#pragma once

#include <cstdint>

#include "profiler/events/event.h"

namespace tidemark::capture {

struct Context {
  events::NameId layer = 0;
  events::NameId op = 0;
  // For memory whose purpose is known before it exists; kUnknown = see SetUsualBirthCategory. `birth_name` !=
  // 0 makes a kCategorize follow the allocation.
  events::Category birth_category = events::Category::kUnknown;
  events::NameId birth_name = 0;
  uint64_t last_birth_address = 0;           // of the last allocation that had a birth name
  int operator_depth = 0;                    // operators call operators; only the outermost counts
  events::NameId layer_around_operator = 0;  // to return to when the outermost ends
  bool awaits_node = false;  // the outermost is the engine's, and its backward node has not begun yet
  bool runs_node = false;    // the outermost is a backward node
  bool recompute = false;
  bool evaluates = false;            // a model's call without gradients (layer_scopes.h) runs
  int optimizer_depth = 0;           // see OptimizerStepScope
  bool makes_state = false;          // the outermost operator is one by which an optimizer makes its state
  events::NameId forward_stack = 0;  // of what made the backward node that runs
  events::NameId computed_in =
      0;  // the type in which the outermost computes where autocast chose; 0 = unknown
};

inline constinit thread_local Context current_context{};

// The context for an event of the calling thread. Cheap; safe under any lock.
struct Attribution {
  events::NameId layer = 0;
  events::NameId op = 0;
};
Attribution CurrentAttribution();
// To be called whenever the calling thread's layer or operator changes.
void ShareAttribution();

// What memory is from birth where no BirthScope says it: kTemporary for who tags all that is not, before it
// says otherwise here. Of all threads.
void SetUsualBirthCategory(events::Category category);
events::Category BirthCategory();

// The block at this address is `category` from here on: a kCategorize in the calling thread's context.
void EmitCategory(uint64_t address, int64_t bytes, events::Category category, events::NameId name);

// Memory allocated in this scope is of this category from birth.
class BirthScope {
 public:
  BirthScope(events::Category category, events::NameId name);
  ~BirthScope();
  BirthScope(const BirthScope&) = delete;
  BirthScope& operator=(const BirthScope&) = delete;

 private:
  Context outer_;
};

// An optimizer's step. What it makes of zeros, or as a copy, stays as its state, and is that from birth:
// memory may end the step before anybody can tell what is left of it.
class OptimizerStepScope {
 public:
  OptimizerStepScope() { ++current_context.optimizer_depth; }
  ~OptimizerStepScope() { --current_context.optimizer_depth; }
  OptimizerStepScope(const OptimizerStepScope&) = delete;
  OptimizerStepScope& operator=(const OptimizerStepScope&) = delete;
};

// Checkpointing runs a forward again in this scope. Its operators count as outermost, though a backward node
// called them.
class RecomputeScope {
 public:
  RecomputeScope();
  ~RecomputeScope();
  RecomputeScope(const RecomputeScope&) = delete;
  RecomputeScope& operator=(const RecomputeScope&) = delete;

 private:
  Context outer_;
};

}  // namespace tidemark::capture
