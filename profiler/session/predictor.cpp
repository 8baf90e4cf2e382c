#include "profiler/session/predictor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/networks/specification.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/run.h"
#include "profiler/session/run_requests.h"
#include "profiler/session/steady_state.h"

namespace tidemark::session {
namespace {

using Clock = std::chrono::steady_clock;
using networks::TrainingSettings;

constexpr size_t kMaxWaiting = 16;
constexpr std::chrono::seconds kAnswerTimeout{60};  // a large network on a busy machine
// While cuDNN is asked: a network of many layers, on a busy machine.
constexpr std::chrono::seconds kCudnnTimeout{300};
constexpr int kStopPollMs = 100;
constexpr size_t kBudgetEvents = 1 << 20;
// The first step creates gradients and optimizer state; the second may still meet blocks of the first; a
// fourth comes out as the third. Of two networks in turns the blocks of the second settle a step later.
constexpr int64_t kSteps = 3;
constexpr int64_t kStepsInTurns = 4;
// Steps of ResNet-50 reserve up to 3 % more than its first ones.
constexpr int64_t kShareOfDoubt = 8;
// Four steps of 64 micro-batches fill a quarter of it; a ring four times as large costs 20 ms to set up.
constexpr size_t kRingEvents = 1 << 16;
// After which a question that failed may be put again: a window asks each frame.
constexpr std::chrono::seconds kFailureHolds{10};

struct Question {
  TrainingSettings settings;
  PhantomSetup setup;
  uint64_t edition = 0;  // of the networks' files
  std::string key;
};

int64_t StepsFor(const TrainingSettings& settings) {
  const Result<networks::Network> network = networks::FindNetwork(settings.network);
  return network && network->discriminator > 0 ? kStepsInTurns : kSteps;  // none: the trainer says so
}

// What changes no byte is the same for all questions of a kind.
Question QuestionOf(const TrainingSettings& settings, const PhantomSetup& setup) {
  Question question{settings, setup, 0, {}};
  question.settings.seed = 0;
  question.settings.learning_rate = TrainingSettings().learning_rate;
  if (question.settings.clip_norm > 0) question.settings.clip_norm = 1;
  question.key = setup.card + " " + setup.allocator + " " + networks::ToJson(question.settings);
  return question;
}

struct Answer {
  Prediction prediction;
  std::optional<Clock::time_point> valid_until;  // of failures that are not the configuration's own
};

// Where the run's present configuration begins: the latest marker that tells settings, at the start or the
// restart.
timeline::EventIndex BeginOfConfiguration(const timeline::View& view) {
  timeline::EventIndex begin = view.first();
  for (const timeline::Marker& marker : view.markers()) {
    if (marker.settings >= 0) begin = marker.index;
  }
  return begin;
}

// PyTorch's allocator tells of its blocks wherever it has any.
constexpr const char* kNoBlocks =
    "PyTorch tells nobody of its blocks while PYTORCH_NO_CUDA_MEMORY_CACHING is set, so there is nothing to "
    "predict from. Unset it.";

std::string FailsLaterSentence() {
  return "The first steps have room, but one of the next " + std::to_string(kLaterSteps) +
         " runs out of memory: the allocator's blocks settle later than requests do.";
}

// The one warm trainer. The worker's thread.
class WarmTrainer {
 public:
  // `stop`: the answer is not wanted any more. `asks_cudnn` is told while it waits for cuDNN.
  WarmTrainer(PredictorOptions options, const std::atomic<bool>& stop, std::atomic<bool>& asks_cudnn)
      : options_(std::move(options)), stop_(stop), asks_cudnn_(asks_cudnn) {}

  // Nothing if the process died of something that a fresh one may survive.
  std::optional<Prediction> Ask(const Question& question) {
    const int64_t steps = StepsFor(question.settings);
    const bool warm = run_ != nullptr && setup_ == question.setup && edition_ == question.edition &&
                      steps_ == steps && run_->live();
    if (warm) {
      if (!run_->Restart(question.settings)) return std::nullopt;
    } else if (Status started = Start(question, steps); !started) {
      return Unanswered(started.error().message);
    }
    const bool settled = WaitUntilSettled();
    asks_cudnn_ = false;
    const RunStatus status = run_->status();
    const std::shared_ptr<const timeline::View> view = run_->view();
    Prediction prediction;
    if (settled && (status.state == RunState::kPaused || status.out_of_memory)) {
      prediction = SteadyState(*view, BeginOfConfiguration(*view));
      prediction.steps = steps;
      const bool told_nothing = prediction.allocated_peak_bytes == 0 && !status.out_of_memory;
      if (told_nothing) return Unanswered(kNoBlocks);
      prediction.without_workspaces = status.without_workspaces;
      prediction.unknown_sizes = status.unknown_sizes;
      if (!warm && options_.with_bands) prediction.reserved_band = BandOf(*view);
      LookAtLaterSteps(*view, status.state == RunState::kPaused, prediction);
      if (status.state == RunState::kPaused) return prediction;
    }
    run_.reset();
    if (!settled) return Unanswered("The phantom GPU gave no answer in time. Try a smaller configuration.");
    if (!status.out_of_memory) return warm ? std::nullopt : std::optional(Unanswered(status.sentence));
    prediction.sentence = status.sentence;
    return prediction;
  }

