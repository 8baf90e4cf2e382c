#include "profiler/capture/stacks/stack_names.h"

#include <pthread.h>

#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/base/choices.h"
#include "profiler/capture/stacks/native_frames.h"
#include "profiler/capture/stacks/python_frames.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/stack.h"
#include "profiler/events/stack_languages.h"

namespace tidemark::capture {
namespace {

using events::NameId;

constexpr size_t kMostFramesRead = 128;
constexpr size_t kMostFramesTold = 32;

bool IsWanted(std::string_view language) {
  const char* const languages = std::getenv(events::kStacksVariable);
  return languages != nullptr && IsListed(languages, language);
}

// What is known of the calling thread's stack. `instead`: where it runs no Python.
struct Stack {
  NameId op = 0;
  NameId instead = 0;
  std::span<const uintptr_t> native;
  std::span<const PythonFrame> python;
};

// 64 bits: of a million different stacks two are taken for one in one process of 37 million. Parts of a frame
// are multiplied apart from each other (by odd constants of splitmix64 and xxHash), for a processor does that
// at once.
uint64_t HashOf(const Stack& stack) {
  uint64_t hash = 0x9e3779b97f4a7c15U;
  const auto add = [&hash](uint64_t value) {
    hash = (hash ^ value) * 0xbf58476d1ce4e5b9U;
    hash ^= hash >> 32;
  };
  add(uint64_t{stack.op} << 32 | (stack.python.empty() ? stack.instead : 0));
  for (const uintptr_t address : stack.native) add(address);
  for (const PythonFrame& frame : stack.python) {
    add(reinterpret_cast<uintptr_t>(frame.code) +
        reinterpret_cast<uintptr_t>(frame.file) * 0x94d049bb133111ebU +
        reinterpret_cast<uintptr_t>(frame.function) * 0x9e3779b185ebca87U +
        (static_cast<uint64_t>(frame.instruction) << 32 | static_cast<uint32_t>(frame.first_line)) *
            0xc2b2ae3d27d4eb4fU);
  }
  return hash;
}

// torch.nn.Module.__call__ between a module and the one that it calls: two frames each that say nothing.
bool IsCallOfModule(std::string_view frame) {
  return frame.starts_with("_wrapped_call_impl (torch/nn/modules/module.py:") ||
         frame.starts_with("_call_impl (torch/nn/modules/module.py:");
}

std::string ThreadText() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return std::string("thread ") + name.data();
}

void AppendFrame(std::string_view frame, std::string& stack) {
  if (!stack.empty()) stack += events::kFrameSeparator;
  stack += frame;
}

template <typename Frame>
void AppendFrames(std::span<const Frame> frames, std::string& stack) {
  size_t told = 0;
  for (const Frame& frame : frames) {
    const std::string text = TextOf(frame);
    if (text.empty() || IsCallOfModule(text)) continue;
    if (++told > kMostFramesTold) return AppendFrame("…", stack);
    AppendFrame(text, stack);
  }
}

std::string TextOf(const Stack& stack) {
  std::string text = NameOf(stack.op);
  AppendFrames(stack.native, text);
  AppendFrames(stack.python, text);
  if (stack.python.empty() && WantsPythonStacks()) {
    AppendFrame(stack.instead == 0 ? ThreadText() : NameOf(stack.instead), text);
  }
  return text;
}

// What a thread frees and allocates as it ends is told after its own objects are gone.
thread_local bool known_stacks_are_gone = false;
struct KnownStacks {
  KnownStacks() = default;
  ~KnownStacks() { known_stacks_are_gone = true; }
  KnownStacks(const KnownStacks&) = delete;
  KnownStacks& operator=(const KnownStacks&) = delete;
  std::unordered_map<uint64_t, NameId> names;  // by their hashes
};

NameId NewNameOf(const Stack& stack, events::Source source) {
  const NameId name = Intern(TextOf(stack), source);
  return name == 0 ? stack.op : name;
}

NameId NameOf(const Stack& stack, events::Source source = events::Source::kAllocator) {
  if (known_stacks_are_gone) return NewNameOf(stack, source);
  thread_local KnownStacks known;
  const uint64_t hash = HashOf(stack);
  const auto found = known.names.find(hash);
  if (found != known.names.end()) return found->second;
  const NameId name = NewNameOf(stack, source);
  if (name != stack.op) known.names.emplace(hash, name);
  return name;
}

}  // namespace

bool WantsPythonStacks() {
  static const bool wanted = IsWanted(events::kPythonStacks);
  return wanted;
}

bool WantsNativeStacks() {
  static const bool wanted = IsWanted(events::kNativeStacks);
  return wanted;
}

void BeginStacks() {
  if (!WantsPythonStacks()) return;
  const std::string why = WhyNoPythonFrames();
  if (!why.empty()) EmitLack(events::Source::kAllocator, why);
}

NameId WithPythonStack(NameId op, NameId instead) {
  if (!WantsPythonStacks()) return op;
  std::array<PythonFrame, kMostFramesRead> frames;
  return NameOf({op, instead, {}, std::span(frames).first(ReadPythonFrames(frames))});
}

NameId WithSegmentStack(NameId op, NameId instead, events::Source source) {
  if (!WantsNativeStacks()) return WithPythonStack(op, instead);
  std::array<uintptr_t, kMostFramesRead> native;
  std::array<PythonFrame, kMostFramesRead> python;
  const size_t python_frames = WantsPythonStacks() ? ReadPythonFrames(python) : 0;
  return NameOf({op, instead, std::span(native).first(ReadNativeFrames(native)),
                 std::span(python).first(python_frames)},
                source);
}

}  // namespace tidemark::capture
