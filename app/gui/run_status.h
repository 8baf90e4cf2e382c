// What the window's frame says of the run that is shown: its state in a word, the window's title, the device,
// the banner. Pure; UI thread only.
#pragma once

#include <string>
#include <vector>

#include "app/gui/scene/scene_input.h"
#include "app/gui/shell/shell.h"

namespace tidemark::gui {

std::string StatusText(const SceneInput& input);
// Of its pill, beside the banner that it has.
StatusTone ToneOf(const SceneInput& input, const Banner& banner);
std::string WindowTitle(const SceneInput& input);
// "SimpleConvNet on phantom NVIDIA H200"; of a run whose network was changed, with the one that it had last.
std::string TitleOfRun(const session::Run& run, const std::vector<networks::Network>& networks);
// "run.tide · Phantom H200 · 141 GiB", a card's memory as it is sold, or "limited to 4.00 GB", as far as it
// is known; of a program that runs, its name.
std::string DeviceText(const SceneInput& input, ByteUnit unit);
// Of a run that has ended badly: what happened, sizes of PyTorch's held against the unit, and, of our own,
// with which settings to go on.
Banner BannerOf(const SceneInput& input, ByteUnit unit);

}  // namespace tidemark::gui