 private:
  static Prediction Unanswered(std::string sentence) {
    Prediction prediction;
    prediction.sentence = std::move(sentence);
    return prediction;
  }

  // What they ask for, where that is wanted, and whether they have room, where that is in doubt and these
  // steps had. What cannot be replayed is as these steps tell it.
  void LookAtLaterSteps(const timeline::View& view, bool went_well, Prediction& prediction) const {
    const Result<phantom::Card> card = CardWithMemory();
    if (!card) return;
    const int64_t usable_bytes = UsableBytes(*card);
    const bool in_doubt = went_well && IsInDoubt(prediction.reserved_peak_bytes, usable_bytes);
    if (!options_.with_requests && !in_doubt) return;
    Result<std::vector<phantom::Request>> requests =
        ProlongedRequestsOf(view, usable_bytes, BeginOfConfiguration(view), kLaterSteps);
    if (!requests) return;
    if (in_doubt) TryLaterSteps(*requests, *card, prediction);
    if (options_.with_requests)
      prediction.requests = std::make_shared<const std::vector<phantom::Request>>(std::move(*requests));
  }

  void TryLaterSteps(const std::vector<phantom::Request>& requests, const phantom::Card& card,
                     Prediction& prediction) const {
    const Result<phantom::Replayed> replayed = TryAllocator(requests, card, setup_.allocator);
    // What failed in these steps and was survived may fail again.
    const auto survived = std::ranges::count(requests, phantom::Request::Kind::kTry, &phantom::Request::kind);
    if (!replayed || replayed->failures <= survived) return;
    prediction.out_of_memory = prediction.fails_later = true;
    prediction.sentence = FailsLaterSentence();
  }

  Result<phantom::Card> CardWithMemory() const {
    Result<phantom::Card> card = phantom::FindCard(setup_.card);
    if (card && options_.memory_bytes > 0) card->memory_bytes = options_.memory_bytes;
    return card;
  }

  std::optional<ReservedBand> BandOf(const timeline::View& view) const {
    const Result<phantom::Card> card = phantom::FindCard(setup_.card);
    if (!card) return {};
    const Result<ReservedBand> band = ReservedBandOf(view, *card);
    return band ? std::optional(*band) : std::nullopt;
  }

  Status Start(const Question& question, int64_t steps) {
    run_.reset();
    LiveOptions options;
    options.settings = question.settings;
    options.device = {networks::DeviceKind::kPhantom, 0, question.setup.card};
    options.phantom_memory_bytes = options_.memory_bytes;
    options.environment = events::AllocatorEnvironment(question.setup.allocator);
    options.place = options_.place;
    options.step_limit = steps_ = steps;
    options.budget_events = kBudgetEvents;
    options.ring_events = kRingEvents;
    options.trainer_executable = options_.trainer_executable;
    auto run = Run::Start(options);
    if (!run) return run.error();
    run_ = std::move(*run);
    setup_ = question.setup;
    edition_ = question.edition;
    return Done{};
  }

  bool WaitUntilSettled() {
    const auto begin = Clock::now();
    while (!stop_ && Clock::now() - begin < (asks_cudnn_ ? kCudnnTimeout : kAnswerTimeout)) {
      if (run_->WaitUntilSettled(kStopPollMs)) return true;
      asks_cudnn_ = run_->status().asks_cudnn;
    }
    return false;
  }

