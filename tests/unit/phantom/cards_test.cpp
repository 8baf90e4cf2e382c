#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "profiler/base/paths.h"
#include "profiler/phantom/cards/card.h"
#include "tests/support/catch.h"

namespace tidemark::phantom {
namespace {

constexpr int64_t kGibibyte = int64_t{1} << 30;

std::filesystem::path WriteCard(const std::string& text) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "tidemark_card_test.json";
  std::ofstream(file) << text;
  return file;
}

std::string ReadCard(const std::string& name) {
  std::ifstream stream(AssetsFolder() / "cards" / (name + ".json"));
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("All cards load, ordered by memory") {
  const auto cards = LoadCards();
  REQUIRE(cards.ok());
  std::set<std::string> names;
  int64_t memory_bytes = 0;
  for (const Card& card : cards.value()) {
    INFO(card.name);
    names.insert(card.name);
    CHECK(card.memory_bytes >= memory_bytes);
    memory_bytes = card.memory_bytes;
  }
  for (const char* name : {"rtx-3060-12gb", "rtx-4090", "t4", "v100-16gb", "a100-40gb", "a100-80gb", "l4",
                           "h100", "h200", "b200"}) {
    CHECK(names.count(name) == 1);
  }
}

TEST_CASE("Every card's figures are possible ones") {
  const auto cards = LoadCards();
  REQUIRE(cards.ok());
  for (const Card& card : cards.value()) {
    INFO(card.name);
    CHECK(card.title.find("NVIDIA") == 0);
    CHECK(card.source.size() > 100);
    CHECK(card.source.find("http") == std::string::npos);
    CHECK((card.compute_capability >= 60 && card.compute_capability <= 121));
    CHECK(card.compiled_architecture <= card.compute_capability);
    CHECK(card.compiled_architecture / 10 == card.compute_capability / 10);
    CHECK((card.multiprocessors >= 10 && card.multiprocessors <= 200));
    CHECK((card.threads_per_multiprocessor == 1024 || card.threads_per_multiprocessor == 1536 ||
           card.threads_per_multiprocessor == 2048));
    CHECK((card.blocks_per_multiprocessor >= 16 && card.blocks_per_multiprocessor <= 32));
    CHECK(card.shared_bytes_per_block == 49152);
    CHECK(card.shared_bytes_per_block_optin >= card.shared_bytes_per_block);
    CHECK(card.shared_bytes_per_multiprocessor >= card.shared_bytes_per_block_optin);
    CHECK((card.memory_bytes > 3 * kGibibyte && card.memory_bytes < 200 * kGibibyte));
    CHECK((card.context_bytes > 20'000'000 && card.context_bytes < 1'000'000'000));
    CHECK(card.context_is_measured == (card.source.find("context: an estimate") == std::string::npos &&
                                       card.source.find("Context: an estimate") == std::string::npos));
    CHECK((card.memory_bytes_per_second > 1e11 && card.memory_bytes_per_second < 1e13));
    CHECK((card.float32_flops > 1e12 && card.float32_flops < 2e14));
    CHECK((card.link_bytes_per_second > 1e10 && card.link_bytes_per_second < 1e12));
    // Its memory's width in bits, as clock and rate make it: whole chips of 32, stacks of 128 or more.
    const double width = card.memory_bytes_per_second * 8 / (2000.0 * card.memory_clock_khz);
    CHECK(std::abs(width - 32 * std::round(width / 32)) < width / 60);
    CHECK((card.float16_tensor_flops == 0 || card.float16_tensor_flops > card.float32_flops));
  }
}

// "a kernel    648,871,936 B outside of PyTorch, of 150,109,880,320 B", as tests/gpu/card_memory.py writes
// it: the two sizes of the row with that title; none if there is no such row.
std::vector<int64_t> SizesOf(const std::filesystem::path& file, const std::string& title) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(title + "  ")) continue;
    std::vector<int64_t> sizes;
    std::istringstream words(line.substr(title.size()));
    for (std::string word; words >> word;) {
      std::erase(word, ',');
      if (word.find_first_not_of("0123456789") == std::string::npos) sizes.push_back(std::stoll(word));
    }
    return sizes;
  }
  return {};
}

TEST_CASE(
    "A card on which tests/gpu/run_all.sh ran has the memory and the context that were measured there") {
  int kept = 0;
  for (const auto& folder : std::filesystem::directory_iterator(SourceFolder() / "tests/gpu/fixtures")) {
    INFO(folder.path().string());
    const auto card = FindCard(folder.path().filename().string());
    REQUIRE(card.ok());
    CHECK(SizesOf(folder.path() / "card.txt", "a kernel") ==
          std::vector<int64_t>{card->context_bytes, card->memory_bytes});
    ++kept;
  }
  CHECK(kept > 0);
}

TEST_CASE("A card is found by its name; of an unknown one those that may be meant are named") {
  const auto card = FindCard("h200");
  REQUIRE(card.ok());
  CHECK(card.value().compute_capability == 90);
  CHECK(card.value().multiprocessors == 132);
  const auto answer = [](const char* name) { return FindCard(name).error().message; };
  CHECK(answer("riva-tnt") == "There is no graphics card 'riva-tnt'. tidemark cards lists them all.");
  CHECK(answer("RTX 4091").find("; did you mean 'rtx-4090'? ") != std::string::npos);
  CHECK(answer("h20").find("; did you mean 'h200'? ") != std::string::npos);
  CHECK(answer("rtx-3060").find("; did you mean 'rtx-3060-ti' or 'rtx-3060-12gb'? ") != std::string::npos);
  CHECK(answer("rtx").find("did you mean") == std::string::npos);
}

TEST_CASE(
    "A CUDA too new or too old for a card has no kernels for it, and what is not known rules out none") {
  const auto has = [](const char* card, const char* cuda) { return HasKernelsFor(cuda, *FindCard(card)); };
  CHECK(has("p100-16gb", "12.6"));
  CHECK_FALSE(has("p100-16gb", "12.8"));
  CHECK_FALSE(has("p100-16gb", "13.0"));
  CHECK(has("v100-16gb", "12.8"));
  CHECK_FALSE(has("v100-16gb", "13.0"));
  CHECK_FALSE(has("v100-16gb", "14.1"));
  CHECK(has("t4", "12.4"));
  CHECK(has("t4", "13.0"));
  CHECK_FALSE(has("rtx-5090", "12.6"));
  CHECK(has("rtx-5090", "12.8"));
  CHECK(has("b200", "13.0"));
  for (const char* card : {"p100-16gb", "v100-16gb", "rtx-5090"}) CHECK(has(card, ""));
}

TEST_CASE("A damaged card file is refused with what is wrong in it") {
  const std::string good = ReadCard("h200");
  REQUIRE(CardFromFile(WriteCard(good)).ok());
  const auto error_of = [](const std::string& text) {
    const auto card = CardFromFile(WriteCard(text));
    REQUIRE(!card.ok());
    return card.error().message;
  };
  CHECK(error_of("[1, 2]").find("not a JSON object") != std::string::npos);
  CHECK(error_of(good.substr(0, good.size() / 2)).find("not a JSON object") != std::string::npos);
  CHECK(error_of(Replaced(good, "\"multiprocessors\": 132", "\"multiprocessors\": 0"))
            .find("'multiprocessors'") != std::string::npos);
  CHECK(error_of(Replaced(good, "\"multiprocessors\": 132", "\"multiprocessors\": 4294967297"))
            .find("'multiprocessors'") != std::string::npos);
  CHECK(error_of(Replaced(good, "\"l2_bytes\"", "\"l3_bytes\"")).find("'l2_bytes'") != std::string::npos);
  CHECK(error_of(Replaced(good, "\"notes\"", "\"colour\": 1, \"notes\"")).find("'colour'") !=
        std::string::npos);
  CHECK(error_of(Replaced(good, "\"context_bytes\": 648871936", "\"context_bytes\": 150109880321"))
            .find("less than 'memory_bytes'") != std::string::npos);
  CHECK(!CardFromFile("/nowhere/card.json").ok());
  CHECK(!CardFromFile(AssetsFolder() / "cards").ok());
}

}  // namespace
}  // namespace tidemark::phantom
