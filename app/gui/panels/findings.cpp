#include "app/gui/panels/findings.h"

#include "app/gui/panels/lesson_text.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/labels.h"
#include "app/gui/widgets/panel_frame.h"
#include "app/gui/widgets/terms.h"

namespace tidemark::gui {
namespace {

void SizeRow(std::string_view title, int64_t bytes) {
  PutLabel(MutedWords(), title);
  PutAtRowEnd(Numbers(), session::BytesAsPyTorch(bytes));
  TellExactly(bytes);
}

// Of a program, whose own settings are not ours to change.
void DrawRoom(const FindingsInput& input, CommandQueue& queue) {
  const Trials& tried = *input.trials;
  if (tried.trying) return PutWrapped(MutedWords(), "Trying other settings of the allocator…");
  if (!tried.error.empty()) PutWrapped(Colored(Words(), Colors().bad), tried.error);
  // Those tried before memory ran out know nothing of the request that failed.
  if (!tried.HasTriedSettings(input.found->shortage->shortage.index)) {
    if (PlainButton("Try other settings of the allocator")) queue.Push(TryAllocators{});
    return;
  }
  const std::vector<advice::AllocatorTrial> with_room = advice::WithRoom(tried.settings);
  for (const advice::AllocatorTrial& trial : with_room) {
    PutWrapped(Words(), "PYTORCH_CUDA_ALLOC_CONF=" + trial.settings);
    PutWrapped(SmallMuted(), advice::RoomOf(trial.outcome, input.found->unit));
  }
  if (with_room.empty()) PutWrapped(MutedWords(), advice::kNoneMakesRoom);
  if (!with_room.empty() && with_room.front().outcome.ends_at_failure)
    PutWrapped(MutedWords(), advice::kRestIsNotKnown);
  if (!tried.settings.front().outcome.is_as_recorded) PutWrapped(SmallMuted(), advice::kNotAsRecorded);
}

// Of a program that was started here; What fits tells of them.
void DrawTechniquesTrial(CommandQueue& queue) {
  if (PlainButton("Try techniques")) queue.Push(TryTechniques{});
  Tooltip("Mixed precision, checkpointed blocks and both: the program runs with each, one after the other.");
}

void DrawFitCommand(const FindingsInput& input) {
  PutWrapped(Words(), input.fit_command);
  PutWrapped(SmallMuted(), input.can_try_techniques
                               ? "tells which cards the program would fit on."
                               : "tells which cards the program would fit on, and whether mixed precision or "
                                 "checkpointed blocks would do.");
  if (PlainButton("Copy the command")) ImGui::SetClipboardText(input.fit_command.c_str());
}

// What makes it fit, with what each saves of the present need.
void DrawWaysOut(const FindingsInput& input, CommandQueue& queue) {
  const presenters::FitAdvice& fit = *input.fit;
  Label("Ways out");
  if (!input.can_search) {
    if (input.may_make_room) DrawRoom(input, queue);
    if (input.can_try_techniques) DrawTechniquesTrial(queue);
    if (!input.fit_command.empty()) DrawFitCommand(input);
    if (input.is_program && PlainButton("Run it otherwise…")) queue.Push(ActionId::kRunProgram);
    return;
  }
  if (fit.searching) return PutWrapped(MutedWords(), "Searching what makes it fit…");
  if (!input.is_answered) {
    if (!fit.error.empty()) PutWrapped(Colored(Words(), Colors().bad), fit.error);
    if (PlainButton("Search for ways out")) queue.Push(SearchFit{.of_run = true});
    return;
  }
  const std::vector<advice::Proposal> ways = advice::WaysOut(*fit.answer);
  if (ways.empty()) {
    return PutWrapped(MutedWords(), fit.answer->present.need.fits
                                        ? advice::kFitsAsItIs
                                        : "No change of settings makes it fit: choose a larger card.");
  }
  PutWrapped(SmallMuted(), "As it is a step would take ~" +
                               FormatDuration(static_cast<int64_t>(fit.answer->present.step_seconds * 1e9)) +
                               ".");
  for (size_t i = 0; i < ways.size(); ++i) {
    const advice::Proposal& way = ways[i];
    const int64_t saved = fit.answer->present.need.reserved_peak_bytes - way.need.reserved_peak_bytes;
    ImGui::PushID(static_cast<int>(i));
    PutWrapped(Words(), DescribeProposal(*fit.question, way));
    ImGui::AlignTextToFramePadding();
    PutWrapped(SmallMuted(), "reserves " + FormatBytes(saved, input.found->unit) + " less · a step ~" +
                                 FormatDuration(static_cast<int64_t>(way.step_seconds * 1e9)));
    TellExactly(saved);
    const ImGuiStyle& style = ImGui::GetStyle();
    const float width = Measure(Words(), "Start so").x + 2 * style.FramePadding.x;
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    if (ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) ImGui::SameLine();
    if (PlainButton("Start so"))
      queue.Push(StartAgain{way.configuration.settings, way.configuration.allocator});
    ImGui::PopID();
  }
}

void DrawFigures(const FindingsInput& input) {
  const ShortagePage& page = *input.found->shortage;
  const std::string too_big =
      input.is_answered ? WhyTooBig(*input.fit->question, input.fit->answer->present.need, input.found->unit)
                        : "";
  if (!too_big.empty()) PutWrapped(StrongWords(), too_big);
  SizeRow("asked for", page.shortage.requested_bytes);
  SizeRow("free on the card", page.shortage.free_bytes);
  SizeRow("allocated", page.shortage.allocated_bytes);
  SizeRow("cached, in gaps", page.shortage.cached_bytes);
  if (page.shortage.waiting_bytes > 0) SizeRow("waiting to be freed", page.shortage.waiting_bytes);
  if (const int64_t outside = session::OutsidePyTorch(page.shortage, page.card_bytes); outside > 0) {
    SizeRow("context and others", outside);
    SizeRow("the card has", page.card_bytes);
  }
}

void DrawOwners(const FindingsInput& input) {
  Label("Largest owners");
  for (const advice::Owner& owner : input.found->shortage->owners) {
    const std::string bytes = session::BytesAsPyTorch(owner.bytes);
    const float room = ImGui::GetContentRegionAvail().x - Measure(Numbers(), bytes).x - Px(12);
    const std::string shown = Fitted(Words(), owner.name, room);
    Put(Words(), shown);
    MarkTerms(ImGui::GetItemRectMin(), Words(), shown);
    if (ImGui::IsItemHovered()) Tooltip(owner.name);
    PutAtRowEnd(Numbers(), bytes);
    TellExactly(owner.bytes);
  }
}

// Side by side where there is room for it.
void DrawShortage(const FindingsInput& input, CommandQueue& queue) {
  const ShortagePage& page = *input.found->shortage;
  const auto shortages = static_cast<int64_t>(input.found->shortages);
  const std::string more = shortages > 1 ? ", the latest of " + FormatNumber(shortages) : "";
  const bool survived = page.shortage.survived;
  PutWrapped(Colored(StrongWords(), survived ? Colors().warning : Colors().bad),
             std::string(icons::kWarning) + "  Out of memory" + (page.place.empty() ? "" : " ") + page.place +
                 more + (survived ? "; the run went on" : ""));
  if (ImGui::IsItemClicked()) queue.Push(GoToMoment{page.shortage.index});
  PutExplained(page.why, Words(), input.glossary);  // over all columns: one of them is narrow
  const float room = ImGui::GetContentRegionAvail().x;
  const bool is_wide = room > Px(640);
  const float width = is_wide ? (room - 2 * Px(24)) / 3 : room;
  constexpr ImGuiChildFlags kFlags = ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_NavFlattened;
  const auto part = [&](const char* id, const auto& draw) {
    if (ImGui::BeginChild(id, {width, 0}, kFlags)) draw();
    ImGui::EndChild();
  };
  part("figures", [&] { DrawFigures(input); });
  if (is_wide) ImGui::SameLine(0, Px(24));
  part("owners", [&] { DrawOwners(input); });
  if (is_wide) ImGui::SameLine(0, Px(24));
  part("ways out", [&] { DrawWaysOut(input, queue); });
  Rule();
}

// Of gaps, where the step allocates more than the card has: no setting of the allocator helps.
std::string WhyInVain(const advice::Finding& finding, const FindingsInput& input) {
  if (finding.kind != advice::FindingKind::kFragmentation || !finding.ran_out || !input.is_answered)
    return "";
  return WhyGapsAreNotAll(*input.fit->question, input.fit->answer->present.need, input.found->unit);
}

// What was tried on the run since, or is known of it, rather than what helps in general.
std::string AdviceFor(const advice::Finding& finding, const FindingsInput& input) {
  if (std::string vain = WhyInVain(finding, input); !vain.empty()) return vain;
  const bool is_tried =
      finding.kind == advice::FindingKind::kFragmentation && input.trials->HasTriedSettings(finding.moment);
  const std::string tried = is_tried ? advice::AdviceOf(input.trials->settings, input.found->unit) : "";
  return tried.empty() ? finding.advice : tried;
}

// Until it is known what they make of the run.
void DrawTrial(const FindingsInput& input, CommandQueue& queue) {
  ImGui::SameLine();
  ImGui::BeginDisabled(input.trials->trying);
  if (PlainButton(input.trials->trying ? "Trying…###try" : "Try four allocator settings###try"))
    queue.Push(TryAllocators{});
  ImGui::EndDisabled();
  Tooltip("What the run asked PyTorch's allocator for is asked again, with each: whether that makes room.");
}

void DrawFinding(const advice::Finding& finding, const FindingsInput& input, CommandQueue& queue) {
  Put(StrongWords(), advice::TitleOf(finding.kind));
  MarkTerms(ImGui::GetItemRectMin(), StrongWords(), advice::TitleOf(finding.kind));
  PutAtRowEnd(Numbers(), FormatBytes(finding.bytes, input.found->unit));
  TellExactly(finding.bytes);
  PutExplained(finding.evidence, Words(), input.glossary);
  PutExplained(AdviceFor(finding, input), SmallMuted(), input.glossary);
  const std::string show = std::string(icons::kPin) + "  Show the moment";
  if (PlainButton(show.c_str())) queue.Push(GoToMoment{finding.moment});
  Tooltip("The timeline, the memory map, the tree and the table of allocations show it.");
  if (!finding.allocations.empty()) {
    ImGui::SameLine();
    if (PlainButton("Largest allocation")) queue.Push(GoToMoment{finding.allocations.front()});
    Tooltip("The moment at which the largest of its allocations was made.");
  }
  const bool is_tried = input.trials->HasTriedSettings(finding.moment);
  const bool may_help = finding.can_be_tried && WhyInVain(finding, input).empty();
  if (may_help && input.can_try && !is_tried) DrawTrial(input, queue);
  Rule();
}

}  // namespace

void DrawFindingsPanel(const FindingsInput& input, CommandQueue& queue) {
  const size_t count = input.found == nullptr ? 0 : input.found->count();
  PanelTitle("Findings", count == 0 ? "" : FormatNumber(static_cast<int64_t>(count)));
  if (!input.empty_reason.empty()) return EmptyReason(input.empty_reason);
  if (input.found == nullptr) return EmptyReason("Looking through the run…");
  if (BeginScrolled("findings")) {
    if (input.found->shortage) DrawShortage(input, queue);
    for (size_t i = 0; i < input.found->findings.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      DrawFinding(input.found->findings[i], input, queue);
      ImGui::PopID();
    }
    if (count == 0) {
      EmptyReason(std::string("Nothing stands out: no growth, no kept graphs or gradients") +
                  (input.found->tells_reserved
                       ? ", and at its highest the run used most of what it reserved, so "
                         "fragmentation cost it little."
                       : "."));
    }
  }
  EndScrolled();
}

}  // namespace tidemark::gui
