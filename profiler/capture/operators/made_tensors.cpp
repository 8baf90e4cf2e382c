#include "profiler/capture/operators/made_tensors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

// The latest that nobody has told; what falls out stays without a shape. Few: most are told before the
// operator makes the next, and a thread's variables have little room
// (profiler/capture/stream/CMakeLists.txt).
struct Untold {
  std::array<uint64_t, 8> addresses;
  uint32_t count;
};
constinit thread_local Untold untold{};

// Sizes that follow from data (a mask's) are new with each step, and a name stays for good, here and with
// who reads it: some 30 MB.
constexpr events::NameId kMostNames = 1 << 17;
std::atomic<events::NameId> latest_name{0};

uint64_t* Find(uint64_t address) {
  uint64_t* const end = untold.addresses.data() + untold.count;
  return std::find(untold.addresses.data(), end, address);
}

bool IsEnd(const uint64_t* place) { return place == untold.addresses.data() + untold.count; }

void Remove(uint64_t* place) {
  std::copy(place + 1, untold.addresses.data() + untold.count, place);
  --untold.count;
}

}  // namespace

void BlockMade(uint64_t address) {
  if (current_context.operator_depth == 0) return;
  if (uint64_t* const freed = Find(address); !IsEnd(freed)) Remove(freed);
  if (untold.count == untold.addresses.size()) Remove(untold.addresses.data());
  untold.addresses[untold.count++] = address;
}

bool AwaitsTensor(uint64_t address) {
  return untold.count > 0 && !IsEnd(Find(address)) && EventStreamIsOpen();
}

void TellTensor(const MadeTensor& tensor) {
  Remove(Find(tensor.address));
  if (latest_name.load(std::memory_order_relaxed) >= kMostNames) return;
  std::string text(tensor.type);
  text += " [";
  for (size_t i = 0; i < tensor.dimensions; ++i)
    text += (i > 0 ? ", " : "") + std::to_string(tensor.sizes[i]);
  text += ']';
  events::Event event;
  event.kind = events::EventKind::kTensorShape;
  event.address = tensor.address;
  event.name = Intern(text);
  if (event.name == 0) return;  // the ring had no room for it
  if (event.name > latest_name.load(std::memory_order_relaxed))
    latest_name.store(event.name, std::memory_order_relaxed);
  Emit(event);
}

void ForgetMadeBlocks() { untold.count = 0; }

}  // namespace tidemark::capture
