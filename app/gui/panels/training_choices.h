// The plain rows of the run's controls: where it trains, what, on which data, with which optimizer, and its
// numbers. UI thread, inside a frame.
#pragma once

#include <string>

#include "app/gui/panels/run_controls.h"

namespace tidemark::gui {

// What a choice costs, under its control; and of what that is the difference, under the mouse.
void Price(const std::string& text);
// "" of what is no difference.
std::string_view HelpOfPrice(std::string_view text);
void ChooseDeviceRow(const RunControlsInput& input, CommandQueue& queue);
void ChooseNetworkRow(const RunControlsInput& input, const networks::TrainingSettings& settings,
                      CommandQueue& queue);
void SampleRow(const networks::Network& network, RunControlsState& state, CommandQueue& queue);
void ChooseDataRow(const networks::TrainingSettings& settings, CommandQueue& queue);
void ChooseOptimizerRow(const RunControlsInput& input, const networks::TrainingSettings& settings,
                        CommandQueue& queue);
void ClipRow(const RunControlsInput& input, const networks::TrainingSettings& settings, CommandQueue& queue);
// The learning rate and the seed.
void NumberRow(const RunControlsInput& input, const networks::TrainingSettings& settings,
               CommandQueue& queue);

}  // namespace tidemark::gui
