#include "profiler/phantom/device/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/outside_memory.h"
#include "profiler/phantom/device/readings.h"
#include "profiler/phantom/device/refusal.h"
#include "profiler/phantom/device/visible_devices.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/machine.h"

namespace tidemark::phantom::device {
namespace {

int CardsOfMachine() {
  const char* text = std::getenv(kDeviceCountVariable);
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

Device* OpenDevice() {
  const char* file = std::getenv(kCardVariable);
  if (file == nullptr || *file == '\0') return nullptr;
  Result<Card> card = CardFromFile(file);
  if (!card) EndProcess(("tidemark phantom: " + card.error().message).c_str());
  if (const char* bytes = std::getenv(kMemoryVariable)) {
    card->memory_bytes = std::strtoll(bytes, nullptr, 10);
    if (card->memory_bytes <= card->context_bytes) {
      EndProcess(
          "tidemark phantom: the card's memory is less than what its CUDA context takes; give it more.");
    }
  }
  Result<Faults> faults = Faults();
  if (const char* text = std::getenv(kFaultsVariable)) faults = FaultsFromText(text);
  if (!faults) EndProcess(("tidemark phantom: " + faults.error().message).c_str());
  Result<AddressOrder> order = AddressOrder();
  if (const char* text = std::getenv(kAddressesVariable)) order = AddressOrderFromText(text);
  if (!order) EndProcess(("tidemark phantom: " + order.error().message).c_str());
  return new Device(std::move(*card), *faults, *order, CardsOfMachine());
}

std::atomic<bool> cuda_has_begun{false};

// In the machine's own numbers. As CUDA begins it reads, once, which the program sees.
const std::vector<int>& VisibleNumbers() {
  static const std::vector<int> numbers = [] {
    cuda_has_begun = true;
    return InstalledDevice() == nullptr ? std::vector<int>()
                                        : VisibleDevices(std::getenv("CUDA_VISIBLE_DEVICES"),
                                                         InstalledDevice()->card, MachineDeviceCount());
  }();
  return numbers;
}

Device* VisibleDevice() {
  Device* device = InstalledDevice();
  if (device == nullptr || !VisibleNumbers().empty()) return device;
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string said = variable;
  if (!said.empty() && said != "-1") {
    DoubtOrSay(
        "tidemark phantom: CUDA_VISIBLE_DEVICES=" + said + " leaves no GPU to see: the phantom machine has " +
        (MachineDeviceCount() == 1 ? "one, number 0."
                                   : "numbers 0 to " + std::to_string(MachineDeviceCount() - 1) + "."));
  }
  return nullptr;
}

}  // namespace

int DeviceCount() { return TheDevice() == nullptr ? 0 : static_cast<int>(VisibleNumbers().size()); }

int MachineDeviceCount() {
  return InstalledDevice() == nullptr ? 0 : static_cast<int>(InstalledDevice()->pools.size());
}

int MachineNumberOf(int number) { return VisibleNumbers().at(static_cast<size_t>(number)); }

std::optional<int> NumberSeenOf(int number_of_machine) {
  if (!cuda_has_begun) return std::nullopt;
  const std::vector<int>& numbers = VisibleNumbers();
  const auto found = std::find(numbers.begin(), numbers.end(), number_of_machine);
  return found == numbers.end() ? std::nullopt : std::optional(static_cast<int>(found - numbers.begin()));
}

namespace {
thread_local int current_device = 0;
// The first on which anything was allocated.
constexpr int kNone = -1;
std::atomic<int> device_of_memory{kNone};

// Whether there is one, for each device. Never destroyed: LibTorch frees while the process exits.
std::atomic<bool>& ContextOf(int number) {
  static auto& contexts = *new std::vector<std::atomic<bool>>(VisibleNumbers().size());
  return contexts.at(static_cast<size_t>(number));
}
}  // namespace

int CurrentDevice() { return current_device; }
void SetCurrentDevice(int number) { current_device = number; }

bool HasContext(int number) { return ContextOf(number).load(std::memory_order_relaxed); }
void ContextBegins(int number) {
  if (number < 0 || number >= DeviceCount()) return;
  std::atomic<bool>& context = ContextOf(number);
  if (!context.load(std::memory_order_relaxed)) context.store(true, std::memory_order_relaxed);
}

void NoteAllocation(int number) {
  ContextBegins(number);
  int first = kNone;
  if (device_of_memory.compare_exchange_strong(first, number, std::memory_order_relaxed)) return;
  if (first == number) return;
  Doubt(kSeveralGpusDoubt);
}

Device::Device(Card its_card, const Faults& faults, const AddressOrder& order, int cards)
    : card(std::move(its_card)),
      memory(card.memory_bytes, card.context_bytes, faults, order, card.multiprocessors, cards) {
  for (int number = 0; number < cards; ++number) pools.emplace_back(memory, number);
}

std::optional<Device::Freed> Device::Free(void* pointer) {
  const std::optional<int> number = memory.CardOf(pointer);
  if (!number) return {};
  // A piece of the pool's is an allocation of the device, but not the program's.
  MemoryPool& pool = pools[static_cast<size_t>(*number)];
  const bool of_pool = pool.Contains(pointer);
  const std::optional<size_t> bytes = of_pool ? pool.Free(pointer) : memory.Free(pointer);
  if (!bytes) return {};
  NoteGivenBack(reinterpret_cast<uint64_t>(pointer));
  return Freed{*bytes, of_pool, *number};
}

namespace {

std::atomic<bool> injected{false};

// A tool's library, which the driver loads when it begins; it may ask for the device.
void LoadInjection() {
  if (injected.exchange(true)) return;
  const char* const file = std::getenv("CUDA_INJECTION64_PATH");
  if (file == nullptr || *file == '\0') return;
  void* const library = dlopen(file, RTLD_NOW);
  if (library == nullptr) return;  // "none" is a usual way to say that there is no tool
  if (auto* const begin = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))) begin();
}

}  // namespace

