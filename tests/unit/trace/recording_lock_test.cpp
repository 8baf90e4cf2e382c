#include "profiler/trace/recording_lock.h"

#include <fcntl.h>

#include "profiler/base/unique_fd.h"
#include "profiler/trace/output_file.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

UniqueFd Opened(const std::filesystem::path& file) {
  return UniqueFd(open(file.c_str(), O_RDWR | O_CLOEXEC));
}

TEST_CASE("a file is being recorded for as long as who records it has it open", "[recording_lock]") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  WriteFile(file, "a recording");
  const UniqueFd asked = Opened(file);
  CHECK(IsBeingRecorded(asked.get()) == Recorded::kNo);
  {
    const UniqueFd recording = Opened(file);
    REQUIRE(LockAgainstOthers(recording.get(), file).ok());
    CHECK(IsBeingRecorded(asked.get()) == Recorded::kYes);
    CHECK(IsBeingRecorded(recording.get()) == Recorded::kNo);  // by another
    CHECK_FALSE(LockAgainstOthers(asked.get(), file).ok());
    CHECK_FALSE(CanBeReplaced(file).ok());
  }
  CHECK(IsBeingRecorded(asked.get()) == Recorded::kNo);
  CHECK(CanBeReplaced(file).ok());
}

TEST_CASE("who only locks a file against recorders does not record it", "[recording_lock]") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  WriteFile(file, "a recording");
  const UniqueFd asked = Opened(file);
  const UniqueFd reader = Opened(file);
  struct flock lock {};
  lock.l_type = F_RDLCK;
  REQUIRE(fcntl(reader.get(), F_OFD_SETLK, &lock) == 0);
  CHECK(IsBeingRecorded(asked.get()) == Recorded::kNo);
}

TEST_CASE("a name is locked with the file that it leads to, and that is made where there is none") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  UniqueFd lock;
  REQUIRE(LockName(file, lock).ok());
  CHECK(std::filesystem::file_size(file) == 0);
  UniqueFd other;
  const Status refused = LockName(file, other);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.ends_with(
      "is being recorded right now. Choose another name, or end that recording first."));
  CHECK_FALSE(other.valid());
  CHECK(LockName(file, lock).ok());
  std::filesystem::remove(file);  // then the name is free
  REQUIRE(LockName(file, other).ok());
  CHECK_FALSE(LockName(file, lock).ok());
}

TEST_CASE("who replaces the file that he records into keeps its lock") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  WriteFile(file, "a recording");
  {
    UniqueFd lock;
    for (const char* const bytes : {"its first", "its second"}) {
      Result<ReplacingFile> target = ReplacingFile::Create(file, lock);
      REQUIRE(target.ok());
      CHECK_FALSE(CanBeReplaced(file).ok());
      REQUIRE(target->Write(bytes).ok());
      REQUIRE(target->Commit().ok());
      CHECK(ReadFile(file) == bytes);
      CHECK_FALSE(CanBeReplaced(file).ok());
    }
  }
  CHECK(CanBeReplaced(file).ok());
  CHECK(scratch.FileCount() == 1);
}

TEST_CASE("where nothing tells of locks a file can be replaced", "[recording_lock]") {
  const Scratch scratch;
  CHECK(IsBeingRecorded(-1) == Recorded::kUnknown);
  CHECK(CanBeReplaced(scratch / "there is none").ok());
}

}  // namespace
}  // namespace tidemark::trace
