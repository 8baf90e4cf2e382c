#include "app/gui/window/window.h"

#include <GL/gl.h>
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "app/gui/window/application_icon.h"
#include "app/gui/window/input_order.h"
#include "app/gui/window/picture_hash.h"
#include "app/gui/window/screenshot.h"
#include "app/gui/window/theme.h"

namespace tidemark::gui {
namespace {

std::string& LastGlfwError() {
  static std::string text;
  return text;
}

Window* WindowOf(GLFWwindow* window) { return static_cast<Window*>(glfwGetWindowUserPointer(window)); }

WindowSize Scaled(const WindowSize& size, float factor) {
  return {static_cast<int>(std::lround(static_cast<float>(size.width) * factor)),
          static_cast<int>(std::lround(static_cast<float>(size.height) * factor))};
}

constexpr WindowSize kLeastSize{960, 600};  // in which all can be used, in design pixels

// None where the system tells of no monitor.
std::optional<Screen> PrimaryScreen() {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (monitor == nullptr) return std::nullopt;
  Screen screen;
  float y_scale = 1;
  glfwGetMonitorContentScale(monitor, &screen.scale, &y_scale);
  int x = 0;
  int y = 0;
  glfwGetMonitorWorkarea(monitor, &x, &y, &screen.room.width, &screen.room.height);
  return screen;
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Pixels of text for one of the design. Where window coordinates are not pixels already (Wayland, macOS),
// ImGui scales by the framebuffer, and this must not do it a second time.
float ScreenScale(GLFWwindow* window) {
  float x_scale = 1;
  float y_scale = 1;
  glfwGetWindowContentScale(window, &x_scale, &y_scale);
  WindowSize points;
  WindowSize pixels;
  glfwGetWindowSize(window, &points.width, &points.height);
  glfwGetFramebufferSize(window, &pixels.width, &pixels.height);
  if (points.width > 0 && pixels.width > points.width)
    x_scale *= static_cast<float>(points.width) / static_cast<float>(pixels.width);
  return std::clamp(x_scale, 0.5F, 4.0F);
}

Error NoDisplay() {
  const bool has_display = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  const std::string why = LastGlfwError().empty() ? "" : " (" + LastGlfwError() + ")";
  if (!has_display) {
    return Error{"There is no display to open a window on" + why +
                 ". Start it from a desktop session, or use the command line: tidemark --help."};
  }
  return Error{"The window could not be opened on this display" + why +
               ". It needs OpenGL 3.2; a software renderer (Mesa's llvmpipe) is enough. The command line "
               "works without: tidemark --help."};
}

}  // namespace

// A Full HD screen at 125 % has as large a text as is asked for.
float ScaleIn(const WindowSize& size, float asked) {
  const float width = static_cast<float>(size.width) / asked / 1500;
  const float height = static_cast<float>(size.height) / asked / 864;
  return asked * std::clamp(std::min(width, height), 0.85F, 1.0F);
}

WindowSize SizeToOpen(const WindowSize& last, const std::optional<Screen>& screen, float user_scale) {
  if (!screen) return last.width > 0 ? last : WindowSize{1600, 900};
  const float larger = std::max(user_scale, 1.0F);
  const float scale = std::max(screen->scale, 0.5F);
  const WindowSize wanted = Scaled(last.width > 0 ? last : Scaled({1920, 1080}, larger), scale);
  const WindowSize least = Scaled(kLeastSize, larger * scale);
  const WindowSize usable{std::max(wanted.width, least.width), std::max(wanted.height, least.height)};
  const WindowSize& room = screen->room;
  if (room.width <= 0 || room.height <= 0) return usable;
  return {std::min(usable.width, room.width), std::min(usable.height, room.height)};
}

Result<std::unique_ptr<Window>> Window::Open(const WindowSize& size, const WindowSize& last,
                                             const std::string& layout, float user_scale) {
  glfwSetErrorCallback([](int, const char* text) { LastGlfwError() = text; });
  if (glfwInit() == GLFW_FALSE) return NoDisplay();
  std::unique_ptr<Window> window(new Window);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "tidemark");
  const WindowSize wanted = size.width > 0 ? size : SizeToOpen(last, PrimaryScreen(), user_scale);
  window->window_ = glfwCreateWindow(wanted.width, wanted.height, "Tidemark", nullptr, nullptr);
  if (window->window_ == nullptr) return NoDisplay();
  glfwSetWindowSizeLimits(window->window_, kLeastSize.width, kLeastSize.height, GLFW_DONT_CARE,
                          GLFW_DONT_CARE);
  const std::vector<uint8_t> pixels = ApplicationIcon(64);
  const GLFWimage icon{64, 64, const_cast<uint8_t*>(pixels.data())};
  glfwSetWindowIcon(window->window_, 1, &icon);
  glfwMakeContextCurrent(window->window_);
  glfwSwapInterval(1);

