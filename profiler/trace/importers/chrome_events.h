// The events of a Trace Event JSON, as torch.profiler (Kineto) writes it with profile_memory=True, and as we
// do: what they tell of memory, of operators and of what the GPU did. Not thread safe. O(1) each; see
// trace_records.h for memory.
//
// Sources: the "[memory]" and "[OutOfMemory]" instants and their arguments are those of torch 2.11 (Kineto's
// output_json.cpp, torch/csrc/profiler/collection.cpp); times are microseconds, in fractions of 0.001.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/trace/importers/json_parser.h"
#include "profiler/trace/importers/trace_records.h"

namespace tidemark::trace {

class ChromeEvents final : public JsonHandler {
 public:
  explicit ChromeEvents(TraceRecords& records) : records_(records) {}
  bool any() const { return any_; }

  bool Wants() override;
  bool Null() override { return true; }
  bool Number(int64_t number) override;
  bool Real(double real, std::string_view written) override;
  bool Text(std::string_view text) override;
  bool BeginObject() override;
  bool Key(std::string_view key) override;
  bool EndObject() override;
  bool BeginList() override;
  bool EndList() override;

 private:
  enum class Field : uint8_t {
    kOther,
    kPhase,
    kCategory,
    kName,
    kTime,
    kDuration,
    kThread,
    kArguments,
  };
  struct Parts {
    char phase = 0;
    std::string category;
    std::string name;
    int64_t time_ns = kNoTime;
    int64_t duration_ns = 0;
    uint32_t thread = 0;
    TraceArguments arguments;
  };
  static constexpr int64_t kNoTime = INT64_MIN;

  static Field FieldOfEvent(std::string_view key);
  std::optional<TraceSlice::Kind> SliceKind() const;
  bool IsNumber() const;  // a counter of ours that stands for an event
  void Take();
  void TakeInstant(events::EventKind kind);
  void TakeBookmark();
  void TakeSlice(TraceSlice::Kind kind);
  void TakeWork(events::EventKind kind);

  TraceRecords& records_;
  Parts parts_;
  Field field_ = Field::kOther;                     // whose value comes next
  TraceArgument argument_ = TraceArgument::kOther;  // the same, within the arguments
  bool in_event_ = false;
  bool in_arguments_ = false;
  uint32_t lists_ = 0;  // that are open where an event was expected
  bool any_ = false;
};

}  // namespace tidemark::trace
