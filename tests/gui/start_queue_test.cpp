#include "app/gui/start_queue.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/fake_run.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {
namespace {

using namespace std::chrono_literals;

// A run's process: it takes its time to end.
class Process : public session::FakeRun {
 public:
  explicit Process(std::atomic<int>* alive) : alive_(alive) { ++*alive_; }
  ~Process() override {
    std::this_thread::sleep_for(20ms);
    --*alive_;
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  bool can_stop() const override { return true; }
  void Stop() override { was_stopped = true; }
  void Allocate() {
    timeline::Stream stream;
    stream.Allocate(1 << 20, 512);
    view_ = stream.Publish();
  }
  std::shared_ptr<const timeline::View> view() const override { return view_; }

  bool was_stopped = false;

 private:
  std::atomic<int>* alive_;
  std::shared_ptr<const timeline::View> view_ = timeline::Builder().Publish();
};

// A window that starts runs of `batch`, and has what the queue told it.
struct Window {
  explicit Window(const std::filesystem::path& folder = {})
      : queue(&jobs, folder,
              {[this] {
                 session::LiveOptions options;
                 options.settings.batch = batch;
                 return options;
               },
               [this](const session::LiveOptions& options) -> StartQueue::StartedRun {
                 most_at_start = std::max(most_at_start.load(), alive.load());
                 ++starts;
                 while (is_held) std::this_thread::sleep_for(1ms);
                 if (options.settings.batch == 0) return Error{"There is no such batch."};
                 return std::shared_ptr<session::Run>(std::make_shared<Process>(&alive));
               },
               [this](const session::LiveOptions& options, std::optional<StartQueue::StartedRun> run) {
                 std::string word = "cancelled";
                 if (run) word = *run ? std::to_string(options.settings.batch) : run->error().message;
                 told.push_back(word);
                 if (run && *run) shown = std::move(**run);
               },
               [this](const KeptRun& run) {
                 if (run && *run) kept.push_back((*run)->file);
               }}) {}
  void Start(int of_batch) {
    batch = of_batch;
    queue.Want({std::exchange(shown, nullptr), {}, true});
  }
  bool Within10s(const std::function<bool()>& reached) {
    for (int i = 0; i < 10'000 && !reached(); ++i) {
      jobs.Poll();
      std::this_thread::sleep_for(1ms);
    }
    return reached();
  }
  bool Settles() {
    return Within10s([&] { return jobs.empty(); });
  }

  int batch = 0;
  std::atomic<int> alive = 0;
  std::atomic<int> most_at_start = 0;
  std::atomic<int> starts = 0;
  std::atomic<bool> is_held = false;
  std::vector<std::string> told;
  std::vector<std::filesystem::path> kept;
  std::shared_ptr<session::Run> shown;
  StartQueue queue;
  BackgroundJobs jobs;
};

}  // namespace

TEST_CASE(
    "A start begins when the run before has ended, and the latest that was wanted is the one that comes") {
  Window window;
  window.Start(1);
  REQUIRE(window.Settles());
  window.is_held = true;
  window.Start(2);
  REQUIRE(window.Within10s([&] { return window.starts == 2; }));
  window.Start(3);
  window.Start(4);
  CHECK(window.queue.is_wanted());
  window.is_held = false;
  REQUIRE(window.Settles());
  CHECK(window.told == std::vector<std::string>{"1", "4"});
  CHECK(window.starts == 3);  // 3 was overtaken before it began
  CHECK(window.most_at_start == 0);
  CHECK(window.alive == 1);
  CHECK_FALSE(window.queue.is_wanted());
}

TEST_CASE("A start waits for a run that ends because something else was shown meanwhile") {
  Window window;
  window.Start(1);
  REQUIRE(window.Settles());
  window.queue.End({.run = std::exchange(window.shown, nullptr)});  // a file is shown
  window.queue.Unwant();
  window.Start(2);
  CHECK(window.starts == 1);
  REQUIRE(window.Settles());
  CHECK(window.told == std::vector<std::string>{"1", "2"});
  CHECK(window.most_at_start == 0);
}

TEST_CASE("What is wanted no more ends unseen; what is cancelled is told, and so is a failure") {
  Window window;
  window.is_held = true;
  window.Start(1);
  REQUIRE(window.Within10s([&] { return window.starts == 1; }));
  window.queue.Unwant();
  window.is_held = false;
  REQUIRE(window.Settles());
  CHECK(window.told.empty());
  CHECK(window.alive == 0);

  window.is_held = true;
  window.Start(2);
  REQUIRE(window.Within10s([&] { return window.starts == 2; }));
  window.jobs.jobs().front()->cancelled = true;
  window.is_held = false;
  REQUIRE(window.Settles());
  CHECK(window.told == std::vector<std::string>{"cancelled"});
  CHECK(window.alive == 0);

  window.Start(0);
  REQUIRE(window.Settles());
  CHECK(window.told.back() == "There is no such batch.");
}

TEST_CASE("A start that waits for its turn can be wanted no more; what waits for its end ends") {
  Window window;
  window.Start(1);
  REQUIRE(window.Settles());
  window.is_held = true;
  window.Start(2);  // 1 ends, 2 begins
  REQUIRE(window.Within10s([&] { return window.starts == 2; }));
  window.queue.Want({std::make_shared<Process>(&window.alive), {}, true});
  window.queue.Unwant();  // the window closes
  window.is_held = false;
  window.jobs.FinishWriting();
  REQUIRE(window.Settles());
  CHECK(window.told == std::vector<std::string>{"1"});
  CHECK(window.alive == 0);
}

TEST_CASE("A process ends before the next begins though somebody holds its run") {
  Window window;
  window.Start(1);
  REQUIRE(window.Settles());
  const auto held = std::static_pointer_cast<Process>(window.shown);  // it is being saved, say
  window.Start(2);
  REQUIRE(window.Settles());
  CHECK(held->was_stopped);
  CHECK(window.told.back() == "2");
}

TEST_CASE("What nobody saved is kept, and told of before the window has closed") {
  const trace::Scratch scratch;
  Window window(scratch / "kept");
  const auto run = std::make_shared<Process>(&window.alive);
  run->Allocate();
  window.queue.End({run, {}, true, "a run"});
  window.jobs.FinishWriting();
  REQUIRE(window.kept.size() == 1);
  CHECK(std::filesystem::exists(window.kept.front()));
}

}  // namespace tidemark::gui
