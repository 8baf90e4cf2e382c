#include "profiler/capture/transport/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace tidemark::transport {
namespace {

using Clock = std::chrono::steady_clock;

union DescriptorControl {
  cmsghdr header;  // for its alignment
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

Error Gone() { return Error{"The other end of the command channel is gone."}; }

Error ChannelError(const char* what) {
  return Error{std::string("The command channel failed to ") + what + ": " + std::strerror(errno) + "."};
}

// True if the socket has any of `events`, an error or an end; false when the time is over.
Result<bool> Wait(int fd, int16_t events, int timeout_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    pollfd poll_fd{fd, events, 0};
    int left_ms = timeout_ms;
    if (timeout_ms > 0) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      left_ms = static_cast<int>(std::max<int64_t>(0, left.count()));
    }
    const int ready = poll(&poll_fd, 1, left_ms);
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return ChannelError("wait");
  }
}

UniqueFd TakeDescriptor(msghdr& message) {
  UniqueFd taken;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    taken.Reset(fd);
  }
  return taken;
}

}  // namespace

Result<std::pair<Channel, Channel>> Channel::CreatePair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return ChannelError("open");
  return std::pair(Channel(UniqueFd(ends[0])), Channel(UniqueFd(ends[1])));
}

Result<bool> Channel::TrySend(std::string_view message, int attached_fd) const {
  if (message.empty() || message.size() > kMaxMessageBytes) {
    return Error{"A message of " + std::to_string(message.size()) +
                 " bytes does not fit the command channel, which takes 1 to " +
                 std::to_string(kMaxMessageBytes) + "."};
  }
  iovec part{const_cast<char*>(message.data()), message.size()};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  DescriptorControl control{};
  if (attached_fd >= 0) {
    packet.msg_control = control.bytes.data();
    packet.msg_controllen = control.bytes.size();
    cmsghdr* header = CMSG_FIRSTHDR(&packet);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &attached_fd, sizeof attached_fd);
  }
  while (true) {
    if (sendmsg(fd(), &packet, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return true;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) return false;
    if (errno == EPIPE || errno == ECONNRESET) return Gone();
    if (errno != EINTR) return ChannelError("send");
  }
}

Status Channel::Send(std::string_view message, int attached_fd) const {
  while (true) {
    const Result<bool> sent = TrySend(message, attached_fd);
    if (!sent) return sent.error();
    if (*sent) return Done{};
    if (const Result<bool> writable = Wait(fd(), POLLOUT, -1); !writable) return writable.error();
  }
}

Result<std::optional<Channel::Received>> Channel::Receive(int timeout_ms) const {
  const Result<bool> readable = Wait(fd(), POLLIN, timeout_ms);
  if (!readable) return readable.error();
  if (!*readable) return std::optional<Received>();
  Received received;
  received.message.resize(kMaxMessageBytes);
  iovec part{received.message.data(), received.message.size()};
  DescriptorControl control{};
  msghdr packet{};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  packet.msg_control = control.bytes.data();
  packet.msg_controllen = control.bytes.size();
  ssize_t bytes = -1;
  do {
    // A peer that left without reading all that it was sent makes the next call fail with ECONNRESET, once,
    // even where its own last words still lie in the queue: they come with the call after it, and then the
    // end.
    bytes = recvmsg(fd(), &packet, MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && (errno == EINTR || errno == ECONNRESET));
  if (bytes == 0) return Gone();
  if (bytes < 0) return ChannelError("receive");
  received.attached_fd = TakeDescriptor(packet);
  if ((packet.msg_flags & MSG_TRUNC) != 0) {
    return Error{"A message on the command channel is longer than " + std::to_string(kMaxMessageBytes) +
                 " bytes."};
  }
  received.message.resize(static_cast<size_t>(bytes));
  return std::optional<Received>(std::move(received));
}

}  // namespace tidemark::transport
