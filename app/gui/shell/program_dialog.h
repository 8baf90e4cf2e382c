// Starting a program of one's own: its command, what it runs on, where it is recorded; once, or once
// for each value of an option. UI thread, inside a frame.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "profiler/events/run_description.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/program_order.h"

namespace tidemark::gui {

// This machine's GPU or CPU, in the place of a phantom's card.
inline constexpr const char* kOwnGpu = "own";
inline constexpr const char* kOwnCpu = "cpu";

// What a program runs on until somebody chooses: what was chosen `last`, where that is there, else what the
// window trains on.
std::string CardToBeginWith(const std::string& last, const networks::DeviceChoice& device,
                            const std::vector<phantom::Card>& cards, bool has_gpu);
std::string CardOf(const session::ProgramOrder& order);

struct ProgramDialogState {
  bool open = false;
  std::optional<session::ProgramField> focus;  // what is typed next goes there
  std::string trouble;                         // why it could not be started
  std::array<char, 4096> command{};
  std::array<char, 1024> recording{};
  std::array<char, 256> sweep{};
  std::string swept;  // the command that this range was swept of; "" = it was of none yet
  bool python_stacks = false;
  bool native_stacks = false;
  bool kernels = false;
  bool operators = false;
  std::string card;  // of the phantom, or of this machine; "" = it was never opened
  std::array<char, 64> memory{};
  std::string amp;          // "" = what the program does itself; so is the next
  std::string checkpoint;   // of session::ProgramOrder
  std::string filled_from;  // the command of a program that was shown
};

// A range that was swept is of that command's argument: with another command it goes.
void LeaveSweepBehind(ProgramDialogState& state);

// What could not be started, and why.
struct RefusedOrder {
  session::SweepOrder order;  // without a range: one run
  std::string trouble;
  session::ProgramField field = session::ProgramField::kCommand;  // what of it is to be mended
};

// How a program was started that is shown now, and was not when this was called last: its command, its card
// and the memory that this had. Else what was typed stays.
void FillFrom(const events::RunDescription& shown, const std::vector<phantom::Card>& cards, bool has_gpu,
              ProgramDialogState& state);

void OpenProgramDialog(ProgramDialogState& state);
// Again, with what was asked for.
void OpenProgramDialog(ProgramDialogState& state, const RefusedOrder& refused);
// While it is `open`. Pushes StartProgram, or StartSweep. What is typed stays for the next time.
void DrawProgramDialog(const std::vector<phantom::Card>& cards, bool has_gpu, ProgramDialogState& state,
                       CommandQueue& queue);

}  // namespace tidemark::gui
