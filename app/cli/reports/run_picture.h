// A run as a picture: for `plot`, `export` and the window. Any thread. A timeline of a network of ours asks
// its phantom, which takes a second where there is a trainer, and is drawn without it where there is none.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/presenters/picture/picture.h"
#include "app/presenters/run/run_formats.h"
#include "profiler/base/result.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// As SVG. `second` is laid over a timeline, and is none of another view. An error where the run has nothing
// of that kind: a bridge needs a textbook; and where `goes_on`, which is asked while the phantom is, says no.
Result<std::string> PictureOf(const session::Run& run, const presenters::PictureView& view,
                              const std::string& title,
                              const std::optional<presenters::SecondRun>& second = {},
                              const std::function<bool()>& goes_on = {});

}  // namespace tidemark::cli
