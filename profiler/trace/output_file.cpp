#include "profiler/trace/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "profiler/trace/recording_lock.h"

namespace tidemark::trace {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

const char* AdviceFor(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return " Free some space or choose another folder.";
    case EACCES:
    case EPERM:
    case EROFS:
      return " Choose a folder that you may write to.";
    case ENOENT:
    case ENOTDIR:
      return " Create its folder first, or choose another one.";
    case EISDIR:
      return " Give the name of a file in it.";
    default:
      return " Choose another place.";
  }
}

// Where a name leads to; as it is where that cannot be told: opening it says what is wrong.
std::filesystem::path Resolved(const std::filesystem::path& requested) {
  std::error_code not_resolved;
  std::filesystem::path target = std::filesystem::weakly_canonical(requested, not_resolved);
  return not_resolved ? requested : target;
}

bool IsNoRegularFile(const std::filesystem::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

}  // namespace

Error CannotWrite(const std::filesystem::path& file, int error_number) {
  return Error{file.string() + " cannot be written: " + std::strerror(error_number) + "." +
               AdviceFor(error_number)};
}

int WriteFully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

ReplacingFile::ReplacingFile(std::filesystem::path target, std::filesystem::path path, UniqueFd fd)
    : target_(std::move(target)), path_(std::move(path)), fd_(std::move(fd)) {
  buffer_.reserve(kBufferBytes);
}

ReplacingFile::ReplacingFile(ReplacingFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      fd_(std::move(other.fd_)),
      lock_(other.lock_),
      buffer_(std::move(other.buffer_)),
      on_its_way_(
          std::move(other.on_its_way_)),  // larger than a short string: its letters stay where they are
      writing_(std::move(other.writing_)) {}

ReplacingFile::~ReplacingFile() {
  if (writing_.valid()) writing_.wait();  // it holds the descriptor's number
  if (!path_.empty() && path_ != target_) unlink(path_.c_str());
}

Status WriteWhole(std::string_view bytes, const std::filesystem::path& file) {
  Result<ReplacingFile> target = ReplacingFile::Create(file);
  if (!target) return target.error();
  if (Status written = target->Write(bytes); !written) return written;
  return target->Commit();
}

Result<ReplacingFile> ReplacingFile::Create(const std::filesystem::path& requested) {
  const std::filesystem::path target = Resolved(requested);
  if (IsNoRegularFile(target)) return Direct(requested, target);
  if (Status free = CanBeReplaced(requested); !free) return free.error();
  return CreateBeside(requested, target);
}

Result<ReplacingFile> ReplacingFile::Create(const std::filesystem::path& requested, UniqueFd& lock) {
  const std::filesystem::path target = Resolved(requested);
  if (IsNoRegularFile(target)) return Direct(requested, target);
  if (Status locked = LockName(requested, lock); !locked) return locked.error();
  Result<ReplacingFile> file = CreateBeside(requested, target);
  if (file) file->lock_ = &lock;
  return file;
}

Result<ReplacingFile> ReplacingFile::Direct(const std::filesystem::path& requested,
                                            const std::filesystem::path& target) {
  UniqueFd fd(open(target.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return CannotWrite(requested, errno);
  return ReplacingFile(target, target, std::move(fd));
}

Result<ReplacingFile> ReplacingFile::CreateBeside(const std::filesystem::path& requested,
                                                  const std::filesystem::path& target) {
  static std::atomic<int> counter = 0;
  const std::string suffix = "." + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".part";
  const std::filesystem::path part = target.parent_path() / ("." + target.filename().string() + suffix);
  UniqueFd fd(open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return CannotWrite(requested, errno);
  return ReplacingFile(target, part, std::move(fd));
}

Status ReplacingFile::EndOfWriting() {
  if (!writing_.valid()) return Done{};
  const int error_number = writing_.get();
  if (error_number != 0) return CannotWrite(target_, error_number);
  return Done{};
}

Status ReplacingFile::Write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() < kBufferBytes) return Done{};
  if (Status before = EndOfWriting(); !before) return before;
  buffer_.swap(on_its_way_);
  buffer_.clear();
  writing_ = std::async(std::launch::async, WriteFully, fd_.get(), std::string_view(on_its_way_));
  return Done{};
}

Status ReplacingFile::Commit() {
  if (Status before = EndOfWriting(); !before) return before;
  if (const int error_number = WriteFully(fd_.get(), buffer_); error_number != 0) {
    return CannotWrite(target_, error_number);
  }
  if (Status locked = CloseOrLock(); !locked) return locked;
  if (path_ != target_ && rename(path_.c_str(), target_.c_str()) != 0) return CannotWrite(target_, errno);
  if (lock_ != nullptr) *lock_ = std::move(fd_);  // not before the name leads to it
  path_.clear();
  return Done{};
}

Status ReplacingFile::CloseOrLock() {
  if (lock_ != nullptr) return LockAgainstOthers(fd_.get(), target_);
  if (close(fd_.Release()) != 0) return CannotWrite(target_, errno);
  return Done{};
}

}  // namespace tidemark::trace
