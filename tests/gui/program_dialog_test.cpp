#include "app/gui/shell/program_dialog.h"

#include "tests/support/catch.h"

namespace tidemark::gui {

TEST_CASE(
    "A program begins on what was chosen last, where that is there, else on what the window trains on") {
  std::vector<phantom::Card> cards(1);
  cards.front().name = "t4";
  const networks::DeviceChoice phantom{networks::DeviceKind::kPhantom, 0, "h200"};
  const networks::DeviceChoice cuda{networks::DeviceKind::kCuda, 0, "h200"};
  const networks::DeviceChoice cpu{networks::DeviceKind::kCpu, 0, "h200"};
  CHECK(CardToBeginWith("t4", cuda, cards, /*has_gpu=*/true) == "t4");
  CHECK(CardToBeginWith(kOwnCpu, cuda, cards, true) == kOwnCpu);
  CHECK(CardToBeginWith(kOwnGpu, phantom, cards, true) == kOwnGpu);
  CHECK(CardToBeginWith(kOwnGpu, phantom, cards, false) == "h200");
  CHECK(CardToBeginWith("", phantom, cards, false) == "h200");
  CHECK(CardToBeginWith("", cuda, cards, true) == kOwnGpu);
  CHECK(CardToBeginWith("", cpu, cards, false) == kOwnCpu);
  CHECK(CardToBeginWith("of another version", phantom, cards, false) == "h200");
}

TEST_CASE("A range that was swept stays with its command, and goes with another") {
  ProgramDialogState state;
  state.command = {"python vit.py"};
  state.sweep = {"batch=1..64"};
  LeaveSweepBehind(state);
  CHECK(std::string(state.sweep.data()) == "batch=1..64");  // it is typed just now
  state.swept = "python vit.py";
  LeaveSweepBehind(state);
  CHECK(std::string(state.sweep.data()) == "batch=1..64");
  state.command = {"python slow.py"};
  LeaveSweepBehind(state);
  CHECK(std::string(state.sweep.data()).empty());
  state.sweep = {"lr=1,2"};
  state.command = {"python slow.py --all"};
  LeaveSweepBehind(state);
  CHECK(std::string(state.sweep.data()) == "lr=1,2");
}

TEST_CASE("The dialog begins with the program that is shown, once, and keeps what is typed from then on") {
  std::vector<phantom::Card> cards(2);
  cards[0].name = "l4";
  cards[0].title = "NVIDIA L4";
  cards[0].memory_bytes = int64_t{24} << 30;
  cards[1].name = "t4";
  events::RunDescription shown;
  shown.device = "phantom";
  shown.device_name = "NVIDIA L4";
  shown.device_bytes = int64_t{16} << 30;
  ProgramDialogState state;
  state.card = "t4";
  const auto fill = [&](bool has_gpu = false) { FillFrom(shown, cards, has_gpu, state); };
  fill();
  CHECK(state.card == "t4");  // it is no program
  shown.command = "python gpt.py --batch 8";
  fill(true);
  CHECK(std::string(state.command.data()) == shown.command);
  CHECK(state.card == "l4");
  CHECK(std::string(state.memory.data()) == "16384MiB");
  state.command = {"python other.py"};
  state.memory = {};
  fill();  // it could not be started, say
  CHECK(std::string(state.command.data()) == "python other.py");
  shown.command = "python other.py";  // it is what was started then
  state.card = "t4";
  fill();
  CHECK(state.card == "t4");
  shown.device = "cuda:0";
  shown.device_bytes = 0;
  shown.command = "python on_a_card.py";
  fill();
  CHECK(state.card == "l4");  // there is no GPU here
  CHECK(std::string(state.memory.data()).empty());
  shown.command += " --again";
  fill(true);
  CHECK(state.card == kOwnGpu);
  shown.device = "cpu";
  shown.command = "python on_the_cpu.py";
  fill(true);
  CHECK(state.card == kOwnCpu);
  shown.command = std::string(10'000, 'x');
  fill();
  CHECK(std::string(state.command.data()).size() == state.command.size() - 1);
}

}  // namespace tidemark::gui
