// Checks of our own invariants. They stay on in every build; nothing a user or a file does may reach one.
#pragma once

#include <cstdio>
#include <cstdlib>

#define TIDEMARK_CHECK(condition)                                                        \
  do {                                                                                   \
    if (!(condition)) [[unlikely]] {                                                     \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                      \
    }                                                                                    \
  } while (false)
