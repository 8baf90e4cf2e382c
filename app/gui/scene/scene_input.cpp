#include "app/gui/scene/scene_input.h"

#include "app/presenters/moment/settings_change.h"
#include "app/presenters/run/program_facts.h"
#include "profiler/session/card_fit.h"

namespace tidemark::gui {

bool IsRecording(const SceneInput& input) {
  return input.origin == RunOrigin::kOpened || input.origin == RunOrigin::kFollowed;
}

bool IsOfOurs(const SceneInput& input) {
  return !IsRecording(input) && !presenters::IsProgram(input.description);
}

bool Follows(const SceneInput& input) {
  return input.origin == RunOrigin::kFollowed && input.status.state <= session::RunState::kPaused;
}

bool GoesOn(const SceneInput& input) {
  const bool stands_still = Follows(input) && !input.status.sentence.empty();
  return input.live || (input.status.state <= session::RunState::kPaused && !stands_still);
}

std::string ChosenCard(const SceneInput& input) {
  if (input.device.kind != networks::DeviceKind::kCuda) return input.device.card;
  const auto index = static_cast<size_t>(input.device.index);
  if (index >= input.cuda_devices->size()) return "";
  const auto card = session::CardOf((*input.cuda_devices)[index], 0, *input.cards);
  return card ? card->name : "";
}

std::string CardOfNextRun(const SceneInput& input) {
  return input.device.kind == networks::DeviceKind::kCpu ? "" : ChosenCard(input);
}

std::string CardThatRan(const SceneInput& input) {
  const auto card = session::CardOf(input.description.device_name, 0, *input.cards);
  return card ? card->name : "";
}

std::string CardFor(const SceneInput& input) {
  const std::string ran = CardThatRan(input);
  return ran.empty() ? ChosenCard(input) : ran;
}

session::PhantomSetup PhantomBeside(const SceneInput& input) {
  return {CardFor(input), input.description.allocator_settings};
}

std::optional<phantom::Card> CardToSearchFor(const SceneInput& input) {
  return IsOnCard(input) ? CardToReplayOn(input) : std::nullopt;
}

std::optional<phantom::Card> CardToReplayOn(const SceneInput& input) {
  const Result<phantom::Card> card =
      session::CardOr(ChosenCard(input), input.description, input.view.get(), *input.cards);
  return card ? std::optional(*card) : std::nullopt;
}

presenters::FitSubject FitSubjectOf(const SceneInput& input) {
  return {input.recorded.value_or(input.settings), CardToSearchFor(input),
          IsRecording(input) ? input.description.allocator_settings : input.allocator};
}

presenters::FitSubject RunSubjectOf(const SceneInput& input) {
  const auto ran = input.view == nullptr ? std::nullopt : presenters::LastSettings(*input.view);
  return {ran.value_or(input.settings), CardToSearchFor(input), input.description.allocator_settings};
}

bool IsOnCard(const SceneInput& input) {
  return IsOfOurs(input) ? input.device.kind != networks::DeviceKind::kCpu
                         : input.description.device != "cpu";
}

}  // namespace tidemark::gui
