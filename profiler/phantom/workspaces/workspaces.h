// What a stand-in asks about cuDNN's plans. An answer comes from memory, else from the file of answers, else
// from the real cuDNN in a process that is started for the first question that nobody has put before. Where
// there is none to ask, or it fails, the answer is "not known", which is said once for the process.
//
// Thread safe. A known answer costs some microseconds (the question is hashed); the first one of a process
// 0.2 ms more (the file is read); one that is new to everybody 0.1 to 1 s for loading cuDNN, then 0.1 ms, or
// 0.1 s where an engine has to be compiled.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "profiler/base/result.h"
#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/workspaces/answer_cache.h"
#include "profiler/phantom/workspaces/device_properties.h"
#include "profiler/phantom/workspaces/library.h"
#include "profiler/phantom/workspaces/oracle_process.h"
#include "profiler/phantom/workspaces/question.h"

namespace tidemark::phantom::workspaces {

// The environment variable with the path of bin/tidemark-cudnn-oracle.
inline constexpr const char* kOracleVariable = "TIDEMARK_CUDNN_ORACLE";
// cuDNN answers without a GPU since 9.8.
inline constexpr int64_t kOldestVersion = 90800;

class Workspaces {
 public:
  struct Setup {
    Result<Library> library;
    std::filesystem::path oracle;
    std::string device_properties;
    std::filesystem::path answers_folder;               // "" for none
    std::function<void(const std::string&)> not_known;  // is told why, once
    std::function<void()>
        asking;  // is told that questions take their time, again after some time without any
    std::chrono::milliseconds worth_telling{1000};
    std::chrono::milliseconds quiet{2000};  // ends what was told
  };
  explicit Workspaces(Setup setup);

  // Nothing if it is not known.
  std::optional<HeuristicsAnswer> Heuristics(const std::string& tree);
  std::optional<PlanAnswer> Plan(const std::string& tree, int configuration);
  // As cuDNN gives it; "" where it does not tell that one so.
  std::optional<std::string> PlanJson(const std::string& tree, int configuration);

 private:
  std::optional<std::string> Ask(const Question& question) TIDEMARK_EXCLUDES(mutex_);
  std::optional<std::string> AskOracle(const std::string& question) TIDEMARK_REQUIRES(mutex_);
  void NoteAsking(std::chrono::steady_clock::time_point asked) TIDEMARK_REQUIRES(mutex_);
  bool StartOracle() TIDEMARK_REQUIRES(mutex_);
  void GiveUp(const std::string& reason) TIDEMARK_REQUIRES(mutex_);

  const Setup setup_;
  const std::filesystem::path cache_file_;
  Mutex mutex_;
  std::optional<AnswerCache> answers_ TIDEMARK_GUARDED_BY(mutex_);
  std::optional<OracleProcess> oracle_ TIDEMARK_GUARDED_BY(mutex_);
  std::chrono::steady_clock::duration asked_for_ TIDEMARK_GUARDED_BY(mutex_){};
  std::chrono::steady_clock::time_point answered_at_ TIDEMARK_GUARDED_BY(mutex_);
  bool said_asking_ TIDEMARK_GUARDED_BY(mutex_) = false;
  bool said_not_known_ TIDEMARK_GUARDED_BY(mutex_) = false;
  int starts_ TIDEMARK_GUARDED_BY(mutex_) = 0;
  std::optional<std::string> gave_up_ TIDEMARK_GUARDED_BY(mutex_);  // why
};

}  // namespace tidemark::phantom::workspaces
