#include "profiler/trace/importers/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace tidemark::trace {
namespace {

constexpr uint64_t kLongestText = 64 << 20;
constexpr uint64_t kLongestInteger = 1 << 10;

// The references that opcodes put aside: 4 bytes each, for there are several for each entry of a trace.
class Memo {
 public:
  void Put(uint64_t index, const Value& value) {
    if (index >= packed_.size()) packed_.resize(static_cast<size_t>(index) + 1, kEmpty);
    if (value.number >= 0 && value.number < kLargestIndex && value.kind != Value::Kind::kReal) {
      packed_[index] = static_cast<uint32_t>(value.kind) << kIndexBits | static_cast<uint32_t>(value.number);
      return;
    }
    packed_[index] = kSpilled << kIndexBits | static_cast<uint32_t>(spilled_.size());
    spilled_.push_back(value);
  }
  std::optional<Value> Get(uint64_t index) const {
    if (index >= packed_.size() || packed_[index] == kEmpty) return std::nullopt;
    const uint32_t kind = packed_[index] >> kIndexBits;
    const uint32_t number = packed_[index] & static_cast<uint32_t>(kLargestIndex);
    if (kind == kSpilled) return spilled_[number];
    return Value{static_cast<Value::Kind>(kind), number};
  }
  uint64_t size() const { return packed_.size(); }

 private:
  static constexpr int kIndexBits = 29;
  static constexpr int64_t kLargestIndex = (1 << kIndexBits) - 1;
  static constexpr uint32_t kSpilled = 6;
  static constexpr uint32_t kEmpty = ~uint32_t{0};
  std::vector<uint32_t> packed_;
  std::vector<Value> spilled_;
};

class PickleReader {
 public:
  PickleReader(ByteSource& source, Objects& objects) : source_(source), objects_(objects) {}

  ReadObjects Run() {
    while (!stopped_ && damage_.empty()) {
      opcode_at_ = source_.offset();
      const int opcode = source_.Next();
      if (opcode < 0) {
        EndsEarly();
      } else {
        (this->*opcodes_[static_cast<size_t>(opcode)])(opcode);
      }
      if (damage_.empty() && !objects_.Charge(source_.offset() + 1)) {
        Fail("it asks for far more memory than its size explains");
      }
    }
    ReadObjects result;
    if (damage_.empty() && stack_.size() != 1) Fail("it ends with more or less than one object");
    if (damage_.empty()) {
      result.root = stack_.front();
    } else {
      result.damage = std::move(damage_);
      result.unfinished = std::move(stack_);
    }
    return result;
  }

 private:
  using Opcode = void (PickleReader::*)(int opcode);
  static std::array<Opcode, 256> MakeOpcodes();

  void Fail(std::string_view what) {
    if (damage_.empty()) damage_ = fmt::format("at byte {}, {}", opcode_at_, what);
  }
  void EndsEarly() { Fail(source_.failure().empty() ? "the file ends early" : source_.failure()); }

  void Push(const Value& value) {
    stack_.push_back(value);
    if (stack_.size() <= most_stack_) return;
    most_stack_ = stack_.size();
    objects_.Cost(2 * sizeof(Value));
  }
  // Where the values since the last mark begin; they stay until the caller takes them.
  std::optional<size_t> PopMark() {
    if (marks_.empty()) {
      Fail("a list or dictionary ends that has not begun");
      return std::nullopt;
    }
    const size_t mark = marks_.back();
    marks_.pop_back();
    return mark;
  }
  // Whether that many values lie above the last mark.
  bool Has(size_t count) {
    if (stack_.size() >= count + (marks_.empty() ? 0 : marks_.back())) return true;
    Fail("a value is missing");
    return false;
  }
  Value Pop() {
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }

