// The bytes of a file that is read once, from start to end; what gzip packed is unpacked on the way. Not
// thread safe. Memory: two buffers of 256 KiB. A file that unpacks to more than 200 times its size + 64 MiB
// is refused there (a decompression bomb; memory histories reach some 40 times).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "profiler/base/progress.h"
#include "profiler/base/result.h"

namespace tidemark::trace {

class ByteSource {
 public:
  static Result<ByteSource> Open(const std::filesystem::path& file);
  // For tests and fuzzing. `bytes` outlives it; gzip is unpacked all the same.
  static ByteSource Of(std::string_view bytes);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  // The first bytes, as many as there are up to 16, without taking them.
  std::string_view Peek();

  // The next byte, -1 at the end.
  int Next() {
    if (at_ == end_ && !Fill()) return -1;
    return static_cast<unsigned char>(*at_++);
  }
  // The same without taking it.
  int Ahead() {
    if (at_ == end_ && !Fill()) return -1;
    return static_cast<unsigned char>(*at_);
  }
  // Fills `bytes`; how many there were is less only at the end.
  size_t Read(char* bytes, size_t size) {
    if (size == 0 || static_cast<size_t>(end_ - at_) < size) return ReadAcross(bytes, size);
    std::memcpy(bytes, at_, size);
    at_ += size;
    return size;
  }
  // Appends `size` bytes to `text`, or as many as there are: memory follows what the file holds, not what it
  // says.
  bool Append(uint64_t size, std::string& text);
  // Up to a line feed, which is taken and left out.
  bool Line(std::string& text);

  uint64_t offset() const { return filled_ - static_cast<uint64_t>(end_ - at_); }  // unpacked bytes taken
  bool packed() const;
  // `progress` is told from then on which share of the file (0 to 1) has been read, every 256 KiB. Once it
  // answers false there is nothing more.
  void ReportTo(Progress progress);
  bool cancelled() const;
  const std::string& failure() const;  // "" or why there was nothing more, other than the end of the file

 private:
  class Implementation;
  explicit ByteSource(std::unique_ptr<Implementation> implementation);
  bool Fill();
  size_t ReadAcross(char* bytes, size_t size);

  std::unique_ptr<Implementation> implementation_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  uint64_t filled_ = 0;
};

}  // namespace tidemark::trace
