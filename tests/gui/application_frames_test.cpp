// What keys and the mouse come to in frames of the window, as far as no display is needed for that.
#include <filesystem>
#include <memory>
#include <utility>

#include "app/gui/application.h"
#include "app/gui/view/panel_table.h"
#include "tests/gui/drawn_application.h"
#include "tests/gui/driven_application.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
TEST_CASE("A lesson's page is turned where it is in sight; elsewhere the arrows go through the views") {
  const auto application = KeepingIn("");
  Application& app = *application;
  app.ShowRun(std::make_shared<Grown>());
  const LessonsState& lessons = app.view_state().lessons;
  Frames frames(app);
  Tell(app, ShowLessonPage{"mixed-precision", 2});
  frames.Draw(4);
  frames.Press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
  REQUIRE(lessons.page == 1);
  Tell(app, DoAction{ActionId::kProfileLayout});
  frames.Draw(4);
  frames.Press(ImGuiKey_LeftArrow, ImGuiMod_Alt);
  CHECK(lessons.page == 1);
  CHECK_FALSE(app.view_state().shown[IndexOfPanel("lessons")]);
}

}  // namespace tidemark::gui