  // Little endian, as all numbers in pickles but BINFLOAT's are.
  template <typename Unsigned>
  std::optional<uint64_t> Fixed() {
    Unsigned number = 0;
    if (source_.Read(reinterpret_cast<char*>(&number), sizeof number) == sizeof number) return number;
    EndsEarly();
    return std::nullopt;
  }
  bool TextLine() {
    if (source_.Line(text_)) return true;
    EndsEarly();
    return false;
  }
  template <typename Unsigned>
  bool Counted() {
    const auto size = Fixed<Unsigned>();
    if (!size) return false;
    if (*size > kLongestText) {
      Fail(fmt::format("it announces a text of {} bytes", *size));
      return false;
    }
    text_.clear();
    if (source_.Append(*size, text_)) return true;
    EndsEarly();
    return false;
  }
  std::optional<int64_t> DecimalLine() {
    if (!TextLine()) return std::nullopt;
    std::string_view digits = text_;
    if (digits.ends_with('L')) digits.remove_suffix(1);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return number;
    uint64_t address = 0;  // of the upper half
    const auto unsigned_end = std::from_chars(digits.data(), digits.data() + digits.size(), address);
    if (unsigned_end.ec == std::errc() && unsigned_end.ptr == digits.data() + digits.size()) {
      return static_cast<int64_t>(address);
    }
    Fail("there is no number where one is announced");
    return std::nullopt;
  }

  void DoUnknown(int opcode) {
    Fail(fmt::format("byte {:#04x} begins nothing that a memory snapshot holds", opcode));
  }
  void DoForeign(int opcode) {
    Fail(fmt::format("it asks to run code of Python (opcode '{}'), which is never done",
                     opcode >= ' ' && opcode < 127 ? std::string(1, static_cast<char>(opcode))
                                                   : fmt::format("{:#04x}", opcode)));
  }
  void DoProtocol(int) {
    const int version = source_.Next();
    if (version < 0) EndsEarly();
    if (version > 5) Fail(fmt::format("it is of protocol {}, which this program does not know", version));
  }
  void DoFrame(int) { (void)Fixed<uint64_t>(); }
  void DoStop(int) { stopped_ = true; }
  void DoMark(int) {
    marks_.push_back(stack_.size());
    objects_.Cost(2 * sizeof(size_t));
  }
  void DoPop(int) {
    if (!marks_.empty() && marks_.back() == stack_.size()) {
      marks_.pop_back();
    } else if (Has(1)) {
      Pop();
    }
  }
  void DoPopMark(int) {
    if (const auto mark = PopMark()) stack_.resize(*mark);
  }
  void DoDuplicate(int) {
    if (Has(1)) Push(Value(stack_.back()));
  }

