#include "profiler/phantom/device/groups.h"

#include <map>

#include "profiler/base/thread_annotations.h"

namespace tidemark::phantom::device {
namespace {

struct Groups {
  Mutex mutex;
  std::map<int, int> ranks_of_color TIDEMARK_GUARDED_BY(mutex);
};

// Never destroyed: communicators are made by threads that outlive main.
Groups& TheGroups() {
  static Groups* const groups = new Groups;
  return *groups;
}

thread_local int ranks_of_next = 0;

}  // namespace

int RanksOfSplit(int color) {
  Groups& groups = TheGroups();
  const MutexLock lock(groups.mutex);
  const auto found = groups.ranks_of_color.find(color);
  return found != groups.ranks_of_color.end() ? found->second : ranks_of_next;
}

// A negative colour: of whatever this thread splits, until it says otherwise.
extern "C" void TidemarkPhantomSplitHasRanks(int color, int ranks) {
  if (color < 0) {
    ranks_of_next = ranks;
    return;
  }
  Groups& groups = TheGroups();
  const MutexLock lock(groups.mutex);
  groups.ranks_of_color[color] = ranks;
}

}  // namespace tidemark::phantom::device
