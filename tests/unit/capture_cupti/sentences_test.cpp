#include "profiler/capture/cupti/sentences.h"

#include "tests/support/catch.h"

namespace tidemark::capture::cupti {

TEST_CASE("CUPTI's versions are told as people know them") {
  CHECK(VersionText(130001) == "13.0");
  CHECK(VersionText(130200) == "13.2");
  CHECK(VersionText(26) == "of CUDA 12");
  CHECK(VersionText(12) == "of CUDA 11 or older");
  CHECK(MajorVersion(130001) == 13);
  CHECK(MajorVersion(26) == 12);
}

TEST_CASE("What keeps CUPTI from serving us is a sentence that says what to do") {
  CHECK(RefusalSentence(kMultipleSubscribers, 130001, "Nsight Systems")
            .starts_with("blocked by Nsight Systems: "));
  CHECK(RefusalSentence(kMultipleSubscribers, 26, "").starts_with("blocked by another tool: "));
  CHECK(RefusalSentence(kInsufficientPrivileges, 130001, "").find("CAP_SYS_ADMIN") != std::string::npos);
  CHECK(RefusalSentence(kNotCompatible, 130001, "").find("too old for CUPTI 13.0") != std::string::npos);
  CHECK(RefusalSentence(kUnknownError, 130001, "").find("no NVIDIA driver") != std::string::npos);
  CHECK(RefusalSentence(kMigDevice, 130001, "").find("MIG") != std::string::npos);
  CHECK(RefusalSentence(kWslDevice, 130001, "").find("WSL") != std::string::npos);
  CHECK(RefusalSentence(1234, 130001, "").find("error 1234") != std::string::npos);
}

}  // namespace tidemark::capture::cupti
