#include "app/gui/shell/command_palette.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <tuple>
#include <vector>

#include "app/gui/commands/shown_cards.h"
#include "app/gui/shell/pick_list.h"
#include "app/gui/view/panel_table.h"
#include "app/gui/widgets/controls.h"
#include "app/gui/widgets/icons.h"
#include "app/presenters/advice/consequences.h"
#include "profiler/networks/specification.h"
#include "profiler/session/card_fit.h"
#include "profiler/session/one_card.h"

namespace tidemark::gui {
namespace {

// What comes before what: whatever is called so, whatever begins so, and the rest by how well it fits. Where
// nothing has a word that begins so, the search in the run comes before what merely has the letters. What is
// called or begins so and cannot be done now comes before that, too: who has typed its name reads why.
enum class Rank : uint8_t {
  kCalledSo,
  kBeginsSo,
  kHasWords,
  kSearch,
  kBeginsSoButCannot,
  kHasLetters,
  kNotEnabled
};

struct Entry {
  PickRow row;
  Command command;
  int score = 0;
  bool finds = false;     // what was typed, in the run
  bool is_layer = false;  // of the run
  Rank rank = Rank::kHasLetters;
};

void AddCards(const ShownCards& cards, std::vector<Entry>* entries) {
  for (const uint8_t device : cards.all) {
    if (cards.alone == device) continue;
    entries->push_back({{icons::kMap, "Show " + session::TitleOfCard(device) + " alone", "",
                         "Of the program's cards this one, in all panels.", true},
                        ShowCard{device},
                        0});
  }
  if (!cards.alone) return;
  entries->push_back({{icons::kMap, "Show all cards", "", "Of the program, added up.", true}, ShowCard{}, 0});
}

// Whether a person may use that control here and now.
bool CanChoose(const char* name, const std::vector<NamedControl>& controls, const RunControlsInput& choices) {
  return std::ranges::find(controls, name, &NamedControl::name) != controls.end() &&
         std::ranges::count(choices.access.locked, name) == 0;
}

void AddRecent(const std::vector<Opening>& recent, std::vector<Entry>* entries) {
  for (const Opening& opening : recent)
    entries->push_back(
        {{icons::kOpen, "Open recent: " + TitleOf(opening), "", WhereIs(opening), true}, ToOpen(opening), 0});
}

void AddSamples(const std::vector<trace::Sample>& samples, std::vector<Entry>* entries) {
  for (const trace::Sample& sample : samples)
    entries->push_back({{icons::kOpen, "Open sample: " + sample.title, "", sample.description, true},
                        OpenRecording{sample.file},
                        0});
}

// Only where there is a run to lay one over, as in the menu.
void AddSamplesToCompare(const PaletteOffer& offer, std::vector<Entry>* entries) {
  if (!offer.enabled(ActionId::kCompareWith)) return;
  for (const trace::Sample& sample : offer.samples)
    entries->push_back(
        {{icons::kCompare, "Compare with sample: " + sample.title, "", sample.description, true},
         CompareWith{sample.file},
         0});
}

void AddNetworks(const RunControlsInput& choices, std::vector<Entry>* entries) {
  const networks::Network* const now = networks::NetworkNamed(*choices.networks, choices.settings.network);
  for (const networks::Network& network : *choices.networks) {
    if (&network == now) continue;
    entries->push_back({{icons::kSliders, "Network: " + network.title, "", network.description, true},
                        ChangeSettings{presenters::WithNetwork(choices.settings, now, network)},
                        0});
  }
}

// `why_not`: why none can be chosen; "" = one can.
void AddPhantomCards(const RunControlsInput& choices, const std::string& why_not,
                     std::vector<Entry>* entries) {
  for (const phantom::Card& card : *choices.cards) {
    const networks::DeviceChoice device{networks::DeviceKind::kPhantom, 0, card.name};
    if (device == choices.device && why_not.empty()) continue;
    entries->push_back(
        {{icons::kSliders, "Card: " + session::ShortCardTitle(card.title),
          session::CardSize(card.memory_bytes), "The run is on a phantom of it.", why_not.empty(), why_not},
         ChooseDevice{device},
         0});
  }
}

constexpr const char* kCardOfProgram =
    "A program's run stays on its card. Run a program… starts one on another; the What fits panel puts the "
    "requests of this one to another card.";

bool IsSameLetter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Whether one of its words begins so, in any case.
bool HasWord(std::string_view text, std::string_view beginning) {
  auto found = text.begin();
  while ((found = std::search(found, text.end(), beginning.begin(), beginning.end(), IsSameLetter)) !=
         text.end()) {
    if (found == text.begin() || std::isalnum(static_cast<unsigned char>(*(found - 1))) == 0) return true;
    ++found;
  }
  return false;
}

// In any case.
bool BeginsWith(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), text.begin(), IsSameLetter);
}

