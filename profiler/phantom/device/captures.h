// Captures of work into CUDA graphs: what is submitted to a stream that takes part in one is done on a card
// whenever the graph is launched, and not before; and so it is here. Each capture has a number, from 1; it
// holds the stream that it began with and those that waited for one of its events. The first has to wait for
// the work of the others before the capture ends (programming guide, "Cross-stream Dependencies and Events").
// Any thread. Where nothing is captured, to ask costs one load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/phantom/device/activity.h"

namespace tidemark::phantom::device {

struct CapturedWork {
  std::function<void()> run;         // what it does to memory when the graph is launched; may be empty
  std::optional<Activity> activity;  // as it is told then
  bool is_node = true;               // false: it says more of a kernel that is another piece of work
};

// The capture's number; 0 where the stream takes part in one already.
uint64_t BeginCapture(const void* stream);
// The event stands behind all that was captured of this stream; as CaptureOf.
uint64_t RecordCaptured(const void* event, const void* stream);
// The stream waits for an event that was recorded in that capture.
void JoinCapture(uint64_t capture, const void* event, const void* stream);
// It is destroyed: the next one may come to lie where it did.
void LeaveCapture(const void* stream);
struct EndedCapture {
  std::vector<CapturedWork> works;  // all that was noted for it, in order
  bool is_joined = true;            // the stream that it began with waited for all of them
};
EndedCapture EndCapture(uint64_t capture);
bool CaptureLasts(uint64_t capture);
bool SomethingIsCaptured();
// That this stream takes part in; 0 if none.
uint64_t CaptureOf(const void* stream);

// For a stream that takes part in one.
void NoteCaptured(const void* stream, CapturedWork work);
inline void NoteCaptured(const void* stream, CapturedWork work, const Activity& activity) {
  work.activity = activity;
  NoteCaptured(stream, std::move(work));
}
// Done now, or whenever the graph is launched that this stream's work is captured into.
template <typename Work>
void Submit(const void* stream, const Work& work) {
  if (CaptureOf(stream) != 0) return NoteCaptured(stream, {work, {}});
  work();
}
// Host memory that is not pinned is the program's own, and may be gone by the time of a launch: it is left
// alone.
CapturedWork CapturedCopy(void* to, const void* from, size_t bytes);
CapturedWork CapturedFill(void* pointer, int value, size_t bytes);
// See NoteKernel.
CapturedWork CapturedKernel(const void* stub, void* const* arguments);

// For every function that computes on the device, on this stream.
void KernelRan(const void* stream);

// A graph of these is launched on this stream.
void Launch(const std::vector<CapturedWork>& works, const void* stream);

}  // namespace tidemark::phantom::device
