// Everything that the picture depends on, beside the person's own view state, and what follows from it of
// cards. UI thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/checkpoint_prices.h"
#include "app/gui/background/program_sweep.h"
#include "app/gui/background/program_techniques.h"
#include "app/gui/background/trials.h"
#include "app/gui/panels/run_controls.h"
#include "app/gui/panels/timeline/timeline.h"
#include "app/gui/scene/learning.h"
#include "app/gui/view/run_findings.h"
#include "app/presenters/advice/fit_advice.h"
#include "app/presenters/run/program_facts.h"
#include "app/presenters/run/run_log.h"
#include "profiler/session/predictor.h"
#include "profiler/session/ranks.h"
#include "profiler/session/run.h"
#include "profiler/timeline/graph_replays.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::gui {

// The second run.
struct ComparedRun {
  std::string title;
  std::shared_ptr<const timeline::View> view;  // not empty
  std::vector<std::string> notes = {};         // reasons to doubt its figures, as its description has them
};

// How the run that is shown came to be shown.
enum class RunOrigin : uint8_t {
  kNone,       // there is none
  kNotOpened,  // there is none: the file that the window was opened for cannot be read
  kBegun,      // here, or by whoever opened the window: a training of ours, or a program
  kOpened,     // read from a file
  kFollowed,   // read from a file as it grows, or did
};

struct SceneInput {
  RunOrigin origin = RunOrigin::kNone;
  std::shared_ptr<const timeline::View> view;  // none before the first run
  session::RunStatus status;
  events::RunDescription description;
  bool live = false;               // it takes commands
  bool can_stop = false;           // it can be ended from here
  timeline::GraphReplays replays;  // the view's
  presenters::Band band;           // of a program that has ended
  bool starting = false;
  const std::vector<networks::Network>* networks = nullptr;
  const std::vector<phantom::Card>* cards = nullptr;
  const std::vector<std::string>* cuda_devices = nullptr;
  networks::TrainingSettings settings;  // as asked for
  networks::DeviceChoice device;
  double steps_per_second = 0;
  std::string allocator;  // PYTORCH_CUDA_ALLOC_CONF of the next run; "" = PyTorch's own settings
  bool kernels = false;   // are told, and memory copies and memsets
  std::optional<ComparedRun> compared;
  std::shared_ptr<const session::Ranks> ranks;  // that the shown run is one of; none = it is one alone
  std::optional<size_t> shown_rank;             // among them
  ShownCards shown_cards;
  const presenters::RunLog* log = nullptr;
  const presenters::FitAdvice* fit = nullptr;
  const Trials* trials = nullptr;
  const CheckpointPrices* prices = nullptr;
  const ProgramSweep* sweep = nullptr;                                      // none = there is none to show
  const ProgramTechniques* techniques = nullptr;                            // the same
  const std::vector<session::TechniqueOrder>* techniques_to_try = nullptr;  // of the program that is shown
  const RunFindings* findings = nullptr;                                    // none = nobody has looked yet
  const LessonBook* book = nullptr;
  const std::vector<trace::Bookmark>* bookmarks = nullptr;
  ControlAccess access;
  std::optional<networks::DeviceChoice> taken_from;  // by a lesson's page, onto the phantom
  std::string recording;                             // the file's name, of a recording
  std::optional<networks::TrainingSettings> recorded;
  std::string change_to_own;  // from a lesson's settings; "" = they are the person's own
};

// Whether what is shown was read from a file.
bool IsRecording(const SceneInput& input);
// Whether a run of ours is shown, or none: a recording and a program's run are somebody's own.
bool IsOfOurs(const SceneInput& input);
// Whether a recording is shown that is still being written.
bool Follows(const SceneInput& input);
// Whether there is more to come of the run, as far as anyone knows: what records may have been killed.
bool GoesOn(const SceneInput& input);
// The card that the next run is on, by its name: the phantom's, or that of the GPU. "" = a GPU that is none
// of those that are known.
std::string ChosenCard(const SceneInput& input);
// The same where one predicts it: "" on the CPU too.
std::string CardOfNextRun(const SceneInput& input);
// That of the run that is shown; "" = it ran on the CPU, or on a GPU that is none of those that are known.
std::string CardThatRan(const SceneInput& input);
// The card whose phantom is set beside a run: the one that a real device or a recording is, or the one
// chosen.
std::string CardFor(const SceneInput& input);
// That phantom: with the allocator's settings that the run has, whatever the next one will have.
session::PhantomSetup PhantomBeside(const SceneInput& input);
// What fits is searched for on this: the same with the memory that the run has. None of a run on the CPU, and
// where no known card is named or chosen.
std::optional<phantom::Card> CardToSearchFor(const SceneInput& input);
// The requests are tried on this: the same, but of a run on the CPU the card that is chosen.
std::optional<phantom::Card> CardToReplayOn(const SceneInput& input);
// What is searched for where somebody asks what fits: a recording's settings are not the ones on the left.
presenters::FitSubject FitSubjectOf(const SceneInput& input);
// The same of the run that is shown, whatever is chosen for the next one.
presenters::FitSubject RunSubjectOf(const SceneInput& input);
// Whether the run that is shown had one: a recording's device is not the one chosen for the next run.
bool IsOnCard(const SceneInput& input);

}  // namespace tidemark::gui
