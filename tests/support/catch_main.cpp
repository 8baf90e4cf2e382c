#if TIDEMARK_CATCH2_VERSION < 3
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
