#include "app/gui/view/view_state.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "app/gui/view/view_keeper.h"
#include "profiler/session/steady_state.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::gui {

TEST_CASE("A view comes back as it was saved") {
  ViewState state;
  state.dark = false;
  state.own_colors[4] = Rgb(0x2FB6A0);
  state.unit = ByteUnit::kMebibytes;
  state.scale = 1.5F;
  state.panel_tabs = true;
  state.shown[2] = false;
  state.last_folder = "/some/where";
  state.recent = {{"/some/where/run.tide"}, {"/a/run.rank0.tide", "/a/run.rank1.tide"}};
  state.layout = "[Docking][Data]\n";
  state.layout_scale = 1.25F;
  state.layout_height = 900;
  state.cut_widths = {{0x80000001, {316, 240.5F}}};
  state.window_width = 1280;
  state.window_height = 800;
  state.timeline.axis = presenters::TimeAxis::kWallClock;
  state.timeline.follow = false;
  state.timeline.follow_steps = 9;
  state.timeline.hidden_categories = 5;
  state.in_other_height = Docking{"[Docking][Low]\n", 2, 600, {{0x80000002, {400, 300}}}};
  state.replaced = state;
  state.replaced->shown[3] = false;
  state.program_card = "t4";
  state.lessons.lesson = "batch-size";
  state.lessons.page = 2;
  state.lessons.predictions = {{"batch-size/0", 250.5}};
  state.lessons.drawings = {{"batch-size/1", DrawnCurve(session::kStepColumns, 12.5)}};
  state.lessons.done = {"batch-size/0", "batch-size/1/0"};
  const Result<ViewState> back = ViewStateFromJson(ToJson(state));
  REQUIRE(back.ok());
  CHECK(ToJson(*back) == ToJson(state));
  CHECK_FALSE(back->dark);
  CHECK(back->own_colors == state.own_colors);
  CHECK(back->layout == state.layout);
  CHECK(back->layout_scale == state.layout_scale);
  REQUIRE(back->cut_widths.contains(0x80000001));
  CHECK(back->cut_widths.at(0x80000001).given == 240.5F);
  CHECK_FALSE(back->shown[2]);
  REQUIRE(back->in_other_height);
  CHECK(back->in_other_height->layout == state.in_other_height->layout);
  CHECK(back->in_other_height->cut_widths.at(0x80000002).given == 300);
  REQUIRE(back->replaced);
  CHECK(back->replaced->layout == state.layout);
  CHECK_FALSE(back->replaced->shown[3]);
  CHECK(back->timeline.follow_steps == 9);
  CHECK(back->recent == state.recent);
  CHECK(back->program_card == "t4");
  CHECK(back->lessons.page == 2);
  CHECK(back->lessons.predictions == state.lessons.predictions);
  CHECK(back->lessons.drawings == state.lessons.drawings);
  CHECK(back->lessons.done == state.lessons.done);
}

TEST_CASE("A view says by name what it hides, and is understood where it was said by bits") {
  ViewState state;
  state.timeline.hidden_categories = timeline::CategorySet{1}
                                         << static_cast<int>(events::Category::kGradient) |
                                     timeline::CategorySet{1} << static_cast<int>(events::Category::kUnknown);
  const std::string kept = ToJson(state);
  CHECK(kept.find("\"gradient\"") != std::string::npos);
  const auto hidden_by = [](const std::string& json) {
    const Result<ViewState> back = ViewStateFromJson(json);
    return back ? back->timeline.hidden_categories : timeline::kAllCategories;
  };
  CHECK(hidden_by(kept) == state.timeline.hidden_categories);
  CHECK(hidden_by(R"({"hidden_categories": ["unknown", "gradient", "of a later version", 7]})") ==
        state.timeline.hidden_categories);
  CHECK(hidden_by(R"({"hidden_categories": 260})") == state.timeline.hidden_categories);
  for (const char* nonsense : {"-1", "1e30", "99999999999999", "\"gradient\"", "{}", "null"})
    CHECK(hidden_by(std::string(R"({"hidden_categories": )") + nonsense + "}") == 0);
}

