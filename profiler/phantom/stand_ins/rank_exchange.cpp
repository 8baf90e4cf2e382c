#include "profiler/phantom/stand_ins/rank_exchange.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/base/result.h"
#include "profiler/phantom/device/captures.h"
#include "profiler/phantom/device/device.h"

namespace tidemark::phantom {
namespace {

thread_local std::string failure;
thread_local bool failed = false;  // since its last group ended
thread_local int group_depth = 0;
thread_local std::vector<Exchange> group;

void Fail(const Error& error) {
  failure = error.message;
  failed = true;
}

// How many runs, the runs, the bytes.
std::string Packed(const Part& part) {
  const uint64_t runs = part.certainty.size();
  std::string packed(reinterpret_cast<const char*>(&runs), sizeof runs);
  packed.append(reinterpret_cast<const char*>(part.certainty.data()), runs * sizeof(device::CertaintyRun));
  return packed + part.bytes;
}

std::optional<Part> Unpacked(std::string_view packed, size_t bytes) {
  uint64_t runs = 0;
  if (packed.size() < sizeof runs + bytes) return std::nullopt;
  std::memcpy(&runs, packed.data(), sizeof runs);
  packed.remove_prefix(sizeof runs);
  if (runs != (packed.size() - bytes) / sizeof(device::CertaintyRun)) return std::nullopt;
  Part part;
  part.certainty.resize(runs);
  std::memcpy(part.certainty.data(), packed.data(), runs * sizeof(device::CertaintyRun));
  part.bytes = packed.substr(runs * sizeof(device::CertaintyRun));
  return part.bytes.size() == bytes ? std::optional(std::move(part)) : std::nullopt;
}

const char* PartFor(const Exchange& exchange, int rank) {
  return static_cast<const char*>(exchange.from) + exchange.stride * static_cast<size_t>(rank);
}

void Give(const Exchange& exchange) {
  ranks::Mailbox& others = *exchange.of.others;
  const auto say = [&](const std::vector<int>& receivers, const void* from) {
    if (Status said = others.Say(receivers, Packed(PartAt(from, exchange.bytes))); !said) Fail(said.error());
  };
  if (exchange.stride == 0) return say(exchange.receivers, exchange.from);
  for (const int receiver : exchange.receivers) say({receiver}, PartFor(exchange, receiver));
}

std::shared_ptr<const Part> TakeFrom(int sender, const Exchange& exchange) {
  const Result<std::string> heard = exchange.of.others->Hear(sender);
  if (!heard) {
    Fail(heard.error());
    return nullptr;
  }
  std::optional<Part> part = Unpacked(*heard, exchange.bytes);
  if (!part) {
    Fail({"Rank " + std::to_string(sender) + " sent something else than the " +
          std::to_string(exchange.bytes) +
          " bytes that this one takes from it: they take part in different "
          "collectives."});
    return nullptr;
  }
  return std::make_shared<const Part>(*std::move(part));
}

void Take(const Exchange& exchange) {
  Parts parts;
  parts.reserve(exchange.senders.size());
  for (const int sender : exchange.senders) {
    parts.push_back(TakeFrom(sender, exchange));
    if (parts.back() == nullptr) return;
  }
  exchange.use(parts);
}

// Everybody gives what this rank gives to itself.
void TakeFromPretended(const Exchange& exchange) {
  Parts parts;
  if (!exchange.senders.empty()) {
    const auto own =
        std::make_shared<const Part>(PartAt(PartFor(exchange, exchange.of.rank), exchange.bytes));
    parts.assign(exchange.senders.size(), own);
  }
  exchange.use(parts);
}

struct Place {
  int color = 0;
  int key = 0;
};

std::optional<Place> PlaceOf(int rank, ranks::Mailbox& whole) {
  const Result<std::string> heard = whole.Hear(rank);
  Place place;
  if (!heard || heard->size() != sizeof place) {
    Fail(heard ? Error{"Rank " + std::to_string(rank) + " does not split the group that this one splits."}
               : heard.error());
    return std::nullopt;
  }
  std::memcpy(&place, heard->data(), sizeof place);
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

device::Certainty WorstOf(const Part& part) {
  auto worst = device::Certainty::kKnown;
  for (const device::CertaintyRun& run : part.certainty) worst = std::max(worst, run.certainty);
  return worst;
}

void BeginGroup() { ++group_depth; }

bool EndGroup() {
  if (--group_depth > 0) return true;
  const std::vector<Exchange> exchanges = std::exchange(group, {});
  for (const Exchange& exchange : exchanges) {
    if (exchange.of.others != nullptr && !exchange.receivers.empty())
      device::Submit(exchange.stream, [exchange] { Give(exchange); });
  }
  for (const Exchange& exchange : exchanges) {
    if (!exchange.use) continue;
    device::Submit(exchange.stream, [exchange] {
      exchange.of.others != nullptr ? Take(exchange) : TakeFromPretended(exchange);
    });
  }
  return !std::exchange(failed, false);
}

const std::string& FailureOfThread() { return failure; }

bool Begin(Exchange exchange) {
  BeginGroup();
  group.push_back(std::move(exchange));
  return EndGroup();
}

std::shared_ptr<ranks::Mailbox> Split(ranks::Mailbox& whole, int color, int key) {
  std::vector<int> everybody(static_cast<size_t>(whole.ranks()));
  for (int rank = 0; rank < whole.ranks(); ++rank) everybody[static_cast<size_t>(rank)] = rank;
  const std::string name = whole.NameOfNextPart();
  const Place own{color, key};
  const std::string_view message(reinterpret_cast<const char*>(&own), sizeof own);
  if (const Status said = whole.Say(everybody, message); !said) Fail(said.error());
  std::vector<std::pair<int, int>> members;  // key and rank
  for (const int rank : everybody) {
    const std::optional<Place> place = PlaceOf(rank, whole);
    if (!place) return nullptr;
    if (place->color == color) members.emplace_back(place->key, rank);
  }
  std::sort(members.begin(), members.end());
  const auto self = std::find(members.begin(), members.end(), std::pair(key, whole.rank()));
  return std::make_shared<ranks::Mailbox>(whole.folder(), name + "c" + std::to_string(color),
                                          static_cast<int>(self - members.begin()),
                                          static_cast<int>(members.size()));
}

}  // namespace tidemark::phantom
