#include "profiler/trace/importers/json_parser.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <system_error>
#include <vector>

#include "profiler/base/utf8.h"

namespace tidemark::trace {
namespace {

constexpr size_t kDeepestJson = 100;

bool IsWhite(int byte) { return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r'; }
bool IsOfWord(int byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         byte == '-' || byte == '+' || byte == '.';
}

class JsonParser {
 public:
  JsonParser(ByteSource& source, JsonHandler& handler) : source_(source), handler_(handler) {}

  std::string Run() {
    if (!ReadValue(Letter())) return damage_;
    while (!open_.empty()) {
      if (!ReadItem()) return damage_;
    }
    if (Letter() >= 0) Fail("something follows its end");
    return damage_;
  }

 private:
  bool Fail(std::string_view what) {
    damage_ = fmt::format("at byte {}, {}", source_.offset(), what);
    return false;
  }
  bool FailAt(int byte) {
    if (byte >= 0) return Fail("there is no JSON");
    return Fail(source_.failure().empty() ? "the file ends early" : source_.failure());
  }

  int Letter() {
    int byte = source_.Next();
    while (IsWhite(byte)) byte = source_.Next();
    return byte;
  }

  // The next item of the innermost container, or its end.
  bool ReadItem() {
    int byte = Letter();
    const bool is_object = open_.back() == '{';
    if (byte == (is_object ? '}' : ']')) {
      open_.pop_back();
      fresh_ = false;
      return is_object ? handler_.EndObject() : handler_.EndList();
    }
    if (!fresh_) {
      if (byte != ',') return FailAt(byte);
      byte = Letter();
    }
    fresh_ = false;
    if (!is_object) return ReadValue(byte);
    if (byte != '"') return FailAt(byte);
    if (!ReadText() || !handler_.Key(text_)) return false;
    if (byte = Letter(); byte != ':') return FailAt(byte);
    return ReadValue(Letter());
  }

  bool ReadValue(int byte) {
    if (!handler_.Wants()) return Skip(byte);
    switch (byte) {
      case '{':
        return Open('{') && handler_.BeginObject();
      case '[':
        return Open('[') && handler_.BeginList();
      case '"':
        return ReadText() && handler_.Text(text_);
      default:
        return ReadWord(byte);
    }
  }

  bool Open(char container) {
    if (open_.size() == kDeepestJson) return Fail("it is nested more than 100 levels deep");
    open_.push_back(container);
    fresh_ = true;
    return true;
  }

  // What stands between the quotes, into text_.
  bool ReadText() {
    text_.clear();
    for (int byte = source_.Next(); byte != '"'; byte = source_.Next()) {
      if (byte < 0) return FailAt(byte);
      if (byte == '\\') {
        if (!ReadEscape()) return false;
      } else {
        text_ += static_cast<char>(byte);
      }
    }
    return true;
  }

  bool ReadEscape() {
    const int byte = source_.Next();
    switch (byte) {
      case -1:
        return FailAt(byte);
      case 'n':
        text_ += '\n';
        return true;
      case 't':
        text_ += '\t';
        return true;
      case 'r':
        text_ += '\r';
        return true;
      case 'b':
        text_ += '\b';
        return true;
      case 'f':
        text_ += '\f';
        return true;
      case 'u':
        return ReadCodePoint();
      default:
        text_ += static_cast<char>(byte);
        return true;
    }
  }

  bool ReadHex(uint32_t& unit) {
    unit = 0;
    for (int i = 0; i < 4; ++i) {
      const int byte = source_.Next();
      const bool is_digit = byte >= '0' && byte <= '9';
      const int lower = byte | 0x20;
      if (!is_digit && (lower < 'a' || lower > 'f')) return FailAt(byte);
      unit = unit * 16 + static_cast<uint32_t>(is_digit ? byte - '0' : lower - 'a' + 10);
    }
    return true;
  }

  // Two surrogates are one letter; one without the other is none.
  bool ReadCodePoint() {
    constexpr uint32_t kNoLetter = 0xfffd;
    uint32_t point = 0;
    if (!ReadHex(point)) return false;
    while (point >= 0xd800 && point < 0xdc00) {
      if (source_.Ahead() != '\\') break;
      source_.Next();
      if (source_.Ahead() != 'u') {
        AppendUtf8(kNoLetter, text_);
        return ReadEscape();
      }
      source_.Next();
      uint32_t low = 0;
      if (!ReadHex(low)) return false;
      if (low >= 0xdc00 && low < 0xe000) {
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
      } else {
        AppendUtf8(kNoLetter, text_);
        point = low;
      }
    }
    AppendUtf8(point >= 0xd800 && point < 0xe000 ? kNoLetter : point, text_);
    return true;
  }

  // A number, true, false, null, or one of the words for what is no number.
  bool ReadWord(int byte) {
    size_t size = 0;
    if (!IsOfWord(byte)) return FailAt(byte);
    word_[size++] = static_cast<char>(byte);
    while (IsOfWord(source_.Ahead())) {
      if (size == word_.size()) return FailAt(source_.Ahead());
      word_[size++] = static_cast<char>(source_.Next());
    }
    const std::string_view word(word_.data(), size);
    if (word == "true" || word == "false") return handler_.Number(word == "true" ? 1 : 0);
    if (word == "null") return handler_.Null();
    if (word == "NaN" || word == "nan") return handler_.Real(std::numeric_limits<double>::quiet_NaN(), word);
    return ReadNumber(word);
  }

  bool ReadNumber(std::string_view word) {
    const char* end = word.data() + word.size();
    int64_t number = 0;
    uint64_t large = 0;
    double real = 0;
    if (const auto read = std::from_chars(word.data(), end, number);
        read.ec == std::errc() && read.ptr == end)
      return handler_.Number(number);
    if (const auto read = std::from_chars(word.data(), end, large); read.ec == std::errc() && read.ptr == end)
      return handler_.Number(static_cast<int64_t>(large));
    const auto read = std::from_chars(word.data(), end, real);  // reads "inf" and "Infinity" too
    if (read.ptr != end || read.ec == std::errc::invalid_argument) return FailAt(word.front());
    return handler_.Real(real, word);
  }

  bool Skip(int byte) {
    if (byte != '{' && byte != '[') return SkipScalar(byte);
    for (size_t depth = 1; depth > 0;) {
      byte = source_.Next();
      if (byte == '"') {
        if (!SkipText()) return false;
      } else if (byte == '{' || byte == '[') {
        ++depth;
      } else if (byte == '}' || byte == ']') {
        --depth;
      } else if (byte < 0) {
        return FailAt(byte);
      }
    }
    return true;
  }
  bool SkipScalar(int byte) {
    if (byte == '"') return SkipText();
    if (!IsOfWord(byte)) return FailAt(byte);
    while (IsOfWord(source_.Ahead())) source_.Next();
    return true;
  }
  bool SkipText() {
    for (int byte = source_.Next(); byte != '"'; byte = source_.Next()) {
      if (byte == '\\') byte = source_.Next();
      if (byte < 0) return FailAt(byte);
    }
    return true;
  }

  ByteSource& source_;
  JsonHandler& handler_;
  std::vector<char> open_;  // '{' or '[', outermost first
  bool fresh_ = false;      // nothing of the innermost has been read
  std::string text_;
  std::array<char, 400> word_{};  // every double is written in less
  std::string damage_;
};

}  // namespace

std::string ParseJson(ByteSource& source, JsonHandler& handler) { return JsonParser(source, handler).Run(); }

}  // namespace tidemark::trace
