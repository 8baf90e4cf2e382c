// The name of the file that a run is kept in which nobody saved: it tells when that was and what ran, in an
// order that is that of the times. Pure but for the machine's time zone; any thread.
#pragma once

#include <ctime>
#include <optional>
#include <string>

namespace tidemark::gui {

// "20260314-091500", with which the name begins.
std::string KeptTime(std::time_t when);

struct KeptRunWords {
  std::string title;  // "SimpleConvNet on phantom H200, batch 64, peak 182.1 MB"
  std::string when;   // "14 Mar 2026, 09:15, 3 hours ago"
};
// What a file's name tells ("20260314-091500 SimpleConvNet … 182.1 MB.tide"); nothing of another name.
std::optional<KeptRunWords> WordsOfKeptRun(const std::string& file_name, std::time_t now);

}  // namespace tidemark::gui
