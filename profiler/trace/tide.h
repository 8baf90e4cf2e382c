// The native recording (.tide): append-only chunks of events with checksums, readable up to the last whole
// chunk however its writer ended, and into one that is cut. FORMAT.md gives the bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"
#include "profiler/events/event.h"
#include "profiler/events/run_description.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::trace {

inline constexpr size_t kMaxEventsInChunk = 1 << 16;

// One thread. Errors (disk full, file gone) come back from the call that met them, and again from every later
// one; what was written before stays readable: where the file was removed, as a copy that the error names.
class TideWriter {
 public:
  // Replaces an existing file, and the bookmarks beside it, but for one that another TideWriter has open
  // (where the file system tells).
  // Sentences call it `shown_name` if that is not empty.
  static Result<TideWriter> Create(const std::filesystem::path& file,
                                   const events::RunDescription& description,
                                   const std::filesystem::path& shown_name = {});
  TideWriter(TideWriter&&) noexcept;
  TideWriter& operator=(TideWriter&&) noexcept;
  // Without a Close before it, leaves the file as after a kill: what is buffered is lost.
  ~TideWriter();

  // A more precise description than the one the file was created with; readers take the last one.
  Status Describe(const events::RunDescription& description);
  Status Append(std::span<const events::Event> events);
  // Writes what is buffered as a chunk of its own, so that a kill after this loses nothing before it.
  Status Flush();
  // Flush and the closing chunk; a file without one is shown as cut short.
  Status Close();

 private:
  friend Status DescribeAnew(const std::filesystem::path& file, uint64_t bytes,
                             const events::RunDescription& description);
  class Implementation;
  explicit TideWriter(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

// What is known only after a recording was closed: its last description, before its closing chunk. `bytes` is
// its size since it was closed: another that has taken its place is left as it is, which is an error.
Status DescribeAnew(const std::filesystem::path& file, uint64_t bytes,
                    const events::RunDescription& description);

// Whether Create would take this file, as far as it can be told without it: it is left as it is, and none is
// left where there was none. What is no regular file (a device) is not looked at, and "" can be recorded.
Status CanBeRecorded(const std::filesystem::path& file);

struct TideSummary {
  events::RunDescription description;
  uint64_t events = 0;
  bool complete = false;  // it ends with a closing chunk
  std::string warning;    // "" or a sentence: where and why reading ended before the end of the file
  std::vector<Bookmark> bookmarks;  // that the file holds itself, as traces of ours do
};

// Calls `accept` for each chunk's events in order. An unreadable header is an error; damage later on ends the
// reading with what came before it and a warning, which tells what is lost as far as that is known (of a file
// that goes on, that it does), or is an error where no event came before it. `progress` (0..1) may return
// false to cancel, which is an error. Uses at most 10 MiB whatever the file says of itself.
Result<TideSummary> ReadTide(const std::filesystem::path& file,
                             const std::function<void(std::span<const events::Event>)>& accept,
                             const Progress& progress = {});

struct TideFollower {
  std::function<void(const events::RunDescription&)> describe;  // each time that the recording tells one
  std::function<void(std::span<const events::Event>)> accept;
  std::function<bool()> goes_on;  // asked before each chunk; false ends the reading
  std::function<bool()> wait;     // called again and again while there is nothing new; false ends it, too
};

// Reads a recording that is still being written, and goes on as it grows, until its closing chunk, until the
// file is written anew, or until the follower ends it, which may be an error; one that comes through a pipe,
// until that ends. Sentences call it `name`. That there is no event is no error; else as ReadTide.
Result<TideSummary> FollowTide(UniqueFd fd, const std::string& name, const TideFollower& follower);

}  // namespace tidemark::trace