  void DoNone(int) { Push({}); }
  void DoTrue(int) { Push(Value::Number(1)); }
  void DoFalse(int) { Push(Value::Number(0)); }
  void DoByte(int) {
    if (const auto number = Fixed<uint8_t>()) Push(Value::Number(static_cast<int64_t>(*number)));
  }
  void DoShort(int) {
    if (const auto number = Fixed<uint16_t>()) Push(Value::Number(static_cast<int64_t>(*number)));
  }
  void DoInteger(int) {
    if (const auto number = Fixed<uint32_t>()) Push(Value::Number(static_cast<int32_t>(*number)));
  }
  void DoDecimal(int) {
    if (const auto number = DecimalLine()) Push(Value::Number(*number));
  }
  void DoLong(int opcode) {
    const auto size = opcode == 0x8a ? Fixed<uint8_t>() : Fixed<uint32_t>();
    if (!size) return;
    if (*size > kLongestInteger) return Fail(fmt::format("it announces a number of {} bytes", *size));
    text_.clear();
    if (!source_.Append(*size, text_)) return EndsEarly();
    Push(Value::Number(FromTwosComplement()));
  }
  // The lowest 64 bits; addresses of the upper half come with a ninth byte of 0.
  int64_t FromTwosComplement() const {
    const bool negative = !text_.empty() && (static_cast<unsigned char>(text_.back()) & 0x80U) != 0;
    std::array<char, 8> raw{};
    raw.fill(negative ? '\xff' : '\0');
    std::copy_n(text_.begin(), std::min<size_t>(text_.size(), raw.size()), raw.begin());
    return std::bit_cast<int64_t>(raw);
  }
  void DoFloat(int) {
    const auto bits = Fixed<uint64_t>();
    if (bits) Push({Value::Kind::kReal, static_cast<int64_t>(__builtin_bswap64(*bits))});
  }
  void DoFloatLine(int) {
    if (!TextLine()) return;
    double real = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), real);
    if (error != std::errc() || end != text_.data() + text_.size())
      return Fail("there is no number where one is announced");
    Push(Value::Real(real));
  }

  void DoText1(int) {
    if (Counted<uint8_t>()) Push(objects_.Text(text_));
  }
  void DoText4(int) {
    if (Counted<uint32_t>()) Push(objects_.Text(text_));
  }
  void DoText8(int) {
    if (Counted<uint64_t>()) Push(objects_.Text(text_));
  }
  // Raw-unicode-escape: only what is not Latin is escaped, which names of files and functions rarely are; an
  // escape stays as it is written.
  void DoUnicodeLine(int) {
    if (TextLine()) Push(objects_.Text(text_));
  }
  void DoQuotedLine(int) {
    if (!TextLine()) return;
    std::string_view text = text_;
    if (text.size() < 2 || text.front() != text.back()) return Fail("a text is not quoted");
    Push(objects_.Text(text.substr(1, text.size() - 2)));
  }

  void DoEmptyList(int) { Push(objects_.NewList()); }
  void DoEmptyDictionary(int) { Push(objects_.NewDictionary()); }
  void DoSmallTuple(int opcode) {
    const auto count = static_cast<size_t>(opcode - 0x84);
    if (Has(count)) MakeList(stack_.size() - count);
  }
  void DoMarkedList(int) {
    if (const auto mark = PopMark()) MakeList(*mark);
  }
  void MakeList(size_t first) {
    const Value list = objects_.NewList();
    AppendFrom(list, first);
    Push(list);
  }
  void AppendFrom(const Value& list, size_t first) {
    objects_.Append(list, std::span<const Value>(stack_).subspan(first));
    stack_.resize(first);
  }
  void DoMarkedDictionary(int) {
    const auto mark = PopMark();
    if (!mark) return;
    const Value dictionary = objects_.NewDictionary();
    SetFrom(dictionary, *mark);
    Push(dictionary);
  }
  void SetFrom(const Value& dictionary, size_t first) {
    if ((stack_.size() - first) % 2 != 0) return Fail("a key has no value");
    for (size_t i = first; i < stack_.size(); i += 2) objects_.Set(dictionary, stack_[i], stack_[i + 1]);
    objects_.Complete(dictionary);
    stack_.resize(first);
  }
  void DoAppend(int) {
    if (!Has(2)) return;
    const Value item = Pop();
    objects_.Append(stack_.back(), item);
  }
  void DoAppends(int) {
    const auto mark = PopMark();
    if (!mark) return;
    if (*mark == 0) return Fail("there is no list to append to");
    AppendFrom(Value(stack_[*mark - 1]), *mark);
  }
  void DoSetItem(int) {
    if (!Has(3)) return;
    const Value value = Pop();
    const Value key = Pop();
    objects_.Set(stack_.back(), key, value);
  }
  void DoSetItems(int) {
    const auto mark = PopMark();
    if (!mark) return;
    if (*mark == 0) return Fail("there is no dictionary to put into");
    SetFrom(Value(stack_[*mark - 1]), *mark);
  }

  void Put(uint64_t index) {
    if (!Has(1)) return;
    // Each number before it took at least a byte of the file.
    if (index > source_.offset()) return Fail("it puts an object aside under a number that none has");
    const uint64_t before = memo_.size();
    memo_.Put(index, stack_.back());
    objects_.Cost(2 * sizeof(uint32_t) * (memo_.size() - before));
  }
  void DoMemoize(int) { Put(memo_.size()); }
  void DoPut1(int) {
    if (const auto index = Fixed<uint8_t>()) Put(*index);
  }
  void DoPut4(int) {
    if (const auto index = Fixed<uint32_t>()) Put(*index);
  }
  void DoPutLine(int) {
    if (const auto index = DecimalLine()) Put(static_cast<uint64_t>(*index));
  }
  void Get(uint64_t index) {
    const auto value = memo_.Get(index);
    if (!value) return Fail("it refers to an object that it has not put aside");
    Push(*value);
  }
  // Most of a history are references to frames, one after another.
  void DoGets(int opcode) {
    for (bool again = true; again;) {
      const auto index = opcode == 'h' ? Fixed<uint8_t>() : Fixed<uint32_t>();
      if (!index) return;
      Get(*index);
      again = damage_.empty() && source_.Ahead() == opcode;
      if (again) opcode_at_ = source_.offset();
      if (again) source_.Next();
    }
  }
  void DoGetLine(int) {
    if (const auto index = DecimalLine()) Get(static_cast<uint64_t>(*index));
  }

  const std::array<Opcode, 256> opcodes_ = MakeOpcodes();
  ByteSource& source_;
  Objects& objects_;
  std::vector<Value> stack_;
  size_t most_stack_ = 0;
  std::vector<size_t> marks_;
  Memo memo_;
  std::string text_;
  uint64_t opcode_at_ = 0;
  bool stopped_ = false;
  std::string damage_;
};

