#include "profiler/trace/importers/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace tidemark::trace {
namespace {

class ObjectsFromJson final : public JsonHandler {
 public:
  ObjectsFromJson(ByteSource& source, Objects& objects) : source_(source), objects_(objects) {}

  ReadObjects Result(std::string damage) {
    ReadObjects result;
    result.damage = damage_.empty() ? std::move(damage) : std::move(damage_);
    while (!result.damage.empty() && !open_.empty()) Close();
    result.root = root_;
    return result;
  }
  size_t depth() const { return open_.size(); }
  std::string_view key() const {
    return open_.empty() ? std::string_view() : objects_.TextOf(open_.back().key);
  }

  bool Null() override { return Add({}); }
  bool Number(int64_t number) override { return Add(Value::Number(number)); }
  bool Real(double real, std::string_view) override { return Add(Value::Real(real)); }
  bool Text(std::string_view text) override { return Add(objects_.Text(text)); }
  bool BeginObject() override { return Open(objects_.NewDictionary()); }
  bool Key(std::string_view key) override {
    open_.back().key = objects_.Text(key);
    return Affordable();
  }
  bool EndObject() override {
    objects_.Complete(open_.back().container);
    return Close();
  }
  bool BeginList() override { return Open(objects_.NewList()); }
  bool EndList() override { return Close(); }

  bool Affordable() {
    if (objects_.Charge(source_.offset() + 1)) return true;
    damage_ = fmt::format("at byte {}, it asks for far more memory than its size explains", source_.offset());
    return false;
  }

 private:
  struct Container {
    Value container;
    Value key;
  };

  bool Open(const Value& container) {
    open_.push_back({container, {}});
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

// What a trace's event begins with; a memory snapshot's segment with none of them.
bool IsKeyOfEvent(std::string_view key) {
  constexpr std::array<std::string_view, 8> kKeys = {"ph", "name", "cat", "pid", "tid", "ts", "args", "id"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

// Parts what is kept from what is handed on. Whether a list of objects is a trace is known by the first key
// of the first.
class JsonParting final : public JsonHandler {
 public:
  JsonParting(ObjectsFromJson& kept, const JsonRows& rows) : kept_(kept), rows_(rows) {}

  bool Wants() override { return taker_ == nullptr || taker_->Wants(); }
  bool Null() override { return To().Null(); }
  bool Number(int64_t number) override { return To().Number(number); }
  bool Real(double real, std::string_view written) override { return To().Real(real, written); }
  bool Text(std::string_view text) override { return To().Text(text); }

  bool BeginObject() override {
    if (in_root_list_ && kept_.depth() == 1 && !first_seen_) {
      first_seen_ = first_is_open_ = true;
      return true;
    }
    ++depth_;
    return To().BeginObject();
  }
  bool Key(std::string_view key) override {
    if (!first_is_open_) return To().Key(key);
    if (IsKeyOfEvent(key)) Hand(rows_.events);
    return SettleFirst() && To().Key(key);
  }
  bool EndObject() override {
    if (first_is_open_ && !SettleFirst()) return false;
    --depth_;
    return To().EndObject();
  }
  bool BeginList() override {
    if (taker_ == nullptr && kept_.depth() == 0) in_root_list_ = true;
    if (in_root_list_ && kept_.depth() == 1 && !first_seen_) {
      first_seen_ = true;
      Hand(rows_.rows);
    }
    const bool is_trace =
        taker_ == nullptr && !in_root_list_ && kept_.depth() == 1 && kept_.key() == "traceEvents";
    ++depth_;
    if (!To().BeginList()) return false;
    if (is_trace) Hand(rows_.events);
    return true;
  }
  bool EndList() override {
    if (taker_ != nullptr && depth_ == taken_from_) taker_ = nullptr;
    --depth_;
    return To().EndList();
  }

 private:
  JsonHandler& To() {
    first_seen_ = first_seen_ || (in_root_list_ && kept_.depth() == 1);
    return taker_ != nullptr ? *taker_ : kept_;
  }
  void Hand(JsonHandler& taker) {
    taker_ = &taker;
    taken_from_ = depth_;
  }
  bool SettleFirst() {
    first_is_open_ = false;
    ++depth_;
    return To().BeginObject();
  }

  ObjectsFromJson& kept_;
  const JsonRows& rows_;
  JsonHandler* taker_ = nullptr;
  size_t depth_ = 0;       // of all containers that are open
  size_t taken_from_ = 0;  // the depth of the list whose items are handed on
  bool in_root_list_ = false;
  bool first_seen_ = false;     // of its items
  bool first_is_open_ = false;  // an object, and it is not yet known whose
};

}  // namespace

ReadObjects ReadJson(ByteSource& source, Objects& objects, const JsonRows& rows) {
  ObjectsFromJson kept(source, objects);
  JsonParting parting(kept, rows);
  return kept.Result(ParseJson(source, parting));
}

}  // namespace tidemark::trace
