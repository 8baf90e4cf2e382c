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
#include "profiler/trace/recording_lock.h"
#include "profiler/trace/tide.h"
#include "profiler/trace/tide_format.h"

namespace tidemark::trace {
namespace {

// Why reading cannot go on at some place, as the end of a sentence: "its checksum is wrong".
using Damage = std::optional<std::string>;

// "1 event is lost", "2 events are lost".
std::string LostInWords(uint64_t events) {
  return FormatNumber(static_cast<int64_t>(events)) + (events == 1 ? " event is lost" : " events are lost");
}

// What a cut chunk is unpacked with: our writer's windows are smaller, and another's shall not take more.
constexpr int kMostWindowLog = 20;

// How many bytes of `out` a part of a zstd frame, from its beginning on, gives; blocks that are whole count.
size_t UnpackPart(ZSTD_DCtx* zstd, std::string_view part, void* out, size_t most) {
  ZSTD_DCtx_reset(zstd, ZSTD_reset_session_and_parameters);
  ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, kMostWindowLog);
  ZSTD_inBuffer input{part.data(), part.size(), 0};
  ZSTD_outBuffer output{out, most, 0};
  for (size_t taken = 0, given = 0;; taken = input.pos, given = output.pos) {
    const size_t left = ZSTD_decompressStream(zstd, &output, &input);
    const bool is_stuck = input.pos == taken && output.pos == given;
    if (ZSTD_isError(left) != 0 || left == 0 || is_stuck) return output.pos;
  }
}

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
      const Damage damage = ReadChunk();
      if (!events_.empty()) accept(events_);
      if (damage) return EndAt(*damage);
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

  // At its end for now, once: what was recorded last stands behind it, where nobody records any more.
  bool HasEndedMeanwhile() {
    if (follower_ != nullptr || recorded_) return false;
    recorded_ = IsBeingRecorded(fd_.get());
    return recorded_ != Recorded::kYes;
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
      if (count == 0 && HasEndedMeanwhile()) continue;
      if (count < 0) read_error_ = std::strerror(errno);
      if (count <= 0) break;
      done += static_cast<size_t>(count);
    }
    at_ += done;
    return done;
  }

  bool IsBegunAnew() const { return grows_ && IsShorterThan(at_); }

  Damage EndsEarly(const char* where) {
    if (!read_error_.empty()) return "it cannot be read (" + read_error_ + ")";
    if (IsBegunAnew()) return "the file was begun anew (open it again)";
    read_to_its_end_ = true;
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

  // Reads the chunk at the present place into summary_ and events_; of one that is cut, what is there.
  Damage ReadChunk() {
    chunk_at_ = at_;
    events_.clear();
    ChunkHeader header;
    if (Damage damage = ReadHeader(header)) return damage;
    told_events_ += header.events;
    if (Damage damage = ReadPayload(header)) return damage;
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

  Damage ReadHeader(ChunkHeader& header) {
    knows_next_chunk_ = false;
    const size_t read = Read(reinterpret_cast<char*>(&header), sizeof header);
    if (read == 0)
      return EndsEarly(
          grows_ ? "without its closing chunk (its writer may have been killed)"
                 : "without its closing chunk (its writer may have been killed, or the way here cut)");
    if (read < sizeof header) return EndsEarly("within a chunk's header");
    return CheckHeader(header);
  }

  Damage ReadPayload(const ChunkHeader& header) {
    packed_.resize(header.packed_bytes);
    packed_.resize(Read(packed_.data(), packed_.size()));
    knows_next_chunk_ = packed_.size() == header.packed_bytes;
    if (knows_next_chunk_) return std::nullopt;
    if (header.kind == ChunkKind::kEvents && !IsBegunAnew()) TakeCutEvents(header);
    return EndsEarly("within a chunk");
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
    if (header.first_event != told_events_) return "a chunk does not follow the one before it";
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
    const bool is_unpacked = Unpack(header, events_.data());
    if (is_unpacked && std::ranges::all_of(events_, events::IsWellFormed)) {
      summary_.events += header.events;
      return std::nullopt;
    }
    events_.clear();
    return is_unpacked ? "a chunk holds events of a kind that this program does not know"
                       : "a chunk cannot be unpacked";
  }

  // No checksum vouches for them, but only an end was cut off.
  void TakeCutEvents(const ChunkHeader& header) {
    events_.resize(header.events);
    size_t bytes = packed_.size();
    if (header.packing == Packing::kNone) {
      std::memcpy(events_.data(), packed_.data(), bytes);
    } else {
      bytes = UnpackPart(zstd_, packed_, events_.data(), header.unpacked_bytes);
    }
    events_.resize(bytes / sizeof(events::Event));
    events_.erase(std::ranges::find_if_not(events_, events::IsWellFormed), events_.end());
    summary_.events += events_.size();
  }

  // What the headers of the chunks behind a damaged one tell of events, as far as they can be followed.
  // Returns whether that is to the end.
  bool CountToTheEnd() {
    while (knows_next_chunk_ && follower_ == nullptr) {
      ChunkHeader header;
      if (ReadHeader(header)) break;
      if (header.kind == ChunkKind::kClosing) return true;
      told_events_ += header.events;
      packed_.resize(header.packed_bytes);
      knows_next_chunk_ = Read(packed_.data(), packed_.size()) == packed_.size();
    }
    return false;
  }

  std::string LossInWords(bool is_all) const {
    const uint64_t lost = told_events_ - summary_.events;
    if (lost > 0)
      return is_all ? LostInWords(lost) : "at least " + LostInWords(lost) + " (how many more is not known)";
    return is_all ? "no event is lost" : "how many are lost is not known";
  }

  // Its writer goes on behind what was read.
  bool IsStillRecorded() const { return read_to_its_end_ && recorded_ == Recorded::kYes; }

  Result<TideSummary> EndAt(const std::string& damage) {
    if (IsStillRecorded()) return EndForNow();
    const std::string place = ": at byte " + std::to_string(chunk_at_) + ", " + damage;
    const std::string loss = LossInWords(CountToTheEnd());
    if (summary_.events == 0 && follower_ == nullptr) {
      return Error{name_ + " holds no event that can be read" + place + "; " + loss +
                   ". Take another copy of it, or record it again."};
    }
    summary_.warning = name_ + " is cut short or damaged" + place + ". The " +
                       FormatNumber(static_cast<int64_t>(summary_.events)) + " events before it are shown; " +
                       loss + ".";
    return summary_;
  }

  Result<TideSummary> EndForNow() {
    constexpr const char* kAdvice = " tidemark open --follow shows it as it grows.";
    if (summary_.events == 0)
      return Error{name_ + " is still being recorded, and holds no event yet." + kAdvice};
    summary_.warning = name_ + " is still being recorded: its first " +
                       FormatNumber(static_cast<int64_t>(summary_.events)) + " events are shown." + kAdvice;
    return summary_;
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
  uint64_t told_events_ = 0;       // in the chunks so far, by their headers
  bool knows_next_chunk_ = false;  // where the present one ends, the next begins
  bool described_ = false;
  std::string read_error_;
  bool read_to_its_end_ = false;
  std::optional<Recorded> recorded_;  // where it ended for now
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
