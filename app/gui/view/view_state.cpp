#include "app/gui/view/view_state.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/gui/view/panel_table.h"
#include "profiler/base/utf8.h"
#include "profiler/base/whole_file.h"
#include "profiler/lessons/session_code.h"
#include "profiler/session/steady_state.h"
#include "profiler/trace/output_file.h"

namespace tidemark::gui {
namespace {

using nlohmann::json;

template <typename Value>
void Read(const json& from, const char* key, Value* to) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  if constexpr (std::is_same_v<Value, bool>) {
    if (found->is_boolean()) *to = found->template get<bool>();
  } else if constexpr (std::is_arithmetic_v<Value>) {
    if (found->is_number()) *to = found->template get<Value>();
  } else {
    if (found->is_string()) *to = found->template get<std::string>();
  }
}

std::string_view CategoryName(size_t index) { return events::NameOf(static_cast<events::Category>(index)); }

void ReadColors(const json& in, OwnColors* own) {
  const auto colors = in.find("colors");
  if (colors == in.end() || !colors->is_object()) return;
  for (size_t i = 0; i < own->size(); ++i) {
    std::string text;
    Read(*colors, std::string(CategoryName(i)).c_str(), &text);
    if (const Result<Color> color = ColorFromHex(text)) (*own)[i] = *color;
  }
}

// As bits where an older version kept it.
void ReadHidden(const json& in, timeline::CategorySet* hidden) {
  const json kept = in.value("hidden_categories", json());
  if (kept.is_number_unsigned() && kept.get<uint64_t>() <= std::numeric_limits<uint32_t>::max())
    *hidden = lessons::CategoriesOfBits(kept.get<uint32_t>()).value_or(0);
  for (size_t i = 0; i < events::kCategoryCount && kept.is_array(); ++i) {
    if (std::ranges::find(kept, json(CategoryName(i))) != kept.end())
      *hidden |= timeline::CategorySet{1} << i;
  }
}

json ToJson(const std::map<unsigned, CutWidth>& widths) {
  json cut_widths = json::array();
  for (const auto& [node, width] : widths)
    cut_widths.push_back({{"node", node}, {"wanted", width.wanted}, {"given", width.given}});
  return cut_widths;
}

void ReadCutWidths(const json& in, std::map<unsigned, CutWidth>* widths) {
  const json kept = in.value("cut_widths", json::array());
  for (const json& cut : kept) {
    unsigned node = 0;
    CutWidth width;
    if (!cut.is_object()) continue;
    Read(cut, "node", &node);
    Read(cut, "wanted", &width.wanted);
    Read(cut, "given", &width.given);
    if (width.wanted > width.given && width.given > 0) (*widths)[node] = width;
  }
}

void Write(const Docking& docking, json* to) {
  (*to)["layout"] = docking.layout;
  (*to)["layout_scale"] = docking.layout_scale;
  (*to)["layout_height"] = docking.layout_height;
  (*to)["cut_widths"] = ToJson(docking.cut_widths);
}

Docking ReadDocking(const json& in) {
  Docking docking;
  Read(in, "layout", &docking.layout);
  Read(in, "layout_scale", &docking.layout_scale);
  Read(in, "layout_height", &docking.layout_height);
  const bool sensible = !docking.layout.empty() && docking.layout_scale > 0.1F && docking.layout_scale < 20 &&
                        docking.layout_height > 50;
  if (!sensible) return {};
  ReadCutWidths(in, &docking.cut_widths);
  return docking;
}

void Write(const ArrangedPanels& arranged, json* to) {
  Write(static_cast<const Docking&>(arranged), to);
  json panels = json::object();
  for (size_t i = 0; i < kPanelCount; ++i) panels[Panels()[i].name] = arranged.shown[i];
  (*to)["panels"] = panels;
  if (arranged.in_other_height) Write(*arranged.in_other_height, &(*to)["in_other_height"]);
}

void ReadArranged(const json& in, ArrangedPanels* arranged) {
  const auto panels = in.find("panels");
  if (panels == in.end() || !panels->is_object()) return;
  bool is_of_lessons = false;  // an older version kept that as well
  Read(in, "learning", &is_of_lessons);
  if (is_of_lessons) return;
  for (size_t i = 0; i < kPanelCount; ++i) Read(*panels, Panels()[i].name, &arranged->shown[i]);
  // A layout that was made before a panel existed has no place for it: the default is laid out anew.
  const bool has_all =
      std::ranges::all_of(Panels(), [&](const Panel& panel) { return panels->contains(panel.name); });
  if (!has_all) return;
  static_cast<Docking&>(*arranged) = ReadDocking(in);
  if (const auto other = in.find("in_other_height"); other != in.end() && other->is_object())
    arranged->in_other_height = ReadDocking(*other);
}

void ReadProgress(const json& in, LessonsState* lessons) {
  Read(in, "lesson", &lessons->lesson);
  Read(in, "lesson_page", &lessons->page);
  lessons->page = std::max(0, lessons->page);
  const json predictions = in.value("lesson_predictions", json::object());
  for (const auto& [key, number] : predictions.items()) {
    if (number.is_number()) lessons->predictions[key] = number.get<double>();
  }
  const json drawings = in.value("lesson_drawings", json::object());
  for (const auto& [key, drawn] : drawings.items()) {
    DrawnCurve curve;
    for (const json& mb : drawn) curve.push_back(mb.is_number() ? mb.get<double>() : 0);
    if (curve.size() == session::kStepColumns) lessons->drawings[key] = std::move(curve);
  }
  const json done = in.value("lesson_done", json::array());
  for (const json& key : done) {
    if (key.is_string()) lessons->done.insert(key.get<std::string>());
  }
}

// A name that is no UTF-8 would lead to another file when it is read again.
bool CanBeKept(const std::filesystem::path& file) { return ValidUtf8(file.string()) == file.native(); }

json JsonOf(const std::vector<Opening>& recent) {
  json openings = json::array();
  for (const Opening& opening : recent) {
    if (!std::ranges::all_of(opening, CanBeKept)) continue;
    json files = json::array();
    for (const std::filesystem::path& file : opening) files.push_back(file.string());
    openings.push_back(std::move(files));
  }
  return openings;
}

void ReadRecent(const json& in, std::vector<Opening>* recent) {
  for (const json& files : in.value("recent", json::array())) {
    Opening opening;
    if (!files.is_array()) continue;
    for (const json& file : files) {
      if (file.is_string()) opening.emplace_back(file.get<std::string>());
    }
    if (!opening.empty() && recent->size() < kMostRecent) recent->push_back(std::move(opening));
  }
}

}  // namespace