Device* InstalledDevice() {
  static Device* const device = OpenDevice();
  return device;
}

Device* TheDevice() {
  static Device* const device = VisibleDevice();
  if (device != nullptr && !injected.load(std::memory_order_relaxed)) LoadInjection();
  return device;
}

// Work that takes no time makes every stream empty whenever PyTorch asks: it has the block back with its next
// request.
extern "C" void TidemarkPhantomBlockWaits() {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomBlockWaits), BlockWaitsFunction>);
  Doubt(
      "Memory was freed that another stream had used (record_stream, or a collective's buffer): here it "
      "comes back with the next request; a card returns it once that stream is done, so its peaks may be "
      "higher.");
}

extern "C" void TidemarkPhantomBlockBegins(const void* pointer, size_t bytes) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomBlockBegins), BlockBeginsFunction>);
  if (Device* device = TheDevice()) device->memory.ForgetBlock(pointer, bytes);
  NoteBlock(pointer, bytes);
}

extern "C" void TidemarkPhantomBlockEnds(const void* pointer, size_t bytes) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomBlockEnds), BlockBeginsFunction>);
  if (Device* device = TheDevice()) device->memory.ForgetBlock(pointer, bytes);
}

extern "C" void TidemarkPhantomKernelRan() {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomKernelRan), KernelRanFunction>);
  KernelRan();
}

extern "C" int TidemarkPhantomReadKnown(const void* pointer, size_t bytes, void* to) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomReadKnown), ReadKnownFunction>);
  static_assert(kNotKnown == static_cast<int>(Certainty::kUnknown));
  static_assert(kAsWritten == static_cast<int>(Certainty::kAsWritten));
  static_assert(kOfZeros == static_cast<int>(Certainty::kOfZeros));
  Device* device = TheDevice();
  if (device != nullptr && device->memory.IsDevice(pointer)) {
    if (to == nullptr && bytes > 0) {
      const std::vector<CertaintyRun> runs = device->memory.CertaintyOf(pointer, bytes);
      return static_cast<int>(std::ranges::max(runs, {}, &CertaintyRun::certainty).certainty);
    }
    auto certainty = Certainty::kUnknown;
    if (device->memory.Copy(to, pointer, bytes, &certainty)) return static_cast<int>(certainty);
  }
  if (to != nullptr) std::memset(to, 0, bytes);
  return kNotKnown;
}

extern "C" void TidemarkPhantomWriteComputed(void* pointer, const void* from, size_t bytes, int certainty) {
  static_assert(std::is_same_v<decltype(&TidemarkPhantomWriteComputed), WriteComputedFunction>);
  Device* device = TheDevice();
  if (device == nullptr || !device->memory.IsDevice(pointer)) return;
  if (from != nullptr) device->memory.WriteNumbers(pointer, from, bytes);
  device->memory.Weaken(pointer, bytes, static_cast<Certainty>(certainty));
}

namespace {

struct Worked {
  std::atomic<bool> any{false};
  Mutex mutex;
  std::map<const void*, int64_t> ns_of_stream TIDEMARK_GUARDED_BY(mutex);
};

// Never destroyed: streams are used while the process exits.
Worked& TheWorked() {
  static Worked* const worked = new Worked;
  return *worked;
}

}  // namespace

int64_t WorkedNs(const void* stream) {
  Worked& worked = TheWorked();
  if (!worked.any.load(std::memory_order_relaxed)) return 0;
  const MutexLock lock(worked.mutex);
  const auto found = worked.ns_of_stream.find(stream);
  return found == worked.ns_of_stream.end() ? 0 : found->second;
}

void ForgetWork(const void* stream) {
  Worked& worked = TheWorked();
  const MutexLock lock(worked.mutex);
  worked.ns_of_stream.erase(stream);
}

void Work(const void* stream, int64_t duration_ns) {
  Worked& worked = TheWorked();
  const MutexLock lock(worked.mutex);
  worked.ns_of_stream[stream] += duration_ns;
  worked.any = true;
}

}  // namespace tidemark::phantom::device
