#include "profiler/trace/importers/chrome_events.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tidemark::trace {

using events::EventKind;

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
  // "tidemark" holds what a counter says besides its value: viewers draw a curve for each argument of one.
  return key == "args" || key == "tidemark" ? Field::kArguments : Field::kOther;
}

// Arguments are passed over where the event is known by then to have none that count.
bool ChromeEvents::Wants() {
  if (!in_event_) return lists_ == 0;
  if (in_arguments_) return argument_ != TraceArgument::kOther;
  if (field_ != Field::kArguments) return field_ != Field::kOther;
  switch (parts_.phase) {
    case 0:
      return true;
    case 'X':
      return parts_.category.empty() || SliceKind() || KindOfWork(parts_.category);
    case 'C':
      return parts_.category.empty() || IsNumber();
    case 'i':
      return parts_.name.empty() || parts_.category.empty() || KindOfInstant(parts_.category, parts_.name);
    default:
      return false;
  }
}

std::optional<TraceSlice::Kind> ChromeEvents::SliceKind() const {
  if (parts_.category == kOperatorCategory) return TraceSlice::Kind::kOperator;
  if (parts_.category == kAnnotationCategory) return TraceSlice::Kind::kAnnotation;
  if (parts_.category == kLayerCategory) return TraceSlice::Kind::kLayer;
  if (parts_.category == kStructureCategory) return TraceSlice::Kind::kStructure;
  return std::nullopt;
}

bool ChromeEvents::IsNumber() const {
  return parts_.category == InstantCategoryOf(EventKind::kMetric) ||
         parts_.category == InstantCategoryOf(EventKind::kCounter);
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
  if (in_arguments_) parts_.arguments.Set(argument_, real);
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
  switch (parts_.phase) {
    case 'i':
      if (parts_.category == kBookmarkCategory) return TakeBookmark();
      if (const auto kind = KindOfInstant(parts_.category, parts_.name)) return TakeInstant(*kind);
      break;
    case 'C':
      if (IsNumber()) TakeInstant(*KindOfInstant(parts_.category, parts_.name));
      return;
    case 'X':
      if (const auto kind = SliceKind()) return TakeSlice(*kind);
      if (const auto kind = KindOfWork(parts_.category)) return TakeWork(*kind);
      break;
    case 'M':
      return;
    default:
      break;
  }
  ++records_.without_memory;
}

void ChromeEvents::TakeInstant(EventKind kind) {
  const bool is_named = !IsOfMemory(kind);
  std::optional<TraceInstant> told =
      parts_.arguments.InstantOf(kind, is_named ? records_.texts.Add(parts_.name) : 0);
  if (told) told->thread = parts_.thread;
  records_.AddInstant(parts_.time_ns == kNoTime ? std::nullopt : told, parts_.time_ns);
}

void ChromeEvents::TakeBookmark() {
  if (parts_.time_ns == kNoTime) return;
  records_.AddBookmark(parts_.time_ns, parts_.name);
}

void ChromeEvents::TakeSlice(TraceSlice::Kind kind) {
  if (parts_.time_ns == kNoTime) return;
  const TraceArguments& arguments = parts_.arguments;
  records_.slices.push_back({.begin_ns = parts_.time_ns,
                             .end_ns = parts_.time_ns + parts_.duration_ns,
                             .name = records_.texts.Add(parts_.name),
                             .layer = arguments.instant.layer,
                             .computed_in = arguments.computed_in,
                             .thread = parts_.thread,
                             .kind = kind,
                             .is_differentiable = arguments.is_differentiable,
                             .is_unfinished = arguments.is_unfinished,
                             .recompute = arguments.instant.recompute});
}

void ChromeEvents::TakeWork(EventKind kind) {
  if (parts_.time_ns == kNoTime) return;
  const TraceInstant& told = parts_.arguments.instant;
  records_.works.push_back({.begin_ns = parts_.time_ns,
                            .end_ns = parts_.time_ns + parts_.duration_ns,
                            .bytes = told.bytes,
                            .stream = told.stream,
                            .name = kind == EventKind::kMemorySet ? 0 : records_.texts.Add(parts_.name),
                            .kind = kind,
                            .device = told.device});
}

}  // namespace tidemark::trace
