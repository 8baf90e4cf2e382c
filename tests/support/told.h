// What is told on standard error meanwhile, where that is a file, as a log is.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

namespace tidemark {

inline std::string ToldMeanwhile(const std::function<void()>& tell) {
  std::string file = "/tmp/tidemark-told-XXXXXX";
  const int told = mkstemp(file.data());
  const int before = dup(STDERR_FILENO);
  dup2(told, STDERR_FILENO);
  tell();
  dup2(before, STDERR_FILENO);
  close(before);
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(pread(told, text.data(), text.size(), 0)));
  close(told);
  unlink(file.c_str());
  return text;
}

}  // namespace tidemark
