#include "app/gui/panels/breakdown.h"

#include <cstdint>
#include <optional>
#include <string>

#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

TEST_CASE("What a lesson asks for is told under the mouse no sooner than in the table") {
  textbook::Estimate textbook;
  textbook::Term term;
  term.category = events::Category::kGradient;
  term.words = "as large as the parameters";
  term.bytes = 4'316'712;
  textbook.terms.push_back(term);
  presenters::BreakdownRow gradient;
  gradient.title = "gradient";
  gradient.category = events::Category::kGradient;
  gradient.requested_bytes = 4'000'000;
  gradient.measured_bytes = 4'316'712;
  presenters::BreakdownRow sum = gradient;
  sum.category.reset();
  BreakdownInput input;
  input.textbook = &textbook;
  const auto tells = [&](const presenters::BreakdownRow& row, const char* what) {
    return ToldOf(row, input).find(what) != std::string::npos;
  };
  CHECK((tells(gradient, "4,000,000 B were requested") && tells(gradient, "= 4,316,712 B")));
  CHECK(tells(sum, "4,000,000 B were requested"));
  input.asked = {events::Category::kActivation};
  CHECK(tells(gradient, "= 4,316,712 B"));
  CHECK_FALSE(tells(sum, "4,000,000"));
  input.asked = {events::Category::kGradient};
  for (const char* const figure : {"4,000,000", "4,316,712"}) CHECK_FALSE(tells(gradient, figure));
}

TEST_CASE("Beside the highest that was reserved is told what was reserved at the moment that is shown") {
  timeline::Stream stream;
  stream.BeginStep(0);
  stream.Add(events::EventKind::kSegmentAllocate, 0x10'000'000, 1 << 20);
  stream.Allocate(0x10'000'000, 2048);
  stream.Free(0x10'000'000);
  stream.Add(events::EventKind::kSegmentAllocate, 0x20'000'000, 1 << 20);
  stream.EndStep(0);
  const auto view = stream.Publish();
  const presenters::Breakdown breakdown =
      presenters::MakeBreakdown(*view, std::nullopt, std::nullopt, presenters::LatestPeak(*view));
  const std::string told = ToldOf(breakdown.totals.back(), BreakdownInput());
  CHECK(told.find("at this very moment 1,048,576 B were reserved") != std::string::npos);
}

TEST_CASE("Why figures are other than predicted is told of every row, be they more or less") {
  presenters::Breakdown breakdown;
  BreakdownInput input;
  input.breakdown = &breakdown;
  const auto row = [](std::optional<timeline::Series> level, int64_t difference) {
    presenters::BreakdownRow made;
    if (level) made.level = level;
    if (!level) made.category = events::Category::kOptimizerState;
    made.difference_bytes = difference;
    return made;
  };
  const auto tells = [&](const presenters::BreakdownRow& of, const char* what) {
    return WhyOther(of, input).find(what) != std::string::npos;
  };
  using timeline::Series;
  for (const int64_t difference : {-512, 512})
    CHECK(WhyOther(row(Series::kReserved, difference), input).empty());  // nothing is known to be the reason
  input.is_first_step = true;
  for (const int64_t difference : {-512, 512}) {
    CHECK(tells(row(std::nullopt, difference), "The first step with these settings"));
    for (const Series level : {Series::kRequested, Series::kAllocated, Series::kReserved})
      CHECK(tells(row(level, difference), "The first step with these settings"));
  }
  CHECK(WhyOther(row(Series::kAllocated, 0), input).empty());
  input.was_changed = true;
  CHECK(tells(row(Series::kAllocated, -512), "The first step with these settings"));
  breakdown.totals = {row(Series::kRequested, 0), row(Series::kAllocated, 512)};
  CHECK(tells(breakdown.totals[1], "some of it lies in larger blocks"));  // it asks for nothing else
  input.is_first_step = false;
  for (const Series level : {Series::kReserved, Series::kDriver}) {
    CHECK(tells(row(level, 512), "earlier settings left in PyTorch's cache is in reserved"));
    CHECK(tells(row(level, -512), "Less is reserved than by a run that begins with these settings"));
  }
  for (const int64_t reserved : {-512, 0, 512}) {
    breakdown.totals = {row(Series::kReserved, reserved)};
    CHECK(tells(row(Series::kDriver, -512), "Less is reserved") == (reserved < 0));
    CHECK(tells(row(Series::kDriver, -512), "the driver has given less") == (reserved >= 0));
    CHECK(tells(row(Series::kDriver, 512), "is in reserved and driver") == (reserved > 0));
    CHECK(tells(row(Series::kDriver, 512), "gave more outside of PyTorch") == (reserved <= 0));
  }
}

