#include "profiler/capture/probe/operator_loading.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "profiler/capture/gates/gates.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/capture/operators/layer_scopes.h"
#include "profiler/capture/operators/operator_scopes.h"
#include "profiler/capture/probe/training_watch.h"
#include "profiler/capture/stream/event_stream.h"

namespace tidemark::capture {
namespace {

std::string Sentence(const std::string& why) {
  return "operators are not known: " + why +
         " Start the program itself under record --operators, by the Python that has its torch.";
}

// "" where they are watched.
std::string WhyNone(const char* library) {
  // Another build of LibTorch has its classes laid out otherwise.
  const char* const torch = std::getenv(kProbeTorchVariable);
  if (torch == nullptr || dlopen(torch, RTLD_LAZY | RTLD_NOLOAD) == nullptr) {
    return Sentence("the PyTorch of this process is another one than they were prepared for.");
  }
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Sentence(std::string(dlerror()) + ".");
  const auto watch = reinterpret_cast<OperatorAdapterEntry>(dlsym(handle, kOperatorAdapterEntry));
  if (watch == nullptr || !watch(&kOperatorScopes)) return Sentence("PyTorch let nobody watch them.");
  WatchEvaluations();
  TheGates().layer_begins = [](const char* name) { return BeginLayer(Intern(name)); };
  TheGates().layer_ends = EndLayer;
  return "";
}

}  // namespace

bool LoadOperatorWatch() {
  static std::atomic<bool> tried{false};
  static std::atomic<bool> watches{false};
  if (tried.exchange(true)) return watches;
  const char* const library = std::getenv(kProbeOperatorsVariable);
  if (library == nullptr || *library == '\0') return false;
  const std::string why = WhyNone(library);
  watches = why.empty();
  if (!watches) EmitLack(events::Source::kAllocator, why);
  return watches;
}

}  // namespace tidemark::capture
