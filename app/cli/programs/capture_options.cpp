#include "app/cli/programs/capture_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/base/choices.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/events/event.h"
#include "profiler/events/stack_languages.h"

namespace tidemark::cli {
namespace {

const std::vector<std::string>& Languages() {
  static const std::vector<std::string> languages = {events::kPythonStacks, events::kNativeStacks};
  return languages;
}

const std::vector<std::string>& SourcesToLeaveOut() {
  static const std::vector<std::string> sources = {std::string(NameOf(events::Source::kAllocator)),
                                                   std::string(NameOf(events::Source::kDriver)),
                                                   std::string(NameOf(events::Source::kDevice))};
  return sources;
}

CLI::Validator OneOf(const char* what, const std::vector<std::string>& known) {
  const auto why_not = [what, &known](const std::string& given) {
    return std::ranges::find(known, given) != known.end() ? "" : UnknownChoice(what, given, known);
  };
  return {why_not, ""};
}

}  // namespace

void AddStacksOption(CLI::App& command, std::vector<std::string>& languages) {
  command
      .add_option("--stacks", languages,
                  "Tell from where memory was asked for: python (each allocation), c++ (what the CUDA driver "
                  "gave), or both, with a comma")
      ->delimiter(',')
      ->check(OneOf("language", Languages()))
      ->type_name("LANGUAGES");
}

void AddKernelsOption(CLI::App& command, bool& kernels) {
  command.add_flag("--kernels", kernels,
                   "Tell kernels, memory copies and memsets, too (a lane of the timeline; CUPTI serves one "
                   "tool at a time, so torch.profiler in the program then sees no GPU)");
}

void AddWithoutOption(CLI::App& command, std::vector<std::string>& sources) {
  command
      .add_option("--without", sources,
                  "Leave out sources, with commas: allocator (PyTorch's blocks), driver (CUPTI, which the "
                  "program then has for itself), device (NVML's samples)")
      ->delimiter(',')
      ->check(OneOf("source", SourcesToLeaveOut()))
      ->type_name("SOURCES");
}

std::string WithoutEntry(const std::vector<std::string>& sources) {
  return fmt::format("{}={}", capture::kProbeWithoutVariable, fmt::join(sources, ","));
}

std::string StacksEntry(const std::vector<std::string>& languages) {
  return fmt::format("{}={}", events::kStacksVariable, fmt::join(languages, ","));
}

}  // namespace tidemark::cli