TEST_CASE("Where memory ran out before the predicted peak, that is why there was less") {
  presenters::Breakdown breakdown;
  BreakdownInput input;
  input.breakdown = &breakdown;
  input.is_first_step = true;
  presenters::BreakdownRow row;
  row.level = timeline::Series::kAllocated;
  const auto why = [&](int64_t difference) {
    row.difference_bytes = difference;
    breakdown.totals = {row};
    return WhyOther(row, input);
  };
  CHECK(why(-512).find("The first step") != std::string::npos);
  input.ran_out = true;
  CHECK(why(-512).find("Memory ran out before the peak that is predicted") != std::string::npos);
  CHECK(why(512).find("The first step") != std::string::npos);
  CHECK(why(0).empty());
}

TEST_CASE_METHOD(Measured, "Where memory ran out, the phantom's column is explained as of the peak") {
  presenters::Breakdown breakdown;
  breakdown.rows.push_back({"parameter", events::Category::kParameter, 512, 1024, 512, -512});
  BreakdownInput input;
  input.breakdown = &breakdown;
  BreakdownState state;
  CommandQueue queue;
  ImGui::GetStyle().HoverFlagsForTooltipMouse = ImGuiHoveredFlags_DelayNone;
  const auto explained = [&](bool ran_out) {
    input.ran_out = ran_out;
    std::string told;
    for (float x = 0; x < 560; x += 8) {
      ImGui::EndFrame();
      ImGui::NewFrame();
      ImGui::SetNextWindowPos({0, 0});
      told += WordsIn({600, 300}, [&] {
        DrawBreakdownPanel(input, state, queue);
        const ImVec2 table = ImGui::GetCurrentWindow()->DC.ChildWindows.back()->Pos;
        ImGui::GetIO().AddMousePosEvent(table.x + x, table.y + 8);
      });
    }
    return told.find("What the phantom predicts of the peak") != std::string::npos;
  };
  CHECK_FALSE(explained(false));
  CHECK(explained(true));
}

TEST_CASE_METHOD(Measured,
                 "A narrow breakdown keeps its names whole, and the difference longest of its columns") {
  presenters::Breakdown breakdown;
  breakdown.rows.push_back(
      {"optimizer state", events::Category::kOptimizerState, 204'460'000, 204'470'000, 204'480'000, 10'000});
  BreakdownInput input;
  input.breakdown = &breakdown;
  BreakdownState state;
  CommandQueue queue;
  const auto columns = [&](float width) {
    std::string told = WordsIn(
        {width, 300}, [&] { DrawBreakdownPanel(input, state, queue); }, "panel " + std::to_string(width));
    CHECK(told.find("optimizer state") != std::string::npos);
    CHECK(told.find("204.48") != std::string::npos);
    std::string found;
    for (const std::string column : {"textbook", "− phantom", "phantom", "diff."}) {
      const size_t at = told.find(column);
      if (at == std::string::npos) continue;
      found += column + " ";
      told.erase(at, column.size());
    }
    return found;
  };
  CHECK(columns(440) == "textbook phantom diff. ");
  CHECK(columns(380) == "textbook − phantom ");  // of what it is the difference, beside another column
  CHECK(columns(320) == "− phantom ");
  CHECK(columns(240).empty());
  breakdown.rows.front().difference_bytes.reset();  // no phantom tells of it
  CHECK(columns(361) == "textbook phantom ");
}

}  // namespace tidemark::gui
