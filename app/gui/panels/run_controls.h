// The panel on the left: what trains, where, with which techniques; run and pause; and what is captured.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/commands/commands.h"
#include "app/presenters/advice/consequences.h"
#include "profiler/base/format.h"
#include "profiler/networks/specification.h"
#include "profiler/networks/training_settings.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

enum class LampState : uint8_t {
  kOff,
  kLive,
  kTrouble,  // a source is blocked, absent or sees only a part
  kLost,
};
struct CaptureLine {
  std::string name;    // "Allocator"
  std::string status;  // "live", "lost 12 events since 0.30 s"
  LampState lamp = LampState::kOff;
  std::string help;
  bool is_written_out = false;  // in a list: `help` is what is wrong and what to do
  bool tells_bytes = false;     // that the run holds
};

// What a lesson or a session code says of controls, by their names (lessons/situation.h).
struct ControlAccess {
  std::vector<std::string> locked;
  std::vector<std::string> hidden;
  std::vector<std::string> highlighted;
};

struct RunControlsInput {
  ByteUnit unit = ByteUnit::kMegabytes;
  const std::vector<networks::Network>* networks = nullptr;
  const std::vector<phantom::Card>* cards = nullptr;
  const std::vector<std::string>* cuda_devices = nullptr;  // names, by index
  networks::TrainingSettings settings;
  networks::DeviceChoice device;
  double steps_per_second = 0;
  bool live = false;  // there is a run that takes commands
  bool starting = false;
  bool paused = false;
  bool walks = false;                   // in slow motion: what runs it otherwise goes to the next operator
  bool waits_for_step = false;          // what is chosen is not what the latest step ran with, and none runs
  std::optional<double> measured_pace;  // steps per second, of late
  presenters::Consequences consequences;
  std::vector<CaptureLine> capture;
  bool kernels = false;  // are asked for
  ControlAccess access;
  bool tells_fit_later = false;  // a lesson asks for it
  std::string recording;  // that is shown: these controls are of the next run then; "" = the run is live
  std::optional<networks::TrainingSettings> recorded;  // what it was trained with, where it tells
  std::string change_to_own;  // how a lesson's settings become the person's again; "" = they are
};

// A slider that is being dragged previews its value here; it is sent when the person lets go.
struct RunControlsState {
  std::optional<networks::TrainingSettings> draft;
  std::array<char, 64> sample{};  // as typed; of a TorchScript network
  std::string sample_of;          // that network
  float controls_height =
      10000;                   // of the last frame, in screen pixels: how much room the controls would like
  float buttons_height = 100;  // of the same frame: what starts and stops the run
  float pace_height = 300;     // likewise what is below that, or scrolled with the controls
  float capture_height = 0;    // of that, what is captured
  float footer_height() const { return buttons_height + pace_height; }
  std::string sought;       // the control to bring into sight, by its name; "" = none
  int focus_in_frames = 0;  // it has the keyboard's focus then, once the panel is in front; 0 = as it is
  std::string found;        // the one that was, marked for a while
  double marked_until = 0;  // in ImGui's time
};

// A control, for who looks for it by words.
struct NamedControl {
  std::string name;  // lessons/situation.h
  std::string title;
  std::string help;
  std::string option = {};  // that sets the same on the command line; "" = none does
};
std::vector<NamedControl> NamedControls();            // from top to bottom
std::string TitleOfControl(const std::string& name);  // the name itself where there is none
// A sentence on options of the command line, "--batch must be ...", of the controls that set the same.
std::string InWordsOfControls(std::string_view sentence);

// What is on the switch for kernels, here and where programs are started.
bool KernelsToggle(bool* on);
void DrawCaptureList(const std::vector<CaptureLine>& capture);
// What it takes of the panel, at its width.
float CaptureListHeight(const std::vector<CaptureLine>& capture);
// In one row what is well, and what is not in rows of its own.
void DrawCaptureRow(const std::vector<CaptureLine>& capture);
void DrawRunControlsPanel(const RunControlsInput& input, RunControlsState& state, CommandQueue& queue);

}  // namespace tidemark::gui
