#include "app/gui/panels/fit.h"

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"

namespace tidemark::gui {
namespace {

using advice::Proposal;

std::string StepTime(double seconds) { return FormatDuration(static_cast<int64_t>(seconds * 1e9)); }

// A change in force, or a run that begins with it where none goes on. The allocator's settings are read when
// a process begins.
void Apply(const FitInput& input, const advice::Configuration& wanted, CommandQueue& queue) {
  if (input.live && wanted.allocator == input.allocator) {
    queue.Push(ChangeSettings{wanted.settings});
  } else {
    queue.Push(StartAgain{wanted.settings, wanted.allocator});
  }
}

// Time upwards, memory to the right, both by logarithm; what fits best lies at the lower left.
void DrawFrontier(const FitInput& input, const std::vector<Proposal>& frontier) {
  const ImVec2 size(ImGui::GetContentRegionAvail().x, Px(96));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy(size);
  const float left = at.x + Px(12);
  const float width = size.x - Px(24);
  const float height = size.y - Px(36);
  const auto bytes = [](const Proposal& one) {
    return std::log(static_cast<double>(std::max<int64_t>(1, one.need.reserved_peak_bytes)));
  };
  const auto seconds = [](const Proposal& one) { return std::log(std::max(1e-9, one.step_seconds)); };
  const double widest = std::max(1e-9, bytes(frontier.back()) - bytes(frontier.front()));
  const double highest = std::max(1e-9, seconds(frontier.front()) - seconds(frontier.back()));
  ImDrawList* list = ImGui::GetWindowDrawList();
  std::vector<ImVec2> points;
  for (const Proposal& one : frontier) {
    const auto x = static_cast<float>((bytes(one) - bytes(frontier.front())) / widest);
    const auto y = static_cast<float>((seconds(one) - seconds(frontier.back())) / highest);
    points.push_back({left + x * width, at.y + Px(18) + (1 - y) * height});
  }
  list->AddPolyline(points.data(), static_cast<int>(points.size()), U32(Colors().accent), Px(1.5F));
  for (size_t i = 0; i < points.size(); ++i) {
    list->AddCircleFilled(points[i], Px(4), U32(Colors().accent));
    const ImVec2 mouse = ImGui::GetMousePos();
    if (std::hypot(mouse.x - points[i].x, mouse.y - points[i].y) < Px(8) && ImGui::IsItemHovered()) {
      Tooltip(FormatExactBytes(frontier[i].need.reserved_peak_bytes) + ", a step ~" +
              StepTime(frontier[i].step_seconds) + ": " +
              DescribeProposal(*input.advice->question, frontier[i]));
    }
  }
  DrawText(list, {left, at.y}, SmallMuted(), "~" + StepTime(frontier.front().step_seconds));
  DrawText(list, {left, at.y + size.y - Px(16)}, SmallMuted(),
           FormatBytes(frontier.front().need.reserved_peak_bytes, input.unit));
  DrawText(list, {left + width, at.y + size.y - Px(16)}, SmallMuted(),
           FormatBytes(frontier.back().need.reserved_peak_bytes, input.unit), Align::kRight);
}

void DrawProposals(const char* id, const FitInput& input, const std::vector<Proposal>& proposals,
                   CommandQueue& queue) {
  for (size_t i = 0; i < proposals.size(); ++i) {
    const Proposal& proposal = proposals[i];
    ImGui::PushID(id);
    ImGui::PushID(static_cast<int>(i));
    const std::string change = DescribeProposal(*input.advice->question, proposal);
    PutWrapped(Words(), change.empty() ? "as it is" : change);
    ImGui::AlignTextToFramePadding();
    Put(SmallMuted(), FormatBytes(proposal.need.reserved_peak_bytes, input.unit) + " reserved · a step ~" +
                          StepTime(proposal.step_seconds) +
                          (proposal.need.empties_cache ? " · nearly full" : ""));
    TellExactly(proposal.need.reserved_peak_bytes);
    if (proposal.configuration == advice::Configuration{input.settings, input.allocator}) {
      PutAtRowEnd(SmallMuted(), "chosen");
    } else {
      const float button = Measure(Words(), "Apply").x + 2 * ImGui::GetStyle().FramePadding.x;
      ImGui::SameLine();
      ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(),
                                    ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - button));
      if (PlainButton("Apply")) Apply(input, proposal.configuration, queue);
    }
    ImGui::PopID();
    ImGui::PopID();
  }
}

