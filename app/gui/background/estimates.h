// What the textbook and the phantom say of configurations, remembered. UI thread only; never waits: a
// prediction that is not known yet is asked for, one question at a time, and is there some frames later. The
// textbook's formulas are computed at once, but where checkpointing keeps to a budget: that is planned, which
// takes up to a second, so it is noted as wanted, for whoever has a worker.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::gui {

// A configuration to be planned, with what that takes.
struct WantedPlan {
  networks::Network network;
  networks::TrainingSettings settings;
  int rank = 0;
};

class Estimates {
 public:
  explicit Estimates(const std::vector<networks::Network>* networks,
                     const session::PredictorOptions& options = {})
      : networks_(networks), predictor_(options) {}

  // Another network has come in the place of one of the same name: nothing that was answered holds.
  void Forget();

  // The order of questions after this is their order of importance. What frames before got may be let go.
  void BeginFrame();
  std::optional<session::Prediction> Phantom(const networks::TrainingSettings& settings,
                                             const session::PhantomSetup& setup);
  // Nothing for a network that is not known here (a foreign recording), and for a budget that is not planned
  // yet. `rank`: of several, this one; one that there is not counts as the first.
  // Holds until the next frame begins.
  const textbook::Estimate* Textbook(const networks::TrainingSettings& settings, int rank = 0);
  // Its total alone, of which many are remembered as easily as one whole estimate.
  std::optional<int64_t> TextbookBytes(const networks::TrainingSettings& settings, int rank = 0);
  std::optional<int64_t> TextbookBytes(const std::string& settings_json, int rank = 0);
  // How long a step would take on the card, by roofline (advice/step_time.h). Nothing for a network that is
  // not known here, and for a budget, which would have to be planned.
  std::optional<double> StepSeconds(const networks::TrainingSettings& settings, const phantom::Card& card);
  // The same for settings as JSON, as the timeline keeps them.
  const textbook::Estimate* Textbook(const std::string& settings_json, int rank = 0);
  std::optional<session::Prediction> Phantom(const std::string& settings_json,
                                             const session::PhantomSetup& setup);
  // Whether the phantom, which runs rank 0, speaks for this rank, too: not for another stage of a pipeline.
  bool PhantomSpeaksFor(int rank, const std::string& settings_json);

  // Of those that were asked for since, each once, at most `most`: what was asked for last comes first, since
  // that is what somebody waits for.
  std::vector<WantedPlan> TakeWanted(size_t most);
  bool wants_plans() const { return !wanted_.empty(); }
  void Keep(const WantedPlan& plan, textbook::Estimate estimate);
  // Nothing is planned any more until settings change.
  void GiveUpPlans();
  // What is wanted since settings before these changed is dropped; who still wants it asks again.
  void PlanAgain();

  // Grows with every answer: what was drawn from older ones is stale.
  uint64_t version() const { return predictor_.answers() + kept_ + edition_; }
  // Grows where what was answered before holds no more, however complete it was.
  uint64_t edition() const { return edition_; }
  bool pending() const { return asked_; }
  // Whole estimates of the textbook that are remembered.
  size_t textbooks() const { return textbooks_.size(); }
  // And settings that were read from JSON.
  size_t settings() const { return parsed_.size(); }
  bool asks_cudnn() const { return predictor_.asks_cudnn(); }

 private:
  const networks::TrainingSettings* Parsed(const std::string& settings_json);
  void LetGo();

  const std::vector<networks::Network>* networks_;
  session::Predictor predictor_;
  std::map<std::string, textbook::Estimate> textbooks_;
  std::map<std::string, int64_t> totals_;
  std::map<std::string, double> step_seconds_;
  std::vector<WantedPlan> wanted_;
  std::set<std::string> planned_;  // or being planned
  bool given_up_ = false;
  uint64_t kept_ = 0;
  uint64_t edition_ = 0;
  std::map<std::string, std::optional<networks::TrainingSettings>> parsed_;
  bool asked_ = false;
};

}  // namespace tidemark::gui
