#include "profiler/base/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace tidemark {

std::string Demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : symbol;
}

}  // namespace tidemark
