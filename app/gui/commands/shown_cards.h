// Which of its cards a run is shown of, where its one process used several. Plain data; the UI thread's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::gui {

struct ShownCards {
  std::vector<uint8_t> all;      // as the process counts; empty where there are not several
  std::optional<uint8_t> alone;  // none = all of them, added up
};

}  // namespace tidemark::gui
