// Rows of integers, laid into an SQLite database as the pages of its tables' trees. Through SQL a row takes 1
// µs and more, nearly all of it in the machine that runs statements; what SQLite itself appends in ascending
// order lies in the file just so. The bytes: https://www.sqlite.org/fileformat2.html (format 4, by its
// makers' word stable). Not thread safe. O(1) amortised a row; memory: 16 bytes for each page of rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"

namespace tidemark::trace {

// The pages of a database that nobody has open, and more of them. What fails stays failed, and is told by
// Finish.
class SqlitePages {
 public:
  // Errors are the end of a sentence, as Database's are.
  static Result<SqlitePages> Open(const std::filesystem::path& file);

  size_t page_bytes() const { return page_bytes_; }
  uint32_t Append(std::string_view page);  // its number
  void Replace(uint32_t number, std::string_view page);
  bool failed() const { return error_number_ != 0; }
  // Writes what waits, and how many pages there are now.
  Status Finish();

 private:
  SqlitePages(UniqueFd fd, size_t page_bytes, uint32_t pages)
      : fd_(std::move(fd)), page_bytes_(page_bytes), pages_(pages), waiting_from_(pages + 1) {}
  void Write(std::string_view bytes, uint64_t offset);
  void WriteWaiting();

  UniqueFd fd_;
  size_t page_bytes_ = 0;
  uint32_t pages_ = 0;         // how many there are; they count from 1
  uint32_t waiting_from_ = 0;  // the number of the first page in `waiting_`
  std::string waiting_;
  int error_number_ = 0;
};

class SqliteTable {
 public:
  // An empty table whose tree begins at page `root`. `has_id`: its first column is its INTEGER PRIMARY KEY.
  SqliteTable(SqlitePages& pages, uint32_t root, bool has_id) : pages_(&pages), root_(root), has_id_(has_id) {
    BeginLeaf();
  }

  // `row_id` is larger than the one before. `values`: of the columns after the id; at most kMostColumns.
  void Add(int64_t row_id, std::span<const int64_t> values);
  void Finish();

  static constexpr size_t kMostColumns = 64;

 private:
  struct Child {
    uint32_t page = 0;
    int64_t last_row_id = 0;
  };

  void BeginLeaf();
  void EndLeaf();
  void FinishLeafHeader();
  size_t FittingInOnePage(std::span<const Child> children) const;
  std::string Interior(std::span<const Child> children) const;

  SqlitePages* pages_;
  uint32_t root_;
  bool has_id_;
  std::string leaf_;
  size_t cells_ = 0;          // in the leaf
  size_t content_begin_ = 0;  // they grow from its end to here
  int64_t last_row_id_ = 0;
  std::vector<Child> children_;  // the leaves before
};

}  // namespace tidemark::trace
