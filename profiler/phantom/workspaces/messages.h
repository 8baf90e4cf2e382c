// What goes between a stand-in and the process that holds the real cuDNN, over a socket: messages of a length
// (4 bytes) and as many bytes. The stand-in sends Opening, gets Opened, then one answer for each question.
// Every answer begins with a byte: 1, and what was asked for; or 0, and a sentence's middle that says why
// not. Both ends are of one build. Not thread safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/result.h"

namespace tidemark::phantom::workspaces {

struct Opening {
  std::string library_file;
  std::string device_properties;  // JSON
  std::string cache_file;         // "" for none
};

std::string Encode(const Opening& opening);
std::optional<Opening> DecodeOpening(std::string_view bytes);

std::string Answered(std::string_view bytes);
std::string Unanswered(std::string_view reason);
// Of an answer's message: the bytes, or the reason.
Result<std::string> DecodeAnswer(std::string_view message);

inline constexpr size_t kLargestMessageBytes = 16 << 20;

// False when the other end is gone.
bool SendMessage(int socket, std::string_view bytes);
// Nothing when the other end is gone, sends what is no message, or says nothing for so long. A negative time
// waits forever.
std::optional<std::string> ReceiveMessage(int socket, int timeout_ms);

}  // namespace tidemark::phantom::workspaces
