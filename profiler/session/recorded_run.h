// A run that was read from a recording: nothing moves any more.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "profiler/base/progress.h"
#include "profiler/session/run.h"

namespace tidemark::session {

class RecordedRun final : public WatchedRun {
 public:
  static Result<std::unique_ptr<Run>> Open(const std::filesystem::path& file, const Progress& progress,
                                           std::optional<uint8_t> device = {});

  std::shared_ptr<const timeline::View> view() const override { return view_; }
  RunStatus status() const override { return status_; }
  events::RunDescription description() const override { return description_; }
  bool has_file() const override { return true; }
  std::vector<trace::Bookmark> bookmarks() const override { return bookmarks_; }

  void Stop() override {}

  bool WaitUntilSettled(int) override { return true; }

 private:
  RecordedRun() = default;
  std::shared_ptr<const timeline::View> view_;
  RunStatus status_;
  events::RunDescription description_;
  std::vector<trace::Bookmark> bookmarks_;
};

}  // namespace tidemark::session
