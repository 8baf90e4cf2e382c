#include "profiler/capture/transport/listener.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "profiler/base/rank_place.h"
#include "profiler/events/allocator_settings.h"

namespace tidemark::transport {
namespace {

// What a program asks with: a packet is never empty. Then come the settings of its allocator, a 0, and what
// tells its rank.
constexpr std::string_view kAsking = "ask ";
constexpr std::chrono::seconds kPatience{1};
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

// As this process has it by now: who spawns ranks may set it in each of them.
std::string LauncherVariables() {
  std::string entries;
  for (const LauncherNames& launcher : kLaunchers) {
    for (const char* const name : {launcher.rank, launcher.world, launcher.local_rank}) {
      const char* const value = std::getenv(name);
      if (value != nullptr) entries += std::string(name) + "=" + value + '\0';
    }
  }
  return entries;
}

std::string Asking() {
  return std::string(kAsking) + events::AllocatorSettings() + '\0' + LauncherVariables();
}

void TakeAsking(Listener::Caller& caller) {
  const Result<std::optional<Channel::Received>> asked = caller.channel.Receive(0);
  if (!asked || !asked->has_value() || !(*asked)->message.starts_with(kAsking)) return;
  const std::string_view told = std::string_view((*asked)->message).substr(kAsking.size());
  const size_t end_of_settings = std::min(told.find('\0'), told.size());
  caller.allocator_settings = told.substr(0, end_of_settings);
  if (end_of_settings < told.size()) caller.rank_environment = told.substr(end_of_settings + 1);
}

// Whether epoll took it, to say when there is something to read.
bool Follow(int readiness, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  return epoll_ctl(readiness, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool IsReadable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return poll(&waiting, 1, 0) == 1;
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
  UniqueFd readiness(epoll_create1(EPOLL_CLOEXEC));
  if (!readiness.valid() || !Follow(readiness.get(), socket_fd.get())) return SocketError("be followed");
  return Listener(std::move(socket_fd), std::move(readiness), std::move(*name));
}

std::optional<Listener::Caller> Listener::Accept() {
  TakeConnections();
  const auto now = std::chrono::steady_clock::now();
  const auto next = std::ranges::find_if(silent_, [now](const Silent& one) {
    return one.patience_ends <= now || IsReadable(one.caller.channel.fd());
  });
  if (next == silent_.end()) return std::nullopt;
  Caller caller = std::move(next->caller);
  silent_.erase(next);
  epoll_ctl(fd(), EPOLL_CTL_DEL, caller.channel.fd(), nullptr);
  TakeAsking(caller);
  return caller;
}

void Listener::TakeConnections() {
  while (true) {
    UniqueFd accepted(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!accepted.valid() && (errno == EINTR || errno == ECONNABORTED)) continue;
    const bool is_short = !accepted.valid() && errno != EAGAIN;
    FollowSocket(!is_short);
    was_short_ = was_short_ || is_short;
    if (!accepted.valid()) return;
    ucred peer{};
    socklen_t bytes = sizeof peer;
    const bool known = getsockopt(accepted.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0;
    if (!known || peer.uid != geteuid()) continue;
    Follow(fd(), accepted.get());  // who cannot be followed has its turn when its patience ends
    silent_.push_back(
        {Caller{Channel(std::move(accepted)), peer.pid}, std::chrono::steady_clock::now() + kPatience});
  }
}

// Who waits keeps the socket readable, and whoever waits for that would find no rest.
void Listener::FollowSocket(bool follows) {
  if (follows == follows_socket_) return;
  const bool done =
      follows ? Follow(fd(), socket_.get()) : epoll_ctl(fd(), EPOLL_CTL_DEL, socket_.get(), nullptr) == 0;
  if (done) follows_socket_ = follows;
}

std::string Listener::trouble() const {
  if (!was_short_) return "";
  return "More processes asked to be recorded at once than there were descriptors for: some had to wait, and "
         "one that waits for ten seconds goes unrecorded. Allow more before you record, as with: ulimit -n "
         "65536";
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
  if (const Status asked = channel.Send(Asking()); !asked) {
    return asked.error();
  }
  Result<std::optional<Channel::Received>> answer = channel.Receive(kAnswerTimeoutMs);
  if (!answer || !answer->has_value() || !(*answer)->attached_fd.valid()) return std::optional<RingWriter>();
  Result<RingWriter> ring = RingWriter::Map(std::move((*answer)->attached_fd));
  if (!ring) return ring.error();
  return std::optional<RingWriter>(std::move(*ring));
}

}  // namespace tidemark::transport
