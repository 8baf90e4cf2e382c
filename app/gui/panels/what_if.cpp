#include "app/gui/panels/what_if.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "app/gui/panels/what_if_plot.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/panel_frame.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

constexpr float kLabelShare = 0.3F;

// A row of the table: settings that are tried unasked, or what a person named.
struct Otherwise {
  std::string title;
  const advice::WhatIf* outcome;
  std::string allocator;
  bool only_allocator;  // a run can be started so
};

std::string CacheInWords(const OtherSetup& setup) {
  if (setup.cache == CacheOf::kNothing) return "with nothing cached";
  return "after " +
         (setup.cache == CacheOf::kThisRun ? "this run itself" : setup.recording.filename().string());
}

std::string TitleOf(const WhatIfInput& input, const OtherSetup& setup) {
  std::vector<std::string> parts;
  const phantom::Card* card = phantom::CardNamed(*input.cards, setup.card);
  if (card != nullptr) parts.push_back(session::ShortCardTitle(card->title));
  if (setup.memory_bytes > 0) parts.push_back(FormatBytes(setup.memory_bytes, input.unit));
  if (!setup.allocator.empty()) parts.push_back(setup.allocator);
  if (setup.cache != CacheOf::kNothing) parts.push_back(CacheInWords(setup));
  std::string title;
  for (const std::string& part : parts) title += (title.empty() ? "" : ", ") + part;
  return title;
}

std::vector<Otherwise> RowsOf(const WhatIfInput& input) {
  std::vector<Otherwise> rows;
  for (const advice::AllocatorTrial& trial : input.trials->settings)
    rows.push_back({trial.settings, &trial.outcome, trial.settings, true});
  for (const auto& [setup, outcome] : input.trials->setups) {
    const bool only_allocator = setup == OtherSetup{.allocator = setup.allocator};
    rows.push_back({TitleOf(input, setup), &outcome, setup.allocator, only_allocator});
  }
  return rows;
}

// The one that was clicked; else of those that fail least the one that reserves least.
const Otherwise& PlottedOf(const std::vector<Otherwise>& rows, int chosen) {
  if (chosen >= 0 && static_cast<size_t>(chosen) < rows.size()) return rows[static_cast<size_t>(chosen)];
  return *std::ranges::min_element(rows, {}, [](const Otherwise& row) {
    return std::tuple(row.outcome->after.failures, row.outcome->after.reserved_peak_bytes);
  });
}

// A click on a row plots it.
void DrawTable(const WhatIfInput& input, const std::vector<Otherwise>& rows, const Otherwise& plotted,
               int* chosen) {
  if (!ImGui::BeginTable("trials", 4, ImGuiTableFlags_SizingStretchProp)) return;
  ImGui::TableSetupColumn("settings", 0, 2.4F);
  for (const char* name : {"reserved", "unused", "failed"}) ImGui::TableSetupColumn(name, 0, 1);
  ImGui::TableNextRow();
  HeaderCell("setting");
  for (const char* name : {"reserved", "unused"})
    HeaderCell(std::string(name) + ", " + UnitName(input.unit), Align::kRight, name, name);
  HeaderCell("failed", Align::kRight);
  const auto put = [&](const TextStyle& style, const std::string& title, const phantom::Replayed& replayed,
                       bool strong, bool fits) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    PutWrapped(style, title);
    const bool clicked = ImGui::IsItemClicked();
    BytesCell(fits ? std::optional(replayed.reserved_peak_bytes) : std::nullopt, input.unit, strong);
    BytesCell(fits ? std::optional(advice::UnusedBytes(replayed)) : std::nullopt, input.unit);
    NumberCell(FormatNumber(replayed.failures), replayed.failures > 0);
    return clicked;
  };
  put(Words(), "as it was", plotted.outcome->before, true, true);
  for (size_t i = 0; i < rows.size(); ++i) {
    const advice::WhatIf& outcome = *rows[i].outcome;
    const bool is_less = advice::ReservesLess(outcome);
    const bool is_plotted = &rows[i] == &plotted;
    if (put(is_plotted ? Colored(Words(), Colors().accent) : Words(), rows[i].title, outcome.after, is_less,
            !advice::DoesNotFit(outcome)))
      *chosen = static_cast<int>(i);
  }
  ImGui::EndTable();
}

void DrawOutcomes(const WhatIfInput& input, WhatIfState& state, CommandQueue& queue) {
  const std::vector<Otherwise> rows = RowsOf(input);
  const bool has_more = rows.size() > std::exchange(state.rows, rows.size());
  if (rows.empty()) return;
  const Otherwise& plotted = PlottedOf(rows, state.plotted);
  DrawTable(input, rows, plotted, &state.plotted);
  if (advice::DoesNotFit(*plotted.outcome))
    PutWrapped(Colored(Words(), Colors().bad), advice::FailureInWords(*plotted.outcome));
  DrawWhatIfPlot(*plotted.outcome, input.unit);
  PutWrapped(SmallMuted(), plotted.title);
  if (has_more) ImGui::SetScrollHereY(1);
  const bool can_start = input.can_start && plotted.only_allocator && plotted.allocator != input.allocator;
  if (can_start && PlainButton("Start with these###start with"))
    queue.Push(StartAgain{input.settings, plotted.allocator});
  if (const std::string why = advice::WhyWithoutEffect(plotted.allocator); !why.empty())
    PutWrapped(SmallMuted(), why);
  if (plotted.outcome->ends_at_failure) PutWrapped(SmallMuted(), advice::kEndsAtFailure);
  if (!plotted.outcome->is_as_recorded) PutWrapped(SmallMuted(), advice::kNotAsRecorded);
}

