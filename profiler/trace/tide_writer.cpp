#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "profiler/base/unique_fd.h"
#include "profiler/trace/bookmarks.h"
#include "profiler/trace/output_file.h"
#include "profiler/trace/recording_lock.h"
#include "profiler/trace/tide.h"
#include "profiler/trace/tide_format.h"

namespace tidemark::trace {
namespace {

// Level 1 packs our events 5 to 10 times smaller at some 500 MB/s; higher levels gain little and cost the
// ingest thread.
constexpr int kZstdLevel = 1;

template <typename Plain>
std::string_view BytesOf(const Plain& plain) {
  return {reinterpret_cast<const char*>(&plain), sizeof plain};
}

// The status of a regular file; nothing of another (a pipe, /dev/null), which has neither name nor size of
// its own, and takes what many write.
std::optional<struct stat> RegularStatus(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return status;
}

// A file that has no name any more goes on being written, and is gone with the last descriptor.
bool IsRemoved(int fd) {
  const std::optional<struct stat> status = RegularStatus(fd);
  return status && status->st_nlink == 0;
}

// Nothing of an earlier recording goes before it is known that nobody writes it any more, and it goes last:
// that its bookmarks cannot be removed costs nothing.
Status TakeOver(int fd, const std::filesystem::path& file, const std::filesystem::path& name) {
  if (!RegularStatus(fd)) return SaveBookmarks({}, file);
  if (Status locked = LockAgainstOthers(fd, name); !locked) return locked;
  if (Status gone = SaveBookmarks({}, file); !gone) return gone;
  return ftruncate(fd, 0) == 0 ? Status(Done{}) : CannotWrite(name, errno);
}

// Of a complete recording that has that many bytes.
std::optional<ChunkHeader> ClosingOf(int fd, uint64_t bytes) {
  const std::optional<struct stat> status = RegularStatus(fd);
  if (!status || static_cast<uint64_t>(status->st_size) != bytes || bytes < sizeof(ChunkHeader)) return {};
  ChunkHeader header;
  const auto at = static_cast<off_t>(bytes - sizeof header);
  if (pread(fd, &header, sizeof header, at) != static_cast<ssize_t>(sizeof header)) return {};
  const bool closes = header.magic == ChunkHeader{}.magic && header.kind == ChunkKind::kClosing &&
                      header.header_checksum == header.Checksum();
  return closes ? std::optional(header) : std::nullopt;
}

// 0, or the errno of what went wrong.
int CopyWhole(int from, int to) {
  std::array<char, 1 << 16> part;
  for (off_t at = 0;;) {
    const ssize_t count = pread(from, part.data(), part.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : 0;
    if (const int error = WriteFully(to, {part.data(), static_cast<size_t>(count)}); error != 0) return error;
    at += count;
  }
}

}  // namespace

class TideWriter::Implementation {
 public:
  Implementation(std::filesystem::path file, UniqueFd fd)
      : file_(std::move(file)), fd_(std::move(fd)), zstd_(ZSTD_createCCtx()) {
    buffer_.reserve(kMaxEventsInChunk);
  }
  ~Implementation() { ZSTD_freeCCtx(zstd_); }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  // Goes on with a recording where its closing chunk was.
  void GoOn(uint64_t events, off_t whole_bytes) {
    events_ = events;
    whole_bytes_ = whole_bytes;
  }

  Status Begin(const events::RunDescription& description) {
    if (Status begun = Write(BytesOf(FileHeader{})); !begun) return begun;
    return Describe(description);
  }

  Status Describe(const events::RunDescription& description) {
    std::string json = events::ToJson(description);
    if (json.size() > kMaxDescriptionBytes) return Error{"The description of a run must fit 1 MiB."};
    if (Status flushed = Flush(); !flushed) return flushed;
    return WriteChunk(ChunkKind::kDescription, json, 0);
  }

  Status Append(std::span<const events::Event> events) {
    while (!events.empty()) {
      const auto part = events.first(std::min(events.size(), kMaxEventsInChunk - buffer_.size()));
      buffer_.insert(buffer_.end(), part.begin(), part.end());
      events = events.subspan(part.size());
      if (buffer_.size() < kMaxEventsInChunk) break;
      if (Status flushed = Flush(); !flushed) return flushed;
    }
    return failure_ ? Status(*failure_) : Status(Done{});
  }

  Status Flush() {
    if (buffer_.empty()) return failure_ ? Status(*failure_) : Status(Done{});
    const std::string_view payload(reinterpret_cast<const char*>(buffer_.data()),
                                   buffer_.size() * sizeof(events::Event));
    Status written = WriteChunk(ChunkKind::kEvents, payload, static_cast<uint32_t>(buffer_.size()));
    if (written) events_ += buffer_.size();
    buffer_.clear();
    return written;
  }

  Status Close() {
    if (Status flushed = Flush(); !flushed) return flushed;
    if (Status closed = WriteChunk(ChunkKind::kClosing, {}, 0); !closed) return closed;
    if (close(fd_.Release()) != 0) return Fail(errno);
    return Done{};
  }