std::string ToJson(const ViewState& state) {
  json colors = json::object();
  for (size_t i = 0; i < state.own_colors.size(); ++i) {
    if (state.own_colors[i]) colors[std::string(CategoryName(i))] = "#" + HexOf(*state.own_colors[i]);
  }
  json hidden = json::array();
  for (size_t i = 0; i < events::kCategoryCount; ++i) {
    if (timeline::Contains(state.timeline.hidden_categories, i)) hidden.push_back(CategoryName(i));
  }
  json out = {
      {"dark", state.dark},
      {"colors", colors},
      {"mebibytes", state.unit == ByteUnit::kMebibytes},
      {"scale", state.scale},
      {"panel_tabs", state.panel_tabs},
      {"own_time", state.own_time},
      {"lesson", state.lessons.lesson},
      {"lesson_page", state.lessons.page},
      {"lesson_predictions", state.lessons.predictions},
      {"lesson_drawings", state.lessons.drawings},
      {"lesson_done", state.lessons.done},
      {"last_folder", state.last_folder.string()},
      {"recent", JsonOf(state.recent)},
      {"program_card", state.program_card},
      {"window_width", state.window_width},
      {"window_height", state.window_height},
      {"wall_clock", state.timeline.axis == presenters::TimeAxis::kWallClock},
      {"follow", state.timeline.follow},
      {"follow_steps", state.timeline.follow_steps},
      {"hidden_categories", hidden},
  };
  Write(state.own ? *state.own : state, &out);
  if (state.replaced) Write(*state.replaced, &out["replaced"]);
  constexpr int kIndent = 2;
  return out.dump(kIndent, ' ', false, json::error_handler_t::replace);  // a folder's name may be no UTF-8
}

