#include "app/gui/panels/lessons.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/gui/panels/lesson_text.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"
#include "profiler/lessons/expression.h"

namespace tidemark::gui {
namespace {

using lessons::Lesson;
using lessons::Page;

// What is chosen is what a page is about, as far as it can be chosen.
bool GoesWithPage(const LessonsInput& input, const lessons::Situation& asked) {
  return input.has_own_card ? input.now.settings == asked.settings : input.now == asked;
}

bool IsSetUp(const LessonsInput& input, const lessons::Setup& setup) {
  const bool is_elsewhere = input.has_own_card && !setup.phantom_because.empty();
  return input.runs && !is_elsewhere && GoesWithPage(input, setup.situation);
}

// A title over a sentence; true if it was chosen. `aside` at the end of the title's line.
bool DrawEntry(const std::string& id, const std::string& title, const std::string& sentence,
               const std::string& aside, bool done) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = width - Px(12);
  const TextStyle style = SmallMuted();
  const float lines = MeasureWrapped(style, sentence, room).y;
  const bool chosen = ImGui::Selectable(("##" + id).c_str(), false, 0, {width, Px(31) + lines});
  ImDrawList* list = ImGui::GetWindowDrawList();
  DrawText(list, {at.x + Px(4), at.y + Px(4)}, StrongWords(), Fitted(StrongWords(), title, room - Px(40)));
  DrawWrapped(list, {at.x + Px(4), at.y + Px(25)}, style, sentence, room);
  DrawText(list, {at.x + width - Px(8), at.y + Px(5)},
           done ? Colored(SmallMuted(), Colors().good) : SmallMuted(), aside, Align::kRight);
  return chosen;
}

void DrawList(const LessonsInput& input, const LessonsState& state, CommandQueue& queue) {
  size_t finished = 0;
  for (const Lesson& lesson : *input.lessons)
    finished += PagesRead(lesson, state) == lesson.pages.size() ? 1 : 0;
  PanelTitle("Learn",
             std::to_string(finished) + " of " + std::to_string(input.lessons->size()) + " lessons done");
  ImGui::BeginChild("list");
  for (size_t i = 0; i < input.lessons->size(); ++i) {
    const Lesson& lesson = (*input.lessons)[i];
    const size_t read = PagesRead(lesson, state);
    const std::string progress = std::to_string(read) + "/" + std::to_string(lesson.pages.size());
    if (DrawEntry(lesson.name, std::to_string(i + 1) + ". " + lesson.title,
                  lessons::PlainTextOf(lesson.summary), progress, read == lesson.pages.size())) {
      queue.Push(ShowLessonPage{lesson.name, PageToOpen(lesson, state)});
    }
  }
  Rule();
  Label("Presets");
  for (const lessons::Preset& preset : *input.presets) {
    if (DrawEntry(preset.title, preset.title, preset.sentence, "", false))
      queue.Push(UseSession{preset.state});
  }
  ImGui::EndChild();
}

void BeginTask(const char* id) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, U32(Colors().sunken));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(Px(14), Px(12)));
  ImGui::BeginChild(
      id, {0, 0},
      ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding | ImGuiChildFlags_NavFlattened);
}

