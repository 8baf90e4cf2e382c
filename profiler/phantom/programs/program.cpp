#include "profiler/phantom/programs/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "profiler/base/child_environment.h"
#include "profiler/base/children.h"
#include "profiler/base/paths.h"
#include "profiler/base/rank_place.h"
#include "profiler/base/unique_fd.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/machine.h"
#include "profiler/phantom/programs/torch_installation.h"

namespace tidemark::phantom {
namespace {

// Of the program that is waited for; signal handlers read it. What came before it was known waits for it.
std::atomic<pid_t> running_pid{0};
std::atomic<int> early_signal{0};
std::atomic<bool> asked_to_end{false};
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// These a terminal sends to the program as well as to us; whoever else sends one, or another, sends it to us
// alone.
bool ProgramHasIt(int signal, const siginfo_t& told) {
  return (signal == SIGINT || signal == SIGQUIT) && told.si_code == SI_KERNEL;
}

void PassOn(int signal, siginfo_t* told, void* /*context*/) {
  if (ProgramHasIt(signal, *told)) return;
  early_signal = signal;
  if (signal == SIGTERM || signal == SIGHUP) asked_to_end = true;
  if (const pid_t pid = running_pid; pid > 0) kill(pid, signal);
}

void BeginPassingOnTo(pid_t pid) {
  running_pid = pid;
  if (const int signal = early_signal; signal != 0) kill(pid, signal);
}

constexpr std::array kPassedOn = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

// What is ours to do with signals while a program runs. Those that were ignored before (nohup, a shell's &)
// stay so, here and for the program.
class SignalsForProgram {
 public:
  SignalsForProgram() {
    for (const int signal : kPassedOn) TakeOver(signal);
  }
  ~SignalsForProgram() {
    for (const TakenOver& taken : taken_over_) sigaction(taken.signal, &taken.before, nullptr);
    early_signal = 0;  // now that no more come: the next program is not to get it
  }
  SignalsForProgram(const SignalsForProgram&) = delete;
  SignalsForProgram& operator=(const SignalsForProgram&) = delete;

  // Those that the program is to have as usual, and not as we do.
  sigset_t UsualForProgram() const {
    sigset_t usual;
    sigemptyset(&usual);
    for (const TakenOver& taken : taken_over_) sigaddset(&usual, taken.signal);
    sigaddset(&usual, SIGPIPE);
    return usual;
  }

 private:
  struct TakenOver {
    int signal = 0;
    struct sigaction before = {};
  };

  void TakeOver(int signal) {
    TakenOver taken = {.signal = signal};
    sigaction(signal, nullptr, &taken.before);
    if (taken.before.sa_handler == SIG_IGN) return;
    struct sigaction ours = {};
    ours.sa_sigaction = PassOn;
    ours.sa_flags = SA_SIGINFO | SA_RESTART;  // Ctrl-C is to break off nothing of ours
    sigaction(signal, &ours, nullptr);
    taken_over_.push_back(taken);
  }

  std::vector<TakenOver> taken_over_;
};

// So many ranks, each with a card, share a machine: the usual one has eight cards.
constexpr int64_t kRanksOfMachine = 8;

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct Start {
  const std::vector<char*> words;
  char* const* environment = nullptr;
  sigset_t usual_signals;
  sigset_t mask;
  int standard_error = -1;
  WhenWeAreKilled when_killed = WhenWeAreKilled::kEndsToo;
  bool ignores_children = false;
};

// In the forked child, which has one thread: another's locks may be held for ever, so nothing is called that
// takes one. The error number is told where the program cannot be started.
[[noreturn]] void Become(const Start& start, pid_t parent, int failure) {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&start.usual_signals, signal) == 1) ::signal(signal, SIG_DFL);
  }
  if (start.ignores_children) signal(SIGCHLD, SIG_IGN);
  pthread_sigmask(SIG_SETMASK, &start.mask, nullptr);
  if (start.when_killed == WhenWeAreKilled::kEndsToo) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);
  }
  if (start.standard_error >= 0) dup2(start.standard_error, STDERR_FILENO);
  execvpe(start.words[0], start.words.data(), start.environment);
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

