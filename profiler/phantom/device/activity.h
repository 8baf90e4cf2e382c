// What happens on the phantom device and which call made it, told to one listener: the stand-in of CUPTI.
// Any thread. Without a listener, telling costs one load.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

namespace tidemark::phantom::device {

enum class Place : uint8_t { kPageable, kPinned, kDevice, kManaged };

// The memory pool that a stream-ordered allocation came from, as it was right after.
struct PoolUse {
  uint64_t address = 0;  // 0 = no pool
  uint64_t reserved_bytes = 0;
  uint64_t used_bytes = 0;
  uint64_t release_threshold_bytes = 0;
};

struct Activity {
  enum class Kind : uint8_t { kAllocate, kFree, kCopy, kFill, kKernel };
  Kind kind = Kind::kKernel;
  Place place = Place::kDevice;  // of the block; of a copy's or a fill's destination
  Place from = Place::kDevice;   // of a copy's source
  bool asynchronous = false;
  uint64_t address = 0;  // of the block; of a kernel the host's stub
  uint64_t bytes = 0;
  uint64_t stream = 0;
  uint32_t fill_value = 0;
  std::array<uint32_t, 3> grid{};  // of a kernel, and so are the two after it
  std::array<uint32_t, 3> block{};
  uint64_t shared_bytes = 0;
  PoolUse pool;
};

// A function of the CUDA runtime or driver: its number is CUPTI's callback id.
struct Function {
  enum class Library : uint8_t { kDriver, kRuntime };
  Library library = Library::kRuntime;
  uint32_t number = 0;
  const char* name = "";
};

struct Call {
  Function function;
  const void* parameters = nullptr;   // CUPTI's struct of them
  const char* symbol = nullptr;       // of a kernel that is launched
  int* status = nullptr;              // of a call that has ended
  uint32_t correlation = 0;           // of this call among all, from 1
  uint64_t* listener_word = nullptr;  // the listener's own, kept from the beginning to the end
  int64_t begin_ns = 0;
};

class ActivityListener {
 public:
  virtual void OnBegin(Call& call) = 0;
  virtual void OnEnd(Call& call) = 0;
  // `correlation`: the call that this thread is in; 0 = none that is told.
  virtual void OnActivity(const Activity& activity, uint32_t correlation) = 0;

 protected:
  ~ActivityListener() = default;
};

// The listener lives as long as the process. Null: nobody listens any more.
void Listen(ActivityListener* listener);

namespace internal {
extern std::atomic<ActivityListener*> listener;
Call BeginCall(const Function& function, const void* parameters, const char* symbol);
void EndCall(ActivityListener& listener, Call& call);
uint32_t CurrentCorrelation();
}  // namespace internal

// For those to whom telling takes more than what they know anyway.
inline bool SomeoneListens() { return internal::listener.load(std::memory_order_relaxed) != nullptr; }

inline void Tell(const Activity& activity) {
  if (ActivityListener* listener = internal::listener.load(std::memory_order_acquire)) {
    listener->OnActivity(activity, internal::CurrentCorrelation());
  }
}

// Runs `body`, which gives the function's status, as a call of this function.
template <typename Parameters, typename Body>
auto Called(const Function& function, const Parameters& parameters, Body&& body,
            const char* symbol = nullptr) {
  ActivityListener* listener = internal::listener.load(std::memory_order_acquire);
  if (listener == nullptr) [[likely]]
    return std::forward<Body>(body)();
  Call call = internal::BeginCall(function, &parameters, symbol);
  uint64_t word = 0;
  call.listener_word = &word;
  listener->OnBegin(call);
  auto status = std::forward<Body>(body)();
  int number = static_cast<int>(status);
  call.status = &number;
  internal::EndCall(*listener, call);
  return status;
}

// What a kernel is called in the device's code, by its host stub. LibTorch registers a hundred thousand while
// it loads, so registering only notes them; looking one up sorts them once.
void RegisterKernel(const void* stub, const char* name);
const char* KernelName(const void* stub);  // null if it was not registered

}  // namespace tidemark::phantom::device
