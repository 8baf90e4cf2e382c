// The rows of torch.profiler's memory timelines (torch.profiler._memory_profiler of 2.1 to 2.11), which tell
// sizes and categories but no addresses:
//   .raw.json   a row for each event: [nanoseconds (-1: alive before), action, bytes, category]
//   .json       two rows: microseconds, and for each of them [0, bytes of category 0, 1, ...]
// A block that a raw timeline frees is the one of that size and category that was made first; of the other
// form only differences are known, which become blocks that the next fall takes from the top. So curves are
// right, and single blocks are not those of the program. Not thread safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/trace/importers/json_parser.h"
#include "profiler/trace/importers/trace_records.h"

namespace tidemark::trace {

class MemoryTimelineRows final : public JsonHandler {
 public:
  explicit MemoryTimelineRows(TraceRecords& records) : records_(records) {}
  // After the last row.
  void Finish();
  bool any() const { return any_; }
  uint64_t misfits() const { return misfits_; }  // rows that free what was not there, or are none

  bool Null() override { return Number(0); }
  bool Number(int64_t number) override;
  bool Real(double real, std::string_view written) override;
  bool Text(std::string_view) override { return Misfit(); }
  bool BeginObject() override { return Misfit(); }
  bool Key(std::string_view) override { return true; }
  bool EndObject() override { return true; }
  bool BeginList() override;
  bool EndList() override;

 private:
  static constexpr size_t kCategories = 8;
  enum class Form : uint8_t { kNotKnown, kEvents, kSamples };
  struct Block {
    uint64_t address = 0;
    int64_t bytes = 0;
  };

  bool Misfit() {
    ++misfits_;
    return true;
  }
  void TakeEvent(const std::vector<int64_t>& row);
  void TakeVersion(int64_t time_ns, int64_t bytes, size_t category);
  void TakeSample();
  uint64_t Allocate(int64_t time_ns, int64_t bytes, size_t category);
  std::optional<uint64_t> TakeAlive(int64_t bytes, size_t category);
  void Shrink(int64_t time_ns, size_t category, int64_t bytes);
  void Record(events::EventKind kind, int64_t time_ns, const Block& block, size_t category);

  TraceRecords& records_;
  Form form_ = Form::kNotKnown;
  std::vector<int64_t> first_row_;
  std::vector<int64_t> row_;  // that is being read
  size_t depth_ = 0;
  size_t rows_ = 0;
  bool any_ = false;
  uint64_t misfits_ = 0;
  uint64_t next_address_ = 1 << 20;
  // Events: what is alive by category and size, oldest first; and the block whose new version's row follows.
  std::map<std::pair<size_t, int64_t>, std::deque<uint64_t>> alive_;
  std::optional<Block> changing_;
  // Samples: how many were taken; the pieces that make up what each category holds.
  size_t samples_ = 0;
  std::array<int64_t, kCategories> held_{};
  std::array<std::vector<Block>, kCategories> pieces_;
};

}  // namespace tidemark::trace
