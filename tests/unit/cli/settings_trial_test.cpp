#include "app/cli/programs/settings_trial.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::cli {

TEST_CASE("Settings are no longer tried where nobody waits for them") {
  const std::filesystem::path replayer =
      std::filesystem::temp_directory_path() / ("tidemark-replayer-" + std::to_string(getpid()));
  std::ofstream(replayer) << "#!/bin/sh\nexec sleep 600\n";
  std::filesystem::permissions(replayer, std::filesystem::perms::owner_all);
  session::AllocatorOf allocator;
  allocator.replayer = replayer;
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 1 << 21);
  stream.Allocate(0x100000, 1 << 21);
  int asked = 0;
  const auto is_wanted = [&](double) { return ++asked < 3; };
  CHECK(SettingsThatFit(*stream.Publish(), "", *phantom::FindCard("t4"), allocator, is_wanted).empty());
  CHECK(asked == 3);
  std::filesystem::remove(replayer);
}

}  // namespace tidemark::cli
