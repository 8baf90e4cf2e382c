#include "app/cli/programs/settings_trial.h"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::cli {

TEST_CASE("Settings are no longer tried where nobody waits for them") {
  const trace::Scratch scratch;
  session::AllocatorOf allocator;
  allocator.replayer = scratch / "replayer";
  std::ofstream(allocator.replayer) << "#!/bin/sh\nexec sleep 600\n";
  std::filesystem::permissions(allocator.replayer, std::filesystem::perms::owner_all);
  // Not every build has stand-ins; the loader goes on without these.
  allocator.stand_ins = scratch / "stand-ins";
  std::filesystem::create_directory(allocator.stand_ins);
  std::ofstream(allocator.stand_ins / "libnothing.so.1");
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 21);
  stream.Allocate(0x100000, 1 << 21);
  int asked = 0;
  const auto is_wanted = [&](double) { return ++asked < 3; };
  CHECK(SettingsThatFit(*stream.Publish(), "", *phantom::FindCard("t4"), allocator, is_wanted).empty());
  CHECK(asked == 3);
}

}  // namespace tidemark::cli
