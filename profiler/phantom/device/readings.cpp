#include "profiler/phantom/device/readings.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/activity.h"
#include "profiler/phantom/device/doubts.h"
#include "profiler/phantom/device/python_place.h"

namespace tidemark::phantom::device {
namespace {

thread_local const void* last_kernel = nullptr;

// Enough to find them; a program that reads in more places reads everywhere.
constexpr size_t kMostPlaces = 32;

// A loop that ends by a result of the card may never end here, and nobody would learn why. Programs that only
// print their loss get here too, late, and lose nothing by a line.
constexpr uint64_t kSuspiciousReadings = 10'000;

struct Places {
  Mutex mutex;
  // And how often each was to be told.
  std::map<std::string, uint64_t> sentences TIDEMARK_GUARDED_BY(mutex);
};

// Never destroyed: its texts are told when the process exits.
Places& ThePlaces() {
  static Places* const places = new Places;
  return *places;
}

// The end of the name of the function in PyTorch that makes `all` of a reduction.
bool IsAll(const void* stub) {
  const char* name = stub == nullptr ? nullptr : KernelName(stub);
  return name != nullptr && std::string_view(name).find("15and_kernel_cuda") != std::string_view::npos;
}

}  // namespace

void NoteKernel(const void* stub) { last_kernel = stub; }

void NoteReading(void* to, size_t bytes, Certainty certainty) {
  if (certainty == Certainty::kKnown) return;
  const bool unknown = certainty == Certainty::kUnknown;
  const bool yes = unknown && bytes == 1 && IsAll(last_kernel);
  if (yes) *static_cast<unsigned char*>(to) = 1;
  std::string sentence = PythonPlace().value_or("The program");
  if (yes) {
    sentence += " asked whether all of something is true, which no kernel had computed: it was told yes.";
  } else if (unknown) {
    sentence += " read a result that no kernel had computed: it was zero.";
  } else {
    sentence += " read what it had sent before kernels ran that may have been to change it: it was as sent.";
  }
  Places& places = ThePlaces();
  const MutexLock lock(places.mutex);
  auto found = places.sentences.find(sentence);
  if (found == places.sentences.end()) {
    if (places.sentences.size() == kMostPlaces) {
      return Doubt("Results that no kernel had computed were read in more places.");
    }
    found = places.sentences.emplace(std::move(sentence), 0).first;
    Doubt(found->first.c_str());
  }
  if (++found->second == kSuspiciousReadings) {
    std::fprintf(stderr, "tidemark phantom: 10,000 times now: %s A loop that ends by it does not end here.\n",
                 found->first.c_str());
  }
}

}  // namespace tidemark::phantom::device
