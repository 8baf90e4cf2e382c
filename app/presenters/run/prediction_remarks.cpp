#include "app/presenters/run/prediction_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "profiler/base/format.h"

namespace tidemark::presenters {
namespace {

// "/usr/lib/libcudnn.so.9 is not there": "libcudnn.so.9 is not there".
std::string WithoutFolders(std::string_view sentence) {
  std::string told;
  while (!sentence.empty()) {
    const size_t end = std::min(sentence.find(' '), sentence.size());
    const std::string_view word = sentence.substr(0, end);
    told += word.starts_with('/') ? word.substr(word.rfind('/') + 1) : word;
    told += sentence.substr(end, 1);
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return told;
}

}  // namespace

std::string LeftOut(const session::Prediction& prediction) {
  std::vector<std::string> sentences;
  if (!prediction.without_workspaces.empty()) {
    sentences.push_back("cuDNN's workspaces are not included in the phantom's prediction: " +
                        WithoutFolders(prediction.without_workspaces) + ".");
  }
  if (!prediction.unknown_sizes.empty()) {
    sentences.push_back(fmt::format("Not known, counted as 0 in the phantom's prediction: {}.",
                                    fmt::join(prediction.unknown_sizes, ", ")));
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string OfFewerSteps(const session::Prediction& prediction, int64_t steps, bool differs) {
  if (!differs || prediction.steps <= 0 || steps <= prediction.steps) return "";
  return fmt::format(
      "The phantom's prediction is of {} steps, the run's figures are of {}: what grows or settles later is "
      "not in it.",
      FormatNumber(prediction.steps), FormatNumber(steps));
}

}  // namespace tidemark::presenters
