#include "app/gui/window/input_order.h"

#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

// Frames of Dear ImGui without a window, each with what comes in before it; counts Ctrl+K.
class KeyFrames {
 public:
  KeyFrames() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {640, 480};
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
    Draw({});
    Draw({});  // a shortcut is heard from the frame after the first that asks for it
  }
  ~KeyFrames() { ImGui::DestroyContext(); }
  KeyFrames(const KeyFrames&) = delete;
  KeyFrames& operator=(const KeyFrames&) = delete;

  void Draw(const std::vector<std::pair<ImGuiKey, bool>>& keys) {
    ImGuiIO& io = ImGui::GetIO();
    for (const auto& [key, down] : keys) {
      if (key == ImGuiKey_LeftCtrl) io.AddKeyEvent(ImGuiMod_Ctrl, down);  // as the backend does
      io.AddKeyEvent(key, down);
    }
    io.DeltaTime = 0.1F;
    auto& queue = ImGui::GetCurrentContext()->InputEventsQueue;
    const std::vector<ImGuiInputEvent> later = TakeWhatWaits(queue);
    ImGui::NewFrame();
    for (const ImGuiInputEvent& event : later) queue.push_back(event);
    if (ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_K, ImGuiInputFlags_RouteGlobal)) ++heard_;
    ImGui::EndFrame();
  }
  int heard() const { return heard_; }

 private:
  int heard_ = 0;
};

constexpr std::pair kCtrlDown{ImGuiKey_LeftCtrl, true};
constexpr std::pair kCtrlUp{ImGuiKey_LeftCtrl, false};
constexpr std::pair kKDown{ImGuiKey_K, true};
constexpr std::pair kKUp{ImGuiKey_K, false};

}  // namespace

TEST_CASE("However a tap of Ctrl and K falls into frames, it is heard once") {
  const std::vector<std::vector<std::pair<ImGuiKey, bool>>> orders = {{kCtrlDown, kKDown, kKUp, kCtrlUp},
                                                                      {kCtrlDown, kKDown, kCtrlUp, kKUp}};
  for (const auto& order : orders) {
    for (unsigned cuts = 0; cuts < 8; ++cuts) {  // a bit for each place between two events
      INFO("cuts " << cuts);
      KeyFrames frames;
      std::vector<std::pair<ImGuiKey, bool>> now;
      for (size_t i = 0; i < order.size(); ++i) {
        now.push_back(order[i]);
        if (i + 1 < order.size() && (cuts >> i & 1U) != 0) frames.Draw(std::exchange(now, {}));
      }
      frames.Draw(now);
      for (int rest = 0; rest < 6; ++rest) frames.Draw({});
      CHECK(frames.heard() == 1);
      CHECK_FALSE(ImGui::GetIO().KeyCtrl);
      CHECK_FALSE(ImGui::IsKeyDown(ImGuiKey_K));
    }
  }
}

// A tab, over which others may lie, is pressed only where the mouse was over it a frame before.
TEST_CASE("A click that comes into one frame with the mouse's way there is heard") {
  KeyFrames frames;
  ImGuiIO& io = ImGui::GetIO();
  int pressed = 0;
  const auto draw = [&] {
    auto& queue = ImGui::GetCurrentContext()->InputEventsQueue;
    const std::vector<ImGuiInputEvent> later = TakeWhatWaits(queue);
    ImGui::NewFrame();
    for (const ImGuiInputEvent& event : later) queue.push_back(event);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({300, 200});
    ImGui::Begin("tabs");
    if (ImGui::BeginTabBar("bar")) {
      for (const char* name : {"first", "second"}) {
        if (!ImGui::BeginTabItem(name)) continue;
        pressed = name[0] == 's' ? 2 : 1;
        ImGui::EndTabItem();
      }
      ImGui::EndTabBar();
    }
    ImGui::End();
    ImGui::EndFrame();
  };
  for (int settles = 0; settles < 4; ++settles) draw();
  REQUIRE(pressed == 1);
  const ImGuiTabBar& bar = *ImGui::GetCurrentContext()->TabBars.GetByIndex(0);
  const float x = bar.BarRect.Min.x + bar.Tabs[1].Offset + bar.Tabs[1].Width / 2;
  io.AddMousePosEvent(x, bar.BarRect.GetCenter().y);
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, true);
  io.AddMouseButtonEvent(ImGuiMouseButton_Left, false);
  for (int rest = 0; rest < 6; ++rest) draw();
  CHECK(pressed == 2);
}

TEST_CASE("Two taps within a frame are two") {
  KeyFrames frames;
  frames.Draw({kCtrlDown, kKDown, kKUp, kKDown, kKUp, kCtrlUp});
  for (int rest = 0; rest < 8; ++rest) frames.Draw({});
  CHECK(frames.heard() == 2);
}

}  // namespace tidemark::gui
