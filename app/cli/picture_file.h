// Pictures as files. Any thread.
#pragma once

#include <filesystem>
#include <string>

#include "profiler/base/result.h"

namespace tidemark::cli {

// An error that says which endings there are, if this is none of a picture.
Status CheckPictureName(const std::filesystem::path& file);
// By its ending, .svg or .png. The file appears, or takes the place of the one before it, once it is whole.
Status WritePicture(const std::string& svg, const std::filesystem::path& file);
// Drawn by librsvg's rsvg-convert; an error that names its package where it is not installed.
Status WritePng(const std::string& svg, const std::filesystem::path& file);

}  // namespace tidemark::cli
