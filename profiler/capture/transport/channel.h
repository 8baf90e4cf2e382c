// The command channel between the program and a trainer: a Unix SOCK_SEQPACKET pair that carries one JSON
// message a packet and, once, the ring's descriptor. Each end is used by one thread for receiving; sending is
// thread safe.
//
// Both descriptors close on exec; who starts a trainer gives it one end under a number of its own (dup2
// clears the flag). A peer that is gone is an error with a sentence, never a SIGPIPE.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"

namespace tidemark::transport {

inline constexpr size_t kMaxMessageBytes = 64 << 10;

class Channel {
 public:
  static Result<std::pair<Channel, Channel>> CreatePair();
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  // Waits while the peer's queue is full. `attached_fd` is duplicated into the peer; it stays the caller's.
  Status Send(std::string_view message, int attached_fd = -1) const;
  // False, and nothing sent, if the peer's queue is full now.
  Result<bool> TrySend(std::string_view message, int attached_fd = -1) const;

  struct Received {
    std::string message;
    UniqueFd attached_fd;
  };
  // Waits up to timeout_ms (-1 = for ever). Nothing when the time is over; an error when the other end is
  // gone.
  Result<std::optional<Received>> Receive(int timeout_ms) const;

 private:
  UniqueFd socket_;
};

}  // namespace tidemark::transport