 private:
  Status WriteChunk(ChunkKind kind, std::string_view payload, uint32_t events) {
    ChunkHeader header;
    header.kind = kind;
    header.first_event = events_;
    header.events = events;
    header.unpacked_bytes = static_cast<uint32_t>(payload.size());
    const size_t room = ZSTD_compressBound(payload.size());
    chunk_.resize(sizeof header + room);
    const size_t packed = ZSTD_compressCCtx(zstd_, chunk_.data() + sizeof header, room, payload.data(),
                                            payload.size(), kZstdLevel);
    TIDEMARK_CHECK(ZSTD_isError(packed) == 0);
    header.packing = Packing::kZstd;
    header.packed_bytes = static_cast<uint32_t>(packed);
    if (packed >= payload.size()) {
      header.packing = Packing::kNone;
      header.packed_bytes = header.unpacked_bytes;
      std::copy(payload.begin(), payload.end(), chunk_.begin() + sizeof header);
    }
    header.payload_checksum = XXH3_64bits(chunk_.data() + sizeof header, header.packed_bytes);
    header.header_checksum = header.Checksum();
    std::memcpy(chunk_.data(), &header, sizeof header);
    return Write({chunk_.data(), sizeof header + header.packed_bytes});
  }

  Status Write(std::string_view bytes) {
    if (failure_) return *failure_;
    if (const int error_number = WriteFully(fd_.get(), bytes); error_number != 0) return Fail(error_number);
    whole_bytes_ += static_cast<off_t>(bytes.size());
    return IsRemoved(fd_.get()) ? KeepElsewhere() : Status(Done{});
  }

  // What was recorded outlives its folder: beside other temporary files, under a name of its own.
  Status KeepElsewhere() {
    std::error_code no_folder;  // then creating the file says what is wrong
    const std::string name = file_.stem().string() + "-" + std::to_string(getpid()) + "-XXXXXX.tide";
    std::string kept = (std::filesystem::temp_directory_path(no_folder) / name).string();
    const UniqueFd copy(mkostemps(kept.data(), 5, O_CLOEXEC));
    const int copy_error = copy.valid() ? 0 : errno;
    const UniqueFd whole(open(("/proc/self/fd/" + std::to_string(fd_.get())).c_str(), O_RDONLY | O_CLOEXEC));
    const int error_number = copy_error != 0  ? copy_error
                             : !whole.valid() ? errno
                                              : CopyWhole(whole.get(), copy.get());
    failure_ =
        Error{file_.string() + " was removed while it was being recorded, and recording has stopped. "};
    failure_->message += error_number == 0 ? "What had been recorded is kept as " + kept + "."
                                           : "What had been recorded could not be kept elsewhere: " +
                                                 CannotWrite(kept, error_number).message;
    return *failure_;
  }

  Status Fail(int error_number) {
    Error error = CannotWrite(file_, error_number);
    // Half a chunk helps nobody; where it cannot be cut off, readers stop before it.
    if (fd_.valid() && ftruncate(fd_.get(), whole_bytes_) != 0)
      error.message += " Its last bytes are damaged.";
    fd_.Reset();  // and its lock: nothing more is recorded
    failure_ = error;
    return error;
  }

  const std::filesystem::path file_;
  UniqueFd fd_;
  ZSTD_CCtx* zstd_;
  std::vector<events::Event> buffer_;
  std::string chunk_;
  uint64_t events_ = 0;    // in the chunks that were written
  off_t whole_bytes_ = 0;  // of the file, up to the last whole chunk
  std::optional<Error> failure_;
};

TideWriter::TideWriter(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
TideWriter::TideWriter(TideWriter&&) noexcept = default;
TideWriter& TideWriter::operator=(TideWriter&&) noexcept = default;
TideWriter::~TideWriter() = default;

Result<TideWriter> TideWriter::Create(const std::filesystem::path& file,
                                      const events::RunDescription& description,
                                      const std::filesystem::path& shown_name) {
  UniqueFd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  const std::filesystem::path& name = shown_name.empty() ? file : shown_name;
  if (!fd.valid()) return CannotWrite(name, errno);
  if (Status taken = TakeOver(fd.get(), file, name); !taken) return taken.error();
  auto implementation = std::make_unique<Implementation>(name, std::move(fd));
  if (Status begun = implementation->Begin(description); !begun) return begun.error();
  return TideWriter(std::move(implementation));
}

Status DescribeAnew(const std::filesystem::path& file, uint64_t bytes,
                    const events::RunDescription& description) {
  UniqueFd fd(open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (fd.valid()) {
    if (Status locked = LockAgainstOthers(fd.get(), file); !locked) return locked;
  }
  const std::optional<ChunkHeader> closing = fd.valid() ? ClosingOf(fd.get(), bytes) : std::nullopt;
  if (!closing) {
    return Error{
        file.string() +
        " was removed or replaced after it was recorded. What was told of its end since is not kept."};
  }
  const auto at = static_cast<off_t>(bytes - sizeof(ChunkHeader));
  if (lseek(fd.get(), at, SEEK_SET) != at) return CannotWrite(file, errno);
  TideWriter::Implementation writer(file, std::move(fd));
  writer.GoOn(closing->first_event, at);
  if (Status described = writer.Describe(description); !described) return described;
  return writer.Close();
}

Status CanBeRecorded(const std::filesystem::path& file) {
  std::error_code not_there;
  const bool existed = std::filesystem::exists(file, not_there);
  if (std::filesystem::is_directory(file, not_there)) return CannotWrite(file, EISDIR);
  if (file.empty() || (existed && !std::filesystem::is_regular_file(file, not_there))) return Done{};
  const UniqueFd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid()) return CannotWrite(file, errno);
  if (!existed) unlink(file.c_str());
  return CanBeReplaced(file);
}

Status TideWriter::Describe(const events::RunDescription& description) {
  return implementation_->Describe(description);
}
Status TideWriter::Append(std::span<const events::Event> events) { return implementation_->Append(events); }
Status TideWriter::Flush() { return implementation_->Flush(); }
Status TideWriter::Close() { return implementation_->Close(); }

}  // namespace tidemark::trace
