#include "profiler/capture/nvml/card_sampler.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/background_thread.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/events/source_standing.h"
#include "profiler/phantom/environment.h"

namespace tidemark::capture {
namespace {

using events::Level;
using events::Source;

constexpr std::chrono::milliseconds kSampleEvery{100};

class CardSampler {
 public:
  explicit CardSampler(const nvml::Functions& functions)
      : nvml_(functions), process_id_(static_cast<unsigned>(getpid())) {}

  // The levels are this card's from here on.
  void Watch(nvml::Device device) TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (device == std::exchange(device_, device)) return;
    samples_without_own_ = 0;
    missed_ = false;
    Tell(Level::kProcess, 0, process_bytes_);  // what it takes of another card is none of this one's
    EmitState(Source::kDevice, Live());
  }
  // What the card has left; 0 where NVML does not answer.
  int64_t Sample() TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    nvml::Memory memory{};
    const bool answers = nvml_.memory_info(device_, &memory) == nvml::kSuccess;
    if (answers) Tell(Level::kCard, memory.used, card_bytes_);
    if (answers != std::exchange(answers_, answers)) {
      EmitState(Source::kDevice, answers
                                     ? "live (NVML answers again)"
                                     : "NVML does not answer any more: the levels stay as it told them last");
    }
    unsigned long long own = 0;
    const bool has_own = OwnBytes(own);
    if (has_own) Tell(Level::kProcess, own, process_bytes_);
    NoteOwn(has_own, own);
    return answers ? static_cast<int64_t>(memory.free) : 0;
  }
  bool KnowsProcess(nvml::Device device) TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    device_ = device;
    unsigned long long own = 0;
    return OwnBytes(own) || own == nvml::kNotAvailable;
  }

 private:
  // NVML lists a process some time after it made its context, so that it is missed only when it stays away.
  void NoteOwn(bool has_own, unsigned long long own) TIDEMARK_REQUIRES(mutex_) {
    constexpr int kPatience = 20;  // samples: two seconds
    samples_without_own_ = has_own ? 0 : samples_without_own_ + 1;
    const bool missed =
        !has_own && (missed_ || own == nvml::kNotAvailable || samples_without_own_ >= kPatience);
    if (missed == std::exchange(missed_, missed)) return;
    if (has_own) return EmitState(Source::kDevice, Live());
    EmitState(Source::kDevice,
              events::InPart(
                  Live(), own == nvml::kNotAvailable
                              ? "of the card as a whole: this driver does not tell what a process takes (WSL)"
                              : "of the card as a whole: NVML counts this process under another number (in a "
                                "container it does), or not at all"));
  }
  bool OwnBytes(unsigned long long& bytes) TIDEMARK_REQUIRES(mutex_) {
    unsigned count = static_cast<unsigned>(processes_.size());
    nvml::Code code = nvml_.compute_processes(device_, &count, processes_.data());
    if (code == nvml::kInsufficientSize) {
      processes_.resize(count + 8);  // some may come in between
      count = static_cast<unsigned>(processes_.size());
      code = nvml_.compute_processes(device_, &count, processes_.data());
    }
    if (code != nvml::kSuccess) return false;
    for (unsigned i = 0; i < count && i < processes_.size(); ++i) {
      if (processes_[i].process_id != process_id_) continue;
      bytes = processes_[i].used_bytes;
      return bytes != nvml::kNotAvailable;
    }
    return false;
  }
  std::string Live() const TIDEMARK_REQUIRES(mutex_) {
    std::array<char, 96> version{};
    nvml_.driver_version(version.data(), static_cast<unsigned>(version.size() - 1));
    std::array<char, 96> uuid{};
    const bool has_uuid =
        nvml_.device_uuid(device_, uuid.data(), static_cast<unsigned>(uuid.size() - 1)) == nvml::kSuccess;
    const char* const who = phantom::IsOnPhantom() ? "the phantom's stand-in for driver " : "driver ";
    // Ranks of one machine, or of several, have different cards: which one this is, is part of the answer.
    return "live (NVML, " + (who + std::string(version.data())) +
           (has_uuid ? ", " + std::string(uuid.data()) : "") + ")";
  }
  static void Tell(Level level, unsigned long long bytes, int64_t& known) {
    const auto now = static_cast<int64_t>(bytes);
    if (now == known) return;
    EmitLevel(Source::kDevice, level, now, now - known, 0);
    known = now;
  }

  const nvml::Functions nvml_;
  const unsigned process_id_;
  Mutex mutex_;
  nvml::Device device_ TIDEMARK_GUARDED_BY(mutex_) = nullptr;
  std::vector<nvml::Process> processes_ TIDEMARK_GUARDED_BY(mutex_) = std::vector<nvml::Process>(16);
  bool answers_ TIDEMARK_GUARDED_BY(mutex_) = true;
  int samples_without_own_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  bool missed_ TIDEMARK_GUARDED_BY(mutex_) = false;
  int64_t card_bytes_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  int64_t process_bytes_ TIDEMARK_GUARDED_BY(mutex_) = 0;
};