void ChooseOtherCard(const WhatIfInput& input, OtherSetup& setup) {
  const auto title = [&](const std::string& name) {
    const phantom::Card* card = phantom::CardNamed(*input.cards, name.empty() ? input.card : name);
    const std::string known = card == nullptr ? input.card : session::ShortCardTitle(card->title);
    if (name.empty() && known.empty()) return std::string("none, as it was");
    if (name.empty()) return known + (input.card_is_named ? ", as it was" : ", for the run names none");
    return known + " · " + session::CardSize(card->memory_bytes);
  };
  std::vector<std::string> titles;
  for (const phantom::Card& card : *input.cards) titles.push_back(title(card.name));
  if (!BeginChoice("On the card", title(setup.card), kLabelShare, {}, titles)) return;
  if (Choice(title(""), setup.card.empty())) setup.card.clear();
  for (const phantom::Card& card : *input.cards) {
    if (card.name == input.card) continue;
    const std::string item = title(card.name) + "###" + card.name;
    if (Choice(item, setup.card == card.name)) setup.card = card.name;
  }
  ImGui::EndCombo();
}

void ChooseCache(OtherSetup& setup, CommandQueue& queue) {
  if (!BeginChoice("Begins", CacheInWords(setup), kLabelShare)) return;
  for (const CacheOf cache : {CacheOf::kNothing, CacheOf::kThisRun}) {
    if (Choice(CacheInWords({.cache = cache}), setup.cache == cache)) setup.cache = cache;
  }
  if (Choice("after another recording…", setup.cache == CacheOf::kRecording)) queue.Push(ChooseRunBefore{});
  ImGui::EndCombo();
}

// What was typed as a size; says why where it is none that a card can have.
std::optional<int64_t> TypedMemory(const WhatIfInput& input, const WhatIfState& state) {
  const std::string text = state.memory.data();
  if (text.empty()) return 0;
  const std::optional<int64_t> bytes = BytesFromText(text);
  const phantom::Card* card =
      phantom::CardNamed(*input.cards, state.setup.card.empty() ? input.card : state.setup.card);
  const int64_t context = card == nullptr ? 0 : card->context_bytes;
  if (bytes && *bytes > context) return bytes;
  Consequence(bytes ? "More than the " + FormatBytes(context, input.unit) +
                          " that the CUDA context takes, such as 16GiB."
                    : std::string("A size, such as 16GiB or 24GB."),
              Colors().warning);
  return std::nullopt;
}

// Nothing where what was typed cannot be tried, or nothing is otherwise.
std::optional<OtherSetup> ChooseSetup(const WhatIfInput& input, WhatIfState& state, CommandQueue& queue) {
  ChooseOtherCard(input, state.setup);
  const bool is_limited = input.limit_bytes > 0 && state.setup.card.empty();
  const std::string untyped = is_limited ? "the run's limit, " + FormatBytes(input.limit_bytes, input.unit)
                                         : "as much as the card has";
  TextRow("With memory", untyped.c_str(), state.memory, kLabelShare);
  const std::optional<int64_t> memory = TypedMemory(input, state);
  TextRow("Allocator", "max_split_size_mb:64, …", state.allocator, kLabelShare);
  ChooseCache(state.setup, queue);
  OtherSetup wanted = state.setup;
  wanted.memory_bytes = memory.value_or(0);
  wanted.allocator = state.allocator.data();
  return !memory || wanted == OtherSetup{} ? std::nullopt : std::optional(wanted);
}

}  // namespace

void DrawWhatIf(const WhatIfInput& input, WhatIfState& state, CommandQueue& queue) {
  const Trials& found = *input.trials;
  Rule();
  Label("The same run, otherwise");
  if (input.can_start && !input.allocator.empty()) {
    PutWrapped(Words(), "In force: " + input.allocator);
    if (PlainButton("Back to PyTorch's own")) queue.Push(StartAgain{input.settings, ""});
  }
  const std::optional<OtherSetup> wanted = ChooseSetup(input, state, queue);
  ImGui::BeginDisabled(!input.can_try || found.trying || !wanted);
  if (PlainButton(found.trying ? "Trying…###try it" : "Try it###try it")) queue.Push(TryOtherSetup{*wanted});
  ImGui::EndDisabled();
  Tooltip("What the run asked PyTorch's allocator for is asked again, with this.");
  ImGui::SameLine();
  ImGui::BeginDisabled(!input.can_try || found.trying);
  if (PlainButton("Try four allocator settings###try")) queue.Push(TryAllocators{});
  ImGui::EndDisabled();
  Tooltip("The same, with one setting for each of the allocator's ways against fragmentation.");
  if (!input.can_try) {
    PutWrapped(MutedWords(), "As soon as a run has asked PyTorch's allocator for memory, it can be tried.");
  }
  if (!found.error.empty()) PutWrapped(Colored(Words(), Colors().bad), found.error);
  DrawOutcomes(input, state, queue);
}

}  // namespace tidemark::gui
