#include "app/cli/capture_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/base/choices.h"
#include "profiler/events/stack_languages.h"

namespace tidemark::cli {
namespace {

const std::vector<std::string>& Languages() {
  static const std::vector<std::string> languages = {events::kPythonStacks, events::kNativeStacks};
  return languages;
}

std::string WhyNoLanguage(const std::string& given) {
  if (std::ranges::find(Languages(), given) != Languages().end()) return {};
  return UnknownChoice("language", given, Languages());
}

}  // namespace

void AddStacksOption(CLI::App& command, std::vector<std::string>& languages) {
  command
      .add_option("--stacks", languages,
                  "Tell from where memory was asked for: python (each allocation), c++ (what the CUDA driver "
                  "gave), or both, with a comma")
      ->delimiter(',')
      ->check(WhyNoLanguage)
      ->type_name("LANGUAGES");
}

void AddKernelsOption(CLI::App& command, bool& kernels) {
  command.add_flag("--kernels", kernels,
                   "Tell kernels, memory copies and memsets, too (a lane of the timeline; CUPTI serves one "
                   "tool at a time, so torch.profiler in the program then sees no GPU)");
}

std::string StacksEntry(const std::vector<std::string>& languages) {
  return fmt::format("{}={}", events::kStacksVariable, fmt::join(languages, ","));
}

}  // namespace tidemark::cli
