#include "profiler/session/recording.h"

#include <utility>

#include "profiler/session/last_recording.h"
#include "profiler/session/steps_recording.h"

namespace tidemark::session {
namespace {

class WholeRecording final : public Recording {
 public:
  explicit WholeRecording(trace::TideWriter writer) : writer_(std::move(writer)) {}

  Status Append(std::span<const events::Event> events, timeline::Builder& builder) override {
    builder.Append(events);
    return Told([&](trace::TideWriter& writer) { return writer.Append(events); });
  }
  Status Describe(const events::RunDescription& description) override {
    return Told([&](trace::TideWriter& writer) { return writer.Describe(description); });
  }
  Status Flush(timeline::Builder& /*builder*/) override {
    return Told([](trace::TideWriter& writer) { return writer.Flush(); });
  }
  Closed Close(timeline::Builder& /*builder*/) override {
    const Status closed = Told([](trace::TideWriter& writer) { return writer.Close(); });
    return {.written = closed, .part = nullptr, .note = "", .has_file = true, .has_end = closed.ok()};
  }

 private:
  // Once it cannot go on, the file is left alone.
  template <typename Write>
  Status Told(Write write) {
    if (!writer_) return failure_;
    if (const Status written = write(*writer_); !written) {
      failure_ = Stopped(written.error());
      writer_.reset();
    }
    return failure_;
  }

  std::optional<trace::TideWriter> writer_;
  Status failure_ = Done{};
};

}  // namespace

Error Stopped(const Error& why) {
  return Error{why.message + " The recording keeps what it has until then; the run goes on."};
}

std::unique_ptr<Recording> RecordingOf(trace::TideWriter writer) {
  return std::make_unique<WholeRecording>(std::move(writer));
}

Result<std::unique_ptr<Recording>> StartRecording(const std::filesystem::path& file,
                                                  const events::RunDescription& description,
                                                  const KeptPart& kept) {
  if (std::holds_alternative<AllOfRun>(kept)) {
    Result<trace::TideWriter> writer = trace::TideWriter::Create(file, description);
    if (!writer) return writer.error();
    return RecordingOf(std::move(*writer));
  }
  if (Status can = trace::CanBeRecorded(file); !can) return can.error();
  if (const auto* const last = std::get_if<LastOfRun>(&kept))
    return LastRecording::Start(file, description, *last);
  return std::unique_ptr<Recording>(
      std::make_unique<StepsRecording>(file, description, std::get<StepsOfRun>(kept)));
}

}  // namespace tidemark::session