// Why the batch with which an out of memory is left behind is smaller than the largest that fits.
std::string WhyFewer(const advice::FitAnswer& answer) {
  const std::string nearly_full =
      "the card is nearly full: PyTorch empties its cache in between, and in another order of the driver's "
      "addresses it may not fit.";
  return answer.batch_with_room == 0
             ? "With any " + nearly_full
             : "With more than " + FormatNumber(answer.batch_with_room) + " " + nearly_full;
}

// Whether there is such a batch, other than the one of which was asked.
bool OfferBatch(const FitInput& input, int batch, CommandQueue& queue) {
  networks::TrainingSettings settings = input.advice->question->settings;
  if (batch == 0 || settings.batch == batch) return false;
  settings.batch = batch;
  if (PlainButton(("Use " + FormatNumber(batch)).c_str()))
    Apply(input, {settings, input.advice->question->allocator}, queue);
  return true;
}

void DrawLargestBatch(const FitInput& input, CommandQueue& queue) {
  const advice::FitAnswer& answer = *input.advice->answer;
  const std::string batch = FormatNumber(answer.largest_batch);
  if (answer.largest_batch == 0) return PutWrapped(Words(), "Not even a micro-batch of 1 fits.");
  PutWrapped(Words(), answer.is_at_limit
                          ? "Micro-batches up to " + batch + " fit, the most that there may be."
                          : "Micro-batches up to " + batch + " fit; one sample more does not.");
  const bool is_nearly_full = answer.batch_with_room < answer.largest_batch;
  if (is_nearly_full) PutWrapped(SmallMuted(), WhyFewer(answer));
  const bool is_offered = OfferBatch(input, answer.batch_with_room, queue);
  if (!is_nearly_full) return;
  if (is_offered) ImGui::SameLine();
  OfferBatch(input, answer.largest_batch, queue);
}

void DrawAnswer(const FitInput& input, CommandQueue& queue) {
  const presenters::FitAdvice& found = *input.advice;
  const advice::Need& need = found.answer->present.need;
  if (!input.found_for_other.empty()) PutWrapped(SmallMuted(), input.found_for_other);
  Put(Colored(StrongWords(), need.fits ? Colors().good : Colors().bad),
      need.fits ? "It fits." : "It does not fit.");
  PutAtRowEnd(Numbers(), FormatBytes(need.reserved_peak_bytes, input.unit) + " reserved · a step ~" +
                             StepTime(found.answer->present.step_seconds));
  TellExactly(need.reserved_peak_bytes);
  if (const std::string stages = DescribeStages(*found.question, need); !stages.empty())
    PutWrapped(SmallMuted(), stages);
  DrawLargestBatch(input, queue);
  if (!found.answer->proposals.empty()) {
    Label("What makes it fit, the cheapest first");
    DrawProposals("proposals", input, found.answer->proposals, queue);
  }
  if (found.answer->frontier.empty()) return;
  Label("Memory against time");
  if (found.answer->frontier.size() > 1) DrawFrontier(input, found.answer->frontier);
  DrawProposals("frontier", input, found.answer->frontier, queue);
  PutWrapped(SmallMuted(),
             "A step's time is an estimate, by the card's bandwidth and operations a second; memory is the "
             "phantom's.");
}

}  // namespace

void DrawFitPanel(const FitInput& input, WhatIfState& what_if, CommandQueue& queue) {
  PanelTitle("What fits", input.card_title.empty() ? "" : "on the " + input.card_title);
  if (!BeginScrolled("fit")) return EndScrolled();
  const presenters::FitAdvice& found = *input.advice;
  if (!found.error.empty()) PutWrapped(Colored(Words(), Colors().bad), found.error);
  if (found.answer) DrawAnswer(input, queue);
  if (!found.answer && found.error.empty()) {
    PutWrapped(MutedWords(),
               input.can_search
                   ? "The phantom tries micro-batches, precisions, checkpointing and optimizers, and finds "
                     "the cheapest change that fits, and the largest batch."
               : input.is_program
                   ? "A program runs on a phantom as if it used mixed precision, or checkpointed its blocks: "
                     "its allocations are those of a program that is written so."
                   : "Settings are searched for Tidemark's own networks on a card.");
  }
  DrawProgramTechniques(input.techniques, input.card_title, queue);
  if (input.is_program && PlainButton("Run it otherwise…")) queue.Push(ActionId::kRunProgram);
  if (input.can_search) {
    ImGui::BeginDisabled(found.searching);
    if (PrimaryButton(found.searching ? "Searching…###search fit" : "Search###search fit", {Px(140), 0}))
      queue.Push(SearchFit{});
    ImGui::EndDisabled();
  }
  DrawWhatIf(input.what_if, what_if, queue);
  EndScrolled();
}

}  // namespace tidemark::gui
