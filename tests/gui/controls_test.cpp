#include "app/gui/widgets/controls.h"

#include <imgui_internal.h>

#include <array>
#include <string>
#include <string_view>

#include "app/gui/panels/training_choices.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

// Dear ImGui without a window: frames of one text field.
class FieldFrames {
 public:
  FieldFrames() {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {640, 480};
    io.DeltaTime = 1.0F / 60;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  }
  ~FieldFrames() { ImGui::DestroyContext(); }
  FieldFrames(const FieldFrames&) = delete;
  FieldFrames& operator=(const FieldFrames&) = delete;

  void Draw(std::string_view typed) {
    for (const char letter : typed) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    ImGui::NewFrame();
    ImGui::Begin("window");
    FirstTextField("##field", "hint", text_, &waits_);
    ImGui::End();
    ImGui::EndFrame();
  }
  std::string text() const { return text_.data(); }
  bool waits() const { return waits_; }

 private:
  std::array<char, 16> text_{};
  bool waits_ = true;
};

TEST_CASE("What is typed before a field has the keyboard is in it, and what comes then behind it") {
  FieldFrames frames;
  for (const char* letter : {"w", "h", "o", "l", "e"}) frames.Draw(letter);
  frames.Draw("");
  CHECK(!frames.waits());
  CHECK(frames.text() == "whole");
}

TEST_CASE("No more is taken than the field holds") {
  FieldFrames frames;
  frames.Draw("0123456789abcdefghij");
  CHECK(frames.text() == "0123456789abcde");
  frames.Draw("");
  frames.Draw("z");
  CHECK(frames.text() == "0123456789abcde");
}

}  // namespace
TEST_CASE_METHOD(Measured, "A field of a number takes nothing else, and makes no other number of that") {
  double value = 0;
  std::string told;
  const auto typed = [&](std::string_view text, const char* format) {
    value = 7;
    for (int frame = 0; frame < 4; ++frame) {
      if (frame == 2) {
        for (const char letter : text) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
      }
      ImGui::Begin("window");
      if (frame == 0) ImGui::SetKeyboardFocusHere();
      if (frame == 3) ImGui::LogToBuffer();
      NumberField(std::string(text.begin(), text.end()).append("##").append(format).c_str(),
                  ImGuiDataType_Double, &value, format);
      const ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetItemID());
      const std::string shown = state == nullptr ? "" : state->TextA.Data;
      told = frame == 3 ? ImGui::GetCurrentContext()->LogBuffer.c_str() : "";
      if (frame == 3) ImGui::LogFinish();
      ImGui::End();
      ImGui::EndFrame();
      ImGui::NewFrame();
      if (frame == 3) return shown;
    }
    return std::string();
  };
  const auto is_refused = [&](std::string_view text, const char* format) {
    return typed(text, format) == text && value == 7 && told.find("7 stays.") != std::string::npos;
  };
  CHECK(is_refused("1x2y", "%.6g"));
  CHECK(typed("1e3", "%g") == "1e3");
  CHECK(value == 1000);
  CHECK(is_refused("1e3", "%.0f"));
  CHECK(told.find("Only digits are taken.") != std::string::npos);
  CHECK(is_refused("5*3", "%.0f"));  // and no sum is made of it
  CHECK(is_refused("2^10", "%g"));
  CHECK(is_refused("1024/4", "%.0f"));
  CHECK(is_refused("16k", "%g"));
  CHECK(is_refused("1e999", "%g"));
  CHECK(is_refused("-5", "%g"));
  CHECK(told.find("Only digits, a point or a comma, and an exponent (1e-3) are taken.") != std::string::npos);
  CHECK(typed("1e-3", "%g") == "1e-3");
  CHECK(value == 0.001);
  CHECK(told.find("are taken") == std::string::npos);
  CHECK(typed("2,5", "%g") == "2,5");
  CHECK(value == 2.5);
  CHECK(typed("0,001", "%g") == "0,001");
  CHECK(value == 0.001);
  CHECK(typed("1,4705", "%g") == "1,4705");
  CHECK(value == 1.4705);
  CHECK(is_refused("1,470", "%.6g"));
  CHECK(told.find("1,470 may be 1470 or 1.47: write one of these. 7 stays.") != std::string::npos);
  CHECK(is_refused("999,000", "%.6g"));
  CHECK(is_refused("1,470,000", "%.6g"));
}

