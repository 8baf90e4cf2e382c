// What a run would have come to with other settings of PyTorch's allocator, on another card or after another
// run, as far as it was tried. Plain data; the UI thread's.
#pragma once

#include <string>
#include <vector>

#include "app/gui/commands/other_setup.h"
#include "profiler/advice/what_if.h"

namespace tidemark::gui {

// One that a person named.
struct SetupTrial {
  OtherSetup setup;
  advice::WhatIf outcome;
};

struct Trials {
  bool trying = false;
  std::vector<advice::AllocatorTrial> settings;  // those that are tried where nobody names any
  std::vector<SetupTrial> setups;
  timeline::EventIndex tried_until = 0;  // what came since is not in them
  std::string error;                     // why there are none, or not all

  // Whether the settings were tried on what was asked for until then.
  bool HasTriedSettings(timeline::EventIndex moment) const {
    return !settings.empty() && tried_until > moment;
  }
};

}  // namespace tidemark::gui
