// Files that are written from start to end. Not thread safe.
//
// ReplacingFile writes beside its target and takes its place at the end, so that a failure leaves an existing
// file as it was and no half of a new one. A target that is no regular file (a pipe, /dev/stdout) is written
// directly. A recording that is being written is left to its writer, which is an error.
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"

namespace tidemark::trace {

// "FILE cannot be written: No space left on device. ..." with advice for the usual causes, from errno.
Error CannotWrite(const std::filesystem::path& file, int error_number);

// All of `bytes`, or the errno of what went wrong; 0 = done.
int WriteFully(int fd, std::string_view bytes);

class ReplacingFile {
 public:
  static Result<ReplacingFile> Create(const std::filesystem::path& target);
  // Of a recording's writer himself: takes the `lock` on the target (LockName), and with Commit that on the
  // new file. It is to outlive this.
  static Result<ReplacingFile> Create(const std::filesystem::path& target, UniqueFd& lock);
  ReplacingFile(ReplacingFile&& other) noexcept;
  ReplacingFile& operator=(ReplacingFile&& other) = delete;
  ~ReplacingFile();  // removes what was not committed

  // Where the bytes go until Commit: for writers that open their file by its name.
  const std::filesystem::path& path() const { return path_; }

  // Buffered; a full buffer goes to the disk while the next one is filled, so that what went wrong with it is
  // told by the call after.
  Status Write(std::string_view bytes);
  // The buffer, for whoever puts his bytes together where they are written from: what is appended to it goes
  // before those of the next Write.
  std::string& buffer() { return buffer_; }
  Status Commit();

 private:
  ReplacingFile(std::filesystem::path target, std::filesystem::path path, UniqueFd fd);
  // `requested` is what sentences call it, `target` where that leads to.
  static Result<ReplacingFile> Direct(const std::filesystem::path& requested,
                                      const std::filesystem::path& target);
  static Result<ReplacingFile> CreateBeside(const std::filesystem::path& requested,
                                            const std::filesystem::path& target);
  Status EndOfWriting();
  Status CloseOrLock();

  std::filesystem::path target_;
  std::filesystem::path path_;  // == target_ if it is written directly; "" once committed or moved from
  UniqueFd fd_;
  UniqueFd* lock_ = nullptr;  // of who records into it
  std::string buffer_;
  std::string on_its_way_;    // the buffer before, which is not touched until `writing_` is there
  std::future<int> writing_;  // its errno
};

// A file of these bytes, through ReplacingFile.
Status WriteWhole(std::string_view bytes, const std::filesystem::path& file);

}  // namespace tidemark::trace