TEST_CASE_METHOD(Measured, "Enter leaves no field with what is no number: its reason stays under it") {
  double value = 0;
  std::string told;
  bool is_active = false;
  const auto after = [&](std::string_view text, ImGuiKey key) {
    for (int frame = 0; frame < 6; ++frame) {
      ImGuiIO& io = ImGui::GetIO();
      for (const char letter : frame == 2 ? text : "") io.AddInputCharacter(static_cast<unsigned>(letter));
      if (frame == 3 || frame == 4) io.AddKeyEvent(key, frame == 3);
      ImGui::EndFrame();
      ImGui::NewFrame();
      told = WordsIn({300, 200}, [&] {
        if (frame == 0) ImGui::SetKeyboardFocusHere();
        NumberField("##number", ImGuiDataType_Double, &value, "%.6g");
        is_active = ImGui::IsItemActive();
      });
    }
  };
  after("1,470", ImGuiKey_Enter);
  CHECK(is_active);
  CHECK(told.find("write one of these") != std::string::npos);
  after("x", ImGuiKey_KeypadEnter);
  CHECK(is_active);
  after("", ImGuiKey_Escape);
  CHECK_FALSE(is_active);
  after("1470", ImGuiKey_Enter);
  CHECK_FALSE(is_active);
  CHECK(value == 1470);
}

TEST_CASE_METHOD(Measured,
                 "A field that is left with what is no number keeps its own, not that of the next field") {
  double rate = 0.001;
  uint64_t seed = 42;
  ImVec2 rate_at;
  const auto field = [](const char* name, ImGuiDataType type, void* value, const char* format) {
    ImGui::SetNextItemWidth(100);
    ImGui::PushID(name);
    NumberField("##field", type, value, format);
    ImGui::PopID();
    return ImGui::IsItemDeactivatedAfterEdit();
  };
  const auto frame = [&](bool focus_seed) {
    ImGui::EndFrame();
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::Begin("fields");
    double rate_now = rate;
    uint64_t seed_now = seed;
    if (field("rate", ImGuiDataType_Double, &rate_now, "%g")) rate = rate_now;
    rate_at = ImGui::GetItemRectMin();
    if (focus_seed) ImGui::SetKeyboardFocusHere();
    if (field("seed", ImGuiDataType_U64, &seed_now, "%llu")) seed = seed_now;
    ImGui::End();
  };
  for (const bool focuses : {false, true, false, false}) frame(focuses);
  ImGuiIO& io = ImGui::GetIO();
  for (const char letter : std::string("1e5")) io.AddInputCharacter(static_cast<unsigned>(letter));
  for (int i = 0; i < 3; ++i) frame(false);
  io.AddMousePosEvent(rate_at.x + 5, rate_at.y + 5);
  frame(false);
  for (const bool is_down : {true, true, false, false}) {
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
    frame(false);
  }
  CHECK(seed == 42);
  CHECK(rate == 0.001);
}

