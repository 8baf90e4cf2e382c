#include "profiler/trace/sqlite_table.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace tidemark::trace {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kDatabaseHeaderBytes = 100;
constexpr size_t kPageSizeAt = 16;
constexpr size_t kPageCountAt = 28;
constexpr uint64_t kLockByteAt = 0x40000000;  // its page holds nothing, ever
constexpr size_t kWaitingBytes = 1 << 20;

constexpr char kLeafPage = 0x0d;
constexpr char kInteriorPage = 0x05;
constexpr size_t kLeafHeaderBytes = 8;
constexpr size_t kInteriorHeaderBytes = 12;
constexpr size_t kPointerBytes = 2;  // of a cell
constexpr size_t kChildBytes = 4;
constexpr size_t kMostVarintBytes = 9;

template <typename Number>
void PutBigEndian(char* place, Number value) {
  for (size_t i = 0; i < sizeof(Number); ++i)
    place[i] = static_cast<char>(value >> (8 * (sizeof(Number) - 1 - i)));
}
uint32_t BigEndian(const char* place, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned char>(place[i]);
  return value;
}

// Seven bits in a byte, the highest first; a ninth byte has eight. Of numbers that are not negative.
size_t VarintBytes(uint64_t value) {
  const auto bits = static_cast<size_t>(std::bit_width(value));
  return std::clamp<size_t>((bits + 6) / 7, 1, kMostVarintBytes);
}
char* PutVarint(char* place, uint64_t value) {
  const size_t bytes = VarintBytes(value);
  size_t left = bytes;
  if (bytes == kMostVarintBytes) {
    place[--left] = static_cast<char>(value);
    value >>= 8;
  }
  for (bool is_last = left == bytes; left > 0; is_last = false) {
    place[--left] = static_cast<char>((value & 0x7f) | (is_last ? 0 : 0x80));
    value >>= 7;
  }
  return place + bytes;
}

// "Serial types": how an integer lies in a record, and how many bytes it has there.
constexpr uint8_t kNull = 0;
constexpr uint8_t kZero = 8;
constexpr uint8_t kOne = 9;
constexpr std::array<uint8_t, 10> kBytesOfType = {0, 1, 2, 3, 4, 6, 8, 0, 0, 0};
uint8_t TypeOf(int64_t value) {
  if (value == 0) return kZero;
  if (value == 1) return kOne;
  // By the bits beside the sign: 7, 15, 23, 31, 47 or 63.
  static constexpr std::array<uint8_t, 64> kTypeOfBits = [] {
    std::array<uint8_t, 64> types{};
    for (size_t bits = 0; bits < types.size(); ++bits)
      types[bits] = bits <= 7 ? 1 : bits <= 15 ? 2 : bits <= 23 ? 3 : bits <= 31 ? 4 : bits <= 47 ? 5 : 6;
    return types;
  }();
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  return kTypeOfBits[static_cast<size_t>(std::bit_width(magnitude))];
}

// Eight bytes are written, of which the first count.
size_t PutInteger(char* place, int64_t value, uint8_t type) {
  const size_t bytes = kBytesOfType[type];
  if (bytes == 0) return 0;
  const uint64_t first = __builtin_bswap64(static_cast<uint64_t>(value) << (64 - 8 * bytes));
  std::memcpy(place, &first, sizeof(first));
  return bytes;
}

constexpr size_t kMostRecordBytes = 2 + SqliteTable::kMostColumns * (1 + sizeof(int64_t)) + sizeof(int64_t);
static_assert(1 + 1 + SqliteTable::kMostColumns < 0x80, "the size of a record's header is one byte");

// As SQLite makes it of the same values; how long it is.
size_t MakeRecord(bool has_id, std::span<const int64_t> values, char* record) {
  char* type = record + 1;
  if (has_id) *type++ = static_cast<char>(kNull);  // the row's id stands for it
  char* place = type + values.size();
  *record = static_cast<char>(place - record);
  for (const int64_t value : values) {
    const uint8_t type_of_value = TypeOf(value);
    *type++ = static_cast<char>(type_of_value);
    place += PutInteger(place, value, type_of_value);
  }
  return static_cast<size_t>(place - record);
}

}  // namespace

