// What the window's frame says of the run that is shown: its state in a word, the window's title, the device,
// the banner. Pure; UI thread only.
#pragma once

#include <string>
#include <vector>

#include "app/gui/scene/scene_input.h"
#include "app/gui/shell/shell.h"

namespace tidemark::gui {

// How what is shown came to be shown.
struct ShownOrigin {
  bool has_run = false;
  bool was_followed = false;    // a recording that is shown as it grows, or was
  bool was_not_opened = false;  // the file that the window was opened for; nothing else is shown
};

std::string StatusText(const SceneInput& input, const ShownOrigin& origin);
std::string WindowTitle(const SceneInput& input);
// "SimpleConvNet on phantom NVIDIA H200"; of a run whose network was changed, with the one that it had last.
std::string TitleOfRun(const session::Run& run, const std::vector<networks::Network>& networks);
// "run.tide · Phantom H200 · limited to 4.00 GB", as far as it is known; of a program that runs, its name.
std::string DeviceText(const SceneInput& input, const ShownOrigin& origin, ByteUnit unit);
// Of a run that has ended badly: what happened, sizes of PyTorch's held against the unit, and, of our own,
// with which settings to go on.
Banner BannerOf(const SceneInput& input, const ShownOrigin& origin, ByteUnit unit);

}  // namespace tidemark::gui