// Layers are the run's names that people know. Only those that begin so: the search tells of all. Returns
// whether there are more of these than it adds.
bool AddLayers(std::string_view query, const LayersInput& layers, std::vector<Entry>* entries) {
  constexpr int kMost = 6;
  int added = 0;
  for (const presenters::LayerRow& row : *layers.rows) {
    if (!BeginsWith(row.name, query)) continue;
    if (++added > kMost) return true;
    entries->push_back({{icons::kLayers, row.name, "layer", "Lights it up in every panel.", true},
                        Select{presenters::LayerSelected(row.name)},
                        0,
                        false,
                        true});
  }
  return false;
}

// Where not all layers are listed that begin so, what finds the others comes directly after those that are.
void PutSearchAfterLayers(std::vector<Entry>& entries) {
  const auto search = std::ranges::find(entries, true, &Entry::finds);
  const auto last = std::ranges::find(entries.rbegin(), entries.rend(), true, &Entry::is_layer);
  if (search != entries.end() && last.base() <= search) std::rotate(last.base(), search, search + 1);
}

Rank RankOf(const Entry& entry, std::string_view query) {
  constexpr int kBeginningsOfWords = 1;  // or of a longer one
  if (!entry.row.enabled)
    return BeginsWith(entry.row.title, query) ? Rank::kBeginsSoButCannot : Rank::kNotEnabled;
  if (entry.finds) return Rank::kSearch;
  if (BeginsWith(entry.row.title, query))
    return entry.row.title.size() == query.size() ? Rank::kCalledSo : Rank::kBeginsSo;
  const bool has_words =
      entry.score <= kBeginningsOfWords || HasWord(entry.row.title, query) || HasWord(entry.row.help, query);
  return has_words ? Rank::kHasWords : Rank::kHasLetters;
}

void Sort(std::string_view query, std::vector<Entry>* entries) {
  for (Entry& entry : *entries) entry.rank = RankOf(entry, query);
  std::ranges::stable_sort(*entries, [](const Entry& a, const Entry& b) {
    return std::tuple(a.rank, a.score) < std::tuple(b.rank, b.score);
  });
}

std::vector<Entry> Matching(std::string_view query, const PaletteOffer& offer) {
  std::vector<Entry> entries;
  for (const Action& action : Actions()) {
    if (action.id == ActionId::kPalette) continue;
    const bool can_be_done = offer.enabled(action.id);
    entries.push_back({{action.icon, action.label, action.keys, action.help, can_be_done,
                        can_be_done ? "" : WhyNot(action.id)},
                       DoAction{action.id},
                       0});
  }
  for (const NamedControl& control : offer.controls) {
    entries.push_back(
        {{icons::kSliders, control.title, "control", control.help, true}, ShowControl{control.name}, 0});
  }
  for (size_t i = 0; i < offer.lessons.size(); ++i) {
    const lessons::Lesson& lesson = offer.lessons[i];
    const std::string label = "Lesson " + std::to_string(i + 1) + ": " + lesson.title;
    entries.push_back({{icons::kLearn, label, "", "Opens its first page that is unread.", true},
                       ShowLessonPage{lesson.name, PageToOpen(lesson, offer.view.lessons)},
                       0});
  }
  for (size_t i = 0; i < Panels().size(); ++i) {
    const Panel& panel = Panels()[i];
    // One that is there may lie behind others.
    const std::string label = std::string("panel: ") + LabelOf(panel, offer.frame);
    entries.push_back({{panel.icon, "Show " + label, "", panel.help, true}, ShowPanel{panel.name, true}, 0});
    if (offer.view.shown[i])
      entries.push_back(
          {{panel.icon, "Hide " + label, "", panel.help, true}, ShowPanel{panel.name, false}, 0});
  }
  AddCards(offer.frame.timeline.cards, &entries);
  AddRecent(offer.view.recent, &entries);
  AddSamples(offer.samples, &entries);
  AddSamplesToCompare(offer, &entries);
  // They are many, so who has typed nothing yet is spared them.
  if (!query.empty() && CanChoose("network", offer.controls, offer.frame.run_controls))
    AddNetworks(offer.frame.run_controls, &entries);
  const bool is_program = offer.frame.program.has_value();
  if (!query.empty() && (is_program || CanChoose("card", offer.controls, offer.frame.run_controls)))
    AddPhantomCards(offer.frame.run_controls, is_program ? kCardOfProgram : "", &entries);
  const bool has_more_layers = !query.empty() && AddLayers(query, offer.frame.layers, &entries);
  for (Entry& entry : entries) entry.score = MatchScore(query, entry.row.title, entry.row.help);
  std::erase_if(entries, [](const Entry& entry) { return entry.score < 0; });
  if (!query.empty() && offer.enabled(ActionId::kSearch)) {
    entries.push_back({{icons::kSearch, "Find “" + std::string(query) + "” in the run", "Ctrl+F",
                        "Among its layers, operators, allocations and steps.", true},
                       DoAction{ActionId::kSearch},
                       0,
                       true});
  }
  Sort(query, &entries);
  if (has_more_layers) PutSearchAfterLayers(entries);
  return entries;
}

