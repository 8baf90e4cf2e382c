// The application without a window, as its tests drive it.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "app/gui/application.h"
#include "tests/gui/drawn_application.h"
#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

// A run that holds one block.
class Grown : public session::FakeRun {
 public:
  Grown() {
    stream_.Allocate(1 << 20, 512);
    view_ = stream_.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

 private:
  timeline::Stream stream_;
  std::shared_ptr<const timeline::View> view_;
};

class Program : public Grown {
 public:
  session::RunStatus status() const override {
    session::RunStatus status;
    status.state = state_;
    return status;
  }
  events::RunDescription description() const override {
    events::RunDescription description;
    description.title = "train.py on phantom NVIDIA T4";
    description.command = "python train.py";
    return description;
  }
  bool can_stop() const override { return true; }
  void End() { state_ = session::RunState::kFinished; }

 private:
  session::RunState state_ = session::RunState::kRunning;
};

// Memory runs out as it ends.
class Exhausted : public Program {
 public:
  session::RunStatus status() const override {
    session::RunStatus status = Program::status();
    status.out_of_memory = status.state == session::RunState::kFinished;
    return status;
  }
};

// Its view ends with that, too, and it tells nothing.
class Ended : public session::FakeRun {
 public:
  Ended() {
    timeline::Stream stream;
    stream.Allocate(1 << 20, 512);
    events::Event& failure = stream.Add(events::EventKind::kOutOfMemory, 0, 1 << 30);
    failure.rounded_bytes = 4096;
    view_ = stream.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

 private:
  std::shared_ptr<const timeline::View> view_;
};

inline void Tell(Application& application, Command command) {
  application.Push(std::move(command));
  application.ExecuteCommands();
  application.Poll();
}

inline std::unique_ptr<Application> KeepingIn(const std::filesystem::path& folder) {
  ApplicationOptions options;
  options.kept_runs = folder;
  auto application = Application::Create(options, {});
  REQUIRE(application.ok());
  return std::move(*application);
}

// A run that is to run out of memory, in the layout to learn, with the layers in front.
inline std::shared_ptr<Exhausted> LearnFromExhausted(Application& application, Frames& frames) {
  auto exhausted = std::make_shared<Exhausted>();
  application.ShowRun(exhausted);
  Tell(application, DoAction{ActionId::kLearnLayout});
  frames.Draw(8);
  Tell(application, ShowPanel{"layers", true});
  frames.Draw(4);
  return exhausted;
}

}  // namespace tidemark::gui