TEST_CASE_METHOD(Measured, "What is typed for a slider is a number of its own, and no other is taken") {
  double value = 0;
  std::string told;  // under what is typed
  const auto typed = [&](std::string_view text, const SliderLook& look) {
    value = 64;
    told.clear();
    ImVec2 at;
    for (int frame = 0; frame < 11; ++frame) {
      ImGuiIO& io = ImGui::GetIO();
      if (frame == 1) io.AddMousePosEvent(at.x, at.y);
      if (frame == 2 || frame == 3) io.AddMouseButtonEvent(ImGuiMouseButton_Left, frame == 2);
      for (const char letter : frame == 5 ? text : "") io.AddInputCharacter(static_cast<unsigned>(letter));
      if (frame == 7) io.AddKeyEvent(ImGuiKey_Enter, true);
      if (frame == 8) io.AddKeyEvent(ImGuiKey_Enter, false);
      if (frame == 9 || frame == 10) io.AddKeyEvent(ImGuiKey_Escape, frame == 9);  // Enter leaves no nonsense
      ImGui::EndFrame();
      ImGui::NewFrame();
      ImGui::SetNextWindowSize({300, 200});
      ImGui::Begin("window");
      at = ImGui::GetCursorScreenPos() + ImVec2(ImGui::GetContentRegionAvail().x - 8, 8);
      if (frame == 6) ImGui::LogToBuffer();
      Slider("track", look, &value);
      if (frame == 6) {
        told = ImGui::GetCurrentContext()->LogBuffer.c_str();
        ImGui::LogFinish();
      }
      ImGui::End();
    }
    return value;
  };
  const SliderLook whole{.minimum = 1, .maximum = 4096, .logarithmic = true};
  const SliderLook pace{.minimum = 0.2, .maximum = 2000, .logarithmic = true, .whole = false, .decimals = 1};
  CHECK(typed("32", whole) == 32);
  CHECK(told.find("is taken") == std::string::npos);
  CHECK(typed("64*2", whole) == 64);
  CHECK(typed("1x2e,8*", whole) == 64);
  CHECK(told.find("Only digits are taken. It goes from 1 to 4,096. 64 stays.") != std::string::npos);
  CHECK(typed("abc", whole) == 64);
  CHECK(typed("2.5", pace) == 2.5);
  CHECK(typed("2,5", pace) == 2.5);
  CHECK(typed("1,470", pace) == 64);  // or 1470?
  CHECK(typed("2.5.1", pace) == 64);  // no number
  CHECK(typed("-1", pace) == 64);
  CHECK(typed("9999", whole) == 4096);
  CHECK(told.find("It goes from 1 to 4,096: 4,096 is taken.") != std::string::npos);
  CHECK(typed("0", whole) == 1);
}

TEST_CASE("A price says of what it is the difference") {
  CHECK(HelpOfPrice("+82.5 MB at peak, time × 1.30").find("three steps") != std::string_view::npos);
  CHECK(HelpOfPrice("effective batch 64").empty());
}

TEST_CASE_METHOD(Measured, "A double click on a slider lets its number be typed, and moves it nowhere") {
  const SliderLook look{.minimum = 1, .maximum = 4096, .logarithmic = true};
  double value = 64;
  ImVec2 at;
  bool is_typed = false;
  ImGuiIO& io = ImGui::GetIO();
  const auto frame = [&] {
    ImGui::EndFrame();
    ImGui::NewFrame();
    ImGui::SetNextWindowSize({300, 200});
    ImGui::Begin("window");
    at = ImGui::GetCursorScreenPos() + ImVec2(20, Px(kTextSize + 3) + ImGui::GetStyle().ItemSpacing.y + 8);
    Slider("track", look, &value);
    is_typed = io.WantTextInput;
    ImGui::End();
  };
  for (int i = 0; i < 2; ++i) frame();
  io.AddMousePosEvent(at.x, at.y);
  frame();
  for (const bool is_down : {true, false}) {
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
    frame();
  }
  CHECK(value < 64);  // a click moves it
  CHECK_FALSE(is_typed);
  for (const bool is_down : {true, false}) {
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
    for (int i = 0; i < 3; ++i) frame();
  }
  CHECK(value == 64);
  CHECK(is_typed);
  for (const char letter : std::string("32")) io.AddInputCharacter(static_cast<unsigned>(letter));
  frame();
  for (const bool is_down : {true, false}) {
    io.AddKeyEvent(ImGuiKey_Enter, is_down);
    frame();
  }
  frame();
  CHECK(value == 32);
}

