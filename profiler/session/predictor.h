// What the phantom says a configuration needs: the same program, run for a few steps on a GPU that does not
// exist. One warm trainer process answers question after question; the first answer takes about half a
// second, the next ones a few milliseconds. Thread safe; the work is done on a thread of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/rank_place.h"
#include "profiler/base/result.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/networks/training_settings.h"
#include "profiler/session/reserved_band.h"
#include "profiler/timeline/counted_blocks.h"
#include "profiler/timeline/series.h"

namespace tidemark::session {

// Where a few steps leave less than an eighth of the card, so many more are put to PyTorch's allocator: its
// blocks settle later than requests do, those of ResNet-50 near the edge of its card in the fifth step.
inline constexpr size_t kLaterSteps = 32;
// `usable_bytes`: of the card, beside the context.
bool IsInDoubt(int64_t reserved_bytes, int64_t usable_bytes);

// Steady state: the largest step after the first (the first creates optimizer state and differs).
struct Prediction {
  int64_t steps = 0;  // that its figures are of; 0 of a run that was no prediction
  int64_t allocated_peak_bytes = 0;
  int64_t requested_peak_bytes = 0;
  int64_t reserved_peak_bytes = 0;  // the most of the whole run, its first step among it: the card has it all
  timeline::SeriesValues at_peak{};  // by category, at the allocated peak
  // Of the same blocks what was asked for.
  timeline::BytesByCategory requested_at_peak{};
  events::Phase phase_at_peak = events::Phase::kIdle;
  std::vector<int64_t> step_curve;                     // of the largest step; steady_state.h
  double step_seconds = 0;                             // of the phantom's host side
  std::map<std::string, std::string> types_of_layers;  // under autocast; timeline/computed_types.h
  bool out_of_memory = false;  // it does not fit on the card; the figures then are those up to the failure
  bool fails_later = false;    // out_of_memory, but only in one of kLaterSteps more, which were replayed
  int64_t times_survived = 0;  // memory ran out, and the run went on; shortage.h
  std::string sentence;        // why there is no full answer; "" if there is
  std::shared_ptr<const std::vector<phantom::Request>>
      requests;                               // where asked for; run_requests.h, prolonged
  std::optional<ReservedBand> reserved_band;  // where it was asked for and is known
  std::vector<std::string> unknown_sizes;     // what counts as 0 in it, since nobody here knows its size
  std::string without_workspaces;  // why cuDNN's workspaces are missing from it; "" if they are not
};

// What is asked about beside a run's settings. PyTorch reads the allocator's when a process begins, so
// another one takes half a second, as another card.
struct PhantomSetup {
  std::string card;                                     // "" = none
  std::string allocator = events::AllocatorSettings();  // PYTORCH_CUDA_ALLOC_CONF; "" = PyTorch's own

  bool operator==(const PhantomSetup&) const = default;
};

struct PredictorOptions {
  std::optional<std::filesystem::path>
      trainer_executable;  // another program that speaks the protocol; for tests
  // The first answer for a card tells its reserved_band too, which takes another 0.1 s.
  bool with_bands = false;
  bool with_requests = false;
  std::optional<RankPlace> place{};  // of several ranks the one that is asked about; else rank 0
  int64_t memory_bytes = 0;          // of the phantom instead of its card's own; 0 = its own
};

class Predictor {
 public:
  explicit Predictor(const PredictorOptions& options = {});
  ~Predictor();
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  // The answer if it is known; asks nothing.
  std::optional<Prediction> Find(const networks::TrainingSettings& settings, const PhantomSetup& setup) const;
  // The answer if it is known; otherwise nothing, and the question is put (the newest question is answered
  // first, and one that was replaced before its turn may never be).
  std::optional<Prediction> Ask(const networks::TrainingSettings& settings, const PhantomSetup& setup);
  // Asks and waits; `goes_on` is asked again and again meanwhile, and false ends that, which is an error.
  Result<Prediction> AskAndWait(const networks::TrainingSettings& settings, const PhantomSetup& setup,
                                const std::function<bool()>& goes_on = {});
  // Whether the answer under way waits for cuDNN, which is asked what nobody has asked it before: seconds.
  bool asks_cudnn() const;
  // Networks' files have changed: what is known is forgotten, and a process that has not read them yet is
  // asked from now on.
  void Forget();
  // How many questions have been answered so far: what was made from fewer is stale.
  uint64_t answers() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tidemark::session
