// What is captured of a run, source by source, and what of it was lost. UI thread only.
#pragma once

#include <vector>

#include "app/gui/panels/run_controls.h"
#include "app/gui/scene/scene_input.h"
#include "app/presenters/run/captured.h"

namespace tidemark::gui {

std::vector<CaptureLine> CaptureLines(const SceneInput& input, const presenters::Captured& captured,
                                      ByteUnit unit);

}  // namespace tidemark::gui