Result<ViewState> ViewStateFromJson(std::string_view text) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return Error{"The saved view is not JSON."};
  ViewState state;
  Read(in, "dark", &state.dark);
  ReadColors(in, &state.own_colors);
  bool mebibytes = false;
  Read(in, "mebibytes", &mebibytes);
  state.unit = mebibytes ? ByteUnit::kMebibytes : ByteUnit::kMegabytes;
  Read(in, "scale", &state.scale);
  state.scale = std::clamp(state.scale, kSmallestScale, kLargestScale);
  Read(in, "panel_tabs", &state.panel_tabs);
  Read(in, "own_time", &state.own_time);
  ReadProgress(in, &state.lessons);
  ReadArranged(in, &state);
  if (const auto replaced = in.find("replaced"); replaced != in.end() && replaced->is_object())
    ReadArranged(*replaced, &state.replaced.emplace());
  std::string folder;
  Read(in, "last_folder", &folder);
  state.last_folder = folder;
  ReadRecent(in, &state.recent);
  Read(in, "program_card", &state.program_card);
  Read(in, "window_width", &state.window_width);
  Read(in, "window_height", &state.window_height);
  if (state.window_width < 640 || state.window_height < 480) state.window_width = state.window_height = 0;
  bool wall_clock = false;
  Read(in, "wall_clock", &wall_clock);
  state.timeline.axis = wall_clock ? presenters::TimeAxis::kWallClock : presenters::TimeAxis::kEvents;
  Read(in, "follow", &state.timeline.follow);
  Read(in, "follow_steps", &state.timeline.follow_steps);
  state.timeline.follow_steps = std::clamp(state.timeline.follow_steps, 1, 100);
  ReadHidden(in, &state.timeline.hidden_categories);
  return state;
}

void UseScale(float scale, ViewState* state) {
  const float factor = scale / state->scale;
  for (int* length : {&state->window_width, &state->window_height})
    *length = static_cast<int>(std::lround(static_cast<float>(*length) * factor));
  state->scale = scale;
}

Result<std::filesystem::path> ConfigFolder() {
  std::filesystem::path base;
  if (const char* xdg = std::getenv("XDG_CONFIG_HOME"); xdg != nullptr && *xdg == '/') {
    base = xdg;
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    base = std::filesystem::path(home) / ".config";
  } else {
    return Error{"Neither XDG_CONFIG_HOME nor HOME is set, so the window's settings are not kept."};
  }
  const std::filesystem::path folder = base / "tidemark";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    return Error{"The window's settings are not kept: the folder " + folder.string() +
                 " could not be made (" + failure.message() + ")."};
  }
  return folder;
}

Result<ViewState> LoadViewState(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return ViewState{};
  const Result<std::string> text = ReadWholeFile(file);
  Result<ViewState> state = text ? ViewStateFromJson(*text) : Error{"The saved view cannot be read."};
  if (state) return state;
  return Error{file.string() + ": " + state.error().message +
               " It is left as it is: the defaults are used, and how this window is set up is not kept. Mend "
               "it, or remove it."};
}

Status SaveViewState(const ViewState& state, const std::filesystem::path& file) {
  const Status written = trace::WriteWhole(ToJson(state) + "\n", file);
  return written ? written
                 : Status(Error{written.error().message + " How the window is set up will be lost."});
}

}  // namespace tidemark::gui
