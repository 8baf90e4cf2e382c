#include "app/gui/view/recent_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "profiler/base/format.h"

namespace tidemark::gui {

Opening InWholePaths(Opening opening) {
  for (std::filesystem::path& file : opening) {
    std::error_code is_nowhere;
    const std::filesystem::path whole = std::filesystem::absolute(file, is_nowhere);
    if (!is_nowhere) file = whole.lexically_normal();
  }
  return opening;
}

void PutFirst(Opening opening, std::vector<Opening>* recent) {
  std::erase(*recent, opening);
  recent->insert(recent->begin(), std::move(opening));
  if (recent->size() > kMostRecent) recent->resize(kMostRecent);
}

std::string TitleOf(const Opening& opening) {
  if (opening.empty()) return {};
  const std::string first = opening.front().filename().string();
  const auto others = static_cast<int64_t>(opening.size()) - 1;
  return others == 0 ? first : first + " and " + FormatNumber(others) + " more";
}

std::string WhereIs(const Opening& opening) {
  return opening.empty() ? "" : "In " + opening.front().parent_path().string() + ".";
}

Command ToOpen(const Opening& opening) {
  if (opening.size() == 1) return OpenRecording{opening.front()};
  return OpenRanks{opening};
}

}  // namespace tidemark::gui
