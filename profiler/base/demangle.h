// A C++ symbol as its source names it. Any thread; O(its length).
#pragma once

#include <string>

namespace tidemark {

std::string Demangled(const char* symbol);  // as it is where it is no mangled name

}  // namespace tidemark
