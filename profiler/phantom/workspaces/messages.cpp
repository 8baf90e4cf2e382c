#include "profiler/phantom/workspaces/messages.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "profiler/phantom/workspaces/encoding.h"

namespace tidemark::phantom::workspaces {
namespace {

using Clock = std::chrono::steady_clock;

// Negative when there is no deadline.
int RemainingMs(std::optional<Clock::time_point> deadline) {
  if (!deadline) return -1;
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return rest > 0 ? static_cast<int>(rest) : 0;
}

bool ReceiveAll(int socket, char* bytes, size_t count, std::optional<Clock::time_point> deadline) {
  while (count > 0) {
    pollfd waiting{socket, POLLIN, 0};
    const int ready = poll(&waiting, 1, RemainingMs(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t received = recv(socket, bytes, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes += received;
    count -= static_cast<size_t>(received);
  }
  return true;
}

}  // namespace

std::string Encode(const Opening& opening) {
  ByteWriter writer;
  writer.Text(opening.library_file);
  writer.Text(opening.device_properties);
  writer.Text(opening.cache_file);
  return writer.Take();
}

std::optional<Opening> DecodeOpening(std::string_view bytes) {
  ByteReader reader(bytes);
  Opening opening;
  opening.library_file = reader.Text();
  opening.device_properties = reader.Text();
  opening.cache_file = reader.Text();
  if (!reader.AtEnd()) return std::nullopt;
  return opening;
}

std::string Answered(std::string_view bytes) { return '\1' + std::string(bytes); }
std::string Unanswered(std::string_view reason) { return '\0' + std::string(reason); }

Result<std::string> DecodeAnswer(std::string_view message) {
  if (message.empty()) return Error{"the process that asks cuDNN sent an empty answer"};
  std::string rest(message.substr(1));
  if (message.front() == '\1') return rest;
  return Error{rest};
}

bool SendMessage(int socket, std::string_view bytes) {
  std::string message(sizeof(uint32_t), '\0');
  const auto length = static_cast<uint32_t>(bytes.size());
  std::memcpy(message.data(), &length, sizeof length);
  message += bytes;
  std::string_view rest = message;
  while (!rest.empty()) {
    const ssize_t sent = send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    rest.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::optional<std::string> ReceiveMessage(int socket, int timeout_ms) {
  std::optional<Clock::time_point> deadline;
  if (timeout_ms >= 0) deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  uint32_t length = 0;
  if (!ReceiveAll(socket, reinterpret_cast<char*>(&length), sizeof length, deadline)) return std::nullopt;
  if (length > kLargestMessageBytes) return std::nullopt;
  std::string bytes(length, '\0');
  if (!ReceiveAll(socket, bytes.data(), bytes.size(), deadline)) return std::nullopt;
  return bytes;
}

}  // namespace tidemark::phantom::workspaces
