#include "app/cli/recording_file.h"

#include "app/cli/console.h"

namespace tidemark::cli {

Result<std::unique_ptr<session::Run>> OpenRecording(const std::string& file) {
  ProgressLine line;
  return session::Run::Open(file, line.ShowShare("reading"));
}

std::vector<std::string> WarningsOf(const session::Run& run) {
  std::vector<std::string> warnings;
  if (!run.status().sentence.empty()) warnings.push_back(run.status().sentence);
  for (const std::string& sentence : timeline::DescribeHealth(run.view()->health()))
    warnings.push_back(sentence);
  return warnings;
}

}  // namespace tidemark::cli
