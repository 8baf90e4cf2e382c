// Any file that opens, for the commands that read one. Main thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// Shows how far it has read, on a terminal. `device`: that card of a run on several alone.
Result<std::unique_ptr<session::Run>> OpenRecording(const std::string& file,
                                                    std::optional<uint8_t> device = {});

// An option for it, and what was given: "cuda:1", "" = all of them.
inline constexpr const char* kOneCardOption = "--device";
inline constexpr const char* kOneCardHelp = "cuda:N: that card of a run on several alone";
Result<std::optional<uint8_t>> OneCardOf(const std::string& text);

// Why the recording is not the whole story: cut short, events lost.
std::vector<std::string> WarningsOf(const session::Run& run);

}  // namespace tidemark::cli
