// The process that holds the real cuDNN (bin/tidemark-cudnn-oracle), as a stand-in starts and asks it. It
// cannot be this process: cuDNN loads the CUDA libraries by their names, and here those are the stand-ins. It
// is started without them, belongs to nobody's list of children (the program may wait for all of its own),
// says nothing on standard output or error, and ends when the last copy of our end of the socket is closed.
// Not thread safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/base/unique_fd.h"
#include "profiler/phantom/workspaces/messages.h"

namespace tidemark::phantom::workspaces {

class OracleProcess {
 public:
  // Errors go on after "cuDNN's workspaces are not included: ".
  static Result<OracleProcess> Start(const std::filesystem::path& executable,
                                     const std::vector<std::filesystem::path>& library_folders,
                                     const Opening& opening);

  // The answer's bytes.
  Result<std::string> Ask(const std::string& question);

  // cudnnGetVersion(): 91900.
  int64_t version() const { return version_; }
  // A fork's copy shares the socket, and must not ask over it.
  bool IsOurs() const;

 private:
  OracleProcess(UniqueFd socket, pid_t owner) : socket_(std::move(socket)), owner_(owner) {}

  UniqueFd socket_;
  pid_t owner_;
  int64_t version_ = 0;
};

}  // namespace tidemark::phantom::workspaces