// Letter by letter from `begin` on.
int ScoreFrom(size_t begin, std::string_view query, std::string_view text) {
  int score = 0;
  size_t at = begin;
  bool is_first_of_word = true;
  for (const char wanted : query) {
    if (wanted == ' ') continue;
    const size_t from = at;
    while (at < text.size() && std::tolower(static_cast<unsigned char>(text[at])) !=
                                   std::tolower(static_cast<unsigned char>(wanted)))
      ++at;
    if (at == text.size()) return -1;
    // Letters that follow each other, and beginnings of words, are what people type.
    is_first_of_word = at == 0 || text[at - 1] == ' ';
    score += is_first_of_word ? 0 : static_cast<int>(at - from) + (at == from && from > begin ? 0 : 2);
    ++at;
  }
  // A whole word before the beginning of a longer one.
  const bool ends_word = at == text.size() || std::isalnum(static_cast<unsigned char>(text[at])) == 0;
  return score + (is_first_of_word || ends_word ? 0 : 1);
}

}  // namespace

std::string WhyNot(ActionId action) {
  switch (action) {
    case ActionId::kUndo:
    case ActionId::kRedo:
    case ActionId::kBack:
    case ActionId::kForward:
      return "There is nothing to go back or forward to.";
    case ActionId::kStep:
    case ActionId::kOperator:
    case ActionId::kStop:
    case ActionId::kRunOrPause:
      return "No run that this window can steer goes on: start one (New run).";
    case ActionId::kRestart:
      return "Nothing that was started here can begin anew: a program that still runs is stopped first "
             "(Ctrl+.).";
    case ActionId::kRankStrip:
      return "The run that is shown is not one of several ranks.";
    case ActionId::kRunProgram:
      return "This build starts no programs.";
    case ActionId::kEarlierRuns:
      return "No earlier runs are kept yet.";
    case ActionId::kStopComparing:
      return "No second run is laid over this one.";
    case ActionId::kUnlock:
      return "Nothing is locked.";
    case ActionId::kNextPage:
    case ActionId::kPreviousPage:
      return "No lesson is in sight: choose one here, or in the Learn panel.";
    case ActionId::kBackToOwn:
      return "Settings and layout are your own.";
    case ActionId::kStartOver:
      return "Nothing has been answered or tried yet.";
    case ActionId::kNextOperator:
    case ActionId::kPreviousOperator:
    case ActionId::kFirstOperator:
    case ActionId::kLastOperator:
      return "Slow motion is off.";
    case ActionId::kSlowMotion:
      return "There is no complete step to walk through yet.";
    default:
      return "No run is shown yet: start one, or open a recording.";
  }
}

// The least over all words to begin with.
int MatchScore(std::string_view query, std::string_view text) {
  int best = ScoreFrom(0, query, text);
  for (size_t begin = 1; begin < text.size(); ++begin) {
    if (text[begin - 1] != ' ') continue;
    const int score = ScoreFrom(begin, query, text);
    if (score >= 0 && score < best) best = score;
  }
  return best;
}

int MatchScore(std::string_view query, std::string_view name, std::string_view help) {
  constexpr size_t kShortestWord = 3;
  constexpr int kWordOfHelp = 10;
  const int score = MatchScore(query, name);
  if (query.size() < kShortestWord || !HasWord(help, query)) return score;
  return score < 0 ? kWordOfHelp : std::min(score, kWordOfHelp);
}

void DrawCommandPalette(const PaletteOffer& offer, CommandPaletteState& state, CommandQueue& queue) {
  if (!state.open) return;
  if (!state.shown) {
    state = {};
    state.open = state.focus = true;
  }
  bool finds = false;
  if (BeginTopPopup("palette", 560, &state.shown)) {
    ImGui::SetNextItemWidth(-1);
    const bool entered = FirstTextField(
        "##query", "Type a part of a command, a panel, a control, a network, a card or a lesson", state.text,
        &state.focus);
    if (ImGui::IsItemEdited()) state.selected = 0;
    const std::vector<Entry> entries = Matching(state.text.data(), offer);
    std::vector<PickRow> rows;
    for (const Entry& entry : entries) rows.push_back(entry.row);
    const int picked = DrawPickList(
        rows, entered, "No command, panel, control, network, card or lesson has these letters in this order.",
        &state.selected);
    if (picked >= 0) {
      const Entry& entry = entries[static_cast<size_t>(picked)];
      queue.Push(entry.command);
      finds = entry.finds;
    }
    // The text field would take the first Escape for itself.
    if (picked >= 0 || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.open = state.shown = ImGui::IsPopupOpen("palette");
  if (!state.open && !finds) state.text = {};  // else the search takes it
}

}  // namespace tidemark::gui
