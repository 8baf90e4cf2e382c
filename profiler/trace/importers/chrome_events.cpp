#include "profiler/trace/importers/chrome_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "profiler/trace/importers/objects.h"

namespace tidemark::trace {
namespace {

// Times of a hundred years are none; sums of two stay within 2^63.
constexpr int64_t kLatestUs = 4'000'000'000'000'000;

int64_t NanosecondsFromUs(int64_t us) { return std::clamp(us, -kLatestUs, kLatestUs) * 1000; }

// "4502810635893.525" to the nanosecond: a double would be off by one in sixteen digits.
int64_t NanosecondsFromWritten(double us, std::string_view written) {
  constexpr double kLatest = static_cast<double>(kLatestUs);
  if (std::isnan(us)) return 0;
  int64_t whole = 0;
  const char* end = written.data() + written.size();
  const auto [point, error] = std::from_chars(written.data(), end, whole);
  const bool is_plain = error == std::errc() && point < end && *point == '.' &&
                        std::all_of(point + 1, end, [](char digit) { return digit >= '0' && digit <= '9'; });
  if (!is_plain || whole < 0) return std::llround(std::clamp(us, -kLatest, kLatest) * 1000);
  int64_t fraction = 0;
  for (int i = 1; i <= 3; ++i) fraction = fraction * 10 + (point + i < end ? point[i] - '0' : 0);
  return NanosecondsFromUs(whole) + fraction;
}

}  // namespace

ChromeEvents::Field ChromeEvents::FieldOfEvent(std::string_view key) {
  if (key == "ph") return Field::kPhase;
  if (key == "cat") return Field::kCategory;
  if (key == "name") return Field::kName;
  if (key == "ts") return Field::kTime;
  if (key == "dur") return Field::kDuration;
  if (key == "tid") return Field::kThread;
  return key == "args" ? Field::kArguments : Field::kOther;
}

ChromeEvents::Field ChromeEvents::FieldOfArguments(std::string_view key) {
  static constexpr std::array<std::pair<std::string_view, Field>, 13> kFields = {
      {{"Addr", Field::kAddress},
       {"Bytes", Field::kBytes},
       {"Device Id", Field::kDevice},
       {"Device Type", Field::kDeviceType},
       {"Total Allocated", Field::kTotalAllocated},
       {"Total Reserved", Field::kTotalReserved},
       {"Requested", Field::kRequested},
       {"Free", Field::kFree},
       {"Category", Field::kHolds},
       {"Layer", Field::kLayer},
       {"Operator", Field::kOperator},
       {"Tensor", Field::kTensor},
       {"Sequence number", Field::kSequence}}};
  const auto found =
      std::find_if(kFields.begin(), kFields.end(), [key](const auto& field) { return field.first == key; });
  return found == kFields.end() ? Field::kOther : found->second;
}

bool ChromeEvents::IsAboutMemory() const {
  return parts_.name == "[memory]" || parts_.name == "[OutOfMemory]" || parts_.name == "out of memory";
}

// Arguments are passed over where the event is known by then to have none that count.
bool ChromeEvents::Wants() {
  if (!in_event_) return lists_ == 0;
  if (field_ != Field::kArguments || in_arguments_) return field_ != Field::kOther;
  return parts_.phase == 0 ||
         (parts_.phase == 'X' && (parts_.category == "cpu_op" || parts_.category.empty())) ||
         (parts_.phase == 'i' && (IsAboutMemory() || parts_.name.empty()));
}

bool ChromeEvents::BeginObject() {
  if (in_event_) {
    in_arguments_ = true;
    field_ = Field::kOther;
    return true;
  }
  in_event_ = true;
  field_ = Field::kOther;
  parts_ = {};
  return true;
}

bool ChromeEvents::Key(std::string_view key) {
  field_ = in_arguments_ ? FieldOfArguments(key) : FieldOfEvent(key);
  return true;
}

bool ChromeEvents::EndObject() {
  field_ = Field::kOther;
  if (in_arguments_) {
    in_arguments_ = false;
    return true;
  }
  in_event_ = false;
  any_ = true;
  Take();
  return true;
}

// A list stands where none is expected; nothing in it is wanted.
bool ChromeEvents::BeginList() {
  field_ = Field::kOther;
  if (!in_event_) ++lists_;
  return true;
}
bool ChromeEvents::EndList() {
  if (!in_event_) --lists_;
  return true;
}

bool ChromeEvents::Number(int64_t number) {
  MemoryRecord& memory = parts_.memory;
  const auto at_least_0 = std::max<int64_t>(number, 0);
  const auto small = static_cast<uint8_t>(std::clamp<int64_t>(number, 0, 255));
  switch (field_) {
    case Field::kTime:
      parts_.time_ns = NanosecondsFromUs(number);
      break;
    case Field::kDuration:
      parts_.duration_ns = NanosecondsFromUs(at_least_0);
      break;
    case Field::kThread:
      memory.thread = static_cast<uint32_t>(number);
      break;
    case Field::kAddress:
      memory.address = static_cast<uint64_t>(number);
      break;
    case Field::kBytes:
      parts_.sized = true;
      memory.bytes = number == std::numeric_limits<int64_t>::min() ? 0 : std::abs(number);
      memory.action = number < 0 ? MemoryRecord::Action::kFree : MemoryRecord::Action::kAllocate;
      break;
    case Field::kDevice:
      memory.device = small;  // the CPU's is -1
      break;
    case Field::kDeviceType:
      memory.device_type = small;
      break;
    case Field::kTotalAllocated:
      memory.total_allocated = at_least_0;
      break;
    case Field::kTotalReserved:
      memory.total_reserved = at_least_0;
      break;
    case Field::kRequested:
      memory.requested = at_least_0;
      break;
    case Field::kFree:
      memory.free_bytes = at_least_0;
      break;
    case Field::kSequence:
      parts_.is_differentiable = number >= 0;
      break;
    default:
      break;
  }
  return true;
}

bool ChromeEvents::Real(double real, std::string_view written) {
  if (field_ == Field::kTime) parts_.time_ns = NanosecondsFromWritten(real, written);
  if (field_ == Field::kDuration)
    parts_.duration_ns = std::max<int64_t>(NanosecondsFromWritten(real, written), 0);
  return true;
}

bool ChromeEvents::Text(std::string_view text) {
  switch (field_) {
    case Field::kPhase:
      parts_.phase = text.empty() ? '?' : text.front();
      break;
    case Field::kCategory:
      parts_.category = text;
      break;
    case Field::kName:
      parts_.name = text;
      break;
    case Field::kHolds:
      parts_.memory.category = CategoryFromText(text);
      break;
    case Field::kLayer:
      parts_.memory.layer = records_.texts.Add(text);
      break;
    case Field::kOperator:
      parts_.memory.op = records_.texts.Add(text);
      break;
    case Field::kTensor:
      parts_.memory.tensor = records_.texts.Add(text);
      break;
    default:
      break;
  }
  return true;
}

void ChromeEvents::Take() {
  if (parts_.phase == 'i' && IsAboutMemory()) return TakeMemory();
  if (parts_.phase == 'X' && parts_.category == "cpu_op") return TakeSlice(TraceSlice::Kind::kOperator);
  if (parts_.phase == 'X' && parts_.category == "user_annotation")
    return TakeSlice(TraceSlice::Kind::kAnnotation);
  if (parts_.phase == 'X' && parts_.category == "layer") return TakeSlice(TraceSlice::Kind::kLayer);
  if (parts_.phase == 'X' && parts_.category == "structure") return TakeSlice(TraceSlice::Kind::kStructure);
  if (parts_.phase != 'M' && parts_.phase != 'C') ++records_.without_memory;
}

void ChromeEvents::TakeMemory() {
  MemoryRecord& memory = parts_.memory;
  memory.time_ns = parts_.time_ns;
  const bool is_ours = parts_.name == "out of memory";  // what our exporter calls it
  const bool is_shortage = is_ours || parts_.name == "[OutOfMemory]";
  if (is_shortage) memory.action = MemoryRecord::Action::kOutOfMemory;
  if (is_ours) memory.bytes = std::exchange(memory.requested, MemoryRecord::kNotTold);
  const bool is_whole = parts_.time_ns != kNoTime && (parts_.sized || is_ours);
  if (!is_whole) {
    ++records_.unreadable;
  } else if (memory.bytes > 0) {
    records_.memory.push_back(memory);
  }
}

void ChromeEvents::TakeSlice(TraceSlice::Kind kind) {
  if (parts_.time_ns == kNoTime) return;
  records_.slices.push_back({.begin_ns = parts_.time_ns,
                             .end_ns = parts_.time_ns + parts_.duration_ns,
                             .name = records_.texts.Add(parts_.name),
                             .layer = parts_.memory.layer,
                             .thread = parts_.memory.thread,
                             .kind = kind,
                             .is_differentiable = parts_.is_differentiable});
}

}  // namespace tidemark::trace
