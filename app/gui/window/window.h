// The native window: GLFW, OpenGL 3, and an ImGui context in it. One at a time, UI thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/result.h"

struct GLFWwindow;

namespace tidemark::gui {

struct WindowSize {
  int width = 0;  // 0 = not given
  int height = 0;
};

struct Screen {
  float scale = 1;  // as it says itself
  WindowSize room;  // without bars of the desktop; 0 = not known
};

// The scale from design pixels to those of the window. One that is small for the scale that is asked for (the
// screen's times the person's) gets slightly smaller text, so that all panels keep their room: twice as large
// a window at twice the scale is the same picture, twice as large.
float ScaleIn(const WindowSize& size, float asked);

// In pixels: `last` (in design pixels; 0 = there is none) as it would be on that screen, or what suits the
// screen where all in it is so much larger; not so small that nothing can be used at that scale, nor larger
// than the screen.
WindowSize SizeToOpen(const WindowSize& last, const std::optional<Screen>& screen, float user_scale);

// In ImGui's pixels, from the top left.
struct WindowPart {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

class Window {
 public:
  // `size` in screen pixels; without one, `last` in design pixels, as the window was when it was closed on
  // whatever screen; without either, most of the screen.
  // Errors: no display, no OpenGL 3.2, missing fonts; each says what to do.
  // `layout`: where its panels are docked, as Dear ImGui writes it; "" = none. `user_scale`: how large all in
  // it is to be, 1 = as the screen says.
  static Result<std::unique_ptr<Window>> Open(const WindowSize& size, const WindowSize& last,
                                              const std::string& layout, float user_scale);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Waits for input for at most `timeout_seconds` (0 = only looks).
  void Wait(double timeout_seconds);
  // From any thread: ends a Wait.
  static void Wake();
  // Seconds since a person last did something.
  double SecondsSinceInput() const;
  // Of what was typed and clicked Dear ImGui takes a part each frame.
  bool has_unseen_input() const;

  void BeginFrame(bool dark, float user_scale);
  // And shows, unless the same picture is on the screen already.
  void EndFrame(bool paint = true);
  // Files dropped on the window since the last call.
  std::vector<std::filesystem::path> TakeDroppedFiles();

  void Hide();  // it is about to go
  // Whether a person has closed it since the last call. It goes on: there may be something to ask.
  bool TakeCloseRequest();
  WindowSize size() const;         // screen pixels
  WindowSize design_size() const;  // the same on a screen whose scale is 1
  void SetTitle(const std::string& title);
  // Own time of the last frame, from BeginFrame to the point where painting by OpenGL begins.
  double own_seconds() const { return own_seconds_; }
  // The part of it in which this thread had a processor: what is left when other programs take theirs.
  double own_cpu_seconds() const { return own_cpu_seconds_; }
  // Of the last frame: how long OpenGL painted; 0 where nothing had to be painted.
  double painting_seconds() const { return painting_seconds_; }
  // The pixels of the last frame painted, or those of a part of it, as a PNG file.
  Status SaveScreenshot(const std::filesystem::path& file, const std::optional<WindowPart>& part) const;

 private:
  Window() = default;
  void NoteInput();
  void NoteDamage();

  GLFWwindow* window_ = nullptr;
  float screen_scale_ = 1.0F;
  double last_input_ = 0;
  double frame_begin_ = 0;
  double own_seconds_ = 0;
  double frame_begin_cpu_ = 0;
  double own_cpu_seconds_ = 0;
  double painting_seconds_ = 0;
  uint64_t painted_ = 0;         // PictureHash of what is on the screen
  bool must_be_painted_ = true;  // the screen may have lost it
  bool has_backends_ = false;
  std::vector<std::filesystem::path> dropped_;
};

}  // namespace tidemark::gui
