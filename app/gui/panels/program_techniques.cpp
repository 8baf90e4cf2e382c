#include "app/gui/panels/program_techniques.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

// What pressing the button does.
std::string WhatIsTried(const std::vector<session::TechniqueOrder>& to_try, const std::string& card_title) {
  std::string text = fmt::format(
      "Runs it {} more times on the phantom {}, one after the other, in the same folder: ", to_try.size() - 1,
      card_title);
  for (size_t i = 1; i < to_try.size(); ++i) text += (i > 1 ? " · " : "") + to_try[i].title;
  return text + ".";
}

TextStyle VerdictStyle(const session::TechniqueAnswer& answer) {
  if (answer.fits) return Colored(StrongWords(), Colors().good);
  return answer.ran_out ? Colored(StrongWords(), Colors().bad) : MutedWords();
}

// Of one without an answer; `is_next`: of those.
std::string WhyNone(const ProgramTechniques& found, bool is_shown, bool is_next) {
  if (is_shown) return "goes on still";
  if (!found.goes_on) return "not run";
  return is_next ? "runs…" : "waits";
}

std::string TakenInWords(const ProgramTechniques& found, const session::TechniqueAnswer& answer,
                         ByteUnit unit) {
  const int64_t taken = found.TakenBytes(answer);
  return fmt::format("{} allocated · {} taken · {} of the card", FormatBytes(answer.allocated_bytes, unit),
                     FormatBytes(taken, unit), session::ShareOf(found.card, taken));
}

// How much, once that is known; until then what PyTorch said.
std::string ShortInWords(const ProgramTechniques& found, const session::TechniqueAnswer& answer,
                         ByteUnit unit) {
  const std::string what = presenters::WhatIsShort(answer, found.card, unit);
  if (what.empty()) return answer.failure;
  return fmt::format("needs {} beside workspaces: {}", FormatBytes(answer.needed.allocated_bytes, unit),
                     what);
}

// At the end of the row of what was put last, or below it where there is no room.
bool ButtonAtRowEnd(const char* label) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float width = Measure(Words(), label).x + 2 * style.FramePadding.x;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) ImGui::SameLine();
  ImGui::SetCursorScreenPos({right - width, ImGui::GetCursorScreenPos().y});
  return PlainButton(label);
}

// As Run a program… calls what is an option of the command line.
session::TechniqueAnswer InWindowsWords(session::TechniqueAnswer answer) {
  for (std::string& option : answer.in_vain)
    option = option.starts_with("--amp") ? "Mixed precision" : "Checkpointing";
  return answer;
}

void DrawTechniqueAnswer(const ProgramTechniques& found, const session::TechniqueAnswer& answer,
                         ByteUnit unit) {
  PutAtRowEnd(VerdictStyle(answer), presenters::VerdictOf(answer));
  const std::string why = presenters::WhyVerdict(InWindowsWords(answer), found.card);
  if (!why.empty()) PutWrapped(SmallMuted(), why);
  const std::string detail = answer.fits      ? TakenInWords(found, answer, unit)
                             : answer.ran_out ? ShortInWords(found, answer, unit)
                                              : "";
  if (detail.empty()) return;
  ImGui::AlignTextToFramePadding();
  PutWrapped(SmallMuted(), detail);
  if (answer.fits && ImGui::IsItemHovered()) {
    Tooltip(
        fmt::format("allocated {}\nreserved {}\nthe context takes {}\nthe card has {}",
                    FormatExactBytes(answer.allocated_bytes), FormatExactBytes(answer.held.reserved_bytes),
                    FormatExactBytes(found.card.context_bytes), FormatExactBytes(found.card.memory_bytes)));
  }
}

// No button for the run that is shown, which runs so, nor where a technique changed nothing: without it that
// is another row; nor where it would run out once more, for other settings of the allocator are given to a
// program by whoever starts the window.
void DrawTechniqueRows(const ProgramTechniquesInput& input, CommandQueue& queue) {
  const ProgramTechniques& found = *input.found;
  const session::ProgramOrder& shown = input.to_try->front().program;
  bool is_next = true;
  for (size_t i = 0; i < found.rows.size(); ++i) {
    const TechniqueRow& row = found.rows[i];
    const session::ProgramOrder& order = row.order.program;
    ImGui::PushID(static_cast<int>(i));
    const bool is_shown = order.amp == shown.amp && order.checkpoint == shown.checkpoint;
    PutWrapped(Words(), row.order.title + (is_shown ? ", shown" : ""));
    if (row.answer) {
      DrawTechniqueAnswer(found, *row.answer, input.unit);
    } else {
      PutAtRowEnd(SmallMuted(), WhyNone(found, i == 0, is_next));
      is_next = is_next && i == 0;
    }
    const bool is_new = !is_shown && row.answer && row.answer->in_vain.empty() && !row.answer->fits_with;
    if (is_new && ButtonAtRowEnd("Run it so")) queue.Push(StartProgram{order});
    ImGui::PopID();
  }
}

// What the state takes alone is not asked here: `tidemark fit` tells.
constexpr const char* kNoneFits =
    "None of them makes it fit. Fewer samples at once may, if its parameters and what its optimizers keep "
    "leave room for any: Run a program… can sweep over them, and tidemark fit tells where they do not.";

bool DoesNoneFit(const ProgramTechniques& found) {
  return !found.goes_on && std::ranges::all_of(found.rows, [](const TechniqueRow& row) {
    return row.answer && row.answer->ran_out && !row.answer->fits_with;
  });
}

void DrawTried(const ProgramTechniquesInput& input, CommandQueue& queue) {
  const ProgramTechniques& found = *input.found;
  if (!found.error.empty()) PutWrapped(Colored(Words(), Colors().bad), found.error);
  if (!found.goes_on && !found.has_answers()) return;
  Label("With techniques");
  DrawTechniqueRows(input, queue);
  if (DoesNoneFit(found)) {
    PutWrapped(SmallMuted(), kNoneFits);
  }
  for (const std::string& note : found.notes) PutWrapped(SmallMuted(), "What to doubt: " + note);
}

}  // namespace

void DrawProgramTechniques(const ProgramTechniquesInput& input, const std::string& card_title,
                           CommandQueue& queue) {
  if (input.was_started_elsewhere) {
    return PutWrapped(SmallMuted(),
                      "They are tried on a program that was started from this window: Run it otherwise… "
                      "starts this one here.");
  }
  if (!input.can_try()) return;
  const bool goes_on = input.found != nullptr && input.found->goes_on;
  ImGui::BeginDisabled(goes_on);
  if (PrimaryButton(goes_on ? "Trying…###try techniques" : "Try techniques###try techniques", {Px(140), 0}))
    queue.Push(TryTechniques{});
  ImGui::EndDisabled();
  Consequence(WhatIsTried(*input.to_try, card_title));
  if (input.found != nullptr) DrawTried(input, queue);
}

}  // namespace tidemark::gui
