#include "app/cli/picture_file.h"

#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "profiler/base/children.h"
#include "profiler/base/unique_fd.h"
#include "profiler/trace/output_file.h"

namespace tidemark::cli {
namespace {

// The exit status of rsvg-convert, or 127 if there is no such program.
Result<int> Convert(int svg, const std::filesystem::path& png) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, svg, STDIN_FILENO);
  const std::string file = png.string();
  const char* const words[] = {"rsvg-convert", "--format=png", "--output", file.c_str(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, words[0], &actions, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return 127;
  if (error != 0) return Error{std::string("rsvg-convert cannot be started: ") + std::strerror(error) + "."};
  const std::optional<int> status = WaitStatusOf(child);
  return status ? ExitCodeOfStatus(*status) : 1;
}

}  // namespace

Status CheckPictureName(const std::filesystem::path& file) {
  if (file.extension() == ".svg" || file.extension() == ".png") return Done{};
  return Error{file.string() + " does not tell by its ending what to draw; name it .svg or .png."};
}

Status WritePng(const std::string& svg, const std::filesystem::path& file) {
  Result<trace::ReplacingFile> target = trace::ReplacingFile::Create(file);
  if (!target) return target.error();
  const UniqueFd drawing(memfd_create("tidemark drawing", MFD_CLOEXEC));
  const int error = drawing.valid() ? trace::WriteFully(drawing.get(), svg) : errno;
  if (error != 0 || lseek(drawing.get(), 0, SEEK_SET) != 0)
    return Error{std::string("The picture cannot be drawn: ") + std::strerror(error != 0 ? error : errno) +
                 "."};
  const Result<int> exit_status = Convert(drawing.get(), target->path());
  if (!exit_status) return exit_status.error();
  if (*exit_status == 127) {
    return Error{
        "PNG pictures are drawn by rsvg-convert, which is not installed. Install Debian's librsvg2-bin, or "
        "name the picture .svg."};
  }
  if (*exit_status != 0) {
    return Error{"rsvg-convert could not write " + file.string() +
                 "; what it said is above. Name the picture .svg to do without it."};
  }
  return target->Commit();
}

Status WritePicture(const std::string& svg, const std::filesystem::path& file) {
  return file.extension() == ".png" ? WritePng(svg, file) : trace::WriteWhole(svg, file);
}

}  // namespace tidemark::cli
