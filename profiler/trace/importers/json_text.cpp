#include "profiler/trace/importers/json_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace tidemark::trace {
namespace {

constexpr size_t kDeepest = 100;

class ObjectsFromJson {
 public:
  using Json = nlohmann::json;
  ObjectsFromJson(ByteSource& source, Objects& objects) : source_(source), objects_(objects) {}

  ReadObjects Result() {
    ReadObjects result;
    while (!damage_.empty() && !open_.empty()) Close();
    result.root = root_;
    result.damage = std::move(damage_);
    return result;
  }

  // What nlohmann::json::sax_parse calls.
  bool null() { return Add({}); }
  bool boolean(bool value) { return Add(Value::Number(value ? 1 : 0)); }
  bool number_integer(Json::number_integer_t value) { return Add(Value::Number(value)); }
  bool number_unsigned(Json::number_unsigned_t value) {
    return Add(Value::Number(static_cast<int64_t>(value)));
  }
  bool number_float(Json::number_float_t value, const std::string&) { return Add(Value::Real(value)); }
  bool string(const std::string& text) { return Add(objects_.Text(text)); }
  bool binary(const Json::binary_t&) { return false; }
  bool start_object(size_t) { return Open(objects_.NewDictionary()); }
  bool key(const std::string& text) {
    open_.back().key = objects_.Text(text);
    return Affordable();
  }
  bool end_object() {
    objects_.Complete(open_.back().container);
    return Close();
  }
  bool start_array(size_t) { return Open(objects_.NewList()); }
  bool end_array() { return Close(); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
    return Fail(source_.failure().empty() ? "there is no JSON" : source_.failure(), position);
  }

 private:
  struct Container {
    Value container;
    Value key;
  };

  bool Fail(std::string_view what, uint64_t position) {
    if (damage_.empty()) damage_ = fmt::format("at byte {}, {}", position, what);
    return false;
  }
  bool Affordable() {
    return objects_.Charge(source_.offset() + 1) ||
           Fail("it asks for far more memory than its size explains", source_.offset());
  }
  bool Open(const Value& container) {
    open_.push_back({container, {}});
    if (open_.size() > kDeepest) return Fail("it is nested more than 100 levels deep", source_.offset());
    return Affordable();
  }
  bool Close() {
    const Value done = open_.back().container;
    open_.pop_back();
    return Add(done);
  }
  // What a condensed entry takes from its parts it has copied.
  bool Add(const Value& value) {
    if (open_.empty()) {
      root_ = value;
      return true;
    }
    const Container& parent = open_.back();
    if (parent.container.kind == Value::Kind::kList) {
      objects_.Append(parent.container, value);
      const auto range = objects_.EntriesOf(parent.container);
      const auto entry = objects_.EntryOf(value);
      if (entry && range.count > 0 && *entry == range.first + range.count - 1) objects_.Release(value);
    } else {
      objects_.Set(parent.container, parent.key, value);
      if (objects_.EntryOf(parent.container)) objects_.Release(value);
    }
    return Affordable();
  }

  ByteSource& source_;
  Objects& objects_;
  std::vector<Container> open_;
  Value root_;
  std::string damage_;
};

// A byte source as the pair of iterators that the parser reads.
class ByteIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  ByteIterator() = default;
  explicit ByteIterator(ByteSource& source) : source_(&source), byte_(source.Next()) {}
  char operator*() const { return static_cast<char>(byte_); }
  ByteIterator& operator++() {
    byte_ = source_->Next();
    return *this;
  }
  bool operator==(const ByteIterator& other) const { return (byte_ < 0) == (other.byte_ < 0); }
  bool operator!=(const ByteIterator& other) const { return !(*this == other); }

 private:
  ByteSource* source_ = nullptr;
  int byte_ = -1;
};

}  // namespace

ReadObjects ReadJson(ByteSource& source, Objects& objects) {
  ObjectsFromJson handler(source, objects);
  nlohmann::json::sax_parse(ByteIterator(source), ByteIterator(), &handler);
  return handler.Result();
}

}  // namespace tidemark::trace
