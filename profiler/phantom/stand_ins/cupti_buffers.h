// CUPTI's activity buffers: asked for from the tool, filled with records, given back when they are full or
// flushed. Thread safe; the tool's functions are called without a lock, `requested` on the thread that has a
// record, `completed` on a thread of our own or on the one that flushes, as CUPTI does.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::phantom::cupti {

void UseBuffersOf(CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed);
bool HasBuffers();

// One record as its bytes. A record without room is dropped and counted.
void Write(std::span<const uint8_t> record);
// Gives back everything that was written before the call.
void Flush();
size_t TakeDropped();

// The bytes of a record of this kind as this CUPTI writes it; 0 = it writes none.
size_t RecordBytes(CUpti_ActivityKind kind);

}  // namespace tidemark::phantom::cupti
