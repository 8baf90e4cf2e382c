#include "profiler/phantom/cards/card.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "profiler/base/whole_file.h"

namespace tidemark::phantom {
namespace {

using Json = nlohmann::json;

// Reads the members of one object; the first thing that is wrong with it stays in error().
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  void Text(const char* key, std::string& value) {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_string()) return Complain(key, "must be a text");
    value = found->get<std::string>();
  }
  template <typename Whole>
  void Positive(const char* key, Whole& value) {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_number_integer() || *found <= 0 || *found > kLargest<Whole>) {
      return Complain(key, "must be a positive whole number");
    }
    value = found->get<Whole>();
  }
  void Rate(const char* key, double& value, bool may_be_zero = false) {
    const auto found = json_.find(key);
    const bool number = found != json_.end() && found->is_number();
    if (!number || *found < 0 || (*found == 0 && !may_be_zero))
      return Complain(key, "must be a positive number");
    value = found->get<double>();
  }
  void Truth(const char* key, bool& value) {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_boolean()) return Complain(key, "must be true or false");
    value = found->get<bool>();
  }
  void OnlyKeysRead() {
    for (const auto& [key, value] : json_.items()) {
      if (!read_.contains(key)) return Complain(key.c_str(), "is not a property of a card");
    }
  }
  // Every key that was asked for counts as known.
  Reader& Knows(const char* key) {
    read_[key] = true;
    return *this;
  }
  const std::string& error() const { return error_; }

 private:
  template <typename Whole>
  static constexpr int64_t kLargest = std::numeric_limits<Whole>::max();

  void Complain(const std::string& key, const char* what) {
    if (error_.empty()) error_ = "'" + key + "' " + what;
  }

  const Json& json_;
  Json read_ = Json::object();
  std::string error_;
};

Card ReadCard(Reader& reader) {
  Card card;
  const auto text = [&](const char* key, std::string& value) { reader.Knows(key).Text(key, value); };
  const auto whole = [&](const char* key, auto& value) { reader.Knows(key).Positive(key, value); };
  text("title", card.title);
  whole("compute_capability", card.compute_capability);
  whole("compiled_architecture", card.compiled_architecture);
  whole("multiprocessors", card.multiprocessors);
  whole("threads_per_multiprocessor", card.threads_per_multiprocessor);
  whole("blocks_per_multiprocessor", card.blocks_per_multiprocessor);
  whole("shared_bytes_per_block", card.shared_bytes_per_block);
  whole("shared_bytes_per_block_optin", card.shared_bytes_per_block_optin);
  whole("shared_bytes_per_multiprocessor", card.shared_bytes_per_multiprocessor);
  whole("l2_bytes", card.l2_bytes);
  whole("clock_khz", card.clock_khz);
  whole("memory_clock_khz", card.memory_clock_khz);
  whole("memory_bytes", card.memory_bytes);
  whole("context_bytes", card.context_bytes);
  reader.Knows("context_is_measured").Truth("context_is_measured", card.context_is_measured);
  reader.Knows("memory_bytes_per_second").Rate("memory_bytes_per_second", card.memory_bytes_per_second);
  reader.Knows("float32_flops").Rate("float32_flops", card.float32_flops);
  reader.Knows("float16_tensor_flops").Rate("float16_tensor_flops", card.float16_tensor_flops, true);
  reader.Knows("link_bytes_per_second").Rate("link_bytes_per_second", card.link_bytes_per_second);
  text("source", card.source);
  text("notes", card.notes);
  reader.OnlyKeysRead();
  return card;
}

}  // namespace

bool HasKernelsFor(std::string_view cuda, const Card& card) {
  int major = 0;
  int minor = 0;
  const char* const end = cuda.data() + cuda.size();
  const char* const point = std::from_chars(cuda.data(), end, major).ptr;
  if (point != end) std::from_chars(point + 1, end, minor);
  if (major == 0) return true;
  constexpr int kVolta = 70;
  constexpr int kTuring = 75;
  constexpr int kBlackwell = 100;
  const bool since_12_8 = major > 12 || (major == 12 && minor >= 8);
  if (card.compute_capability < kVolta) return !since_12_8;
  if (card.compute_capability < kTuring) return major < 13;
  return card.compute_capability < kBlackwell || since_12_8;
}

Result<Card> CardFromFile(const std::filesystem::path& file) {
  const Result<std::string> text = ReadWholeFile(file);
  if (!text) return Error{"The card's file " + file.string() + " cannot be read. Check that it is there."};
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) {
    return Error{"The card's file " + file.string() +
                 " is not a JSON object. Compare it with another card's file."};
  }
  Reader reader(json);
  Card card = ReadCard(reader);
  if (reader.error().empty() && card.context_bytes >= card.memory_bytes) {
    return Error{"In the card's file " + file.string() +
                 ", 'context_bytes' must be less than 'memory_bytes'."};
  }
  if (!reader.error().empty()) {
    return Error{"In the card's file " + file.string() + ", " + reader.error() +
                 ". Compare it with another card's file."};
  }
  card.name = file.stem().string();
  return card;
}

}  // namespace tidemark::phantom
