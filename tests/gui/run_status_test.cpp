#include "app/gui/run_status.h"

#include <vector>

#include "app/presenters/run/program_facts.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {
namespace {

TEST_CASE(
    "What a card was limited to is told as exactly as in the Program panel, in the unit that is chosen") {
  phantom::Card card;
  card.name = "t4";
  card.title = "NVIDIA T4";
  card.memory_bytes = 15'636'398'080;
  const std::vector<phantom::Card> cards{card};
  SceneInput input;
  input.cards = &cards;
  input.description.device = "phantom";
  input.description.device_name = card.title;
  input.description.device_bytes = int64_t{8} << 30;
  input.origin = RunOrigin::kBegun;
  CHECK(DeviceText(input, ByteUnit::kMegabytes) == "Phantom T4 · limited to 8.59 GB");
  CHECK(DeviceText(input, ByteUnit::kMebibytes) == "Phantom T4 · limited to 8.00 GiB");
  input.description.device_bytes = card.memory_bytes;
  for (const ByteUnit unit : {ByteUnit::kMegabytes, ByteUnit::kMebibytes})
    CHECK(DeviceText(input, unit) == "Phantom T4 · 16 GiB");  // as it is sold
}

TEST_CASE("The banner of an out of memory knows to the byte what its sentence rounds") {
  timeline::Stream stream;
  events::Event& failure = stream.Add(events::EventKind::kOutOfMemory);
  failure.bytes = 123'456'789;
  failure.rounded_bytes = 1'234;
  SceneInput input;
  input.origin = RunOrigin::kOpened;
  input.view = stream.Publish();
  input.status.state = session::RunState::kFinished;
  input.status.out_of_memory = true;
  input.description.ending = "CUDA out of memory.";
  CHECK(BannerOf(input, ByteUnit::kMegabytes).exact ==
        "123,456,789 B were asked for, " + FormatExactBytes(input.view->out_of_memory().back().free_bytes) +
            " were free on the card.");
}

TEST_CASE("The window is called after the network as it is called, also where that says \"on\"") {
  networks::Network network;
  network.name = "digits";
  network.title = "MLP on digits";
  const std::vector<networks::Network> networks{network};
  SceneInput input;
  input.networks = &networks;
  input.live = true;
  input.settings.network = network.name;
  input.description.device = "phantom";
  input.description.device_name = "NVIDIA H200";
  for (const char* title : {"MLP on digits on phantom NVIDIA H200", "SimpleConvNet on phantom NVIDIA H200"}) {
    input.description.title = title;
    CHECK(WindowTitle(input) == "Tidemark · MLP on digits on phantom NVIDIA H200");
  }
}

TEST_CASE("A file that is opened looks like no run that goes on, or has just failed") {
  SceneInput input;
  input.origin = RunOrigin::kOpened;
  input.status.state = session::RunState::kFinished;
  input.status.out_of_memory = true;
  input.description.ending = "CUDA out of memory.";
  const Banner banner = BannerOf(input, ByteUnit::kMegabytes);
  REQUIRE(banner.bad);
  REQUIRE_FALSE(banner.sentence.empty());
  CHECK(StatusText(input) == "opened file");
  CHECK(ToneOf(input, banner) == StatusTone::kQuiet);
  input.origin = RunOrigin::kFollowed;
  CHECK(StatusText(input) == "recording ended");
  CHECK(ToneOf(input, BannerOf(input, ByteUnit::kMegabytes)) == StatusTone::kBad);
}

TEST_CASE("What PyTorch says in GiB is held against the unit that the window tells sizes in") {
  SceneInput input;
  input.status.state = session::RunState::kDied;
  input.origin = RunOrigin::kFollowed;
  const auto said = [&](const char* sentence, ByteUnit unit) {
    input.status.sentence = sentence;
    return BannerOf(input, unit).sentence;
  };
  const char* const failed = "CUDA out of memory. Tried to allocate 1.53 GiB.";
  CHECK(said(failed, ByteUnit::kMebibytes) == failed);
  CHECK(said(failed, ByteUnit::kMegabytes) ==
        std::string(failed) + " (1 GiB is 1.07 GB; U tells all sizes in MiB and GiB.)");
  CHECK(said("It was killed.", ByteUnit::kMegabytes) == "It was killed.");
}

TEST_CASE("A banner has a program's first sentences, the Program panel all of them") {
  SceneInput input;
  input.status.state = session::RunState::kDied;
  input.live = true;
  input.description.title = "train.py on phantom NVIDIA H200";
  input.status.sentence =
      "The program ended with exit code 1. Its last words: torch.OutOfMemoryError: CUDA out of memory. Tried "
      "to allocate 1024.00 MiB. GPU 0 has a total capacity of 16.00 GiB of which 882.00 MiB is free. "
      "Including "
      "non-PyTorch memory, this process has 15.14 GiB memory in use.";
  REQUIRE(presenters::IsProgram(input.description));
  CHECK(BannerOf(input, ByteUnit::kMebibytes)
            .sentence.ends_with("of which 882.00 MiB is free. Program has all of it."));
  input.status.sentence = "The program ended with exit code 3.";
  CHECK(BannerOf(input, ByteUnit::kMebibytes).sentence == "The program ended with exit code 3.");
}

}  // namespace
}  // namespace tidemark::gui
