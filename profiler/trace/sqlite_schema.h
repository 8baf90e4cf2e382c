// The tables of our SQLite exports, shared by the writer and the reader. Kinds, categories, phases, sources
// and levels are the numbers of profiler/events/event.h; the tables of that name give their words.
#pragma once

#include "profiler/events/event.h"

namespace tidemark::trace {

// Allocations and frees are the kinds up to this one, which the schema has as a number.
static_assert(static_cast<int>(events::EventKind::kAllocate) == 0 &&
              static_cast<int>(events::EventKind::kFreeCompleted) == 2);
inline constexpr const char* kSqliteSchema = R"(
CREATE TABLE run (description TEXT NOT NULL,  -- JSON
  global_pid INTEGER NOT NULL);  -- its process, as Nsight Systems numbers processes
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE categories (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE phases (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE moments (  -- What happened, in order. All that differs little from one to the next is in contexts.
  id INTEGER PRIMARY KEY, time_ns INTEGER, context INTEGER, address INTEGER,
  bytes INTEGER, rounded_bytes INTEGER,  -- as requested, as allocated
  change INTEGER,                        -- of what is allocated
  allocated INTEGER, reserved INTEGER);  -- right after it
CREATE TABLE contexts (id INTEGER PRIMARY KEY, kind INTEGER, category INTEGER, phase INTEGER, source INTEGER,
  device INTEGER, recompute INTEGER, level INTEGER, stream INTEGER, thread INTEGER,
  layer INTEGER, op INTEGER, name INTEGER,  -- ids of names
  pool INTEGER);
CREATE VIEW events AS  -- moments with their contexts. A metric's value is the double whose bits are in address.
  SELECT moments.id AS id, time_ns, kind, address, bytes, rounded_bytes, stream, layer, op, name, thread, category,
    phase, source, device, recompute, level, pool, change, allocated, reserved
  FROM moments LEFT JOIN contexts ON contexts.id = context;  -- LEFT: in the order of moments
CREATE TABLE steps (number INTEGER, begin_event INTEGER, end_event INTEGER, begin_ns INTEGER, end_ns INTEGER,
  peak_event INTEGER, allocated_peak INTEGER, reserved_peak INTEGER, requested_peak INTEGER, loss REAL);
CREATE VIEW StringIds AS SELECT id, name AS value FROM names;
CREATE VIEW CUDA_GPU_MEMORY_USAGE_EVENTS AS  -- allocations and frees as Nsight Systems writes them
  SELECT time_ns AS start, (SELECT global_pid FROM run) AS globalPid, device AS deviceId, 0 AS contextId, address,
    0 AS pc, rounded_bytes AS bytes, 2 AS memKind,  -- device memory
    kind <> 0 AS memoryOperationType,               -- 0 an allocation, 1 a free
    op AS name, 0 AS correlationId, stream AS streamId
  FROM events WHERE change <> 0 AND kind <= 2;
)";

}  // namespace tidemark::trace