TEST_CASE_METHOD(Measured, "A double click whose first click closed what lay over a slider leaves it alone") {
  const SliderLook look{.minimum = 1, .maximum = 4096, .logarithmic = true};
  double value = 64;
  bool is_covered = true;
  ImVec2 at;
  const auto frame = [&] {
    ImGui::EndFrame();
    ImGui::NewFrame();
    ImGui::SetNextWindowSize({300, 200});
    ImGui::Begin("window");
    at = ImGui::GetCursorScreenPos() + ImVec2(200, Px(kTextSize + 3) + ImGui::GetStyle().ItemSpacing.y + 8);
    if (!is_covered) Slider("track", look, &value);
    ImGui::End();
  };
  ImGuiIO& io = ImGui::GetIO();
  for (int i = 0; i < 2; ++i) frame();
  io.AddMousePosEvent(at.x, at.y);
  for (int i = 0; i < 2; ++i) frame();
  for (const bool is_down : {true, false}) {
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
    frame();
  }
  is_covered = false;
  for (const bool is_down : {true, false}) {
    io.AddMouseButtonEvent(ImGuiMouseButton_Left, is_down);
    for (int i = 0; i < 3; ++i) frame();
  }
  CHECK_FALSE(io.WantTextInput);
  CHECK(value > 64);  // the click moved it where it was
}

TEST_CASE_METHOD(Measured, "A control that is disabled fades, whoever draws it") {
  constexpr std::array kLabels = {"one", "other"};
  bool on = true;
  int chosen = 0;
  double value = 1;
  const auto opaque_corners = [&](bool is_disabled) {
    ImGui::Begin("window");
    ImGui::BeginDisabled(is_disabled);
    const ImVector<ImDrawVert>& drawn = ImGui::GetWindowDrawList()->VtxBuffer;
    const int before = drawn.Size;
    Toggle("switch", &on);
    Segmented("choice", kLabels, {}, &chosen);
    Slider("track", {.maximum = 2}, &value);
    int opaque = 0;
    for (int i = before; i < drawn.Size; ++i) opaque += drawn[i].col >> IM_COL32_A_SHIFT == 0xFF ? 1 : 0;
    ImGui::EndDisabled();
    ImGui::End();
    return opaque;
  };
  CHECK(opaque_corners(false) > 0);
  CHECK(opaque_corners(true) == 0);
}

TEST_CASE_METHOD(Measured,
                 "What is drawn beside a scrolled part fades with its last row, where it goes on below") {
  double at_top = 0;
  double at_bottom = 0;
  const auto draw = [&](float height) {
    for (int frame = 0; frame < 3; ++frame) {
      ImGui::SetNextWindowSize({300, 300});
      ImGui::Begin("panel");
      BeginScrolled("rows", {0, 200});
      const ImRect inner = ImGui::GetCurrentWindow()->InnerRect;
      ImGui::Dummy({10, height});
      at_top = LeftByFading(inner.Min.y);
      at_bottom = LeftByFading(inner.Max.y - 10);
      EndScrolled();
      ImGui::End();
      ImGui::EndFrame();
      ImGui::NewFrame();
    }
  };
  draw(400);
  CHECK(at_top == 1);
  CHECK(at_bottom < 0.5);
  draw(100);
  CHECK(at_bottom == 1);
}

TEST_CASE_METHOD(Measured, "A switch does not lie over its label where there is little room") {
  bool on = false;
  const auto words_end = [&](float width) {
    float end = 0;
    WordsIn(
        {width, 200},
        [&] {
          const ImDrawList& list = *ImGui::GetWindowDrawList();
          const int before = list.VtxBuffer.Size;
          Toggle("Kernels, copies, memsets", &on);
          for (int i = before; i < list.VtxBuffer.Size; ++i) {
            const ImDrawVert& corner = list.VtxBuffer[i];
            if (corner.col == U32(Colors().text)) end = std::max(end, corner.pos.x - ImGui::GetWindowPos().x);
          }
        },
        std::to_string(width));
    return end;
  };
  const float padding = ImGui::GetStyle().WindowPadding.x;
  CHECK(words_end(150) <= 150 - padding - Px(36));
  CHECK(words_end(400) >= Measure(Words(), "Kernels, copies, memsets").x);
}

}  // namespace tidemark::gui
