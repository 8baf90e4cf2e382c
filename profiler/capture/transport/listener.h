// Where a program that is not ours asks for a ring: a Unix socket whose name it was told.
// Descriptors could not be inherited instead: many programs start others and close what they do not know.
// One thread each.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"
#include "profiler/capture/transport/channel.h"
#include "profiler/capture/transport/ring.h"

namespace tidemark::transport {

class Listener {
 public:
  static Result<Listener> Create();

  int fd() const { return socket_.get(); }  // readable when somebody asks
  const std::string& name() const { return name_; }

  struct Caller {
    Channel channel;  // closing it unanswered declines
    pid_t process_id = 0;
    // As the program has them, which may have set them itself (events/allocator_settings.h); none if it did
    // not say.
    std::optional<std::string> allocator_settings = {};
  };
  // The next that asks, of this user's processes; nothing if there is none.
  std::optional<Caller> Accept() const;
  // Hands the caller the ring.
  static Status Answer(const Caller& caller, const RingReader& ring);

 private:
  Listener(UniqueFd socket, std::string name) : socket_(std::move(socket)), name_(std::move(name)) {}

  UniqueFd socket_;
  std::string name_;
};

// The program's side: asks and waits for the answer; nothing if it is declined.
Result<std::optional<RingWriter>> AskForRing(std::string_view socket_name);

}  // namespace tidemark::transport
