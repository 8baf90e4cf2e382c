// What the ranks of a communicator of NCCL's give each other: by files where they are processes of this
// machine (ranks/mailbox.h), and where they are pretended each does and holds the same as this one. Of what
// is too large to be known nothing goes anywhere (device::kKnownBytes). Any thread, as far as NCCL's is.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiler/phantom/device/contents.h"
#include "profiler/phantom/ranks/mailbox.h"

namespace tidemark::phantom {

struct Communicator {
  int ranks = 1;  // 0 = not known: a part of another, of which only this rank's colour was told
  int rank = 0;
  int most_ranks = 1;                       // as many as the one that it is a part of
  std::shared_ptr<ranks::Mailbox> mailbox;  // null: they are pretended
};

// What a rank has in a buffer of the device.
struct Part {
  std::string bytes;
  std::vector<device::CertaintyRun> certainty;
};
Part PartAt(const void* from, size_t bytes);
void Put(void* to, const Part& part);
bool IsKnown(const Part& part);  // some of it

// What each of the senders gave, in their order.
using Parts = std::vector<std::shared_ptr<const Part>>;

// What one call of NCCL does on a stream, now, or whenever the graph is launched that it is captured into.
struct Exchange {
  const void* stream = nullptr;
  Communicator communicator;
  const void* from = nullptr;
  size_t bytes = 0;   // that each receiver is given, and each sender gives
  size_t stride = 0;  // between the parts of two receivers: 0 where all are given the same
  std::vector<int> receivers;
  std::vector<int> senders;
  std::function<void(const Parts&)> take;  // not called where a sender's did not come
  bool moves = false;                      // what it takes lies elsewhere than `from`
};

// In a group all give before anybody takes, so that none waits for what comes after it (NCCL, "Group Calls").
// Groups are of a thread, and nest. Between groups each is waited for where it begins: two that ranks begin
// in another order, asynchronously, wait for each other here.
void BeginGroup();
// False where something did not come, for which this thread has a sentence until its next; its communicator
// has given up then.
bool EndGroup();
const std::string& FailureOfThread();
// In a group of its own, if it is in none.
bool Begin(Exchange exchange);

// This rank's part of another communicator, and its ranks: all that have its colour, by their keys. Every
// rank says its colour, and waits for all others'. Null where not all came.
std::shared_ptr<ranks::Mailbox> Split(const std::shared_ptr<ranks::Mailbox>& whole, int color, int key);

}  // namespace tidemark::phantom
