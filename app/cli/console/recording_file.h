// Any file that opens, for the commands that read one. Main thread only.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// Shows how far it has read, on a terminal. `card`: "cuda:1", that card of a run on several alone; "" = all
// of them.
Result<std::unique_ptr<session::Run>> OpenRecording(const std::string& file, const std::string& card = "");

// The option for `card`.
void AddOneCardOption(CLI::App& command, std::string& card);

// The option for a recording that is to be written (-o), told by its ending.
void AddRecordingOption(CLI::App& command, std::string& file, const std::string& help);
// Why it cannot have that name, and how it comes to be what that says; "" where it can.
std::string WhyNoRecordingName(const std::string& file);

// Why the recording is not the whole story: cut short, events lost.
std::vector<std::string> WarningsOf(const session::Run& run);

}  // namespace tidemark::cli
