// Answers on disk, so that no program asks cuDNN twice: one file for each cuDNN and card, to which records
// are only ever appended. Any number of processes read it, those that write take a lock for the moment. A
// record that was damaged or cut off is passed over, and the question is simply put again.
//
// A file is a sequence of records: "TMA1", the answer's length (4 bytes), the question's key (16), the
// answer, and a checksum of all that (8). Numbers are little-endian, as all machines that this runs on.
//
// Not thread safe. Open reads the whole file: 2 ms for 10 MB; Find takes a hash table's 50 ns.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiler/base/unique_fd.h"

namespace tidemark::phantom::workspaces {

// A hash of 128 bits, of which no two questions of anybody share one.
struct Key {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Key&) const = default;
};
Key KeyOf(std::string_view bytes);
std::string HexOf(const Key& key);  // 32 digits

class AnswerCache {
 public:
  // Beyond this a file is begun anew by the next process that writes: some 100,000 operations.
  static constexpr int64_t kLargestFileBytes = 64 << 20;

  explicit AnswerCache(std::filesystem::path file);

  // The answer's bytes; valid until the next call.
  std::optional<std::string_view> Find(const Key& key) const;
  // What other processes have appended since; cheap when nothing was.
  void ReadNew();
  // Keeps it here, and in the file if that can be written; false if it cannot: then others ask again.
  bool Append(const Key& key, std::string_view answer);

  int64_t damaged_bytes() const { return damaged_bytes_; }
  size_t size() const { return answers_.size(); }

 private:
  struct KeyHash {
    size_t operator()(const Key& key) const { return key.low; }
  };

  void TakeRecords(std::string_view bytes);
  bool OpenForWriting();

  std::filesystem::path file_;
  std::unordered_map<Key, std::string, KeyHash> answers_;
  int64_t read_bytes_ = 0;
  uint64_t inode_ = 0;
  int64_t damaged_bytes_ = 0;
  UniqueFd writing_;
};

// Where the answers lie: $TIDEMARK_CACHE, else $XDG_CACHE_HOME/tidemark, else ~/.cache/tidemark, and in it
// cudnn/. "" if there is no home. Not created yet.
std::filesystem::path AnswersFolder();

}  // namespace tidemark::phantom::workspaces