void EndTask() {
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

// "right, within 1 %", "69 % too low"; "" where there is nothing to compare with.
std::string HowNear(double predicted, std::optional<double> figure) {
  constexpr double kRight = 0.05;
  if (!figure || *figure <= 0) return "";
  const double off = predicted / *figure - 1;
  if (std::abs(off) < 0.005) return "right";
  constexpr double kMost = 100;  // times as much: more is no better told
  if (off > kMost) return "far too high";
  const std::string percent = FormatNumber(std::llround(100 * std::abs(off))) + " %";
  if (std::abs(off) <= kRight) return "right, within " + percent;
  return percent + (off > 0 ? " too high" : " too low");
}

// Of a lesson; of "" every key is.
bool IsOf(const std::string& lesson, const std::string& key) {
  return lesson.empty() || key.starts_with(lesson + "/");
}

std::string MegabytesText(std::optional<double> bytes) {
  return bytes ? FormatInUnit(std::llround(*bytes), ByteUnit::kMegabytes) : "–";
}

// What is drawn counts as a number, too: its peak.
void DrawByHand(const LessonsInput& input, const std::string& key, LessonsState& state) {
  const bool revealed = state.predictions.contains(key);
  const RevealedFigures& figures = input.figures;
  DrawnCurve& drawn = state.drawings[key];
  DrawDrawingPad({figures.textbook, figures.phantom_curve, figures.measured_curve, revealed, figures.phases,
                  input.on_phantom},
                 &drawn, &state.drawing);
  if (!revealed) {
    ImGui::BeginDisabled(drawn.empty());
    if (PlainButton("Reveal")) state.predictions[key] = std::ranges::max(drawn);
    ImGui::EndDisabled();
    return Tooltip(drawn.empty() ? "Draw a curve first: a wrong one teaches most."
                                 : "Your curve under those of textbook, phantom and run.");
  }
  for (const std::string& words :
       {HowFarApart("Phantom", drawn, figures.phantom_curve),
        HowFarApart(input.on_phantom ? "This run" : "Measured", drawn, figures.measured_curve)}) {
    if (!words.empty()) PutWrapped(Words(), words);
  }
}

void DrawReveal(const lessons::Prediction& prediction, double predicted, const LessonsInput& input,
                LessonTextContext& context, CommandQueue& queue) {
  const RevealedFigures& figures = input.figures;
  const char* const heads[] = {"you, MB", "textbook", "phantom", WordForRun(input.on_phantom)};
  const std::optional<double> values[] = {predicted * 1e6, figures.textbook, figures.phantom,
                                          figures.measured};
  if (ImGui::BeginTable("figures", 4)) {
    for (const char* head : heads) HeaderCell(head, Align::kRight);
    ImGui::TableNextRow();
    for (const std::optional<double>& value : values) NumberCell(MegabytesText(value), value.has_value());
    ImGui::EndTable();
  }
  const std::string verdict = lessons::IsDrawn(prediction) ? "" : VerdictOn(predicted * 1e6, figures);
  if (!verdict.empty()) PutWrapped(StrongWords(), verdict);
  if (!figures.trouble.empty()) PutWrapped(MutedWords(), figures.trouble);
  const bool starts_anew = prediction.quantity == "reserved";
  if (!figures.measured && (starts_anew || !GoesWithPage(input, prediction.situation))) {
    const networks::TrainingSettings& asked = prediction.situation.settings;
    if (PlainButton(input.on_phantom ? "Run it" : "Measure it"))
      queue.Push(starts_anew ? Command(StartAgain{asked}) : Command(ChangeSettings{asked}));
    Tooltip(starts_anew ? "Starts a run with the settings that the question is about: this one's cache holds "
                          "what other settings needed."
                        : "Trains with the settings that the question is about.");
  }
  for (const lessons::RichText& reveal : prediction.reveal) DrawRichText(reveal, Words(), context);
}

void DrawPrediction(const lessons::Prediction& prediction, const std::string& key, const LessonsInput& input,
                    LessonsState& state, LessonTextContext& context, CommandQueue& queue) {
  BeginTask("predict");
  Put(Colored(StrongWords(), Colors().accent), "Predict");
  DrawRichText(prediction.question, Words(), context);
  const bool is_drawn = lessons::IsDrawn(prediction);
  if (is_drawn) DrawByHand(input, key, state);
  const auto made = state.predictions.find(key);
  if (made != state.predictions.end()) {
    DrawReveal(prediction, made->second, input, context, queue);
  } else if (!is_drawn) {
    ImGui::SetNextItemWidth(Px(110));
    if (state.just_opened) ImGui::SetKeyboardFocusHere();
    state.just_opened = false;
    const bool is_number = NumberField("##prediction", ImGuiDataType_Double, &state.typed, "%.6g");
    const bool entered = ImGui::IsItemDeactivated() && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                                                        ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false));
    ImGui::SameLine(0, Px(8));
    ImGui::AlignTextToFramePadding();
    Put(MutedWords(), "MB");
    ImGui::SameLine(0, Px(14));
    const bool sensible = is_number && state.typed > 0;
    ImGui::BeginDisabled(!sensible);
    if (PlainButton("Reveal") || (entered && sensible)) {
      state.predictions[key] = state.typed;
      state.typed = 0;
    }
    ImGui::EndDisabled();
    Tooltip(sensible ? "Your number beside textbook, phantom and run."
                     : "Type a number first: a wrong one teaches most.");
  }
  EndTask();
}

