#include "profiler/phantom/workspaces/answer_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "profiler/base/paths.h"

#define XXH_INLINE_ALL  // nothing of it may be seen by the program that a stand-in is loaded into
#include <xxhash.h>

namespace tidemark::phantom::workspaces {
namespace {

constexpr std::string_view kMark = "TMA1";
constexpr size_t kHeadBytes = 4 + 4 + sizeof(Key);
constexpr size_t kCheckBytes = 8;

template <typename Number>
void Put(std::string& bytes, const Number& number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
Number Get(std::string_view bytes, size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

// The length of the sound record that these bytes begin with; 0 if there is none.
size_t SoundRecord(std::string_view bytes) {
  if (bytes.size() < kHeadBytes + kCheckBytes || !bytes.starts_with(kMark)) return 0;
  const size_t length = Get<uint32_t>(bytes, kMark.size());
  const size_t whole = kHeadBytes + length + kCheckBytes;
  if (whole > bytes.size()) return 0;
  const auto check = Get<uint64_t>(bytes, whole - kCheckBytes);
  return XXH3_64bits(bytes.data(), whole - kCheckBytes) == check ? whole : 0;
}

// From `begin` to the end; what cannot be read is missing.
std::string ReadFrom(int fd, int64_t begin, int64_t end) {
  std::string bytes(static_cast<size_t>(std::max<int64_t>(0, end - begin)), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        pread(fd, bytes.data() + done, bytes.size() - done, begin + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace

Key KeyOf(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::string HexOf(const Key& key) {
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016lx%016lx", key.high, key.low);
  return text.data();
}

AnswerCache::AnswerCache(std::filesystem::path file) : file_(std::move(file)) { ReadNew(); }

std::optional<std::string_view> AnswerCache::Find(const Key& key) const {
  const auto found = answers_.find(key);
  return found == answers_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

void AnswerCache::ReadNew() {
  if (file_.empty()) return;
  const UniqueFd reading(open(file_.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat state = {};
  if (!reading.valid() || fstat(reading.get(), &state) != 0) return;  // nobody has answered anything yet
  if (state.st_ino != inode_ || state.st_size < read_bytes_) read_bytes_ = 0;
  inode_ = state.st_ino;
  TakeRecords(ReadFrom(reading.get(), read_bytes_, state.st_size));
}

// What is cut off at the end may still be in the writing, so it is read again the next time.
void AnswerCache::TakeRecords(std::string_view bytes) {
  size_t position = 0;
  size_t taken = 0;
  while (position < bytes.size()) {
    const std::string_view rest = bytes.substr(position);
    if (const size_t whole = SoundRecord(rest); whole > 0) {
      damaged_bytes_ += static_cast<int64_t>(position - taken);
      const Key key{Get<uint64_t>(rest, 8), Get<uint64_t>(rest, 16)};
      answers_.insert_or_assign(key, std::string(rest.substr(kHeadBytes, whole - kHeadBytes - kCheckBytes)));
      position += whole;
      taken = position;
      continue;
    }
    const size_t next = rest.find(kMark, 1);
    if (next == std::string_view::npos) break;
    position += next;
  }
  read_bytes_ += static_cast<int64_t>(taken);
}

bool AnswerCache::OpenForWriting() {
  if (writing_.valid()) return true;
  if (file_.empty()) return false;
  std::error_code failure;
  std::filesystem::create_directories(file_.parent_path(), failure);
  // Who still reads the old file keeps it until it closes it.
  if (std::filesystem::file_size(file_, failure) > kLargestFileBytes && !failure) {
    std::filesystem::remove(file_, failure);
  }
  writing_.Reset(open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  return writing_.valid();
}

bool AnswerCache::Append(const Key& key, std::string_view answer) {
  answers_.insert_or_assign(key, std::string(answer));
  if (!OpenForWriting()) return false;
  std::string record(kMark);
  Put(record, static_cast<uint32_t>(answer.size()));
  Put(record, key);
  record += answer;
  Put(record, XXH3_64bits(record.data(), record.size()));
  if (flock(writing_.get(), LOCK_EX) != 0) return false;
  const bool written = WriteAll(writing_.get(), record);
  flock(writing_.get(), LOCK_UN);
  return written;
}

std::filesystem::path AnswersFolder() {
  const std::filesystem::path folder = CacheFolder();
  return folder.empty() ? folder : folder / "cudnn";
}

}  // namespace tidemark::phantom::workspaces
