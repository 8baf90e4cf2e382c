// What a live run leaves on the disk: all of it as it goes (a TideWriter's file), or a part of it
// (kept_part.h). The way of the events is through it to the timeline, for what a part has no use for goes
// nowhere.
//
// One thread. Where something could not be written, each call that may tell of it does, and of the file is
// left what the sentence says.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "profiler/base/result.h"
#include "profiler/events/event.h"
#include "profiler/events/run_description.h"
#include "profiler/session/kept_part.h"
#include "profiler/timeline/timeline.h"
#include "profiler/trace/tide.h"

namespace tidemark::session {

class Recording {
 public:
  virtual ~Recording() = default;

  virtual Status Append(std::span<const events::Event> events, timeline::Builder& builder) = 0;
  // A more precise description than the one before it.
  virtual Status Describe(const events::RunDescription& description) = 0;
  // From time to time: what is there is to outlive a kill.
  virtual Status Flush(timeline::Builder& builder) = 0;

  struct Closed {
    Status written = Done{};
    std::shared_ptr<const timeline::View> part;  // that it holds; null where that is all
    std::string note;       // which part that is, as the file says it; "" where it is all
    bool has_file = false;  // whether anything of the run is in one
    bool has_end = false;   // and its end, so that what is told of that later belongs there
  };
  virtual Closed Close(timeline::Builder& builder) = 0;
};

// Why a recording that goes on no more does not, beside a run that does.
Error Stopped(const Error& why);

// All of it.
std::unique_ptr<Recording> RecordingOf(trace::TideWriter writer);
// Errors: it cannot be written.
Result<std::unique_ptr<Recording>> StartRecording(const std::filesystem::path& file,
                                                  const events::RunDescription& description,
                                                  const KeptPart& kept);

}  // namespace tidemark::session
