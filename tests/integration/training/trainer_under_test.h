// A trainer process as the session would start it, on a phantom GPU or the CPU, with its events collected:
// what the tests of training look at. No LibTorch here. One thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/capture/transport/channel.h"
#include "profiler/capture/transport/messages.h"
#include "profiler/capture/transport/ring.h"
#include "profiler/events/event.h"

namespace tidemark::tests {

struct CollectedEvents {
  std::vector<events::Event> events;  // without kName
  std::map<events::NameId, std::string> names;

  void Add(const events::Event& event);
  std::string NameOf(events::NameId id) const;
  // The values of a metric, in order.
  std::vector<double> Metric(const std::string& name) const;
};

class TrainerUnderTest {
 public:
  // Starts the process with these settings; the run pauses after `steps` (0 = never). Anything that fails
  // here fails the test. `environment` holds more "NAME=value" entries for it.
  TrainerUnderTest(const networks::TrainingSettings& settings, const networks::DeviceChoice& device,
                   int64_t steps, const std::vector<std::string>& environment = {});
  ~TrainerUnderTest();  // kills it if it still runs
  TrainerUnderTest(const TrainerUnderTest&) = delete;
  TrainerUnderTest& operator=(const TrainerUnderTest&) = delete;

  void Send(const transport::Command& command);
  // Collects events until the trainer reports one of these; nothing if the process ended without, or took too
  // long.
  std::optional<transport::ActivityChanged> AwaitPause();
  std::optional<transport::Failed> AwaitFailure();
  // Sends Stop, waits for the end; the exit code, or minus the signal that ended it.
  int Stop();
  int AwaitExit();
  pid_t process() const { return process_; }
  void CloseChannel() { channel_.reset(); }

  const std::optional<transport::Started>& started() const { return started_; }
  const CollectedEvents& collected() const { return collected_; }
  CollectedEvents& collected() { return collected_; }
  // Events that the ring could not take.
  uint64_t lost() const;

 private:
  void TellLastFailure();  // that the ended trainer reported, beside the next check that fails
  // The next report; nothing when the process is gone or the time is over.
  std::optional<transport::Report> Await();
  void Drain(bool dead);

  pid_t process_ = -1;
  std::optional<transport::Channel> channel_;
  std::optional<transport::RingReader> ring_;
  std::optional<transport::Started> started_;
  CollectedEvents collected_;
};

// Runs `steps` steps to the end and hands over everything.
CollectedEvents EventsOf(const networks::TrainingSettings& settings, const networks::DeviceChoice& device,
                         int64_t steps);

}  // namespace tidemark::tests
