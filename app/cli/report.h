// The answers of `estimate` and `train`, as one JSON object for programs and as a table for people. Pure
// functions.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/session/predictor.h"
#include "profiler/textbook/textbook.h"

namespace tidemark::cli {

using Json = nlohmann::ordered_json;

Json TextbookJson(const textbook::Estimate& estimate);
// Of a prediction, or of what a run measured: the same keys.
Json PeaksJson(const session::Prediction& peaks);

struct ReportColumn {
  std::string title;  // "phantom"
  session::Prediction peaks;
};
// Categories by textbook and columns, in MB, then the levels: requested, allocated, reserved.
std::string PeaksTable(const textbook::Estimate& estimate, const std::vector<ReportColumn>& columns);
std::string LayersTable(const textbook::Estimate& estimate);

// What the phantom's figures do not hold. A sentence for people and for JSON's "note".
inline constexpr std::string_view kPhantomNote =
    "cuDNN's workspaces are not included in the phantom's prediction (they are answered as 0), nor is the "
    "CUDA context.";

}  // namespace tidemark::cli
