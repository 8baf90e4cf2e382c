#include "profiler/phantom/programs/program_arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

namespace tidemark::phantom {
namespace {

// As a word of a command begins with it; its value may be in the next word.
struct Form {
  std::string start;  // "--batch=", "--batch", "batch="
  std::string name;   // "batch"
  std::optional<std::string> value;

  bool is_option() const { return start.starts_with('-'); }
};

std::optional<Form> FormOf(const std::string& word) {
  const size_t name_begin = word.find_first_not_of(word.starts_with('+') ? "+" : "-");
  if (name_begin == std::string::npos || name_begin > 2) return std::nullopt;
  const size_t equals = word.find('=');
  const bool is_option = word.starts_with('-');
  if (!is_option && equals == std::string::npos) return std::nullopt;
  Form form;
  form.name = word.substr(name_begin, std::min(equals, word.size()) - name_begin);
  if (form.name.empty()) return std::nullopt;
  form.start = word.substr(0, equals == std::string::npos ? equals : equals + 1);
  if (equals != std::string::npos) form.value = word.substr(equals + 1);
  return form;
}

std::string OptionOf(const std::string& name) { return (name.size() == 1 ? "-" : "--") + name; }

// Words that nobody calls by another thing's name: lower case, without what separates words.
bool SaysBatch(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "b", "bs", "batch", "batchsize", "trainbatchsize", "perdevicetrainbatchsize", "microbatchsize"};
  name.remove_prefix(name.rfind('.') + 1);
  std::string plain;
  for (const char letter : name) {
    if (letter != '-' && letter != '_')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return std::ranges::find(kNames, plain) != kNames.end();
}

// What lies behind is no option.
size_t EndOfOptions(const std::vector<std::string>& words, size_t begin) {
  const auto end = std::find(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(), "--");
  return static_cast<size_t>(end - words.begin());
}

// Then what is written as name=VALUE is some option's value.
bool HasOption(const std::vector<std::string>& words, size_t begin, size_t end, const std::string& name) {
  for (size_t i = begin; i < end; ++i) {
    const std::optional<Form> form = FormOf(words[i]);
    if (form && form->is_option() && form->name == name) return true;
  }
  return false;
}

}  // namespace

std::optional<int64_t> Whole(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<std::string> WithArgumentFrom(const std::vector<std::string>& words, size_t begin,
                                          const std::string& name, int64_t value) {
  const size_t end = EndOfOptions(words, begin);
  const bool has_option = HasOption(words, begin, end, name);
  const std::string number = std::to_string(value);
  std::vector<std::string> changed(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(begin));
  bool is_there = false;
  for (size_t i = begin; i < end; ++i) {
    const std::optional<Form> form = FormOf(words[i]);
    if (!form || form->name != name || (has_option && !form->is_option())) {
      changed.push_back(words[i]);
      continue;
    }
    const bool has_value_behind = !form->value && i + 1 < end;
    if (!std::exchange(is_there, true)) {
      changed.push_back(form->start + (form->value ? number : ""));
      if (!form->value) changed.push_back(number);
    }
    if (has_value_behind) ++i;
  }
  if (!is_there) changed.insert(changed.end(), {OptionOf(name), number});
  changed.insert(changed.end(), words.begin() + static_cast<std::ptrdiff_t>(end), words.end());
  return changed;
}

std::optional<BatchArgument> FindBatchArgument(const std::vector<std::string>& words, size_t begin) {
  const size_t end = EndOfOptions(words, begin);
  std::optional<BatchArgument> found;
  for (size_t i = begin; i < end; ++i) {
    const std::optional<Form> form = FormOf(words[i]);
    if (!form || !SaysBatch(form->name)) continue;
    if (!form->value && i + 1 == end) continue;
    const std::optional<int64_t> value = Whole(form->value ? *form->value : words[i + 1]);
    if (!value) continue;
    if (found) return std::nullopt;  // one may be validation's
    found = BatchArgument{form->name, *value};
  }
  return found && found->value > 1 ? found : std::nullopt;
}

}  // namespace tidemark::phantom
