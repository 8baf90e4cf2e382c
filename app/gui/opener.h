// What somebody asked to be shown, or to be laid over what is shown, on its way: read, looked into or started
// beside the window. Of what is to be shown the latest counts, and nothing once something else is shown; what
// comes after that is let go, and said so. The same of second runs, which are let go without a word. UI
// thread only; every `then` is called on it, inside BackgroundJobs::Poll.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/latest_request.h"
#include "profiler/base/result.h"
#include "profiler/networks/specification.h"
#include "profiler/session/program_order.h"
#include "profiler/session/ranks.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

class Opener {
 public:
  struct Calls {
    std::function<void(const std::string& sentence)> tell;
    std::function<void(std::shared_ptr<session::Run> run)> let_go;  // one takes its time to end
  };
  using Run = Result<std::shared_ptr<session::Run>>;
  using ThenRun = std::function<void(Run run)>;

  // `jobs` end before this does.
  Opener(BackgroundJobs* jobs, Calls calls) : jobs_(jobs), calls_(std::move(calls)) {}
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;

  // `card`: that one of several alone.
  void Read(const std::filesystem::path& file, std::optional<uint8_t> card, ThenRun then);
  void ReadRanks(const std::vector<std::filesystem::path>& files,
                 std::function<void(Result<session::Ranks> ranks)> then);
  // A network in a file that another process looks into.
  void LookInto(const std::filesystem::path& file,
                std::function<void(Result<networks::Network> network)> then);
  // `faulty`: what an error is about. Not called where the person has cancelled it.
  void Start(const session::ProgramOrder& order, const session::StartProgram& start,
             std::function<void(Run run, session::ProgramField faulty)> then);
  // To be laid over.
  void ReadSecond(const std::filesystem::path& file, ThenRun then);

  // Something else is shown, or about to be: what is on its way is not wanted any more.
  void Drop() { shown_.Drop(); }
  void DropSecond() { second_.Drop(); }

 private:
  struct Started;
  template <typename Outcome>
  struct Errand;
  template <typename Outcome>
  void Begin(LatestRequest& latest, Errand<Outcome> errand);
  template <typename Outcome>
  void LetGo(Outcome& outcome);

  BackgroundJobs* jobs_;
  Calls calls_;
  LatestRequest shown_;
  LatestRequest second_;
};

}  // namespace tidemark::gui
