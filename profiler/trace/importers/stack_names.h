// Call stacks as names: "forward (model.py:12) ← train (train.py:40)", from where memory was asked for
// outwards. Frames of the machinery that recorded them are left out, as PyTorch's viewer does, and LibTorch's
// C++ is told by the operators and nodes of backward that it ran, "aten::linear ← forward (model.py:12)",
// where that leaves anything. So is what goes beyond 24 frames, 160 bytes of a name, or 64 MiB for all stacks
// together. Not thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/events/event.h"
#include "profiler/trace/importers/event_writer.h"
#include "profiler/trace/importers/objects.h"

namespace tidemark::trace {

class StackNames {
 public:
  StackNames(const Objects& objects, EventWriter& writer) : objects_(objects), writer_(writer) {}
  events::NameId Name(StackId stack, int64_t time_ns);

 private:
  std::string TextOf(StackId stack, bool condensed) const;
  std::string FrameText(const Frame& frame, bool condensed) const;  // "" = to be left out

  const Objects& objects_;
  EventWriter& writer_;
  std::vector<events::NameId> names_;
  size_t letters_ = 0;
};

}  // namespace tidemark::trace
