#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiler/phantom/device/address_space.h"
#include "profiler/phantom/device/host_memory.h"
#include "profiler/phantom/device/memory.h"
#include "tests/support/catch.h"

namespace tidemark::phantom::device {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int64_t kTotalBytes = 1024 * kMebibyte;
constexpr int64_t kContextBytes = 100 * kMebibyte;

uintptr_t Address(void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }
char* Plus(void* pointer, size_t bytes) { return static_cast<char*>(pointer) + bytes; }

TEST_CASE("Nothing but the context and allocations takes memory, however odd the card's size") {
  Memory memory(kTotalBytes + kMebibyte, kContextBytes);
  CHECK(memory.taken_bytes(0) == size_t{kContextBytes});
  CHECK(memory.free_bytes(0) == size_t{kTotalBytes - kContextBytes});
  REQUIRE(memory.Allocate(1, 0) != nullptr);
  CHECK(memory.taken_bytes(0) == size_t{kContextBytes} + kGranuleBytes);
}

TEST_CASE("Allocations take whole granules, beside each other") {
  Memory memory(kTotalBytes, kContextBytes);
  CHECK(memory.total_bytes() == size_t{kTotalBytes});
  CHECK(memory.free_bytes(0) == size_t{kTotalBytes - kContextBytes});
  void* first = memory.Allocate(1, 0);
  void* second = memory.Allocate(kGranuleBytes + 1, 0);
  void* third = memory.Allocate(0, 0);
  CHECK(memory.free_bytes(0) == size_t{kTotalBytes - kContextBytes} - 4 * kGranuleBytes);
  CHECK(Address(first) % kGranuleBytes == 0);
  CHECK(Address(second) == Address(first) + kGranuleBytes);
  CHECK(Address(third) == Address(second) + 2 * kGranuleBytes);
}

TEST_CASE("The device is full when the card is, and has room again after a free") {
  Memory memory(kTotalBytes, kContextBytes);
  void* half = memory.Allocate(600 * kMebibyte, 0);
  REQUIRE(half != nullptr);
  CHECK(memory.Allocate(400 * kMebibyte, 0) == nullptr);
  CHECK(memory.Allocate(SIZE_MAX, 0) == nullptr);
  REQUIRE(memory.Free(half));
  CHECK(memory.Allocate(400 * kMebibyte, 0) != nullptr);
}

TEST_CASE("Only what was allocated can be freed, once and by its start") {
  Memory memory(kTotalBytes, kContextBytes);
  void* pointer = memory.Allocate(3 * kGranuleBytes, 0);
  CHECK(!memory.Free(Plus(pointer, kGranuleBytes)));
  CHECK(memory.Free(pointer));
  CHECK(!memory.Free(pointer));
  int on_host = 0;
  CHECK(!memory.Free(&on_host));
}

TEST_CASE("Addresses begin again at the top, and no two allocations overlap") {
  AddressSpace space(64 * kGranuleBytes);
  std::mt19937 random(7);
  std::vector<std::pair<uintptr_t, size_t>> live;
  for (int i = 0; i < 20000; ++i) {
    const size_t bytes = (1 + random() % 8) * kGranuleBytes;
    const auto address = space.Allocate(bytes);
    if (!address) {
      REQUIRE(space.used_bytes() + bytes > space.capacity_bytes());
      std::swap(live[random() % live.size()], live.back());
      const std::optional<Allocation> freed = space.Free(live.back().first);
      REQUIRE(freed.has_value());
      REQUIRE(freed->bytes == live.back().second);
      live.pop_back();
      continue;
    }
    for (const auto& [other, size] : live) REQUIRE((*address + bytes <= other || other + size <= *address));
    live.emplace_back(*address, bytes);
    REQUIRE(space.IsAllocated(*address, bytes));
    REQUIRE(space.AllocationOf(*address + bytes - 1) == *address);
  }
}

TEST_CASE("A card's addresses are nobody else's, and none of the process's own") {
  constexpr size_t kH200Bytes = size_t{150'754'820'096};
  const AddressSpace space(kH200Bytes);
  CHECK(space.base() >= uintptr_t{1} << 48);
  CHECK(!space.Contains((uintptr_t{1} << 48) - 1));
  CHECK(!space.Contains(uintptr_t{1} << 49));
  const auto on_stack = reinterpret_cast<uintptr_t>(&space);
  CHECK(!space.Contains(on_stack));
}

TEST_CASE("Each of several cards has memory of its own, and all are one space of addresses") {
  Memory memory(kTotalBytes, kContextBytes, {}, {}, 0, 3);
  void* fills = memory.Allocate(size_t{kTotalBytes - kContextBytes}, 2);
  REQUIRE(fills != nullptr);
  CHECK(memory.Allocate(1, 2) == nullptr);
  CHECK(memory.free_bytes(2) == 0);
  CHECK(memory.taken_bytes(2) == size_t{kTotalBytes});
  CHECK(memory.free_bytes(1) == size_t{kTotalBytes - kContextBytes});
  void* other = memory.Allocate(kGranuleBytes, 1);
  REQUIRE(other != nullptr);
  CHECK(memory.CardOf(fills) == 2);
  CHECK(memory.CardOf(Plus(other, kGranuleBytes - 1)) == 1);
  CHECK(memory.CardOf(&memory) == std::nullopt);
  CHECK(!memory.IsDevice(Plus(fills, size_t{1} << 48)));
  const std::string sent = "to the other and back";
  std::string received(sent.size(), 'x');
  REQUIRE(memory.Copy(fills, sent.data(), sent.size()));
  REQUIRE(memory.Copy(other, fills, sent.size()));
  REQUIRE(memory.Copy(received.data(), other, sent.size()));
  CHECK(received == sent);
  CHECK(memory.Free(fills) == size_t{kTotalBytes - kContextBytes});
  CHECK(!memory.IsAllocated(fills, 1));
  CHECK(memory.IsAllocated(other, kGranuleBytes));
  CHECK(memory.free_bytes(2) == size_t{kTotalBytes - kContextBytes});
}

TEST_CASE("Small values come back as they went") {
  Memory memory(kTotalBytes, kContextBytes);
  void* a = memory.Allocate(kGranuleBytes, 0);
  void* b = memory.Allocate(kGranuleBytes, 0);
  const std::string sent = "sizes of parameters";
  std::string received(sent.size(), 'x');
  REQUIRE(memory.Copy(Plus(a, 100), sent.data(), sent.size()));
  REQUIRE(memory.Copy(Plus(b, 5000), Plus(a, 100), sent.size()));
  REQUIRE(memory.Copy(received.data(), Plus(b, 5000), sent.size()));
  CHECK(received == sent);
  REQUIRE(memory.Fill(Plus(b, 5001), 'i', 3));
  REQUIRE(memory.Copy(received.data(), Plus(b, 5000), sent.size()));
  CHECK(received == "siiis of parameters");
  REQUIRE(memory.Copy(received.data(), Plus(a, 0), sent.size()));
  CHECK(received == std::string(sent.size(), '\0'));
}

TEST_CASE("What was written stays through kernels, until the memory is handed out anew") {
  Memory memory(kTotalBytes, kContextBytes);
  void* device = memory.Allocate(kGranuleBytes, 0);
  const std::vector<int> ones(100, 1);
  std::vector<int> received(200, 7);
  REQUIRE(memory.Copy(device, ones.data(), 400));
  memory.KernelRan(0);
  REQUIRE(memory.Copy(received.data(), device, 400));
  CHECK(std::count(received.begin(), received.begin() + 100, 0) == 100);  // nobody tells of blocks yet
  memory.ForgetBlock(device, 512);
  REQUIRE(memory.Copy(device, ones.data(), 400));
  memory.KernelRan(0);
  REQUIRE(memory.Copy(received.data(), device, 400));
  CHECK(std::count(received.begin(), received.begin() + 100, 1) == 100);
  memory.ForgetBlock(device, 512);
  memory.ForgetBlock(&memory, 512);  // of another device, or of the host
  REQUIRE(memory.Copy(received.data(), device, 400));
  CHECK(std::count(received.begin(), received.begin() + 100, 0) == 100);
  REQUIRE(memory.Copy(Plus(device, 400), ones.data(), 400));
  REQUIRE(memory.Copy(received.data(), device, 800));
  CHECK(std::count(received.begin(), received.begin() + 100, 0) == 100);
  CHECK(std::count(received.begin() + 100, received.end(), 1) == 100);
}

TEST_CASE(
    "What the host gets is known where it was written since the last kernel, else as written or unknown") {
  Memory memory(kTotalBytes, kContextBytes);
  void* a = memory.Allocate(kGranuleBytes, 0);
  void* b = memory.Allocate(kGranuleBytes, 0);
  const std::vector<char> sent(10000, 's');
  std::vector<char> received(sent.size());
  const auto certainty = [&](void* from, size_t bytes) {
    Certainty read = Certainty::kKnown;
    REQUIRE(memory.Copy(received.data(), from, bytes, &read));
    return read;
  };
  const auto is_known = [&](void* from, size_t bytes) { return certainty(from, bytes) == Certainty::kKnown; };
  CHECK(certainty(a, 1) == Certainty::kUnknown);
  REQUIRE(memory.Copy(Plus(a, 512), sent.data(), sent.size()));
  CHECK(is_known(Plus(a, 512), sent.size()));
  CHECK(!is_known(a, 513));
  REQUIRE(memory.Copy(b, Plus(a, 512), sent.size()));
  CHECK(is_known(b, sent.size()));
  REQUIRE(memory.Copy(b, a, 600));  // in part from where nothing was written
  CHECK(!is_known(b, 512));
  CHECK(is_known(Plus(b, 704), 1000));
  memory.KernelRan(0);
  CHECK(certainty(Plus(a, 512), 1) == Certainty::kUnknown);
  memory.ForgetBlock(Plus(b, 8192), 512);  // from here on somebody tells of blocks
  REQUIRE(memory.Copy(Plus(a, 512), sent.data(), sent.size()));
  memory.KernelRan(0);
  CHECK(certainty(Plus(a, 512), 1) == Certainty::kAsWritten);
  CHECK(certainty(a, 1) == Certainty::kUnknown);
  REQUIRE(memory.Fill(a, 0, 512));
  CHECK(is_known(a, 512));
  CHECK(certainty(Plus(a, 512), 1) == Certainty::kAsWritten);
  REQUIRE(memory.Copy(Plus(b, 4096), Plus(a, 512), 64));  // as certain as what it was copied from
  CHECK(certainty(Plus(b, 4096), 64) == Certainty::kAsWritten);
  memory.Weaken(a, 64, Certainty::kAsWritten);
  CHECK(certainty(a, 64) == Certainty::kAsWritten);
  CHECK(is_known(Plus(a, 64), 64));
  memory.Weaken(a, 32, Certainty::kOfZeros);  // until something else is written there
  REQUIRE(memory.Copy(b, a, 64));
  CHECK(certainty(b, 32) == Certainty::kOfZeros);
  CHECK(certainty(Plus(b, 32), 32) == Certainty::kAsWritten);
  REQUIRE(memory.Copy(Plus(b, 16), sent.data(), 16));
  CHECK(is_known(Plus(b, 16), 16));
  CHECK(certainty(Plus(a, 31), 600) == Certainty::kOfZeros);
  REQUIRE(memory.Free(a) != std::nullopt);
  REQUIRE(memory.Allocate(kGranuleBytes, 0) != nullptr);
  CHECK(!is_known(b, 1));
}

TEST_CASE(
    "Of a line that is written in part the rest is zero, not what was there before it was handed out anew") {
  Memory memory(kTotalBytes, kContextBytes);
  void* device = memory.Allocate(kGranuleBytes, 0);
  const std::string before = "before", after = "A";
  REQUIRE(memory.Copy(device, before.data(), before.size()));
  memory.ForgetBlock(device, 512);
  REQUIRE(memory.Copy(device, after.data(), 1));
  std::string received(before.size(), 'x');
  REQUIRE(memory.Copy(received.data(), device, received.size()));
  CHECK(received == std::string("A\0\0\0\0\0", 6));
}

TEST_CASE("Of what is written in part each byte is as certain as it was written") {
  Memory memory(kTotalBytes, kContextBytes);
  void* a = memory.Allocate(kGranuleBytes, 0);
  void* b = memory.Allocate(kGranuleBytes, 0);
  memory.ForgetBlock(Plus(b, 8192), 512);  // somebody tells of blocks
  const std::string sent = "abcdefgh";
  std::string received(12, 'x');
  const auto certainty = [&](void* from, size_t bytes) {
    Certainty read = Certainty::kKnown;
    REQUIRE(memory.Copy(received.data(), from, bytes, &read));
    return read;
  };
  REQUIRE(memory.Copy(Plus(a, 4094), sent.data(), 8));  // over the end of a page
  memory.KernelRan(0);
  REQUIRE(memory.Copy(Plus(a, 4096), "XY", 2));
  CHECK(certainty(Plus(a, 4096), 2) == Certainty::kKnown);
  CHECK(certainty(Plus(a, 4095), 2) == Certainty::kAsWritten);
  CHECK(certainty(Plus(a, 4096), 3) == Certainty::kAsWritten);
  CHECK(certainty(Plus(a, 4093), 2) == Certainty::kUnknown);
  CHECK(certainty(Plus(a, 4092), 12) == Certainty::kUnknown);
  CHECK(received == std::string("\0\0abXYefgh\0\0", 12));  // what is known of it nevertheless
  REQUIRE(memory.Copy(Plus(b, 1), Plus(a, 4092), 12));
  CHECK(certainty(Plus(b, 5), 2) == Certainty::kKnown);
  CHECK(certainty(Plus(b, 3), 2) == Certainty::kAsWritten);
  CHECK(certainty(Plus(b, 1), 2) == Certainty::kUnknown);
  CHECK(certainty(Plus(b, 1), 12) == Certainty::kUnknown);
  CHECK(received == std::string("\0\0abXYefgh\0\0", 12));
  REQUIRE(memory.Copy(Plus(b, 4), Plus(b, 3), 8));  // onto itself
  CHECK(certainty(Plus(b, 4), 8) == Certainty::kAsWritten);
  CHECK(received.substr(0, 8) == "abXYefgh");
  memory.ForgetBlock(Plus(b, 6), 1);
  CHECK(certainty(Plus(b, 6), 1) == Certainty::kUnknown);
  CHECK(certainty(Plus(b, 7), 1) == Certainty::kKnown);
}

TEST_CASE("Large transfers read as zero, also where a small one had written") {
  Memory memory(kTotalBytes, kContextBytes);
  void* device = memory.Allocate(kGranuleBytes, 0);
  std::vector<char> large(kKnownBytes + 1, 'l');
  const char small = 's';
  REQUIRE(memory.Copy(Plus(device, 10), &small, 1));
  REQUIRE(memory.Copy(device, large.data(), large.size()));
  char received = 'x';
  REQUIRE(memory.Copy(&received, Plus(device, 10), 1));
  CHECK(received == 0);
  REQUIRE(memory.Copy(large.data(), device, large.size()));
  CHECK(std::count(large.begin(), large.end(), 0) == static_cast<std::ptrdiff_t>(large.size()));
}

TEST_CASE("Numbers are kept however many, until they would take too much of the host") {
  constexpr size_t kMany = 3 * kKnownBytes + 5;
  Contents contents(6 * kKnownBytes);  // which pages take more of than what they hold
  contents.Forget(0, 1);               // somebody tells of blocks
  std::vector<char> sent(kMany);
  for (size_t i = 0; i < kMany; ++i) sent[i] = static_cast<char>(i % 251);
  std::vector<char> received(kMany + 2, 'x');
  const auto is_known = [&](size_t offset) {
    return contents.Read(offset, received.data(), kMany) == Certainty::kKnown &&
           std::equal(sent.begin(), sent.end(), received.begin());
  };
  for (int i = 0; i < 3; ++i) contents.WriteNumbers(3, sent.data(), kMany);  // there they are already
  CHECK(is_known(3));
  CHECK(contents.Read(2, received.data(), kMany + 2) == Certainty::kUnknown);  // one more at each end
  CHECK(received.front() == 0);
  CHECK(std::equal(sent.begin(), sent.end(), received.begin() + 1));
  CHECK(contents.CertaintyOf(2, kMany + 2).size() == 3);
  contents.KernelRan();
  CHECK(contents.Read(3, received.data(), kMany) == Certainty::kAsWritten);

  constexpr size_t kElsewhere = size_t{1} << 30;
  contents.WriteNumbers(kElsewhere, sent.data(), kMany);
  CHECK_FALSE(is_known(kElsewhere));
  contents.Forget(3, kMany);
  contents.WriteNumbers(kElsewhere, sent.data(), kMany);
  CHECK(is_known(kElsewhere));
}

TEST_CASE("Freed memory is zero when it is allocated again, and cannot be touched before") {
  Memory memory(4 * kTotalBytes, kContextBytes);
  void* device = memory.Allocate(kGranuleBytes, 0);
  const int sent = 5;
  int received = 6;
  REQUIRE(memory.Copy(device, &sent, sizeof sent));
  REQUIRE(memory.Free(device));
  CHECK(!memory.Copy(device, &sent, sizeof sent));
  CHECK(!memory.Copy(&received, device, sizeof received));
  CHECK(!memory.Fill(device, 1, 1));
  CHECK(received == 6);
}

TEST_CASE("A copy may not reach beyond what is allocated") {
  Memory memory(kTotalBytes, kContextBytes);
  void* device = memory.Allocate(kGranuleBytes, 0);
  std::vector<char> bytes(kGranuleBytes + 1);
  CHECK(memory.Copy(device, bytes.data(), kGranuleBytes));
  CHECK(!memory.Copy(Plus(device, 1), bytes.data(), kGranuleBytes));
  CHECK(memory.Copy(nullptr, nullptr, 0));
}

TEST_CASE("A device address cannot be read on the host") {
  Memory memory(kTotalBytes, kContextBytes);
  void* device = memory.Allocate(kGranuleBytes, 0);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    _exit(*static_cast<volatile char*>(device));
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("Threads allocate, copy and free at once") {
  Memory memory(kTotalBytes, kContextBytes);
  const auto work = [&memory](int value) {
    for (int i = 0; i < 500; ++i) {
      void* device = memory.Allocate(kGranuleBytes, 0);
      int received = 0;
      memory.Copy(device, &value, sizeof value);
      memory.Copy(&received, device, sizeof received);
      memory.Free(device);
      if (received != value) std::abort();
    }
  };
  std::vector<std::thread> threads;
  for (int value = 1; value <= 4; ++value) threads.emplace_back(work, value);
  for (std::thread& thread : threads) thread.join();
  CHECK(memory.free_bytes(0) == size_t{kTotalBytes - kContextBytes});
}

TEST_CASE("Pinned host memory is known by every address in it") {
  HostMemory memory;
  void* pinned = memory.Allocate(10000);
  CHECK(memory.IsPinned(pinned));
  CHECK(memory.IsPinned(Plus(pinned, 9999)));
  CHECK(!memory.IsPinned(Plus(pinned, 10000)));
  CHECK(!memory.Unregister(pinned));
  CHECK(memory.Free(pinned));
  CHECK(!memory.IsPinned(pinned));
  CHECK(!memory.Free(pinned));
  std::vector<char> own(5000);
  CHECK(memory.Register(own.data(), own.size()));
  CHECK(!memory.Register(own.data() + 100, 10));
  CHECK(memory.IsPinned(own.data() + 4999));
  CHECK(!memory.Free(own.data()));
  CHECK(memory.Unregister(own.data()));
}

TEST_CASE(
    "Managed memory is as large as was asked for, takes nothing until it is written to, and is not pinned") {
  constexpr size_t kMoreThanThereIs = size_t{1} << 36;
  HostMemory memory;
  void* managed = memory.AllocateManaged(kMoreThanThereIs);
  REQUIRE(managed != nullptr);
  auto* last = static_cast<char*>(Plus(managed, kMoreThanThereIs - 1));
  CHECK(*last == 0);
  *last = 1;
  CHECK((memory.IsManaged(last) && !memory.IsPinned(last)));
  CHECK(!memory.Free(managed));
  CHECK(memory.FreeManaged(managed));
  CHECK(!memory.IsManaged(managed));
  CHECK(!memory.FreeManaged(managed));
}

}  // namespace
}  // namespace tidemark::phantom::device
