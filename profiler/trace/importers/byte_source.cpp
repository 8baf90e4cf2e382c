#include "profiler/trace/importers/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "profiler/base/unique_fd.h"

namespace tidemark::trace {
namespace {

constexpr size_t kSourceBufferBytes = 256 << 10;
constexpr size_t kPeekBytes = 16;
constexpr uint64_t kMostUnpackedPerByte = 200;
constexpr uint64_t kUnpackedAlways = 64 << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, gzip's header

}  // namespace

class ByteSource::Implementation {
 public:
  Implementation(UniqueFd fd, uint64_t file_bytes, std::string_view memory)
      : fd_(std::move(fd)), memory_(memory), file_bytes_(file_bytes), raw_(kSourceBufferBytes) {
    ReadRaw();
    packed_ = raw_size_ >= 2 && raw_[0] == '\x1f' && raw_[1] == '\x8b';
    if (!packed_) return;
    unpacked_.resize(kSourceBufferBytes);
    if (inflateInit2(&zlib_, kGzipWindow) != Z_OK) failure_ = "it cannot be unpacked";
    begun_ = failure_.empty();
  }
  ~Implementation() {
    if (begun_) inflateEnd(&zlib_);
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  // The next bytes, which stay until the next call; empty at the end.
  std::string_view Chunk() {
    if (!failure_.empty()) return {};
    cancelled_ = cancelled_ || (progress_ && !progress_(Share()));
    if (cancelled_) return {};
    if (packed_) return Unpack();
    if (raw_size_ == 0) ReadRaw();
    return {raw_.data(), std::exchange(raw_size_, 0)};
  }

  bool packed() const { return packed_; }
  const std::string& failure() const { return failure_; }
  bool cancelled() const { return cancelled_; }
  void ReportTo(Progress progress) { progress_ = std::move(progress); }

 private:
  double Share() const {
    if (file_bytes_ == 0) return 1;
    return std::min(1.0, static_cast<double>(raw_read_) / static_cast<double>(file_bytes_));
  }

  void ReadRaw() {
    raw_size_ = 0;
    if (!fd_.valid()) {
      raw_size_ = memory_.copy(raw_.data(), raw_.size());
      memory_.remove_prefix(raw_size_);
    }
    while (fd_.valid() && raw_size_ < raw_.size()) {
      const ssize_t count = read(fd_.get(), raw_.data() + raw_size_, raw_.size() - raw_size_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) failure_ = std::string("it cannot be read (") + std::strerror(errno) + ")";
      if (count <= 0) break;
      raw_size_ += static_cast<size_t>(count);
    }
    raw_read_ += raw_size_;
  }

  std::string_view Unpack() {
    zlib_.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
    zlib_.avail_out = static_cast<uInt>(unpacked_.size());
    while (zlib_.avail_out > 0 && failure_.empty() && !ended_) {
      if (zlib_.avail_in == 0) RefillPacked();
      if (ended_ || !failure_.empty()) break;
      if (begins_member_ && *zlib_.next_in != 0x1f) {
        ended_ = true;  // padding behind the last member
        break;
      }
      begins_member_ = false;
      const int code = inflate(&zlib_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        begins_member_ = true;  // several members may follow each other
        if (inflateReset(&zlib_) != Z_OK) failure_ = "it cannot be unpacked";
      } else if (code != Z_OK) {
        failure_ = "what gzip packed is damaged";
      }
    }
    const size_t size = unpacked_.size() - zlib_.avail_out;
    total_unpacked_ += size;
    if (total_unpacked_ > kUnpackedAlways + kMostUnpackedPerByte * raw_read_) {
      failure_ = "it unpacks to more than 200 times its size, as no memory history does";
      return {};
    }
    return {unpacked_.data(), size};
  }

  void RefillPacked() {
    if (raw_size_ == 0) ReadRaw();
    zlib_.next_in = reinterpret_cast<Bytef*>(raw_.data());
    zlib_.avail_in = static_cast<uInt>(std::exchange(raw_size_, 0));
    if (zlib_.avail_in == 0) {
      ended_ = true;
      if (!begins_member_ && failure_.empty()) failure_ = "what gzip packed ends early";
    }
  }

  UniqueFd fd_;
  std::string_view memory_;
  uint64_t file_bytes_;
  std::vector<char> raw_;
  size_t raw_size_ = 0;
  uint64_t raw_read_ = 0;
  bool packed_ = false;
  bool begun_ = false;
  bool ended_ = false;
  bool begins_member_ = false;
  z_stream zlib_{};
  std::vector<char> unpacked_;
  uint64_t total_unpacked_ = 0;
  Progress progress_;
  bool cancelled_ = false;
  std::string failure_;
};

ByteSource::ByteSource(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Result<ByteSource> ByteSource::Open(const std::filesystem::path& file) {
  UniqueFd fd(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // a pipe must not hang us
  struct stat status {};
  if (!fd.valid() || fstat(fd.get(), &status) != 0) {
    return Error{file.string() + " cannot be opened: " + std::strerror(errno) +
                 ". Check its name and its permissions."};
  }
  if (S_ISDIR(status.st_mode)) return Error{file.string() + " is a folder. Choose a file in it."};
  if (!S_ISREG(status.st_mode)) return Error{file.string() + " is no regular file. Choose another one."};
  return ByteSource(std::make_unique<Implementation>(std::move(fd), static_cast<uint64_t>(status.st_size),
                                                     std::string_view()));
}

ByteSource ByteSource::Of(std::string_view bytes) {
  return ByteSource(std::make_unique<Implementation>(UniqueFd(), bytes.size(), bytes));
}

bool ByteSource::Fill() {
  const std::string_view chunk = implementation_->Chunk();
  at_ = chunk.data();
  end_ = chunk.data() + chunk.size();
  filled_ += chunk.size();
  return !chunk.empty();
}

std::string_view ByteSource::Peek() {
  if (at_ == end_) Fill();
  return {at_, std::min(kPeekBytes, static_cast<size_t>(end_ - at_))};
}

size_t ByteSource::ReadAcross(char* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    if (at_ == end_ && !Fill()) break;
    const size_t part = std::min(size - done, static_cast<size_t>(end_ - at_));
    std::memcpy(bytes + done, at_, part);
    at_ += part;
    done += part;
  }
  return done;
}

bool ByteSource::Append(uint64_t size, std::string& text) {
  while (size > 0) {
    if (at_ == end_ && !Fill()) return false;
    const size_t part = static_cast<size_t>(std::min<uint64_t>(size, static_cast<uint64_t>(end_ - at_)));
    text.append(at_, part);
    at_ += part;
    size -= part;
  }
  return true;
}

bool ByteSource::Line(std::string& text) {
  text.clear();
  for (int byte = Next(); byte >= 0; byte = Next()) {
    if (byte == '\n') return true;
    text += static_cast<char>(byte);
  }
  return false;
}

void ByteSource::ReportTo(Progress progress) { implementation_->ReportTo(std::move(progress)); }
bool ByteSource::cancelled() const { return implementation_->cancelled(); }
bool ByteSource::packed() const { return implementation_->packed(); }
const std::string& ByteSource::failure() const { return implementation_->failure(); }

}  // namespace tidemark::trace
