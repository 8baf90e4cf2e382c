// What the advising panels draw.
#include "app/gui/consequences.h"
#include "app/gui/scene.h"
#include "app/presenters/program_facts.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {
namespace {

constexpr size_t kOwners = 5;

// Findings look at a whole step: once a second is as often as anyone reads them.
constexpr std::chrono::seconds kFindingsEvery{1};

std::string PlaceOfShortage(const session::Shortage& shortage) {
  std::string place = shortage.step < 0 ? "" : "in step " + FormatNumber(shortage.step);
  if (shortage.phase == events::Phase::kIdle) return place;
  return place + (place.empty() ? "in " : ", ") + std::string(events::NameOf(shortage.phase));
}

int64_t UsableBytesOf(const SceneInput& input) {
  const auto card =
      session::CardOf(input.description.device_name, input.description.device_bytes, *input.cards);
  return card ? card->memory_bytes - card->context_bytes : 0;
}

}  // namespace

void Scene::PrepareAdvice(const SceneInput& input, ByteUnit unit) {
  const bool is_program = presenters::IsProgram(input.description);
  const bool has_card = input.device.kind != networks::DeviceKind::kCpu;
  const std::string card = CardFor(input);
  frame_.fit.advice = input.fit;
  frame_.fit.settings = input.settings;
  frame_.fit.card_title.clear();
  for (const phantom::Card& known : *input.cards) {
    if (has_card && known.name == card) frame_.fit.card_title = ShortCardTitle(known.title);
  }
  frame_.fit.can_search = !is_program && has_card;
  frame_.fit.can_try = has_card && view_ != nullptr && !view_->empty();
  frame_.fit.live = input.live;
  frame_.fit.unit = unit;
  frame_.findings.fit = input.fit;
  frame_.findings.can_search = frame_.fit.can_search;
  frame_.findings.unit = unit;
  frame_.findings.findings = &findings_;
  if (view_ == nullptr || view_->empty()) {
    frame_.findings.shortage.reset();
    findings_.clear();
    frame_.findings.empty_reason = "Findings appear as soon as there are events to look at.";
    return;
  }
  frame_.findings.empty_reason.clear();
  const auto now = Clock::now();
  const bool is_due = view_ != findings_view_ && (!input.live || now - findings_time_ > kFindingsEvery);
  if (!is_due && unit == findings_unit_) return;
  findings_view_ = view_;
  findings_unit_ = unit;
  findings_time_ = now;
  findings_ = advice::FindingsIn(*view_, unit);
  const std::vector<session::Shortage> shortages = session::ShortagesIn(*view_);
  frame_.findings.shortages = shortages.size();
  frame_.findings.shortage.reset();
  if (shortages.empty()) return;
  const session::Shortage& latest = shortages.back();
  frame_.findings.shortage =
      ShortagePage{latest, PlaceOfShortage(latest), session::WhyShort(latest, UsableBytesOf(input)),
                   advice::LargestOwners(*view_, latest.index, kOwners)};
}

}  // namespace tidemark::gui
