#include "profiler/capture/nvtx/nvtx_source.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/base/thread_annotations.h"
#include "profiler/base/utf8.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture::nvtx {
namespace {

using events::EventKind;

static_assert(offsetof(Attributes, message) == 40 && sizeof(Attributes) == 48);

std::string Narrow(const wchar_t* wide) {
  std::string text;
  for (; wide != nullptr && *wide != L'\0'; ++wide) AppendUtf8(std::bit_cast<uint32_t>(*wide), text);
  return text;
}

std::string TextOf(const Attributes* attributes) {
  constexpr size_t kWithMessage = offsetof(Attributes, message) + sizeof(void*);
  if (attributes == nullptr || attributes->bytes < kWithMessage || attributes->message == nullptr) return {};
  switch (attributes->message_type) {
    case kText:
      return static_cast<const char*>(attributes->message);
    case kWideText:
      return Narrow(static_cast<const wchar_t*>(attributes->message));
    case kRegistered:
      return *static_cast<const std::string*>(attributes->message);
    default:
      return {};
  }
}

// NVTX asks for the depth of the range in its thread, from 0. Those below `first_told` began before the
// stream was open, and end as quietly.
thread_local int depth = 0;
thread_local int first_told = 0;

// What emit_nvtx adds to an operator's name is of this one call ("aten::add, seq = 17, op_id = 99"); a name
// for each would be told on the way, too.
std::string_view WithoutNumbers(std::string_view text) {
  return text.substr(0, std::min(text.find(", seq = "), text.find(", op_id = ")));
}

int Push(std::string_view text) {
  if (!EventStreamIsOpen()) {
    first_told = ++depth;
    return depth - 1;
  }
  events::Event event;
  event.kind = EventKind::kScopeBegin;
  event.op = Intern(text.empty() ? "NVTX range" : WithoutNumbers(text));
  Emit(event);
  return depth++;
}
int Pop() {
  if (depth == 0) return -1;  // NVTX's own word for it; nothing ends that did not begin
  if (--depth < first_told) {
    first_told = depth;
    return depth;
  }
  events::Event event;
  event.kind = EventKind::kScopeEnd;
  Emit(event);
  return depth;
}
void Mark(std::string_view text) {
  if (!EventStreamIsOpen()) return;  // nor is its name learnt: nobody would be told what it means
  events::Event event;
  event.kind = EventKind::kMarker;
  event.name = Intern(text.empty() ? "NVTX mark" : text);
  Emit(event);
}

// Ranges that may end in another thread than they began in.
class OpenRanges {
 public:
  uint64_t Start(std::string text) {
    if (text.empty()) text = "NVTX range";
    Mark(text + " begins");
    const MutexLock lock(mutex_);
    open_.emplace(++last_, std::move(text));
    return last_;
  }
  void End(uint64_t id) {
    std::string text;
    {
      const MutexLock lock(mutex_);
      const auto range = open_.extract(id);
      if (range.empty()) return;
      text = std::move(range.mapped());
    }
    Mark(text + " ends");
  }

 private:
  Mutex mutex_;
  std::map<uint64_t, std::string> open_ TIDEMARK_GUARDED_BY(mutex_);
  uint64_t last_ TIDEMARK_GUARDED_BY(mutex_) = 0;
};

OpenRanges& Ranges() {
  static auto& ranges = *new OpenRanges;  // the program's threads outlive main
  return ranges;
}

const char* OrEmpty(const char* text) { return text == nullptr ? "" : text; }

// A registered string stays: programs keep its handle for as long as they run.
class RegisteredTexts {
 public:
  const void* Keep(std::string text) {
    const MutexLock lock(mutex_);
    return &*texts_.insert(std::move(text)).first;
  }

 private:
  Mutex mutex_;
  std::set<std::string> texts_ TIDEMARK_GUARDED_BY(mutex_);  // whose elements stay where they are
};

const void* Register(std::string text) {
  static auto& texts = *new RegisteredTexts;
  return texts.Keep(std::move(text));
}

template <typename Function>
void Set(FunctionTable table, unsigned count, unsigned place, Function function) {
  if (place < count && table[place] != nullptr) *table[place] = reinterpret_cast<AnyFunction>(function);
}

void AttachToCore(FunctionTable table, unsigned count) {
  Set(
      table, count, kMarkEx, +[](const Attributes* said) { Mark(TextOf(said)); });
  Set(
      table, count, kMark, +[](const char* text) { Mark(OrEmpty(text)); });
  Set(
      table, count, kMarkWide, +[](const wchar_t* text) { Mark(Narrow(text)); });
  Set(
      table, count, kRangeStartEx, +[](const Attributes* said) { return Ranges().Start(TextOf(said)); });
  Set(
      table, count, kRangeStart, +[](const char* text) { return Ranges().Start(OrEmpty(text)); });
  Set(
      table, count, kRangeStartWide, +[](const wchar_t* text) { return Ranges().Start(Narrow(text)); });
  Set(
      table, count, kRangeEnd, +[](uint64_t id) { Ranges().End(id); });
  Set(
      table, count, kRangePushEx, +[](const Attributes* said) { return Push(TextOf(said)); });
  Set(
      table, count, kRangePush, +[](const char* text) { return Push(OrEmpty(text)); });
  Set(
      table, count, kRangePushWide, +[](const wchar_t* text) { return Push(Narrow(text)); });
  Set(table, count, kRangePop, &Pop);
}

void AttachToDomains(FunctionTable table, unsigned count) {
  Set(
      table, count, kDomainMarkEx, +[](void*, const Attributes* said) { Mark(TextOf(said)); });
  Set(
      table, count, kDomainRangeStartEx,
      +[](void*, const Attributes* said) { return Ranges().Start(TextOf(said)); });
  Set(
      table, count, kDomainRangeEnd, +[](void*, uint64_t id) { Ranges().End(id); });
  Set(
      table, count, kDomainRangePushEx, +[](void*, const Attributes* said) { return Push(TextOf(said)); });
  Set(
      table, count, kDomainRangePop, +[](void*) { return Pop(); });
  Set(
      table, count, kDomainRegisterString, +[](void*, const char* text) { return Register(OrEmpty(text)); });
  Set(
      table, count, kDomainRegisterStringWide,
      +[](void*, const wchar_t* text) { return Register(Narrow(text)); });
}

}  // namespace
}  // namespace tidemark::capture::nvtx

int InitializeInjectionNvtx2(tidemark::capture::nvtx::ExportTable table) {
  using namespace tidemark::capture::nvtx;
  const auto* const callbacks = static_cast<const Callbacks*>(table(kCallbacksTable));
  if (callbacks == nullptr || callbacks->bytes < sizeof(Callbacks)) return 0;
  constexpr std::pair<Module, void (*)(FunctionTable, unsigned)> kModules[] = {{kCore, &AttachToCore},
                                                                               {kDomains, &AttachToDomains}};
  for (const auto& [module, attach] : kModules) {
    FunctionTable functions = nullptr;
    unsigned count = 0;
    const bool known = callbacks->functions_of(module, &functions, &count) != 0 && functions != nullptr;
    if (known) attach(functions, count);
  }
  return 1;
}
