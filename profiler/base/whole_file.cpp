#include "profiler/base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "profiler/base/format.h"
#include "profiler/base/unique_fd.h"

namespace tidemark {

Result<std::string> ReadWholeFile(const std::filesystem::path& file, size_t most_bytes) {
  const auto because = [&file](const std::string& why) {
    return Error{file.string() + " cannot be read: " + why + "."};
  };
  const UniqueFd fd(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!fd.valid() || fstat(fd.get(), &status) != 0) return because(std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    return because(S_ISDIR(status.st_mode) ? "it is a folder" : "it is no regular file");
  std::string bytes;
  std::array<char, 1 << 16> part;  // one after another: a file of /proc does not say how large it is
  while (true) {
    const ssize_t count = read(fd.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return because(std::strerror(errno));
    if (count == 0) return bytes;
    if (static_cast<size_t>(count) > most_bytes - bytes.size())
      return because("it is larger than " + FormatNumber(static_cast<int64_t>(most_bytes)) + " bytes");
    bytes.append(part.data(), static_cast<size_t>(count));
  }
}

std::string WholeFileOrNothing(const std::filesystem::path& file) {
  Result<std::string> bytes = ReadWholeFile(file);
  return bytes ? std::move(*bytes) : std::string();
}

}  // namespace tidemark
