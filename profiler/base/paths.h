// Where the program finds what was built beside it. Everything is relative to the running executable, so a
// build tree and an installed tree work alike:  <root>/bin/tidemark, <root>/lib/phantom/,
// <root>/share/tidemark/{cards,networks,fonts}.
#pragma once

#include <filesystem>

namespace tidemark {

std::filesystem::path ExecutableFolder();    // <root>/bin
std::filesystem::path AssetsFolder();        // <root>/share/tidemark
std::filesystem::path PhantomFolder();       // <root>/lib/phantom: the stand-ins for the CUDA libraries
std::filesystem::path TrainerExecutable();   // <root>/bin/tidemark-trainer
std::filesystem::path ReplayerExecutable();  // <root>/lib/replay/tidemark-replayer

// What one person's programs keep for the next time: $TIDEMARK_CACHE, else $XDG_CACHE_HOME/tidemark, else
// ~/.cache/tidemark, of those that are absolute. Empty where there is no home folder either.
std::filesystem::path CacheFolder();

// Of the checkout that this program was built in, for what is built later. It may have been moved away.
std::filesystem::path SourceFolder();

}  // namespace tidemark