std::atomic<CardSampler*> the_card_sampler{nullptr};
std::atomic<bool> card_watched{false};

// Samples this card now and from here on; the rest is the thread's that calls it.
void Watch(const nvml::Functions& functions, nvml::Device device) {
  CardSampler* sampler = the_card_sampler;
  if (sampler == nullptr) sampler = new CardSampler(functions);  // its thread lives as long as the process
  sampler->Watch(device);
  sampler->Sample();
  the_card_sampler = sampler;
}

// Of a slice of a card (MIG) CUDA tells sixteen bytes, too, and NVML has another word before them.
nvml::Code FindCard(const nvml::Functions& functions, std::string uuid, nvml::Device& device) {
  const nvml::Code code = functions.device_by_uuid(uuid.c_str(), &device);
  if (code == nvml::kSuccess || !uuid.starts_with("GPU-")) return code;
  uuid.replace(0, 3, "MIG");
  return functions.device_by_uuid(uuid.c_str(), &device) == nvml::kSuccess ? nvml::kSuccess : code;
}

nvml::Device DeviceOfProcess(const nvml::Functions& functions) {
  unsigned count = 0;
  if (functions.device_count(&count) != nvml::kSuccess) return nullptr;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device device = nullptr;
    if (functions.device_by_index(index, &device) != nvml::kSuccess) continue;
    if (CardSampler(functions).KnowsProcess(device)) return device;
  }
  return nullptr;
}

// Which card a process that we know nothing of uses, as far as that is known.
class CardChoice {
 public:
  // NVML answers from here on.
  void Ready(const nvml::Functions& functions) TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    nvml_ = functions;
  }
  // The first that is told holds. Asks NVML nothing: the program's own threads tell, under PyTorch's lock.
  // Whether that is news.
  bool Told(const std::string& uuid) TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (uuid.empty() || !uuid_.empty()) return false;
    uuid_ = uuid;
    return true;
  }
  // From here on the card that was told, once it was. Of the thread that samples, as Guess.
  void WatchTold() TIDEMARK_EXCLUDES(mutex_) {
    if (has_looked_for_told_) return;
    const std::string uuid = Uuid();
    const std::optional<nvml::Functions> functions = Functions();
    if (!functions || uuid.empty()) return;
    has_looked_for_told_ = true;
    nvml::Device device = nullptr;
    if (FindCard(*functions, uuid, device) == nvml::kSuccess) Watch(*functions, device);
  }
  // Where nobody told: the one on which NVML finds this process.
  void Guess() TIDEMARK_EXCLUDES(mutex_) {
    const std::optional<nvml::Functions> functions = Functions();
    if (!functions || the_card_sampler.load() != nullptr) return;
    const nvml::Device device = DeviceOfProcess(*functions);
    if (device != nullptr) Watch(*functions, device);
  }
  int64_t FreeBytes(const std::string& uuid) TIDEMARK_EXCLUDES(mutex_) {
    const std::optional<nvml::Functions> functions = Functions();
    nvml::Device device = nullptr;
    nvml::Memory memory{};
    if (!functions || FindCard(*functions, uuid, device) != nvml::kSuccess) return 0;
    return functions->memory_info(device, &memory) == nvml::kSuccess ? static_cast<int64_t>(memory.free) : 0;
  }

 private:
  std::optional<nvml::Functions> Functions() TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return nvml_;
  }
  std::string Uuid() TIDEMARK_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return uuid_;
  }

  Mutex mutex_;  // never held while NVML is asked
  std::optional<nvml::Functions> nvml_ TIDEMARK_GUARDED_BY(mutex_);
  std::string uuid_ TIDEMARK_GUARDED_BY(mutex_);
  bool has_looked_for_told_ = false;
};

