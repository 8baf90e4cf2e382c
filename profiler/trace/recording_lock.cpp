#include "profiler/trace/recording_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "profiler/trace/output_file.h"

namespace tidemark::trace {
namespace {

struct flock WholeFile(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

Error RecordedByAnother(const std::filesystem::path& file) {
  return Error{file.string() +
               " is being recorded right now. Choose another name, or end that recording first."};
}

// Whether the name leads to it, and not to one that has taken its place.
bool IsNamed(int fd, const std::filesystem::path& file) {
  struct stat held {};
  struct stat named {};
  return fstat(fd, &held) == 0 && stat(file.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

}  // namespace

Status LockAgainstOthers(int fd, const std::filesystem::path& file) {
  struct flock lock = WholeFile(F_WRLCK);
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES)) return Done{};
  return RecordedByAnother(file);
}

Status LockName(const std::filesystem::path& file, UniqueFd& lock) {
  while (!lock.valid() || !IsNamed(lock.get(), file)) {
    UniqueFd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!fd.valid()) return CannotWrite(file, errno);
    if (Status locked = LockAgainstOthers(fd.get(), file); !locked) return locked;
    lock = std::move(fd);  // of the one that another has replaced meanwhile it is worth nothing
  }
  return Done{};
}

Recorded IsBeingRecorded(int fd) {
  struct flock lock = WholeFile(F_RDLCK);  // is only asked for, not taken: no other reader keeps it away
  if (fcntl(fd, F_OFD_GETLK, &lock) != 0) return Recorded::kUnknown;
  return lock.l_type == F_UNLCK ? Recorded::kNo : Recorded::kYes;
}

Status CanBeReplaced(const std::filesystem::path& file) {
  const UniqueFd fd(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (fd.valid() && IsBeingRecorded(fd.get()) == Recorded::kYes) return RecordedByAnother(file);
  return Done{};
}

}  // namespace tidemark::trace