void DrawAttempts(const Page& page, size_t number, const std::string& lesson, const LessonsState& state,
                  LessonTextContext& context) {
  for (size_t i = 0; i < page.attempts.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    BeginTask("try");
    const bool done = state.done.contains(TaskKey(lesson, number, i));
    Put(Colored(StrongWords(), done ? Colors().good : Colors().accent), done ? "Try · done" : "Try");
    DrawRichText(page.attempts[i].text, Words(), context);
    EndTask();
    ImGui::PopID();
  }
}

void DrawHeader(const LessonsInput& input, const OpenPage& open, size_t number, LessonsState& state) {
  const Lesson& lesson = *open.lesson;
  if (PlainButton((std::string(icons::kLog) + "  All lessons###all lessons").c_str())) {
    LeavePage(*input.lessons, state);
    state.lesson.clear();
  }
  ImGui::SameLine(0, Px(12));
  ImGui::AlignTextToFramePadding();
  const std::string count = std::to_string(number + 1) + " of " + std::to_string(lesson.pages.size());
  const float room = ImGui::GetContentRegionAvail().x - Measure(SmallMuted(), count).x - Px(12);
  Put(MutedWords(), Fitted(MutedWords(), lesson.title, room));
  PutAtRowEnd(SmallMuted(), count);
  ImGui::Dummy({0, Px(2)});
  PutWrapped(TitleWords(), open.page->title);
  ImGui::Dummy({0, Px(2)});
}

// What is shown may be none of the page's business, and its run on another device than the reader's.
std::string NoteOf(const LessonsInput& input, const Page& page) {
  if (!input.shown.empty())
    return "Shown is " + input.shown + ". This page is about a run of its own: start it below.";
  if (input.taken_from.empty() || page.setup.phantom_because.empty()) return "";
  return "On the phantom, not on " + input.taken_from + ": " + page.setup.phantom_because + ".";
}

void SetUpButton(const OpenPage& open, const LessonsInput& input, const char* label, float width,
                 CommandQueue& queue) {
  const bool is_set_up = IsSetUp(input, open.page->setup);
  ImGui::BeginDisabled(is_set_up);
  if (PlainButton(label, {width, Px(32)})) queue.Push(SetUpPage{});
  ImGui::EndDisabled();
  Tooltip(is_set_up ? "Network, techniques and card are what this page is about already."
          : input.runs
              ? "Puts network, techniques and card to what this page is about. Ctrl+Z takes it back."
              : "Starts a run with the network, the techniques and the card that this page is about.");
}

void DrawFooter(const OpenPage& open, const LessonsInput& input, size_t number, CommandQueue& queue) {
  if (const std::string note = NoteOf(input, *open.page); !note.empty()) PutWrapped(SmallMuted(), note);
  const float gap = Px(8);
  const bool last = number + 1 == open.lesson->pages.size();
  const std::array labels = {"Back", input.runs ? "Set this up" : "Start its run", last ? "Finish" : "Next"};
  const std::vector<float> widths = WidthsOfSegments(labels, ImGui::GetContentRegionAvail().x - 2 * gap);
  ImGui::BeginDisabled(number == 0);
  if (PlainButton(labels[0], {widths[0], Px(32)})) queue.Push(ActionId::kPreviousPage);
  ImGui::EndDisabled();
  Tooltip("Alt+Left");
  ImGui::SameLine(0, gap);
  SetUpButton(open, input, labels[1], widths[1], queue);
  ImGui::SameLine(0, gap);
  if (PrimaryButton((std::string(labels[2]) + "###next page").c_str(), {widths[2], Px(32)}))
    queue.Push(ActionId::kNextPage);
  Tooltip("Alt+Right");
}

}  // namespace

