#include "profiler/base/paths.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark {
namespace {

// Restores what it changes. An empty value unsets.
class Variables {
 public:
  explicit Variables(const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
      const char* before = std::getenv(name.c_str());
      before_.emplace_back(name, before == nullptr ? "" : before);
      Set(name, value);
    }
  }
  ~Variables() {
    for (const auto& [name, value] : before_) Set(name, value);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  static void Set(const std::string& name, const std::string& value) {
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<std::pair<std::string, std::string>> before_;
};

}  // namespace

TEST_CASE("What is kept lies where one person's programs keep such things") {
  {
    const Variables set({{"TIDEMARK_CACHE", "/a/kept"}, {"XDG_CACHE_HOME", "/b"}, {"HOME", "/c"}});
    CHECK(CacheFolder() == "/a/kept");
  }
  {
    const Variables set({{"TIDEMARK_CACHE", ""}, {"XDG_CACHE_HOME", "/b"}, {"HOME", "/c"}});
    CHECK(CacheFolder() == "/b/tidemark");
  }
  {
    const Variables set({{"TIDEMARK_CACHE", "not/absolute"}, {"XDG_CACHE_HOME", "neither"}, {"HOME", "/c"}});
    CHECK(CacheFolder() == "/c/.cache/tidemark");
  }
}

}  // namespace tidemark