TEST_CASE("A saved view that makes no sense does no harm") {
  const Result<ViewState> state = ViewStateFromJson(
      R"({"dark": 7, "colors": {"activation": "green", "input": "#12", "gradient": 5, "temporary": "#zzzzzz"}, "scale": 1e9, "panels": {"run_controls": "x", "timeline": false}, "layout_scale": 1, "layout_height": 900, "cut_widths": [7, {"node": -1, "wanted": "x"}, {"node": 2, "wanted": 1, "given": 1e99}], "follow_steps": -4, "window_width": 3, "lesson": "none", "lesson_page": -7, "lesson_predictions": {"a": "b"}, "lesson_done": [1], "unknown": []})");
  REQUIRE(state.ok());
  CHECK(state->dark);
  CHECK(state->own_colors == OwnColors{});
  CHECK(state->scale <= kLargestScale);
  CHECK(state->shown[0]);
  CHECK_FALSE(state->shown[1]);
  CHECK(state->cut_widths.empty());
  CHECK(state->layout_scale == 0);  // it knows too few panels: laid out anew
  CHECK(state->timeline.follow_steps == 1);
  CHECK(state->window_width == 0);
  CHECK(state->lessons.predictions.empty());
  CHECK(state->lessons.done.empty());
  CHECK(state->lessons.page == 0);
  CHECK_FALSE(ViewStateFromJson("not JSON").ok());
  ViewState odd;
  odd.last_folder = "/\xFF";  // no UTF-8
  odd.layout_scale = 1;
  odd.layout_height = 900;
  const Result<ViewState> back = ViewStateFromJson(ToJson(odd));
  REQUIRE(back.ok());
  CHECK(back->layout_scale == 0);  // a scale without the layout that it is of
}

TEST_CASE("A view is kept as soon as it changes, and not as slow motion lays it out") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tidemark-view-keeper-test";
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "view.json";
  std::filesystem::remove(file);
  ViewKeeper keeper(file);
  ViewState state;
  state.scale = 1.5F;
  state.layout = "as a person has it";
  state.layout_scale = 1.5F;
  state.layout_height = 900;
  REQUIRE(keeper.Keep(state).ok());
  CHECK(LoadViewState(file)->scale == 1.5F);
  std::filesystem::remove(file);
  REQUIRE(keeper.Keep(state).ok());
  CHECK_FALSE(std::filesystem::exists(file));  // nothing has changed
  state.slow_motion.active = true;
  state.layout = "three panels";
  REQUIRE(keeper.Keep(state).ok());
  CHECK_FALSE(std::filesystem::exists(file));
  state.slow_motion.active = false;
  state.layout = "as a person has it";
  state.dark = false;
  REQUIRE(keeper.Keep(state).ok());
  CHECK_FALSE(LoadViewState(file)->dark);
  CHECK(LoadViewState(file)->layout == state.layout);
  CHECK_FALSE(ViewKeeper(folder / "missing" / "view.json").Keep(state).ok());
  CHECK(ViewKeeper("").Keep(state).ok());
  std::filesystem::remove_all(folder);
}

TEST_CASE("A view that cannot be read is left as it is, as is said") {
  const trace::Scratch scratch;
  const std::filesystem::path file = scratch / "view.json";
  ViewState state;
  state.lessons.done = {"batch-size/0"};
  const std::string mistyped = ToJson(state) + ",";
  std::ofstream(file) << mistyped;
  ViewKeeper keeper(file);
  const Result<ViewState> loaded = keeper.Load();
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message.find(file.string()) != std::string::npos);
  CHECK(loaded.error().message.find("left as it is") != std::string::npos);
  CHECK(keeper.Keep(ViewState{}).ok());
  std::ifstream in(file);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == mistyped);
  std::ofstream(file) << ToJson(state);
  ViewKeeper mended(file);
  CHECK(mended.Load()->lessons.done == state.lessons.done);
  CHECK(mended.keeps());
  CHECK(LoadViewState(scratch / ".").error().message.find("left as it is") != std::string::npos);  // a folder
}

TEST_CASE("Saving and loading a view") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tidemark-view-state-test";
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "view.json";
  std::filesystem::remove(file);
  CHECK(LoadViewState(file).ok());  // no file yet: defaults
  ViewState state;
  state.dark = false;
  REQUIRE(SaveViewState(state, file).ok());
  CHECK_FALSE(LoadViewState(file)->dark);
  // Two windows write at once: neither writes over what the other is writing.
  const std::filesystem::path of_the_other = file.string() + ".new";
  std::ofstream(of_the_other) << "half";
  REQUIRE(SaveViewState(state, file).ok());
  CHECK(std::filesystem::file_size(of_the_other) == 4);
  const Status nowhere = SaveViewState(state, folder / "missing" / "view.json");
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().message.find("missing") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("A window is as much larger as all in it, where another scale is asked for as it opens") {
  ViewState state;
  state.window_width = 1280;
  state.window_height = 801;
  UseScale(2, &state);
  CHECK(state.scale == 2);
  CHECK(state.window_width == 2560);
  CHECK(state.window_height == 1602);
  UseScale(2, &state);  // as it was kept
  CHECK(state.window_width == 2560);
  UseScale(1, &state);
  CHECK(state.window_height == 801);
}

TEST_CASE("The configuration folder follows XDG") {
  const std::filesystem::path base = std::filesystem::temp_directory_path() / "tidemark-xdg-test";
  setenv("XDG_CONFIG_HOME", base.c_str(), 1);
  const Result<std::filesystem::path> folder = ConfigFolder();
  REQUIRE(folder.ok());
  CHECK(*folder == base / "tidemark");
  CHECK(std::filesystem::is_directory(*folder));
  unsetenv("XDG_CONFIG_HOME");
  std::filesystem::remove_all(base);
}

}  // namespace tidemark::gui