std::string PageKey(const std::string& lesson, size_t page) { return lesson + "/" + std::to_string(page); }
std::string TaskKey(const std::string& lesson, size_t page, size_t attempt) {
  return PageKey(lesson, page) + "/" + std::to_string(attempt);
}

bool HasAnswers(const std::string& lesson, const LessonsState& state) {
  return std::ranges::any_of(state.done, [&](const auto& key) { return IsOf(lesson, key); }) ||
         std::ranges::any_of(state.predictions, [&](const auto& made) { return IsOf(lesson, made.first); }) ||
         std::ranges::any_of(state.drawings, [&](const auto& drawn) {
           return IsOf(lesson, drawn.first) && !drawn.second.empty();
         });
}

void ForgetAnswers(const std::string& lesson, LessonsState& state) {
  const auto is_of_it = [&](const auto& entry) { return IsOf(lesson, entry.first); };
  std::erase_if(state.done, [&](const std::string& key) { return IsOf(lesson, key); });
  std::erase_if(state.predictions, is_of_it);
  std::erase_if(state.drawings, is_of_it);
  state.drawing = {};
  state.begun.clear();
}

std::string VerdictOn(double predicted_bytes, const RevealedFigures& figures) {
  const std::string by_textbook = HowNear(predicted_bytes, figures.textbook);
  const std::string by_phantom =
      HowNear(predicted_bytes, figures.phantom ? figures.phantom : figures.measured);
  const char* const by = figures.phantom ? "phantom" : "run";
  if (by_textbook.empty() && by_phantom.empty()) return "";
  if (by_textbook == by_phantom) return fmt::format("By textbook and {} {}.", by, by_phantom);
  if (by_textbook.empty()) return fmt::format("By the {} {}.", by, by_phantom);
  if (by_phantom.empty()) return "By the textbook " + by_textbook + ".";
  return fmt::format("By the textbook {}; by the {} {}.", by_textbook, by, by_phantom);
}

namespace {

bool AreTasksDone(const Lesson& lesson, size_t page, const LessonsState& state) {
  for (size_t i = 0; i < lesson.pages[page].attempts.size(); ++i) {
    if (!state.done.contains(TaskKey(lesson.name, page, i))) return false;
  }
  return true;
}

// Turned, or answered: a lesson may be left right after its number was told.
bool IsRead(const Lesson& lesson, size_t page, const LessonsState& state) {
  const std::string key = PageKey(lesson.name, page);
  return state.done.contains(key) || (state.predictions.contains(key) && AreTasksDone(lesson, page, state));
}

}  // namespace

size_t PagesRead(const Lesson& lesson, const LessonsState& state) {
  size_t read = 0;
  for (size_t i = 0; i < lesson.pages.size(); ++i) read += IsRead(lesson, i, state) ? 1 : 0;
  return read;
}

int PageToOpen(const Lesson& lesson, const LessonsState& state) {
  for (size_t i = 0; i < lesson.pages.size(); ++i) {
    if (!IsRead(lesson, i, state)) return static_cast<int>(i);
  }
  return 0;
}

OpenPage PageOf(const std::vector<Lesson>& all, const LessonsState& state) {
  for (const Lesson& lesson : all) {
    if (lesson.name != state.lesson) continue;
    const int last = static_cast<int>(lesson.pages.size()) - 1;
    return {&lesson, &lesson.pages[static_cast<size_t>(std::clamp(state.page, 0, last))]};
  }
  return {};
}

bool IsWorkedThrough(const std::vector<Lesson>& all, const LessonsState& state) {
  const OpenPage open = PageOf(all, state);
  if (open.page == nullptr || AwaitsPrediction(all, state)) return false;
  const auto number = static_cast<size_t>(open.page - open.lesson->pages.data());
  return AreTasksDone(*open.lesson, number, state);
}