// The error number, or 0. The kernel ends what is to end with us when the calling thread does, so that one is
// to wait for it. (posix_spawn has no such wish.)
int Spawn(Start start, pid_t* pid) {
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  const UniqueFd failure(ends[0]);
  UniqueFd failing(ends[1]);
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &start.mask);  // what comes meanwhile finds the program's own handlers
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) Become(start, parent, failing.get());
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &start.mask, nullptr);
  if (child < 0) return fork_error;
  failing.Reset();
  int error = 0;
  ssize_t count = 0;
  while ((count = read(failure.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (count > 0) (void)WaitStatusOf(child);
  *pid = child;
  return error;
}

// Whose program has the process's signals.
Mutex& TheSignals() {
  static Mutex mutex;
  return mutex;
}

// `make` is mkstemp, mkdtemp or the like, of which what is there now has the name that comes back.
template <typename Make>
Result<std::string> MakeTemporary(const char* pattern, const Make& make) {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  std::string name = (folder / pattern).string();
  if (!failure && make(name.data())) return name;
  if (!failure) failure = {errno, std::generic_category()};
  return Error{"Temporary files cannot be written in " +
               (folder.empty() ? std::string("the folder that TMPDIR names") : folder.string()) + ": " +
               failure.message() + ". Set TMPDIR to a folder that can be written to and has room."};
}

}  // namespace

std::vector<std::string> CommandsEnvironment(const std::filesystem::path& python) {
  const char* present = std::getenv("PATH");
  return {"PATH=" + (AssetsFolder() / "commands").string() + ":" +
              (present == nullptr ? "/usr/bin:/bin" : present),
          std::string(kPythonVariable) + "=" + python.string()};
}

int64_t RanksOfMachine(const Rank& rank) {
  return std::min(kRanksOfMachine, rank.world - rank.rank / kRanksOfMachine * kRanksOfMachine);
}

std::vector<std::string> RankEnvironment(const Rank& rank) {
  RankPlace place;  // nobody else is there to meet, so any address serves
  place.rank = static_cast<int>(rank.rank);
  place.world = static_cast<int>(rank.world);
  place.local_rank = static_cast<int>(rank.rank % kRanksOfMachine);
  std::vector<std::string> environment = EnvironmentOf(place);
  environment.push_back("LOCAL_WORLD_SIZE=" + std::to_string(RanksOfMachine(rank)));
  environment.push_back(std::string(kWorldVariable) + "=" + std::to_string(rank.world));
  environment.push_back(std::string(kMachineRanksVariable) + "=" + std::to_string(kRanksOfMachine));
  return environment;
}

std::vector<std::string> PythonEnvironment() {
  const char* present = std::getenv("PYTHONPATH");
  const std::string python = (AssetsFolder() / "python").string();
  return {"PYTHONPATH=" + python + (present == nullptr || *present == '\0' ? "" : ":" + std::string(present)),
          std::string(kLayersVariable) + "=1"};
}

Result<DoubtsFile> DoubtsFile::Create() {
  const Result<std::string> name = MakeTemporary(
      "tidemark-doubts-XXXXXX", [](char* pattern) { return UniqueFd(mkstemp(pattern)).valid(); });
  if (!name) return name.error();
  return DoubtsFile(*name);
}

DoubtsFile::~DoubtsFile() {
  if (!name_.empty()) unlink(name_.c_str());
}

std::string DoubtsFile::EnvironmentEntry() const { return std::string(kDoubtsVariable) + "=" + name_; }

std::vector<std::string> DoubtsFile::Sentences() const {
  std::vector<std::string> sentences;
  std::ifstream file(name_);
  for (std::string line; std::getline(file, line);) {
    // It is told again whenever it has become more.
    if (line.starts_with(kOutsideMemoryDoubt)) {
      std::erase_if(sentences, [](const std::string& told) { return told.starts_with(kOutsideMemoryDoubt); });
    }
    // Every process of the program tells its own.
    if (std::find(sentences.begin(), sentences.end(), line) == sentences.end()) sentences.push_back(line);
  }
  return sentences;
}

Result<RanksFolder> RanksFolder::Create() {
  const Result<std::string> name =
      MakeTemporary("tidemark-ranks-XXXXXX", [](char* pattern) { return mkdtemp(pattern) != nullptr; });
  if (!name) return name.error();
  return RanksFolder(*name);
}

// What nobody heard is in it still.
RanksFolder::~RanksFolder() {
  std::error_code gone;
  if (!name_.empty()) std::filesystem::remove_all(name_, gone);
}

std::string RanksFolder::EnvironmentEntry() const { return std::string(kRanksVariable) + "=" + name_; }

std::string RanksFolder::EnvironmentEntryOfPretended() const {
  return std::string(kAskedVariable) + "=" + nlohmann::json::array({name_}).dump();
}

void ProgramStop::Ask() {
  const MutexLock lock(mutex_);
  const int signal = asked_++ == 0 ? SIGTERM : SIGKILL;
  if (pid_ > 0) kill(pid_, signal);
}

bool ProgramStop::WasAsked() {
  const MutexLock lock(mutex_);
  return asked_ > 0;
}

void ProgramStop::Began(pid_t pid) {
  const MutexLock lock(mutex_);
  pid_ = pid;
  if (asked_ > 0) kill(pid, asked_ == 1 ? SIGTERM : SIGKILL);  // since it was looked at last
}

void ProgramStop::Ended() {
  const MutexLock lock(mutex_);
  pid_ = 0;
}

Result<int> RunProgram(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                       ProgramStop& stop, int standard_error) {
  const MutexLock lock(TheSignals());
  if (stop.WasAsked()) return 128 + SIGTERM;
  const SignalsForProgram signals;
  const ChildEnvironment entries(environment);
  pid_t pid = 0;
  const int error = Spawn({.words = Pointers(words),
                           .environment = entries.entries(),
                           .usual_signals = signals.UsualForProgram(),
                           .mask = {},
                           .standard_error = standard_error,
                           .when_killed = stop.when_killed(),
                           .ignores_children = WereChildrenIgnored()},
                          &pid);
  if (error != 0) return Error{words[0] + " cannot be started: " + std::strerror(error) + "."};
  BeginPassingOnTo(pid);
  stop.Began(pid);
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  running_pid = 0;  // as long as the number is still its own
  stop.Ended();
  const std::optional<int> status = WaitStatusOf(pid);
  if (!status) return Error{words[0] + " has ended, but nobody knows how: SIGCHLD is ignored."};
  return ExitCodeOfStatus(*status);
}

bool WasAskedToEnd() { return asked_to_end; }

}  // namespace tidemark::phantom