  // Ours first: ImGui's backend calls on to whatever was set before it.
  GLFWwindow* native = window->window_;
  glfwSetWindowUserPointer(native, window.get());
  glfwSetCursorPosCallback(native, [](GLFWwindow* w, double, double) { WindowOf(w)->NoteInput(); });
  glfwSetMouseButtonCallback(native, [](GLFWwindow* w, int, int, int) { WindowOf(w)->NoteInput(); });
  glfwSetScrollCallback(native, [](GLFWwindow* w, double, double) { WindowOf(w)->NoteInput(); });
  glfwSetKeyCallback(native, [](GLFWwindow* w, int, int, int, int) { WindowOf(w)->NoteInput(); });
  glfwSetCharCallback(native, [](GLFWwindow* w, unsigned) { WindowOf(w)->NoteInput(); });
  glfwSetWindowFocusCallback(native, [](GLFWwindow* w, int) { WindowOf(w)->NoteInput(); });
  glfwSetWindowRefreshCallback(native, [](GLFWwindow* w) { WindowOf(w)->NoteDamage(); });
  glfwSetFramebufferSizeCallback(native, [](GLFWwindow* w, int, int) { WindowOf(w)->NoteDamage(); });
  glfwSetDropCallback(native, [](GLFWwindow* w, int count, const char** paths) {
    WindowOf(w)->NoteInput();
    for (int i = 0; i < count; ++i) WindowOf(w)->dropped_.emplace_back(paths[i]);
  });

  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // what outlives the window is kept in one place, with the scale that it fits
  if (!layout.empty()) ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.ConfigDockingWithShift = false;
  ImGui_ImplGlfw_InitForOpenGL(native, true);
  ImGui_ImplOpenGL3_Init("#version 150");
  window->has_backends_ = true;
  if (Status fonts = LoadFonts(); !fonts) return fonts.error();
  return window;
}

Window::~Window() {
  if (has_backends_) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
  if (window_ != nullptr) glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::Hide() { glfwHideWindow(window_); }

void Window::NoteInput() { last_input_ = glfwGetTime(); }

void Window::NoteDamage() {
  NoteInput();
  must_be_painted_ = true;
}

void Window::Wait(double timeout_seconds) {
  if (timeout_seconds <= 0) {
    glfwPollEvents();
  } else {
    glfwWaitEventsTimeout(timeout_seconds);
  }
}

void Window::Wake() { glfwPostEmptyEvent(); }
bool Window::has_unseen_input() const { return !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }
double Window::SecondsSinceInput() const { return glfwGetTime() - last_input_; }
bool Window::TakeCloseRequest() {
  const bool is_closed = glfwWindowShouldClose(window_) == GLFW_TRUE;
  if (is_closed) glfwSetWindowShouldClose(window_, GLFW_FALSE);
  return is_closed;
}
void Window::SetTitle(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }

WindowSize Window::size() const {
  WindowSize size;
  glfwGetWindowSize(window_, &size.width, &size.height);
  return size;
}

WindowSize Window::design_size() const { return Scaled(size(), 1 / screen_scale_); }

std::vector<std::filesystem::path> Window::TakeDroppedFiles() { return std::exchange(dropped_, {}); }

void Window::BeginFrame(bool dark, float user_scale) {
  frame_begin_ = glfwGetTime();
  frame_begin_cpu_ = ThreadSeconds();
  screen_scale_ = ScreenScale(window_);
  ApplyTheme(dark, ScaleIn(size(), screen_scale_ * user_scale));
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImVector<ImGuiInputEvent>& events = ImGui::GetCurrentContext()->InputEventsQueue;
  const std::vector<ImGuiInputEvent> later = TakeWhatWaits(events);
  ImGui::NewFrame();
  for (const ImGuiInputEvent& event : later) events.push_back(event);
}

void Window::EndFrame(bool paint) {
  ImGui::Render();
  const std::optional<uint64_t> picture = PictureHash(*ImGui::GetDrawData());
  own_seconds_ = glfwGetTime() - frame_begin_;
  own_cpu_seconds_ = ThreadSeconds() - frame_begin_cpu_;
  painting_seconds_ = 0;
  if (!paint) return;
  if (!must_be_painted_ && picture == painted_) return;
  must_be_painted_ = !picture;
  painted_ = picture.value_or(0);
  const double begin = glfwGetTime();
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  glViewport(0, 0, width, height);
  const ImVec4 color = Vec4(Colors().background);
  glClearColor(color.x, color.y, color.z, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  glfwSwapBuffers(window_);
  painting_seconds_ = glfwGetTime() - begin;
}

Status Window::SaveScreenshot(const std::filesystem::path& file,
                              const std::optional<WindowPart>& part) const {
  int width = 0;
  int height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  // Painted again, because what the back buffer holds after a swap is undefined.
  glViewport(0, 0, width, height);
  const ImVec4 color = Vec4(Colors().background);
  glClearColor(color.x, color.y, color.z, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  ImRect read({0, 0}, {static_cast<float>(width), static_cast<float>(height)});
  if (part) {
    const ImVec2 factor = ImGui::GetIO().DisplayFramebufferScale;
    const ImRect wanted(std::floor(part->left * factor.x), std::floor(part->top * factor.y),
                        std::floor(part->right * factor.x), std::floor(part->bottom * factor.y));
    read.ClipWith(wanted);
  }
  const int read_width = std::max(1, static_cast<int>(read.GetWidth()));
  const int read_height = std::max(1, static_cast<int>(read.GetHeight()));
  std::vector<uint8_t> pixels(static_cast<size_t>(read_width) * static_cast<size_t>(read_height) * 4);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(static_cast<int>(read.Min.x), height - static_cast<int>(read.Max.y), read_width, read_height,
               GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  return WritePngBottomUp(file, read_width, read_height, pixels);
}

}  // namespace tidemark::gui
