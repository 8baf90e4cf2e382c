#include "profiler/capture/transport/listener.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "profiler/events/allocator_settings.h"

namespace tidemark::transport {
namespace {

// What a program asks with, before the settings of its allocator: a packet is never empty.
constexpr std::string_view kAsking = "ask ";
constexpr int kAskingTimeoutMs = 1000;
constexpr std::string_view kHandOver = "ring";
constexpr int kAnswerTimeoutMs = 10'000;
constexpr int kWaitingCallers = 64;

Error SocketError(const std::string& what) {
  return Error{"The recorder's socket cannot " + what + ": " + std::strerror(errno) + "."};
}

struct Address {
  sockaddr_un socket{};
  socklen_t bytes = 0;
};

// In the abstract namespace: nothing to clean up, whatever ends us.
Address AddressOf(std::string_view name) {
  Address address;
  address.socket.sun_family = AF_UNIX;
  const size_t count = std::min(name.size(), sizeof address.socket.sun_path - 1);
  std::memcpy(address.socket.sun_path + 1, name.data(), count);
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  return address;
}

Result<std::string> FreshName() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::array<uint8_t, 16> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return SocketError("get a name");
  }
  std::string name = "tidemark-";
  for (const uint8_t byte : random) name += {kHex[byte >> 4], kHex[byte & 15]};
  return name;
}

std::optional<std::string> SettingsOf(const Channel& channel) {
  const Result<std::optional<Channel::Received>> asked = channel.Receive(kAskingTimeoutMs);
  if (!asked || !asked->has_value() || !(*asked)->message.starts_with(kAsking)) return std::nullopt;
  return (*asked)->message.substr(kAsking.size());
}

}  // namespace

Result<Listener> Listener::Create() {
  Result<std::string> name = FreshName();
  if (!name) return name.error();
  UniqueFd socket_fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_fd.valid()) return SocketError("be made");
  const Address address = AddressOf(*name);
  if (bind(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address.socket), address.bytes) != 0 ||
      listen(socket_fd.get(), kWaitingCallers) != 0) {
    return SocketError("listen");
  }
  return Listener(std::move(socket_fd), std::move(*name));
}

std::optional<Listener::Caller> Listener::Accept() const {
  while (true) {
    UniqueFd accepted(accept4(fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted.valid() && errno == EINTR) continue;
    if (!accepted.valid()) return std::nullopt;
    ucred peer{};
    socklen_t bytes = sizeof peer;
    const bool known = getsockopt(accepted.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0;
    if (!known || peer.uid != geteuid()) continue;
    Channel channel(std::move(accepted));
    std::optional<std::string> settings = SettingsOf(channel);
    return Caller{std::move(channel), peer.pid, std::move(settings)};
  }
}

Status Listener::Answer(const Caller& caller, const RingReader& ring) {
  return caller.channel.Send(kHandOver, ring.fd());
}

Result<std::optional<RingWriter>> AskForRing(std::string_view socket_name) {
  UniqueFd socket_fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket_fd.valid()) return SocketError("be made");
  const Address address = AddressOf(socket_name);
  if (connect(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address.socket), address.bytes) != 0) {
    return SocketError("be reached");
  }
  const Channel channel(std::move(socket_fd));
  if (const Status asked = channel.Send(std::string(kAsking) + events::AllocatorSettings()); !asked) {
    return asked.error();
  }
  Result<std::optional<Channel::Received>> answer = channel.Receive(kAnswerTimeoutMs);
  if (!answer || !answer->has_value() || !(*answer)->attached_fd.valid()) return std::optional<RingWriter>();
  Result<RingWriter> ring = RingWriter::Map(std::move((*answer)->attached_fd));
  if (!ring) return ring.error();
  return std::optional<RingWriter>(std::move(*ring));
}

}  // namespace tidemark::transport
