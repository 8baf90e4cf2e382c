#include "profiler/trace/recording_lock.h"

#include <fcntl.h>

#include <cerrno>

#include "profiler/base/unique_fd.h"

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

}  // namespace

Status LockAgainstOthers(int fd, const std::filesystem::path& file) {
  struct flock lock = WholeFile(F_WRLCK);
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES)) return Done{};
  return RecordedByAnother(file);
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
