#include "profiler/phantom/programs/techniques.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tidemark::phantom {
namespace {

constexpr std::string_view kAmpVariable = "TIDEMARK_AMP";
constexpr std::string_view kCheckpointVariable = "TIDEMARK_CHECKPOINT";

bool HasAmp(const Techniques& techniques) { return techniques.amp != Techniques{}.amp; }
bool HasCheckpoint(const Techniques& techniques) { return techniques.checkpoint != Techniques{}.checkpoint; }

std::string Joined(const Techniques& techniques, std::string_view amp, std::string_view checkpoint,
                   std::string_view between) {
  std::vector<std::string> words;
  if (HasAmp(techniques)) words.push_back(fmt::format("{}{}", amp, techniques.amp));
  if (HasCheckpoint(techniques)) words.push_back(fmt::format("{}{}", checkpoint, techniques.checkpoint));
  return fmt::format("{}", fmt::join(words, between));
}

}  // namespace

Result<Techniques> TechniquesFromText(std::string_view amp, std::string_view checkpoint) {
  if (amp != "off" && amp != "bf16" && amp != "fp16") {
    return Error{
        fmt::format("--amp is \"{}\". Of a program it is bf16 or fp16, or off to leave it as it is.", amp)};
  }
  if (checkpoint != "none" && checkpoint != "blocks") {
    return Error{fmt::format(
        "--checkpoint is \"{}\". Of a program it is blocks, or none to leave it as it is.", checkpoint)};
  }
  return Techniques{std::string(amp), std::string(checkpoint)};
}

std::vector<std::string> EnvironmentOf(const Techniques& techniques) {
  std::vector<std::string> entries;
  if (HasAmp(techniques)) entries.push_back(fmt::format("{}={}", kAmpVariable, techniques.amp));
  if (HasCheckpoint(techniques))
    entries.push_back(fmt::format("{}={}", kCheckpointVariable, techniques.checkpoint));
  return entries;
}

std::vector<std::string> EnvironmentForSome() {
  return {fmt::format("{}=", kAmpVariable), fmt::format("{}=", kCheckpointVariable)};
}

std::string OptionsOf(const Techniques& techniques) {
  return Joined(techniques, "--amp ", "--checkpoint ", " ");
}

std::string InWords(const Techniques& techniques) { return Joined(techniques, "", "checkpointed ", ", "); }

std::vector<Techniques> TechniquesToTry(int compute_capability) {
  constexpr int kFirstWithBfloat16 = 80;
  const char* const half = compute_capability >= kFirstWithBfloat16 ? "bf16" : "fp16";
  return {{half, "none"}, {"off", "blocks"}, {half, "blocks"}};
}

}  // namespace tidemark::phantom