CardChoice& TheCardChoice() {
  static auto& choice = *new CardChoice;  // threads of LibTorch outlive main
  return choice;
}

// When the sampling thread looks again, and the last time: a process may end before its first sample, or long
// after its last. It is the thread that asks NVML, so that a process whose NVML hangs ends all the same.
class Pace {
 public:
  // Until the next sample; false where that is the last.
  bool Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kSampleEvery, [this] { return is_ending_ || is_due_; });
    is_due_ = false;
    return !is_ending_;
  }
  // The next sample is now.
  void Hurry() {
    const std::lock_guard lock(mutex_);
    is_due_ = true;
    changed_.notify_all();
  }
  void Done() {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
    changed_.notify_all();
  }
  void EndOfProcess() {
    constexpr std::chrono::milliseconds kPatience{300};
    std::unique_lock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kPatience, [this] { return is_done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_due_ = false;
  bool is_ending_ = false;
  bool is_done_ = false;
};

Pace& ThePace() {
  static auto& pace = *new Pace;  // its thread outlives main
  return pace;
}

void KeepSampling() {
  for (bool goes_on = true; goes_on;) {
    goes_on = ThePace().Wait();
    TheCardChoice().WatchTold();
    SampleCard();
  }
}

void FindCardAndSample(const nvml::Functions& functions, int most_guesses) {
  if (const nvml::Code code = functions.init(); code != nvml::kSuccess) {
    return EmitState(Source::kDevice, nvml::RefusalSentence(code));
  }
  TheCardChoice().Ready(functions);
  bool goes_on = true;
  for (int guesses = 0; the_card_sampler.load() == nullptr && goes_on; ++guesses) {
    if (guesses > 0) goes_on = ThePace().Wait();
    TheCardChoice().WatchTold();
    if (the_card_sampler.load() != nullptr) break;
    if (guesses < most_guesses || !goes_on) {
      TheCardChoice().Guess();
    } else if (guesses == most_guesses) {
      EmitState(Source::kDevice, nvml::RefusalSentence(nvml::kNotFound));
    }
  }
  if (goes_on) KeepSampling();
}

}  // namespace

void WatchCard(const Result<nvml::Functions>& functions, const std::string& uuid) {
  if (card_watched.exchange(true)) return;
  if (!functions) return EmitState(Source::kDevice, functions.error().message);
  nvml::Device device = nullptr;
  nvml::Code code = functions->init();
  if (code == nvml::kSuccess) code = FindCard(*functions, uuid, device);
  if (code != nvml::kSuccess) return EmitState(Source::kDevice, nvml::RefusalSentence(code));
  Watch(*functions, device);
  RunInBackground(KeepSampling);
}

void WatchCardOfProcess(const Result<nvml::Functions>& functions, int most_guesses) {
  if (card_watched.exchange(true)) return;
  if (!functions) return EmitState(Source::kDevice, functions.error().message);
  // A forked child has no such thread.
  std::atexit([] {
    if (EventStreamIsOpen()) ThePace().EndOfProcess();
  });
  RunInBackground([table = *functions, most_guesses] {
    FindCardAndSample(table, most_guesses);
    ThePace().Done();
  });
}

void UsesCard(const std::string& uuid) {
  if (TheCardChoice().Told(uuid)) ThePace().Hurry();
}

int64_t FreeBytesOfCard(const std::string& uuid) { return TheCardChoice().FreeBytes(uuid); }

int64_t SampleCard() {
  CardSampler* const sampler = the_card_sampler;
  return sampler == nullptr ? 0 : sampler->Sample();
}

}  // namespace tidemark::capture
