// Where a program that is not ours asks for a ring: a Unix socket whose name it was told.
// Descriptors could not be inherited instead: many programs start others and close what they do not know.
// One thread each.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"
#include "profiler/capture/transport/channel.h"
#include "profiler/capture/transport/ring.h"

namespace tidemark::transport {

class Listener {
 public:
  static Result<Listener> Create();

  // Readable when somebody asks; not while no descriptor is free to answer with: then Accept has to be tried
  // again.
  int fd() const { return readiness_.get(); }
  // "" or what kept somebody waiting who asked, and what to do.
  std::string trouble() const;
  const std::string& name() const { return name_; }

  struct Caller {
    Channel channel;  // closing it unanswered declines
    pid_t process_id = 0;
    // As the program has them, which may have set them itself (events/allocator_settings.h); none if it did
    // not say.
    std::optional<std::string> allocator_settings = {};
    // What tells its rank (rank_place.h), likewise its own: "NAME=value" entries, each ended by 0.
    std::optional<std::string> rank_environment = {};
  };
  // The next of this user's processes that has asked, or has said nothing for a second (then it is stopped,
  // or no program of ours); nothing if there is none. Never waits.
  std::optional<Caller> Accept();
  // Hands the caller the ring.
  static Status Answer(const Caller& caller, const RingReader& ring);

 private:
  struct Silent {
    Caller caller;
    std::chrono::steady_clock::time_point patience_ends;
  };
  Listener(UniqueFd socket, UniqueFd readiness, std::string name)
      : socket_(std::move(socket)), readiness_(std::move(readiness)), name_(std::move(name)) {}
  void TakeConnections();
  void FollowSocket(bool follows);

  UniqueFd socket_;
  UniqueFd readiness_;  // epoll: of the socket, and of who is silent
  std::string name_;
  std::vector<Silent> silent_;  // connected, and have not asked
  bool follows_socket_ = true;
  bool was_short_ = false;  // of descriptors
};

// The program's side: asks and waits for the answer; nothing if it is declined.
Result<std::optional<RingWriter>> AskForRing(std::string_view socket_name);

}  // namespace tidemark::transport
