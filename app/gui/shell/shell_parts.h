// The parts of the shell; used by its own files only. UI thread, inside a frame.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include "app/gui/shell/shell.h"

namespace tidemark::gui {

// What is free in the menu bar, in pixels.
struct BarRoom {
  float left = 0;
  float right = 0;
  float height = 0;
};
// Returns the room for jobs and notices: `is_wanted`, the search makes itself small.
BarRoom DrawMenuBar(const ShellInput& input, const Frame& frame, bool is_wanted, const ViewState& view,
                    CommandQueue& queue);
// When the run has ended badly: what happened, and what can be done. It lies below the panels, which end
// above it; the timeline gives that room. Returns the room that it takes, in pixels: none, at its bottom,
// while it is not there.
ImRect DrawBanner(const ShellInput& input, ShellState& shell, CommandQueue& queue);
// Every rank's peak as a strip across the window; a click opens one.
void DrawRanks(const RanksLine& ranks, CommandQueue& queue);
// How far it is, and where it can be stopped the button for that: a cross where the line is short. `width` of
// the bar in pixels.
void DrawProgress(const JobLine& job, float width, bool is_short = false);
// Jobs with their progress and Cancel: in the menu bar, where they cover nothing and move nothing; beside a
// toast in half of its room, and what they take of that is no longer free. Where even their short lines have
// no room there they lie over the panels' bottom, above what is `covered` there, and are added to that; while
// it is nothing, it lies at the banner's top.
void DrawJobs(const ShellInput& input, bool has_toast, BarRoom* room, ImRect* covered);
// What has just happened, for a few seconds: what went wrong before what went well, the latest before others
// (the run log has them all). In the menu bar, where it covers nothing; what has no room there lies where
// such jobs do.
void DrawToasts(ShellState& shell, const BarRoom& room, ImRect* covered);
// While it is `open`: asks what is held back; Escape leaves all as it is.
void DrawHeldQuestion(HeldQuestion& question, CommandQueue& queue);
// A window of its own in the middle, `size` at scale 1 and no larger than the viewport, that Escape closes;
// true: visible. ImGui::End() follows either way.
bool BeginOwnWindow(const char* title, ImVec2 size, bool* open);
void DrawHelpWindows(const lessons::Glossary* glossary, ShellState& shell);
// Chooses what is locked or hidden by the session code.
void DrawClassWindow(const ControlAccess& access, bool* open, CommandQueue& queue);
// Chooses the colours of categories.
void DrawColorsWindow(OwnColors& own, ColorsWindowState& state);
// The dock space with all panels that are shown in it. They end above the banner, and what they hold above
// what is `covered` of them, in which the banner has no part.
void DrawPanels(const Frame& frame, const ImRect& banner, const ImRect& covered, ShellState& shell,
                ViewState& view, CommandQueue& queue);
// Where the panels lie between those at the sides, in pixels, as of the frame before.
ImRect MiddleOfPanels();
// Keys that work everywhere, as commands.
void PushKeys(const ShellInput& input, ShellState& shell, CommandQueue& queue);

}  // namespace tidemark::gui