Result<SqlitePages> SqlitePages::Open(const std::filesystem::path& file) {
  UniqueFd fd(open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd.valid()) return Error{std::strerror(errno)};
  std::array<char, kDatabaseHeaderBytes> header{};
  if (pread(fd.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
    return Error{"its beginning cannot be read"};
  const uint32_t told = BigEndian(header.data() + kPageSizeAt, 2);
  const size_t page_bytes = told == 1 ? 65536 : told;
  return SqlitePages(std::move(fd), page_bytes, BigEndian(header.data() + kPageCountAt, 4));
}

void SqlitePages::Write(std::string_view bytes, uint64_t offset) {
  while (!bytes.empty() && error_number_ == 0) {
    const ssize_t written = pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno != EINTR) error_number_ = errno;
      continue;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
}

void SqlitePages::WriteWaiting() {
  Write(waiting_, uint64_t{waiting_from_ - 1} * page_bytes_);
  waiting_.clear();
  waiting_from_ = pages_ + 1;
}

uint32_t SqlitePages::Append(std::string_view page) {
  if (uint64_t{pages_} * page_bytes_ == kLockByteAt) {
    waiting_.append(page_bytes_, '\0');
    ++pages_;
  }
  waiting_ += page;
  ++pages_;
  if (waiting_.size() >= kWaitingBytes) WriteWaiting();
  return pages_;
}

void SqlitePages::Replace(uint32_t number, std::string_view page) {
  Write(page, uint64_t{number - 1} * page_bytes_);
}

Status SqlitePages::Finish() {
  WriteWaiting();
  std::array<char, 4> count{};
  PutBigEndian(count.data(), pages_);
  Write({count.data(), count.size()}, kPageCountAt);
  if (error_number_ != 0) return Error{std::strerror(error_number_)};
  return Done{};
}

void SqliteTable::BeginLeaf() {
  leaf_.assign(pages_->page_bytes(), '\0');
  leaf_[0] = kLeafPage;
  cells_ = 0;
  content_begin_ = leaf_.size();
}

void SqliteTable::Add(int64_t row_id, std::span<const int64_t> values) {
  std::array<char, kMostRecordBytes> record;
  const size_t record_bytes = MakeRecord(has_id_, values, record.data());
  const size_t cell_bytes =
      VarintBytes(record_bytes) + VarintBytes(static_cast<uint64_t>(row_id)) + record_bytes;
  if (kLeafHeaderBytes + (cells_ + 1) * kPointerBytes + cell_bytes > content_begin_) EndLeaf();
  content_begin_ -= cell_bytes;
  char* place = PutVarint(leaf_.data() + content_begin_, record_bytes);
  place = PutVarint(place, static_cast<uint64_t>(row_id));
  std::memcpy(place, record.data(), record_bytes);
  PutBigEndian(leaf_.data() + kLeafHeaderBytes + cells_ * kPointerBytes,
               static_cast<uint16_t>(content_begin_));
  ++cells_;
  last_row_id_ = row_id;
}

void SqliteTable::FinishLeafHeader() {
  PutBigEndian(leaf_.data() + 3, static_cast<uint16_t>(cells_));
  PutBigEndian(leaf_.data() + 5, static_cast<uint16_t>(content_begin_));  // 65536 is told as 0
}

void SqliteTable::EndLeaf() {
  FinishLeafHeader();
  children_.push_back({pages_->Append(leaf_), last_row_id_});
  BeginLeaf();
}

// How many of them one page can lead to.
size_t SqliteTable::FittingInOnePage(std::span<const Child> children) const {
  size_t bytes = kInteriorHeaderBytes;
  size_t count = 1;  // the last has no cell
  for (; count < children.size(); ++count) {
    const auto row_id = static_cast<uint64_t>(children[count - 1].last_row_id);
    bytes += kPointerBytes + kChildBytes + VarintBytes(row_id);
    if (bytes > pages_->page_bytes()) break;
  }
  return count;
}

std::string SqliteTable::Interior(std::span<const Child> children) const {
  std::string page(pages_->page_bytes(), '\0');
  size_t content_begin = page.size();
  for (size_t i = 0; i + 1 < children.size(); ++i) {
    const auto row_id = static_cast<uint64_t>(children[i].last_row_id);
    content_begin -= kChildBytes + VarintBytes(row_id);
    PutBigEndian(page.data() + content_begin, children[i].page);
    PutVarint(page.data() + content_begin + kChildBytes, row_id);
    PutBigEndian(page.data() + kInteriorHeaderBytes + i * kPointerBytes,
                 static_cast<uint16_t>(content_begin));
  }
  page[0] = kInteriorPage;
  PutBigEndian(page.data() + 3, static_cast<uint16_t>(children.size() - 1));
  PutBigEndian(page.data() + 5, static_cast<uint16_t>(content_begin));
  PutBigEndian(page.data() + 8, children.back().page);
  return page;
}

void SqliteTable::Finish() {
  if (children_.empty()) {
    FinishLeafHeader();
    pages_->Replace(root_, leaf_);
    return;
  }
  EndLeaf();  // has a row: a leaf ends only for the row after it
  while (FittingInOnePage(children_) < children_.size()) {
    std::vector<Child> parents;
    std::span<const Child> rest = children_;
    while (!rest.empty()) {
      size_t count = FittingInOnePage(rest);
      if (count + 1 == rest.size()) --count;  // none leads to one page only
      const auto group = rest.first(count);
      parents.push_back({pages_->Append(Interior(group)), group.back().last_row_id});
      rest = rest.subspan(count);
    }
    children_ = std::move(parents);
  }
  pages_->Replace(root_, Interior(children_));
}

}  // namespace tidemark::trace
