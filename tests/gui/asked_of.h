// What tests of the scene ask it with.
#pragma once

#include <string>
#include <vector>

#include "app/gui/background/checkpoint_prices.h"
#include "app/gui/background/trials.h"
#include "app/gui/scene/learning.h"
#include "app/gui/scene/scene_input.h"
#include "app/presenters/advice/fit_advice.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

// A run on the CPU that has ended, and what a scene is asked with.
struct AskedOf {
  explicit AskedOf(timeline::Stream& stream) {
    input.view = stream.Publish();
    input.status.state = session::RunState::kFinished;
    input.description.device = "cpu";
    input.device.kind = networks::DeviceKind::kCpu;
    input.networks = &networks;
    input.cards = &cards;
    input.cuda_devices = &cuda_devices;
    input.log = &log;
    input.fit = &fit;
    input.trials = &trials;
    input.prices = &prices;
    input.book = &book;
    input.bookmarks = &bookmarks;
  }
  AskedOf(const AskedOf&) = delete;

  std::vector<networks::Network> networks;
  std::vector<phantom::Card> cards;
  std::vector<std::string> cuda_devices;
  presenters::RunLog log{50};
  presenters::FitAdvice fit;
  Trials trials;
  CheckpointPrices prices;
  LessonBook book;
  std::vector<trace::Bookmark> bookmarks;
  SceneInput input;
};

}  // namespace tidemark::gui