// The opcodes and their names: CPython's Lib/pickletools.py.
std::array<PickleReader::Opcode, 256> PickleReader::MakeOpcodes() {
  using R = PickleReader;
  std::array<Opcode, 256> table;
  table.fill(&R::DoUnknown);
  for (const unsigned char foreign : std::string_view("cRobiPQ\x81\x82\x83\x84\x92\x93\x97\x98")) {
    table[foreign] = &R::DoForeign;
  }
  const std::pair<char, Opcode> known[] = {{'\x80', &R::DoProtocol},
                                           {'\x95', &R::DoFrame},
                                           {'.', &R::DoStop},
                                           {'(', &R::DoMark},
                                           {'0', &R::DoPop},
                                           {'1', &R::DoPopMark},
                                           {'2', &R::DoDuplicate},
                                           {'N', &R::DoNone},
                                           {'\x88', &R::DoTrue},
                                           {'\x89', &R::DoFalse},
                                           {'K', &R::DoByte},
                                           {'M', &R::DoShort},
                                           {'J', &R::DoInteger},
                                           {'I', &R::DoDecimal},
                                           {'L', &R::DoDecimal},
                                           {'\x8a', &R::DoLong},
                                           {'\x8b', &R::DoLong},
                                           {'G', &R::DoFloat},
                                           {'F', &R::DoFloatLine},
                                           {'U', &R::DoText1},
                                           {'T', &R::DoText4},
                                           {'X', &R::DoText4},
                                           {'\x8c', &R::DoText1},
                                           {'\x8d', &R::DoText8},
                                           {'C', &R::DoText1},
                                           {'B', &R::DoText4},
                                           {'\x8e', &R::DoText8},
                                           {'\x96', &R::DoText8},
                                           {'V', &R::DoUnicodeLine},
                                           {'S', &R::DoQuotedLine},
                                           {']', &R::DoEmptyList},
                                           {')', &R::DoEmptyList},
                                           {'l', &R::DoMarkedList},
                                           {'t', &R::DoMarkedList},
                                           {'\x85', &R::DoSmallTuple},
                                           {'\x86', &R::DoSmallTuple},
                                           {'\x87', &R::DoSmallTuple},
                                           {'}', &R::DoEmptyDictionary},
                                           {'d', &R::DoMarkedDictionary},
                                           {'a', &R::DoAppend},
                                           {'e', &R::DoAppends},
                                           {'s', &R::DoSetItem},
                                           {'u', &R::DoSetItems},
                                           {'\x94', &R::DoMemoize},
                                           {'q', &R::DoPut1},
                                           {'r', &R::DoPut4},
                                           {'p', &R::DoPutLine},
                                           {'h', &R::DoGets},
                                           {'j', &R::DoGets},
                                           {'g', &R::DoGetLine}};
  for (const auto& [opcode, handler] : known) table[static_cast<unsigned char>(opcode)] = handler;
  return table;
}

}  // namespace

ReadObjects ReadPickle(ByteSource& source, Objects& objects) { return PickleReader(source, objects).Run(); }

}  // namespace tidemark::trace
