// One Catch2 for both of its generations; see CMakeLists.txt beside this file.
#pragma once

#if TIDEMARK_CATCH2_VERSION >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
