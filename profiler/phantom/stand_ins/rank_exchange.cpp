#include "profiler/phantom/stand_ins/rank_exchange.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/base/result.h"
#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"

namespace tidemark::phantom {
namespace {

thread_local std::string failure;
thread_local bool failed = false;  // in its group
thread_local int group_depth = 0;
thread_local std::vector<Exchange> group;

void Fail(const Error& error) {
  failure = error.message;
  failed = true;
}

size_t KnownBytesOf(const std::vector<device::CertaintyRun>& runs) {
  size_t bytes = 0;
  for (const device::CertaintyRun& run : runs)
    bytes += run.certainty == device::Certainty::kUnknown ? 0 : run.bytes;
  return bytes;
}

// How many runs, the runs, the bytes of those that are known.
std::string Packed(const Part& part) {
  const uint64_t runs = part.certainty.size();
  std::string packed(reinterpret_cast<const char*>(&runs), sizeof runs);
  packed.append(reinterpret_cast<const char*>(part.certainty.data()), runs * sizeof(device::CertaintyRun));
  for (const device::CertaintyRun& run : part.certainty) {
    if (run.certainty != device::Certainty::kUnknown) packed.append(part.bytes, run.offset, run.bytes);
  }
  return packed;
}

// None where it is of another size, or something else, as what a rank says that splits a group.
std::optional<Part> Unpacked(std::string_view packed, size_t bytes) {
  uint64_t runs = 0;
  if (packed.size() < sizeof runs) return std::nullopt;
  std::memcpy(&runs, packed.data(), sizeof runs);
  packed.remove_prefix(sizeof runs);
  if (runs > packed.size() / sizeof(device::CertaintyRun)) return std::nullopt;
  Part part{std::string(bytes, '\0'), std::vector<device::CertaintyRun>(runs)};
  std::memcpy(part.certainty.data(), packed.data(), runs * sizeof(device::CertaintyRun));
  packed.remove_prefix(runs * sizeof(device::CertaintyRun));
  const size_t sent_bytes = runs == 0 ? 0 : part.certainty.back().offset + part.certainty.back().bytes;
  if (sent_bytes != bytes || packed.size() != KnownBytesOf(part.certainty)) return std::nullopt;
  for (const device::CertaintyRun& run : part.certainty) {
    if (run.certainty == device::Certainty::kUnknown) continue;
    part.bytes.replace(run.offset, run.bytes, packed.substr(0, run.bytes));
    packed.remove_prefix(run.bytes);
  }
  return part;
}

const char* PartFor(const Exchange& exchange, int rank) {
  return static_cast<const char*>(exchange.from) + exchange.stride * static_cast<size_t>(rank);
}

bool Has(const std::vector<int>& ranks, int rank) { return std::ranges::find(ranks, rank) != ranks.end(); }

// This rank is among those that its own part goes to.
bool GivesItself(const Exchange& exchange) {
  const int rank = exchange.communicator.rank;
  return Has(exchange.receivers, rank) && Has(exchange.senders, rank);
}

void Give(const Exchange& exchange) {
  ranks::Mailbox& mailbox = *exchange.communicator.mailbox;
  std::vector<int> receivers = exchange.receivers;
  if (GivesItself(exchange)) std::erase(receivers, exchange.communicator.rank);
  if (receivers.empty()) return;
  const auto send = [&](const std::vector<int>& to, const void* from) {
    if (Status sent = mailbox.Send(to, Packed(PartAt(from, exchange.bytes))); !sent) Fail(sent.error());
  };
  if (exchange.stride == 0) return send(receivers, exchange.from);
  for (const int receiver : receivers) send({receiver}, PartFor(exchange, receiver));
}

std::shared_ptr<const Part> TakeFrom(int sender, const Exchange& exchange) {
  if (sender == exchange.communicator.rank && GivesItself(exchange))
    return std::make_shared<const Part>(PartAt(PartFor(exchange, sender), exchange.bytes));
  ranks::Mailbox& mailbox = *exchange.communicator.mailbox;
  const Result<std::string> received = mailbox.Receive(sender);
  std::optional<Part> part = received ? Unpacked(*received, exchange.bytes) : std::nullopt;
  if (part) return std::make_shared<const Part>(*std::move(part));
  mailbox.GiveUp();
  Fail(received ? Error{"Rank " + std::to_string(sender) + " sent something else than the " +
                        std::to_string(exchange.bytes) +
                        " bytes that this one takes from it: they take part in different collectives."}
                : received.error());
  return nullptr;
}

void Take(const Exchange& exchange) {
  Parts parts;
  parts.reserve(exchange.senders.size());
  for (const int sender : exchange.senders) {
    parts.push_back(TakeFrom(sender, exchange));
    if (parts.back() == nullptr) return;
  }
  exchange.take(parts);
}

// Everybody gives what this rank gives to itself.
void TakeFromPretended(const Exchange& exchange) {
  Parts parts;
  if (!exchange.senders.empty()) {
    const auto own =
        std::make_shared<const Part>(PartAt(PartFor(exchange, exchange.communicator.rank), exchange.bytes));
    parts.assign(exchange.senders.size(), own);
  }
  exchange.take(parts);
}

bool IsFrom(int rank, const Exchange& exchange) {
  return exchange.senders.size() == 1 && exchange.senders.front() == rank;
}

// Broadcasts in one group, of which this rank's own goes from one of its buffers to another, gather what all
// have (PyTorch's all_gather): what comes from a pretended rank is then what this rank's own brings. Those
// that a program puts together write each to where its sender has it.
void GatherFromPretended(std::vector<Exchange>& exchanges) {
  for (Exchange& exchange : exchanges) {
    const Communicator& ranks = exchange.communicator;
    if (ranks.mailbox != nullptr || exchange.senders.size() != 1 || IsFrom(ranks.rank, exchange)) continue;
    const auto own = std::ranges::find_if(exchanges, [&](const Exchange& one) {
      return one.moves && IsFrom(ranks.rank, one) && one.communicator.ranks == ranks.ranks &&
             one.bytes == exchange.bytes && one.stream == exchange.stream;
    });
    if (own != exchanges.end()) exchange.from = own->from;
  }
}

struct Place {
  int color = 0;
  int key = 0;
};

std::optional<Place> PlaceOf(int rank, ranks::Mailbox& whole) {
  const Result<std::string> received = whole.Receive(rank);
  Place place;
  if (!received || received->size() != sizeof place) {
    failure = received ? "Rank " + std::to_string(rank) + " does not split the group that this one splits."
                       : received.error().message;
    return std::nullopt;
  }
  std::memcpy(&place, received->data(), sizeof place);
  return place;
}

}  // namespace

Part PartAt(const void* from, size_t bytes) {
  device::Memory& memory = device::TheDevice()->memory;
  Part part{std::string(bytes, '\0'), memory.CertaintyOf(from, bytes)};
  memory.Copy(part.bytes.data(), from, bytes);
  return part;
}

void Put(void* to, const Part& part) {
  device::Memory& memory = device::TheDevice()->memory;
  memory.Copy(to, part.bytes.data(), part.bytes.size());
  for (const device::CertaintyRun& run : part.certainty)
    memory.Weaken(static_cast<char*>(to) + run.offset, run.bytes, run.certainty);
}

bool IsKnown(const Part& part) { return KnownBytesOf(part.certainty) > 0; }

void BeginGroup() {
  if (group_depth++ == 0) failed = false;  // of a graph that was launched meanwhile
}

bool EndGroup() {
  if (--group_depth > 0) return true;
  std::vector<Exchange> exchanges = std::exchange(group, {});
  GatherFromPretended(exchanges);
  for (const Exchange& exchange : exchanges) {
    if (exchange.communicator.mailbox != nullptr && !exchange.receivers.empty())
      device::Submit(exchange.stream, [exchange] { Give(exchange); });
  }
  for (const Exchange& exchange : exchanges) {
    if (!exchange.take) continue;
    device::Submit(exchange.stream, [exchange] {
      exchange.communicator.mailbox != nullptr ? Take(exchange) : TakeFromPretended(exchange);
    });
  }
  return !failed;
}

const std::string& FailureOfThread() { return failure; }

bool Begin(Exchange exchange) {
  BeginGroup();
  group.push_back(std::move(exchange));
  return EndGroup();
}

std::shared_ptr<ranks::Mailbox> Split(const std::shared_ptr<ranks::Mailbox>& whole, int color, int key) {
  std::vector<int> everybody(static_cast<size_t>(whole->ranks()));
  std::iota(everybody.begin(), everybody.end(), 0);
  const std::string name = whole->NameOfNextPart();
  const Place own{color, key};
  const std::string_view message(reinterpret_cast<const char*>(&own), sizeof own);
  if (const Status sent = whole->Send(everybody, message); !sent) {
    failure = sent.error().message;
    return nullptr;
  }
  std::vector<std::pair<int, int>> members;  // key and rank
  for (const int rank : everybody) {
    const std::optional<Place> place = PlaceOf(rank, *whole);
    if (!place) return nullptr;
    if (place->color == color) members.emplace_back(place->key, rank);
  }
  std::sort(members.begin(), members.end());
  const auto self = std::find(members.begin(), members.end(), std::pair(key, whole->rank()));
  return std::make_shared<ranks::Mailbox>(whole->folder(), name + "c" + std::to_string(color),
                                          static_cast<int>(self - members.begin()),
                                          static_cast<int>(members.size()));
}

}  // namespace tidemark::phantom
