// A run as pictures for pages, papers and slides: SVG documents that need nothing else, on white. Pure
// functions: the same run gives the same picture. O(columns · log events + what is alive at the peak).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/presenters/comparison/stream_comparison.h"
#include "app/presenters/moment/bridge.h"
#include "app/presenters/picture/curve.h"
#include "app/presenters/plot/timeline_plot.h"
#include "profiler/advice/what_if.h"
#include "profiler/base/result.h"
#include "profiler/events/event.h"
#include "profiler/session/card_fit.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

// What a run's requests took of the allocator as it was, and with another setup, over each other.
struct SetupTitles {
  std::string before;  // "PyTorch's own settings"
  std::string after;
};
std::string WhatIfPicture(const advice::WhatIf& outcome, const SetupTitles& setups, std::string_view title);

// What theory and the card say beside a run.
struct PictureTheory {
  std::vector<SettingsEstimate> estimates;  // of View::settings(), in their order; empty: none is known
  session::Capacity capacity;
};
// Another run, that is laid over the first as the window does it (plot/compared_run.h).
struct SecondRun {
  std::shared_ptr<const timeline::View> view;
  std::string title;  // "second.tide"
};
// What of a run a timeline is of, and who named moments in it.
struct PictureSight {
  std::optional<EventRange> range;    // none: all of it
  std::vector<PlotMarker> bookmarks;  // by event
};
// With a line for each that lies where the curve leaves room for it; those far above are told in words.
std::string TimelinePicture(const timeline::View& view, std::string_view title,
                            const PictureTheory& theory = {}, const std::optional<SecondRun>& second = {},
                            const PictureSight& sight = {});
std::string BreakdownPicture(const timeline::View& view, std::string_view title);
std::string BridgePicture(const Bridge& bridge, std::string_view title);
// Segments and blocks where the breakdown is told, with a scale below. An error where nobody reported
// segments.
Result<std::string> MapPicture(const timeline::View& view, std::string_view title);

}  // namespace tidemark::presenters
