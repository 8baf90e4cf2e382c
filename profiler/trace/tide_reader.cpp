#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "profiler/base/format.h"
#include "profiler/base/progress.h"
#include "profiler/base/unique_fd.h"
#include "profiler/trace/tide.h"
#include "profiler/trace/tide_format.h"

namespace tidemark::trace {
namespace {

// Why reading cannot go on at some place, as the end of a sentence: "its checksum is wrong".
using Damage = std::optional<std::string>;

class Reader {
 public:
  // `follower`: what is read may still grow; null = it is as it is.
  Reader(std::string name, UniqueFd fd, const struct stat& file, const TideFollower* follower)
      : name_(std::move(name)),
        fd_(std::move(fd)),
        file_bytes_(static_cast<uint64_t>(file.st_size)),
        grows_(S_ISREG(file.st_mode)),
        follower_(follower),
        zstd_(ZSTD_createDCtx()) {}
  ~Reader() { ZSTD_freeDCtx(zstd_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Result<TideSummary> Run(const std::function<void(std::span<const events::Event>)>& accept,
                          const Progress& progress) {
    if (Status begun = ReadFileHeader(); !begun) return begun.error();
    if (Damage damage = ReadChunk(); damage || !described_) {
      return Error{name_ + " cannot be read: at byte " + std::to_string(chunk_at_) + ", " +
                   damage.value_or("its first chunk is not a description") +
                   ". Its beginning is damaged, so nothing of it can be shown."};
    }
    while (!summary_.complete) {
      if (progress && !progress(static_cast<double>(at_) / static_cast<double>(std::max(file_bytes_, at_)))) {
        return Error{"Reading " + name_ + " was cancelled."};
      }
      if (Damage damage = ReadChunk()) {
        summary_.warning = name_ + " is cut short or damaged: at byte " + std::to_string(chunk_at_) + ", " +
                           *damage + ". The " + FormatNumber(static_cast<int64_t>(summary_.events)) +
                           " events before it are shown.";
        return summary_;
      }
      if (!events_.empty()) accept(events_);
    }
    if (progress && !progress(1)) return Error{"Reading " + name_ + " was cancelled."};
    if (follower_ == nullptr) WarnOfTail();
    return summary_;
  }

 private:
  // Whether a read would wait: for who writes into a pipe.
  bool IsEmpty() const {
    pollfd input{fd_.get(), POLLIN, 0};
    return poll(&input, 1, 0) == 0;
  }

  // Of a file that has been read this far.
  bool IsShorterThan(uint64_t bytes) const {
    struct stat file {};
    return fstat(fd_.get(), &file) == 0 && static_cast<uint64_t>(file.st_size) < bytes;
  }

  // How much of `bytes` the file could fill; less only at its end.
  size_t Read(char* bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
      if (follower_ != nullptr && IsEmpty()) {
        if (follower_->wait()) continue;
        break;
      }
      const ssize_t count = read(fd_.get(), bytes + done, size - done);
      if (count < 0 && errno == EINTR) continue;
      const bool may_grow = count == 0 && grows_ && follower_ != nullptr && !IsShorterThan(at_ + done);
      if (may_grow && follower_->wait()) continue;
      if (count < 0) read_error_ = std::strerror(errno);
      if (count <= 0) break;
      done += static_cast<size_t>(count);
    }
    at_ += done;
    return done;
  }

  Damage EndsEarly(const char* where) const {
    if (!read_error_.empty()) return "it cannot be read (" + read_error_ + ")";
    if (grows_ && IsShorterThan(at_)) return "the file was begun anew (open it again)";
    return std::string(grows_ ? "the file ends " : "the stream ends ") + where;
  }

  Status ReadFileHeader() {
    if (file_bytes_ == 0 && follower_ == nullptr)
      return Error{name_ +
                   " is empty (it ends at byte 0), so it is no Tidemark recording. Choose another "
                   "file, or make it again."};
    FileHeader header;
    const FileHeader expected;
    auto* const bytes = reinterpret_cast<char*>(&header);
    const size_t magic = Read(bytes, expected.magic.size());  // of one that grows nothing else may have come
    if (!read_error_.empty()) return Error{name_ + " cannot be read at byte 0: " + read_error_ + "."};
    if (!std::equal(header.magic.begin(), header.magic.begin() + static_cast<ptrdiff_t>(magic),
                    expected.magic.begin())) {
      return Error{name_ +
                   " is no Tidemark recording: it does not begin as one at byte 0. Choose a .tide file."};
    }
    const size_t read =
        magic < expected.magic.size() ? magic : magic + Read(bytes + magic, sizeof header - magic);
    if (read < sizeof header) {
      return Error{name_ + " is cut short: it ends at byte " + std::to_string(read) + ", within its header."};
    }
    if (header.version < kOldestVersion || header.version > expected.version ||
        header.event_bytes != expected.event_bytes) {
      return Error{name_ + " has format version " + std::to_string(header.version) + " with events of " +
                   std::to_string(header.event_bytes) + " bytes (at byte 8); this program reads versions " +
                   std::to_string(kOldestVersion) + " to " + std::to_string(expected.version) + " with " +
                   std::to_string(expected.event_bytes) + ". Open it with the program that wrote it."};
    }
    return Done{};
  }

  // Reads the chunk at the present place into summary_ and events_.
  Damage ReadChunk() {
    chunk_at_ = at_;
    events_.clear();
    ChunkHeader header;
    const size_t read = Read(reinterpret_cast<char*>(&header), sizeof header);
    if (read == 0)
      return EndsEarly(
          grows_ ? "without its closing chunk (its writer may have been killed)"
                 : "without its closing chunk (its writer may have been killed, or the way here cut)");
    if (read < sizeof header) return EndsEarly("within a chunk's header");
    if (Damage damage = CheckHeader(header)) return damage;
    packed_.resize(header.packed_bytes);
    if (Read(packed_.data(), packed_.size()) < packed_.size()) return EndsEarly("within a chunk");
    if (XXH3_64bits(packed_.data(), packed_.size()) != header.payload_checksum) {
      return "the checksum of a chunk is wrong";
    }
    switch (header.kind) {
      case ChunkKind::kDescription:
        return TakeDescription(header);
      case ChunkKind::kEvents:
        return TakeEvents(header);
      case ChunkKind::kClosing:
        summary_.complete = true;
        return std::nullopt;
    }
    return "a chunk is of a kind that this program does not know";
  }

  Damage CheckHeader(const ChunkHeader& header) const {
    if (header.magic != ChunkHeader{}.magic) return "there is no chunk";
    if (header.Checksum() != header.header_checksum) return "the checksum of a chunk's header is wrong";
    const bool is_events = header.kind == ChunkKind::kEvents;
    const bool sizes_fit = is_events ? header.events >= 1 && header.events <= kMaxEventsInChunk &&
                                           header.unpacked_bytes == header.events * sizeof(events::Event)
                                     : header.events == 0 && header.unpacked_bytes <= kMaxDescriptionBytes;
    const bool packing_fits = header.packing == Packing::kNone
                                  ? header.packed_bytes == header.unpacked_bytes
                                  : header.packing == Packing::kZstd &&
                                        header.packed_bytes <= ZSTD_compressBound(header.unpacked_bytes);
    if (!sizes_fit || !packing_fits) return "a chunk has a size that no recording has";
    if (header.first_event != summary_.events) return "a chunk does not follow the one before it";
    return std::nullopt;
  }

  bool Unpack(const ChunkHeader& header, void* out) {
    if (header.packing == Packing::kNone) {
      if (!packed_.empty()) std::memcpy(out, packed_.data(), packed_.size());
      return true;
    }
    return ZSTD_decompressDCtx(zstd_, out, header.unpacked_bytes, packed_.data(), packed_.size()) ==
           header.unpacked_bytes;
  }

  Damage TakeDescription(const ChunkHeader& header) {
    std::string json(header.unpacked_bytes, '\0');
    if (!Unpack(header, json.data())) return "a chunk cannot be unpacked";
    Result<events::RunDescription> description = events::DescriptionFromJson(json);
    if (!description) return description.error().message;
    summary_.description = std::move(*description);
    described_ = true;
    if (follower_ != nullptr) follower_->describe(summary_.description);
    return std::nullopt;
  }

  Damage TakeEvents(const ChunkHeader& header) {
    events_.resize(header.events);
    if (!Unpack(header, events_.data())) return "a chunk cannot be unpacked";
    if (!std::all_of(events_.begin(), events_.end(), events::IsWellFormed)) {
      return "a chunk holds events of a kind that this program does not know";
    }
    summary_.events += header.events;
    return std::nullopt;
  }

  void WarnOfTail() {
    char extra = 0;
    const uint64_t end = at_;
    if (Read(&extra, 1) == 0) return;
    summary_.warning = name_ + " goes on after its end at byte " + std::to_string(end) +
                       ". What follows was not written by Tidemark and is left out.";
  }

  const std::string name_;
  UniqueFd fd_;
  const uint64_t file_bytes_;
  const bool grows_;  // where it ends now it may go on
  const TideFollower* const follower_;
  ZSTD_DCtx* zstd_;
  uint64_t at_ = 0;        // how far the file has been read
  uint64_t chunk_at_ = 0;  // where the present chunk begins
  std::string packed_;
  std::vector<events::Event> events_;
  bool described_ = false;
  std::string read_error_;
  TideSummary summary_;
};

}  // namespace

Result<TideSummary> ReadTide(const std::filesystem::path& file,
                             const std::function<void(std::span<const events::Event>)>& accept,
                             const Progress& progress) {
  UniqueFd fd(
      open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // non-blocking: a pipe must not hang us
  struct stat status {};
  if (!fd.valid() || fstat(fd.get(), &status) != 0) {
    return Error{file.string() + " cannot be opened: " + std::strerror(errno) +
                 ". Check its name and its permissions."};
  }
  if (S_ISDIR(status.st_mode)) return Error{file.string() + " is a folder. Choose a .tide file in it."};
  if (!S_ISREG(status.st_mode)) return Error{file.string() + " is no regular file. Choose a .tide file."};
  return Reader(file.string(), std::move(fd), status, nullptr).Run(accept, progress);
}

Result<TideSummary> FollowTide(UniqueFd fd, const std::string& name, const TideFollower& follower) {
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) return Error{name + " cannot be read: " + std::strerror(errno) + "."};
  return Reader(name, std::move(fd), status, &follower).Run(follower.accept, [&](double) {
    return follower.goes_on();
  });
}

}  // namespace tidemark::trace
