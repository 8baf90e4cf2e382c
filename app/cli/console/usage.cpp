#include "app/cli/console/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "profiler/base/choices.h"
#include "profiler/trace/file_types.h"

namespace tidemark::cli {
namespace {

std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> SubcommandsOf(const CLI::App& application) {
  std::vector<std::string> names;
  for (const CLI::App* command : application.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

// Of an option that is none of the window's: settings it has from a session code.
std::string HintAtCode(const CLI::App& application, const std::string& option) {
  for (const CLI::App* command : application.get_subcommands(nullptr)) {
    if (command->get_name() != "code" || command->get_option_no_throw(option) == nullptr) continue;
    std::string of_code = fmt::format(
        " The window takes settings as a code: tidemark --code \"$(tidemark code {} …)\".", option);
    if (application.get_subcommand("train")->get_option_no_throw(option) == nullptr) return of_code;
    return of_code +
           fmt::format(" Without a window, tidemark estimate {} … and tidemark train {} ….", option, option);
  }
  return "";
}

// "tidemark phantom --help", where the subcommand's options are told.
std::string HelpOf(const CLI::App& application) {
  const std::vector<CLI::App*> chosen = application.get_subcommands();
  return chosen.empty() ? "tidemark --help" : fmt::format("tidemark {} --help", chosen.front()->get_name());
}

}  // namespace

std::string SentenceFor(const CLI::ParseError& error, const CLI::App& application) {
  const std::string what = error.what();
  const std::string help = HelpOf(application);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string option = what.substr(0, what.find(':'));
    if (what.find("received") == std::string::npos)
      return fmt::format("{} needs a value; see {}.", option, help);
    return option + " is given more than once; give it one value.";
  }
  return fmt::format("{}{} See {}.", what, what.ends_with('.') ? "" : ".", help);
}

bool RunsPrograms(const CLI::App& command) {
  constexpr std::array<std::string_view, 3> kRunPrograms = {"phantom", "record", "fit"};
  return std::ranges::count(kRunPrograms, command.get_name()) > 0;
}

bool NamesFileToOpen(const CLI::App& application) {
  const std::vector<std::string> unknown = application.remaining();
  const CLI::App& open = *application.get_subcommand("open");
  const auto first = std::ranges::find_if(unknown, [&](const std::string& word) {
    return !word.starts_with('-') || open.get_option_no_throw(word) == nullptr;
  });
  if (!application.get_subcommands().empty() || first == unknown.end() || first->starts_with('-'))
    return false;
  const std::string& word = *first;
  std::error_code not_there;
  const std::filesystem::file_status status = std::filesystem::status(word, not_there);
  return trace::HasOpenableEnding(word) || word.find('/') != std::string::npos ||
         (std::filesystem::exists(status) && !std::filesystem::is_directory(status));
}

std::optional<std::string> SentenceForUnknownArgument(const CLI::App& application) {
  const std::vector<std::string> unknown = application.remaining(/*recurse=*/true);
  if (unknown.empty()) return std::nullopt;
  const std::string& first = unknown.front();
  const std::vector<CLI::App*> chosen = application.get_subcommands();
  const CLI::App& command = chosen.empty() ? application : *chosen.front();
  if (first.starts_with('-') && first.size() > 1) {
    const std::string name = first.substr(0, first.find('='));
    return UnknownChoice("option", name, OptionsOf(command)) +
           (chosen.empty() ? HintAtCode(application, name) : "");
  }
  if (!chosen.empty() && RunsPrograms(command)) {
    return fmt::format(
        "'{0}' is one argument too many for tidemark {1}; a program goes after --: tidemark {1} -- {0} …",
        Quoted(first), command.get_name());
  }
  if (!chosen.empty()) {
    return fmt::format("'{}' is one argument too many for tidemark {}; see tidemark {} --help.",
                       Quoted(first), command.get_name(), command.get_name());
  }
  return UnknownChoice("subcommand", first, SubcommandsOf(application));
}

}  // namespace tidemark::cli
