// The run that is shown, tried otherwise: another card, another memory, another cache to begin with.
#include <string>

#include "tests/gui/steps.h"

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;

const Trials& Tried() { return *application().frame()->fit.what_if.trials; }

const advice::WhatIf& Latest() { return Tried().setups.back().outcome; }

void Type(ImGuiTestContext* context, const char* item, const char* text) {
  context->ItemInput(item);
  context->KeyCharsReplaceEnter(text);
}

void Pick(ImGuiTestContext* context, const char* choice, const char* item) {
  context->ItemClick(choice);
  context->ItemClick((std::string("//$FOCUSED/") + item).c_str());
}

bool TryIt(ImGuiTestContext* context, size_t rows) {
  context->ItemClick("###try it");
  const bool tried = WaitUntil(
      context, [&] { return !Tried().trying && Tried().setups.size() == rows; }, 20);
  context->Yield(4);  // the panel scrolls to what came out
  return tried;
}

}  // namespace

// On what is asked of the allocator until then: the run is paused.
void TriesTheRunOtherwise(ImGuiTestContext* context) {
  if (Run().status.state == session::RunState::kPaused) application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitForSteps(context, 3));
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitUntil(context, [] { return Run().status.state == session::RunState::kPaused; }));
  const fs::path file = Artefacts() / "before.tide";
  fs::remove(file);
  application().Push(SaveRecording{file});
  IM_CHECK(WaitUntil(context, [&] { return fs::exists(file); }));
  context->WindowFocus("//###fit");
  context->Yield(4);
  context->SetRef(context->WindowInfo("//###fit/fit").ID);
  const auto can_try = [&] {
    return (context->ItemInfo("###try it").ItemFlags & ImGuiItemFlags_Disabled) == 0;
  };
  IM_CHECK(!can_try());  // nothing is otherwise

  Type(context, "##With memory", "1");  // a byte
  context->Yield(2);
  IM_CHECK(!can_try());
  Type(context, "##With memory", "250MiB");  // of which the context takes a half
  Pick(context, "##On the card", "###t4");
  IM_CHECK(TryIt(context, 1));
  IM_CHECK_GT(Latest().after.failures, 0);
  IM_CHECK_EQ(Latest().before.failures, 0);
  Picture(context, "what-if-other-card");

  Type(context, "##With memory", "");
  Pick(context, "##Begins", "after this run itself");
  IM_CHECK(TryIt(context, 2));
  IM_CHECK_EQ(Latest().after.failures, 0);
  IM_CHECK_GE(Latest().after.curve.front().reserved_bytes, Latest().before.curve.front().reserved_bytes);
  const int64_t after_itself = Latest().after.reserved_peak_bytes;
  Pick(context, "##Begins", "after another recording…");
  context->KeyCharsReplaceEnter(file.c_str());
  IM_CHECK(WaitUntil(context, [&] {
    return application().view_state().what_if.setup.recording == file && !ImGui::IsPopupOpen("", kAnyPopup);
  }));
  IM_CHECK(TryIt(context, 3));
  IM_CHECK_EQ(Latest().after.reserved_peak_bytes, after_itself);  // it is the same run
  Picture(context, "what-if-after-a-recording");
  Type(context, "##Allocator", "no_such_setting:1");
  context->ItemClick("###try it");
  IM_CHECK(WaitUntil(context, [] { return !Tried().trying && !Tried().error.empty(); }));
  IM_CHECK_EQ(Tried().setups.size(), 3U);
  application().view_state().what_if = {};
  application().Push(ActionId::kRunOrPause);
  IM_CHECK(WaitForSteps(context, 1));
  context->WindowFocus("//###bridge");
  context->WindowFocus("//###layers");
}

}  // namespace tidemark::gui
