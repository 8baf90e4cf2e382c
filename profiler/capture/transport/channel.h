// The command channel between the program and a trainer: a Unix SOCK_SEQPACKET pair that carries one JSON message a
// packet and, once, the ring's descriptor. Each end is used by one thread for receiving; sending is thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"

namespace tidemark::transport {

class Channel {
 public:
  static Result<std::pair<Channel, Channel>> CreatePair();
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  Status Send(std::string_view message, int attached_fd = -1) const;

  struct Received {
    std::string message;
    UniqueFd attached_fd;
  };
  // Waits up to timeout_ms (-1 = for ever). Nothing when the time is over; an error when the other end is gone.
  Result<std::optional<Received>> Receive(int timeout_ms) const;

 private:
  UniqueFd socket_;
};

}  // namespace tidemark::transport
