#include "tests/unit/phantom/classes.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "profiler/base/paths.h"

namespace tidemark::phantom {

const std::vector<StandInFunction>& StandInFunctions() {
  static const std::vector<StandInFunction> functions = [] {
    std::ifstream stream(ExecutableFolder().parent_path() /
                         "profiler/phantom/stand_ins/generated/classes.tsv");
    std::vector<StandInFunction> read;
    for (std::string line; std::getline(stream, line);) {
      StandInFunction function;
      std::istringstream(line) >> function.soname >> function.name >> function.kind;
      read.push_back(function);
    }
    return read;
  }();
  return functions;
}

void* LoadStandIn(const std::string& soname) {
  return dlopen((PhantomFolder() / soname).c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* AddressOf(const std::string& name) {
  const auto& all = StandInFunctions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const StandInFunction& one) { return one.name == name; });
  return found == all.end() ? nullptr : dlsym(LoadStandIn(found->soname), name.c_str());
}

}  // namespace tidemark::phantom
