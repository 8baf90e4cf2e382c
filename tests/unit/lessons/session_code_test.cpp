#include "profiler/lessons/session_code.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiler/networks/techniques.h"
#include "tests/support/catch.h"

namespace tidemark::lessons {
namespace {

SessionState Full() {
  SessionState state;
  state.settings.network = "resnet-18";
  state.settings.batch = 128;
  state.settings.amp = networks::Precision::kFloat16;
  state.settings.learning_rate = 0.0125;
  state.settings.seed = 18446744073709551615U;
  for (const networks::Technique& technique : networks::Techniques())
    REQUIRE(technique.Set(state.settings, technique.choices.back()).ok());
  state.settings.zero = networks::ZeroStage::kOff;  // a pipeline leaves nothing to share
  state.device = {networks::DeviceKind::kPhantom, 0, "a100-40gb"};
  state.allocator = "expandable_segments:True,max_split_size_mb:64";
  state.steps_per_second = 0.5;
  state.unit = ByteUnit::kMebibytes;
  state.wall_clock = true;
  state.hidden_categories = 5;
  state.panels = {"timeline", "lessons"};
  state.locked = {"batch", "amp", "channels_last"};
  state.hidden = {"optimizer"};
  state.lesson = "batch-size";
  state.page = 2;
  return state;
}

std::string RefusalOf(const std::string& code) {
  const Result<SessionState> state = StateFromCode(code);
  return state ? "" : state.error().message;
}

}  // namespace

TEST_CASE("A code is what it was made from, also after a chat has had it") {
  for (const SessionState& state : {SessionState{}, Full()}) {
    const std::string code = CodeOf(state);
    INFO(code);
    const Result<SessionState> back = StateFromCode(code);
    REQUIRE(back.ok());
    CHECK(*back == state);
    const Result<SessionState> quoted =
        StateFromCode("try `" + code.substr(0, 14) + "\n  " + code.substr(14) + "` please");
    REQUIRE(quoted.ok());
    CHECK(*quoted == state);
  }
  const SessionState fresh;
  CHECK(CodeOf(fresh).size() < 24);
  SessionState cuda;
  cuda.device.kind = networks::DeviceKind::kCuda;
  cuda.device.index = 1;
  CHECK(StateFromCode(CodeOf(cuda)).value() == cuda);
}

TEST_CASE("A code carries the folder of pictures and the file of a network, whatever they are called") {
  SessionState state;
  state.settings.data = "/some where/my pictures, 2";
  state.settings.network = "/a b/c=d;e/net.json";
  const Result<SessionState> back = StateFromCode(CodeOf(state));
  INFO((back ? "" : back.error().message));
  REQUIRE(back.ok());
  CHECK(*back == state);
}

TEST_CASE("A damaged code is refused with a sentence, wherever the damage is") {
  const std::string code = CodeOf(Full());
  for (size_t i = 0; i < code.size(); ++i) {
    std::string damaged = code;
    damaged[i] = damaged[i] == 'x' ? 'y' : 'x';
    INFO(damaged);
    CHECK_FALSE(RefusalOf(damaged).empty());
    CHECK_FALSE(RefusalOf(code.substr(0, i)).empty());
  }
}

// People have codes: what one hides stays what it hid, wherever a category comes to stand.
TEST_CASE("The bit of a hidden category never changes") {
  const std::vector<std::pair<std::string, uint32_t>> frozen = {
      {"parameter", 1},   {"optimizer state", 2}, {"gradient", 4},   {"input", 8},
      {"activation", 16}, {"temporary", 32},      {"workspace", 64}, {"autocast cache", 128},
      {"unknown", 256},   {"communication", 512}, {"output", 1024}};
  REQUIRE(frozen.size() == events::kCategoryCount);
  for (int i = 0; i < events::kCategoryCount; ++i) {
    const uint32_t categories = uint32_t{1} << i;
    const std::string name(events::NameOf(static_cast<events::Category>(i)));
    INFO(name);
    const auto known = std::ranges::find(frozen, name, &std::pair<std::string, uint32_t>::first);
    REQUIRE(known != frozen.end());
    CHECK(BitsInCode(categories) == known->second);
    CHECK(CategoriesOfBits(known->second) == categories);
    SessionState state;
    state.hidden_categories = categories;
    CHECK(CodeOf(state).find("hide=" + std::to_string(known->second) + ":") != std::string::npos);
  }
  CHECK_FALSE(CategoriesOfBits(2048));
  CHECK(RefusalOf("tidemark1:hide=2048:1623c7d5") == "The code sets hide to '2048', which it cannot be.");
}

TEST_CASE("What a code cannot set is said") {
  CHECK(RefusalOf("hello").find("no session code") != std::string::npos);
  CHECK(RefusalOf("tidemark2:batch=1:00000000").find("version 2") != std::string::npos);
  CHECK(RefusalOf("tidemark1:batch=1:00000000").find("cut or changed") != std::string::npos);
  SessionState wrong;
  wrong.settings.batch = 100'000;
  CHECK(RefusalOf(CodeOf(wrong)).find("--batch must be between") != std::string::npos);
}

}  // namespace tidemark::lessons
