// A run as a picture: for `plot`, `export` and the window. Any thread. A timeline of a network of ours asks
// its phantom, which takes a second where there is a trainer, and is drawn without it where there is none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/presenters/picture/picture.h"
#include "app/presenters/run/run_formats.h"
#include "profiler/base/result.h"
#include "profiler/session/run.h"
#include "profiler/trace/bookmarks.h"

namespace tidemark::cli {

// As SVG. `second` is laid over a timeline, which `sight` tells more of, and is none of another view. An
// error where the run has nothing of that kind: a bridge needs a textbook; and where `goes_on`, which is
// asked while the phantom is, says no.
Result<std::string> PictureOf(const session::Run& run, const presenters::PictureView& view,
                              const std::string& title,
                              const std::optional<presenters::SecondRun>& second = {},
                              const presenters::PictureSight& sight = {},
                              const std::function<bool()>& goes_on = {});

// A run's bookmarks as a timeline has them.
std::vector<presenters::PlotMarker> MarkersOf(const timeline::View& view,
                                              const std::vector<trace::Bookmark>& bookmarks);
// The events of the steps of these numbers, since the run last began anew. An error where it has none of
// them.
Result<presenters::EventRange> RangeOfSteps(const timeline::View& view, int64_t first, int64_t last);

}  // namespace tidemark::cli
