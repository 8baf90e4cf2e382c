#include "profiler/trace/importers/chrome_events.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

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

bool ChromeEvents::IsAboutMemory() const {
  return parts_.name == "[memory]" || parts_.name == "[OutOfMemory]" || parts_.name == "out of memory";
}

// Arguments are passed over where the event is known by then to have none that count.
bool ChromeEvents::Wants() {
  if (!in_event_) return lists_ == 0;
  if (in_arguments_) return argument_ != TraceArgument::kOther;
  if (field_ != Field::kArguments) return field_ != Field::kOther;
  return parts_.phase == 0 ||
         (parts_.phase == 'X' && (parts_.category == "cpu_op" || parts_.category.empty())) ||
         (parts_.phase == 'i' && (IsAboutMemory() || parts_.name.empty()));
}

bool ChromeEvents::BeginObject() {
  if (in_event_) {
    in_arguments_ = field_ == Field::kArguments;
    field_ = Field::kOther;
    argument_ = TraceArgument::kOther;
    return true;
  }
  in_event_ = true;
  field_ = Field::kOther;
  parts_ = {};
  return true;
}

bool ChromeEvents::Key(std::string_view key) {
  if (in_arguments_) {
    argument_ = ArgumentOf(key);
  } else {
    field_ = FieldOfEvent(key);
  }
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
  if (in_arguments_) parts_.arguments.Set(argument_, number);
  if (field_ == Field::kTime) parts_.time_ns = NanosecondsFromUs(number);
  if (field_ == Field::kDuration) parts_.duration_ns = NanosecondsFromUs(std::max<int64_t>(number, 0));
  if (field_ == Field::kThread) parts_.thread = static_cast<uint32_t>(number);
  return true;
}

bool ChromeEvents::Real(double real, std::string_view written) {
  if (field_ == Field::kTime) parts_.time_ns = NanosecondsFromWritten(real, written);
  if (field_ == Field::kDuration)
    parts_.duration_ns = std::max<int64_t>(NanosecondsFromWritten(real, written), 0);
  return true;
}

bool ChromeEvents::Text(std::string_view text) {
  if (in_arguments_) parts_.arguments.Set(argument_, text, records_.texts);
  if (field_ == Field::kPhase) parts_.phase = text.empty() ? '?' : text.front();
  if (field_ == Field::kCategory) parts_.category = text;
  if (field_ == Field::kName) parts_.name = text;
  return true;
}

void ChromeEvents::Take() {
  if (parts_.phase == 'i' && IsAboutMemory()) return TakeMemory();
  if (parts_.phase == 'X' && parts_.category == "cpu_op") return TakeSlice(TraceSlice::Kind::kOperator);
  if (parts_.phase == 'X' && parts_.category == "user_annotation")
    return TakeSlice(TraceSlice::Kind::kAnnotation);
  if (parts_.phase == 'X' && parts_.category == "layer") return TakeSlice(TraceSlice::Kind::kLayer);
  if (parts_.phase == 'X' && parts_.category == "structure") return TakeSlice(TraceSlice::Kind::kStructure);
  const bool is_work =
      parts_.category == "kernel" || parts_.category == "gpu_memcpy" || parts_.category == "gpu_memset";
  if (parts_.phase == 'X' && is_work) {
    ++records_.device_work;
  } else if (parts_.phase != 'M' && parts_.phase != 'C') {
    ++records_.without_memory;
  }
}

void ChromeEvents::TakeMemory() {
  MemoryRecord& memory = parts_.arguments.memory;
  memory.time_ns = parts_.time_ns;
  memory.thread = parts_.thread;
  const bool is_ours = parts_.name == "out of memory";  // what our exporter calls it
  const bool is_shortage = is_ours || parts_.name == "[OutOfMemory]";
  if (is_shortage) memory.action = MemoryRecord::Action::kOutOfMemory;
  if (is_ours) memory.bytes = std::exchange(memory.requested, MemoryRecord::kNotTold);
  const bool is_whole = parts_.time_ns != kNoTime && (parts_.arguments.is_sized || is_ours);
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
                             .layer = parts_.arguments.memory.layer,
                             .thread = parts_.thread,
                             .kind = kind,
                             .is_differentiable = parts_.arguments.is_differentiable});
}

}  // namespace tidemark::trace