void LeavePage(const std::vector<Lesson>& all, LessonsState& state) {
  const OpenPage open = PageOf(all, state);
  if (open.page == nullptr || open.page != &open.lesson->pages.back() || !IsWorkedThrough(all, state)) return;
  state.done.insert(PageKey(open.lesson->name, open.lesson->pages.size() - 1));
}

bool AwaitsPrediction(const std::vector<Lesson>& all, const LessonsState& state) {
  const OpenPage open = PageOf(all, state);
  if (open.page == nullptr || !open.page->prediction) return false;
  const auto number = static_cast<size_t>(open.page - open.lesson->pages.data());
  return !state.predictions.contains(PageKey(open.lesson->name, number));
}

std::set<events::Category> AskedLater(const std::vector<Lesson>& all, const LessonsState& state) {
  std::set<events::Category> asked;
  const OpenPage open = PageOf(all, state);
  if (open.page == nullptr) return asked;
  const std::vector<Page>& pages = open.lesson->pages;
  for (auto i = static_cast<size_t>(open.page - pages.data()); i < pages.size(); ++i) {
    const std::optional<lessons::Prediction>& prediction = pages[i].prediction;
    if (!prediction || state.predictions.contains(PageKey(open.lesson->name, i))) continue;
    const auto category = lessons::CategoryNamed(prediction->quantity);
    if (category && prediction->situation == open.page->setup.situation) asked.insert(*category);
  }
  // The gradients of activations are as large as those, and would tell them.
  if (asked.contains(events::Category::kActivation)) asked.insert(events::Category::kTemporary);
  return asked;
}

std::set<events::Category> SubjectOf(const std::vector<Lesson>& all, const LessonsState& state) {
  std::set<events::Category> subject;
  const OpenPage open = PageOf(all, state);
  if (open.page == nullptr) return subject;
  for (int i = 0; i < events::kCategoryCount; ++i) {
    const auto category = static_cast<events::Category>(i);
    if (open.page->title.find(events::NameOf(category)) != std::string::npos) subject.insert(category);
  }
  if (!open.page->prediction) return subject;
  if (const auto asked = lessons::CategoryNamed(open.page->prediction->quantity)) subject.insert(*asked);
  return subject;
}

void DrawLessonsPanel(const LessonsInput& input, LessonsState& state, CommandQueue& queue) {
  if (input.lessons == nullptr || input.lessons->empty()) {
    PanelTitle("Learn", "");
    EmptyReason(input.empty_reason);
    return;
  }
  const OpenPage open = PageOf(*input.lessons, state);
  if (open.page == nullptr) {
    DrawList(input, state, queue);
    return;
  }
  const auto number = static_cast<size_t>(open.page - open.lesson->pages.data());
  const std::string key = PageKey(open.lesson->name, number);
  LessonTextContext context{input.glossary, {}, &input.said};
  DrawHeader(input, open, number, state);
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const std::string note = NoteOf(input, *open.page);
  const float note_height =
      note.empty() ? 0 : MeasureWrapped(SmallMuted(), note, ImGui::GetContentRegionAvail().x).y + gap;
  const float footer = note_height + Px(32) + gap + Px(4);
  ImGui::BeginChild("page", {0, std::max(Px(80), ImGui::GetContentRegionAvail().y - footer)},
                    ImGuiChildFlags_NavFlattened);
  ImGui::PushID(key.c_str());
  for (size_t i = 0; i < open.page->blocks.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    DrawLessonBlock(open.page->blocks[i], context);
    ImGui::PopID();
  }
  if (open.page->prediction) DrawPrediction(*open.page->prediction, key, input, state, context, queue);
  DrawAttempts(*open.page, number, open.lesson->name, state, context);
  ImGui::PopID();
  ImGui::EndChild();
  DrawFooter(open, input, number, queue);
}

}  // namespace tidemark::gui