  const PredictorOptions options_;
  const std::atomic<bool>& stop_;
  std::atomic<bool>& asks_cudnn_;
  std::unique_ptr<Run> run_;
  int64_t steps_ = 0;
  PhantomSetup setup_;  // of run_
  uint64_t edition_ = 0;
};

}  // namespace

bool IsInDoubt(int64_t reserved_bytes, int64_t usable_bytes) {
  return reserved_bytes > usable_bytes - usable_bytes / kShareOfDoubt;
}

class Predictor::Implementation {
 public:
  explicit Implementation(const PredictorOptions& options)
      : worker_([this, options] { Work(WarmTrainer(options, stop_, asks_cudnn_)); }) {}
  ~Implementation() {
    {
      const MutexLock lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    worker_.join();
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  std::optional<Prediction> Find(const TrainingSettings& settings, const PhantomSetup& setup) {
    const MutexLock lock(mutex_);
    const Question question = AskedNow(settings, setup);
    const Answer* answer = Find(question.key);
    return answer == nullptr ? std::nullopt : std::optional(answer->prediction);
  }

  void Forget() {
    const MutexLock lock(mutex_);
    ++edition_;
    answers_.clear();
    waiting_.clear();
  }

  uint64_t answers() const { return answered_; }
  bool asks_cudnn() const { return asks_cudnn_; }

  std::optional<Prediction> Ask(const TrainingSettings& settings, const PhantomSetup& setup) {
    const MutexLock lock(mutex_);
    Question question = AskedNow(settings, setup);
    if (const Answer* answer = Find(question.key)) return answer->prediction;
    if (question.key == in_work_) return std::nullopt;
    std::erase_if(waiting_, [&](const Question& other) { return other.key == question.key; });
    waiting_.push_back(std::move(question));
    if (waiting_.size() > kMaxWaiting) waiting_.pop_front();
    changed_.notify_all();
    return std::nullopt;
  }

  Result<Prediction> AskAndWait(const TrainingSettings& settings, const PhantomSetup& setup,
                                const std::function<bool()>& goes_on) {
    while (true) {
      if (std::optional<Prediction> prediction = Ask(settings, setup)) {
        if (!prediction->sentence.empty() && !prediction->out_of_memory) return Error{prediction->sentence};
        return *prediction;
      }
      if (goes_on && !goes_on()) return Error{"Stopped as asked."};
      const MutexLock lock(mutex_);
      // It may have been answered in between, or be pushed out by newer questions: so it is put again now and
      // then.
      changed_.wait_for(mutex_, std::chrono::milliseconds(20));
    }
  }

 private:
  Question AskedNow(const TrainingSettings& settings, const PhantomSetup& setup) const
      TIDEMARK_REQUIRES(mutex_) {
    Question question = QuestionOf(settings, setup);
    question.edition = edition_;
    question.key += " " + std::to_string(edition_);
    return question;
  }

  const Answer* Find(const std::string& key) const TIDEMARK_REQUIRES(mutex_) {
    const auto found = answers_.find(key);
    if (found == answers_.end()) return nullptr;
    const auto& valid_until = found->second.valid_until;
    return valid_until && Clock::now() > *valid_until ? nullptr : &found->second;
  }

  std::optional<Question> Next() {
    const MutexLock lock(mutex_);
    while (waiting_.empty() && !stop_) changed_.wait(mutex_);
    if (stop_) return std::nullopt;
    Question question = std::move(waiting_.back());
    waiting_.pop_back();
    in_work_ = question.key;
    return question;
  }

  void Work(WarmTrainer trainer) {
    while (std::optional<Question> question = Next()) {
      std::optional<Prediction> prediction = trainer.Ask(*question);
      if (!prediction) prediction = trainer.Ask(*question);  // in a fresh process
      Answer answer{prediction.value_or(Prediction()), std::nullopt};
      const bool failed = !answer.prediction.sentence.empty() && !answer.prediction.out_of_memory;
      if (failed) answer.valid_until = Clock::now() + kFailureHolds;
      const MutexLock lock(mutex_);
      answers_[question->key] = std::move(answer);
      in_work_.clear();
      ++answered_;
      changed_.notify_all();
    }
  }

  Mutex mutex_;
  std::condition_variable_any changed_;
  uint64_t edition_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Answer> answers_ TIDEMARK_GUARDED_BY(mutex_);
  std::deque<Question> waiting_ TIDEMARK_GUARDED_BY(mutex_);  // the newest at the back
  std::string in_work_ TIDEMARK_GUARDED_BY(mutex_);
  std::atomic<uint64_t> answered_{0};
  std::atomic<bool> asks_cudnn_{false};
  std::atomic<bool> stop_{false};  // set under mutex_, so that Next() does not miss it
  std::thread worker_;
};

Predictor::Predictor(const PredictorOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
Predictor::~Predictor() = default;

std::optional<Prediction> Predictor::Find(const TrainingSettings& settings, const PhantomSetup& setup) const {
  return implementation_->Find(settings, setup);
}

void Predictor::Forget() { implementation_->Forget(); }
uint64_t Predictor::answers() const { return implementation_->answers(); }
bool Predictor::asks_cudnn() const { return implementation_->asks_cudnn(); }

std::optional<Prediction> Predictor::Ask(const TrainingSettings& settings, const PhantomSetup& setup) {
  return implementation_->Ask(settings, setup);
}

Result<Prediction> Predictor::AskAndWait(const TrainingSettings& settings, const PhantomSetup& setup,
                                         const std::function<bool()>& goes_on) {
  return implementation_->AskAndWait(settings, setup, goes_on);
}

}  // namespace tidemark::session
