// NVML as it is found on a machine that has none, and on one whose driver is old.
#include "profiler/capture/nvml/functions.h"

#include <dlfcn.h>

#include "tests/support/catch.h"

namespace tidemark::capture::nvml {

TEST_CASE("Without NVML, and with that of an old driver, a sentence says what is not seen and what to do") {
  if (void* const driver = dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    dlclose(driver);
    WARN("This machine has NVML: what there is without it is not tried.");
    return;
  }
  const Result<Functions> none = LoadFunctions();
  REQUIRE_FALSE(none);
  CHECK(none.error().message.starts_with("absent: NVML (libnvidia-ml.so.1) is not here"));
  void* const old = dlopen(TIDEMARK_OLD_NVML, RTLD_NOW);
  REQUIRE(old != nullptr);
  const Result<Functions> too_old = LoadFunctions();
  REQUIRE_FALSE(too_old);
  CHECK(too_old.error().message.starts_with("absent: this driver is too old (its NVML has no "));
  CHECK(too_old.error().message.find("Update the driver.") != std::string::npos);
  dlclose(old);
}

}  // namespace tidemark::capture::nvml
