// The tables of our SQLite exports, shared by the writer and the reader. Kinds, categories, phases, sources
// and levels are the numbers of profiler/events/event.h; the tables of that name give their words.
#pragma once

namespace tidemark::trace {

inline constexpr const char* kSqliteSchema = R"(
CREATE TABLE run (description TEXT NOT NULL);  -- a run's description, as JSON
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE phases (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
-- What happened, in order. bytes: as requested; rounded_bytes: as allocated; layer, op, name: ids of names;
-- a metric's value is the double whose bits are in address.
CREATE TABLE events (id INTEGER PRIMARY KEY, time_ns INTEGER, kind INTEGER, address INTEGER, bytes INTEGER,
  rounded_bytes INTEGER, stream INTEGER, layer INTEGER, op INTEGER, name INTEGER, thread INTEGER,
  category INTEGER, phase INTEGER, source INTEGER, device INTEGER, recompute INTEGER, level INTEGER,
  allocated INTEGER, reserved INTEGER);  -- right after it
CREATE TABLE steps (number INTEGER, begin_event INTEGER, end_event INTEGER, begin_ns INTEGER, end_ns INTEGER,
  peak_event INTEGER, allocated_peak INTEGER, reserved_peak INTEGER, requested_peak INTEGER, loss REAL);
-- As Nsight Systems writes it: memKind 2 is device memory, memoryOperationType 0 an allocation and 1 a free.
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL,
  bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name INTEGER,
  correlationId INTEGER, streamId INTEGER);
)";

}  // namespace tidemark::trace
