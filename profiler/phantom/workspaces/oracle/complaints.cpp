#include "profiler/phantom/workspaces/oracle/complaints.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace tidemark::phantom::workspaces {
namespace {

// As cuDNN's loader of the driver writes it, before the name.
constexpr const char* kMissing = "Could not load symbol ";

}  // namespace

Complaints::Complaints() : file_(memfd_create("complaints", MFD_CLOEXEC)) {
  if (file_.valid()) dup2(file_.get(), STDERR_FILENO);
}

const std::string& Complaints::MissingFunction() {
  const int64_t end = file_.valid() ? lseek(file_.get(), 0, SEEK_CUR) : 0;
  if (!missing_.empty() || end <= read_bytes_) return missing_;
  std::string text(static_cast<size_t>(end - read_bytes_), '\0');
  const ssize_t count = pread(file_.get(), text.data(), text.size(), read_bytes_);
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, count)));
  read_bytes_ = end;
  const size_t found = text.find(kMissing);
  if (found == std::string::npos) return missing_;
  const size_t begin = found + std::char_traits<char>::length(kMissing);
  missing_ = text.substr(begin, std::min(text.find_first_of(". \n", begin), text.size()) - begin);
  return missing_;
}

}  // namespace tidemark::phantom::workspaces
