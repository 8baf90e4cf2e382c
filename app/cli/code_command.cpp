#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/training_options.h"
#include "profiler/base/choices.h"
#include "profiler/lessons/session_code.h"
#include "profiler/lessons/situation.h"

namespace tidemark::cli {
namespace {

struct CodeOptions {
  TrainingOptions training;
  std::string code;
  std::string lock;
  std::string hide;
};

Status AreControls(const std::vector<std::string>& names) {
  const std::vector<std::string> known = lessons::ControlNames();
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      return Error{UnknownChoice("control", name, known)};
    }
  }
  return Done{};
}

int MakeCode(const CodeOptions& options) {
  const Result<Training> training = options.training.Asked();
  if (!training) return Complain(training.error().message, options.training.ExitCodeOfRefusal());
  const Result<phantom::Card> card = options.training.Card();
  if (!card) return Complain(card.error().message, options.training.ExitCodeOfRefusal());
  lessons::SessionState state;
  state.settings = training->settings;
  state.device.card = card->name;
  state.locked = lessons::WordsOf(options.lock);
  state.hidden = lessons::WordsOf(options.hide);
  for (const std::vector<std::string>* names : {&state.locked, &state.hidden}) {
    if (const Status known = AreControls(*names); !known) return Complain(known.error().message, kExitUsage);
  }
  return Answer(lessons::CodeOf(state) + "\n");
}

std::string ListText(const char* title, const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("{:<10}{}\n", title, fmt::join(names, ", "));
}

int ExplainCode(const std::string& code) {
  const Result<lessons::SessionState> state = lessons::StateFromCode(code);
  if (!state) return Complain(state.error().message, kExitUsage);
  lessons::Situation unset;
  unset.settings.network.clear();
  unset.card.clear();
  std::string text =
      fmt::format("{:<10}{}\n{:<10}{}\n", "device", TextOf(state->device), "settings",
                  TextOf(lessons::ChangesBetween(unset, {state->settings, state->device.card})));
  if (!state->allocator.empty()) text += fmt::format("{:<10}{}\n", "allocator", state->allocator);
  text += ListText("panels", state->panels) + ListText("locked", state->locked) +
          ListText("hidden", state->hidden);
  if (!state->lesson.empty())
    text += fmt::format("{:<10}{}, page {}\n", "lesson", state->lesson, state->page + 1);
  return Answer(text);
}

}  // namespace

Command RegisterCode(CLI::App& application) {
  CLI::App* command = application.add_subcommand(
      "code", "Settings as a short code to paste into a chat, or what a code sets");
  command->footer(
      "Examples:\n"
      "  tidemark code --batch 128 --amp fp16\n"
      "  tidemark code --net resnet-18 --lock batch,amp --hide optimizer   for a class\n"
      "  tidemark code tidemark1:batch=128:…\n"
      "The window copies its own with Ctrl+Shift+C, takes one with Ctrl+Shift+V, and opens with one by "
      "tidemark --code CODE.");
  auto options = std::make_shared<CodeOptions>();
  options->training.Register(*command);
  command->add_option("CODE", options->code, "Tell what this one sets")->type_name("");
  command->add_option("--lock", options->lock, "Controls that cannot be changed: batch,amp,…")->type_name("");
  command->add_option("--hide", options->hide, "Controls that are not shown")->type_name("");
  return {command,
          [options] { return options->code.empty() ? MakeCode(*options) : ExplainCode(options->code); }};
}

}  // namespace tidemark::cli
