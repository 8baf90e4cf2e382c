#include "profiler/phantom/programs/stand_in_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/base/command.h"
#include "profiler/base/paths.h"
#include "profiler/base/unique_fd.h"
#include "profiler/base/whole_file.h"
#include "profiler/events/torch_versions.h"

namespace tidemark::phantom {
namespace {

namespace fs = std::filesystem;

// All that decides what the stand-ins are.
constexpr const char* kSourceFiles[] = {"CMakeLists.txt",
                                        "profiler/CMakeLists.txt",
                                        "profiler/phantom/CMakeLists.txt",
                                        "profiler/phantom/environment.h",
                                        "profiler/phantom/environment.cpp",
                                        "profiler/phantom/faults.h",
                                        "profiler/phantom/machine.h",
                                        "profiler/phantom/faults.cpp",
                                        "profiler/phantom/address_order.h",
                                        "profiler/phantom/address_order.cpp"};
constexpr const char* kSourceFolders[] = {"cmake",
                                          "profiler/base",
                                          "profiler/events",
                                          "profiler/capture",
                                          "profiler/phantom/calibration",
                                          "profiler/phantom/cards",
                                          "profiler/phantom/device",
                                          "profiler/phantom/ranks",
                                          "profiler/phantom/replay",
                                          "profiler/phantom/stand_ins",
                                          "profiler/phantom/values",
                                          "profiler/phantom/workspaces"};

Error CannotKeep(const fs::path& file, const std::error_code& why) {
  return Error{"The stand-ins cannot be kept in " + file.string() + ": " + why.message() +
               ". Make room there, or set TIDEMARK_CACHE to another folder."};
}

Result<std::string> SourceFingerprint(const fs::path& sources) {
  std::vector<fs::path> files;
  for (const char* file : kSourceFiles) files.push_back(sources / file);
  for (const char* folder : kSourceFolders) {
    std::error_code failure;
    for (auto entry = fs::recursive_directory_iterator(sources / folder, failure);
         !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
      std::error_code unreadable;
      const bool is_built = entry->path().extension() != ".md";  // a page of the manual changes no library
      if (is_built && entry->is_regular_file(unreadable)) files.push_back(entry->path());
    }
    if (failure) {
      return Error{"The sources of the phantom GPU are not in " + sources.string() +
                   ", where this program was built. Start it with ./run from its checkout."};
    }
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    all += file.lexically_relative(sources).string() + '\0' + WholeFileOrNothing(file);
  }
  return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

constexpr std::chrono::milliseconds kLockAskedEvery{200};

// Held while it lives.
class Lock {
 public:
  // `waits` is asked again and again while another process holds it; where it says no, there is no lock.
  static Result<std::optional<Lock>> Take(const fs::path& file, const std::function<bool()>& waits) {
    UniqueFd fd(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
    if (!fd.valid()) return CannotKeep(file, {errno, std::generic_category()});
    while (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return CannotKeep(file, {errno, std::generic_category()});
      if (!waits()) return std::optional<Lock>();
      std::this_thread::sleep_for(kLockAskedEvery);
    }
    return std::optional(Lock(std::move(fd)));
  }

 private:
  explicit Lock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

std::string_view LineAt(std::string_view text, size_t begin) {
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

// What CMake says below "CMake Error at FILE:LINE (message):", up to an empty line, in one: a list that it
// announces ("... were not found:") comes after that.
std::string IndentedBelow(std::string_view output, size_t begin) {
  std::string words;
  for (size_t at = begin; at < output.size();) {
    const std::string_view line = LineAt(output, at);
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos && !words.empty() && words.back() != ':') break;
    if (first != std::string_view::npos)
      words += (words.empty() ? "" : " ") + std::string(line.substr(first));
    at += line.size() + 1;
  }
  return words;
}

// The first thing in a build's output that is an error, without the folders before its file; "" if there is
// none that is known as one. The generator's own complaint says it best.
std::string FirstErrorIn(std::string_view output) {
  constexpr std::string_view kComplaint = "generate_stand_ins.py: ";
  if (const size_t at = output.find(kComplaint); at != std::string_view::npos)
    return std::string(LineAt(output, at + kComplaint.size()));
  for (size_t at = 0; at < output.size();) {
    const std::string_view line = LineAt(output, at);
    at += line.size() + 1;
    if (line.starts_with("CMake Error")) return IndentedBelow(output, at);
    const bool is_error = line.find("error: ") != std::string_view::npos ||
                          line.find("undefined reference to ") != std::string_view::npos ||
                          line.find("cannot find -l") != std::string_view::npos;
    if (!is_error) continue;
    const size_t folder = line.substr(0, line.find(':')).rfind('/');
    return std::string(line.substr(folder == std::string_view::npos ? 0 : folder + 1));
  }
  return "";
}

Error BuildFailed(const TorchInstallation& torch, const std::string& output, const fs::path& log) {
  std::ofstream told(log, std::ios::binary);
  told << output;
  told.close();
  std::string why = FirstErrorIn(output);
  while (!why.empty() && (why.back() == '.' || why.back() == ' ')) why.pop_back();
  if (!why.empty()) why = ": " + why;
  const std::string all =
      told ? " All that the build said is in " + log.string() + "."
           : " What the build said cannot be kept in " + log.string() + ": make room there.";
  if (events::IsTriedTorch(torch.version)) {
    return Error{"The stand-ins for torch " + torch.version + " could not be built" + why + "." + all};
  }
  return Error{"The phantom is known to work with torch " + std::string(events::kTorchVersions) +
               "; this one is " + torch.version + ", and its stand-ins could not be built" + why +
               ". Install one of those versions." + all};
}

// One build of the stand-ins for a torch, and what is told of it.
class Building {
 public:
  Building(const TorchInstallation& torch, const BuildWatch& watch) : torch_(torch), watch_(watch) {}

  // Waits where another process builds; no lock where it was ended.
  Result<std::optional<Lock>> TakeLock(const fs::path& file) const {
    return Lock::Take(file, [this] {
      Tell(fmt::format("waiting for another process that builds the stand-ins for torch {}", torch_.version));
      return GoesOn();
    });
  }

  // Whole in `kept`, or not at all.
  Status Into(const fs::path& kept) const {
    const fs::path folder = kept.parent_path() / (torch_.build_id + ".building");
    std::error_code failure;
    fs::remove_all(folder, failure);  // of one that was killed
    Status built = Build(SourceFolder(), folder);
    if (built.ok()) fs::rename(folder / "lib", kept, failure);
    std::error_code ignored;  // what remains is removed before the next build
    fs::remove_all(folder, ignored);
    if (!built) return built;
    return failure ? Status(CannotKeep(kept, failure)) : Done{};
  }

  Error Stopped() const {
    return Error{"Stopped as asked, before the stand-ins for torch " + torch_.version +
                 " were built. Nothing of them is kept; the next start builds them."};
  }

 private:
  void Tell(std::string_view line) const {
    if (watch_.progress) watch_.progress(line);
  }
  bool GoesOn() const { return !watch_.goes_on || watch_.goes_on(); }
  void TellStep(std::string_view step) const {
    Tell(fmt::format("building the stand-ins for torch {}, once: {}", torch_.version, step));
  }

  void TellShare(std::string_view done, std::string_view all) const {
    const auto number = [](std::string_view text) {
      double value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    if (watch_.share && number(all) > 0) watch_.share(number(done) / number(all));
  }

  Status Build(const fs::path& sources, const fs::path& folder) const {
    TellStep("configuring");
    Status configured =
        Run({"cmake", "-G", "Ninja", "-S", sources.string(), "-B", folder.string(), "-DTIDEMARK_GUI=OFF",
             "-DTIDEMARK_TESTS=OFF", "-DTIDEMARK_SITE=" + torch_.site.string()},
            folder);
    if (!configured) return configured;
    return Run({"ninja", "-C", folder.string(), "tidemark_phantom_stand_ins", "tidemark_program_capture",
                "tidemark-replayer"},
               folder);
  }

  Status Run(const std::vector<std::string>& words, const fs::path& folder) const {
    const auto on_line = [this](std::string_view line) {
      // Ninja's "[3/67] Building CXX object ..."
      const size_t slash = line.find('/');
      const size_t end = line.find(']');
      if (!line.starts_with('[') || slash > end || end == std::string_view::npos) return;
      const std::string_view done = line.substr(1, slash - 1);
      const std::string_view all = line.substr(slash + 1, end - slash - 1);
      TellStep(fmt::format("step {} of {}", done, all));
      TellShare(done, all);
    };
    const Result<CommandOutcome> outcome = RunCommand(words, {true, on_line, watch_.goes_on});
    if (!outcome) {
      return Error{outcome.error().message +
                   " It is needed to build stand-ins; install what ./run installs."};
    }
    if (!GoesOn()) return Stopped();  // whatever the command made of it: Ctrl-C reaches it, too
    if (outcome->output.find("ninja: build stopped: interrupted by user") != std::string::npos) {
      return Error{"The build of the stand-ins for torch " + torch_.version +
                   " was interrupted from outside. Nothing of it is kept; the next start builds them."};
    }
    if (outcome->exit_code != 0) return BuildFailed(torch_, outcome->output, folder.string() + ".log");
    return Done{};
  }

  const TorchInstallation& torch_;
  const BuildWatch& watch_;
};

// Where the replayer finds its torch, which may be moved, or installed once more, after it was linked.
bool PointsTo(const fs::path& link, const fs::path& target) {
  std::error_code failure;
  return fs::read_symlink(link, failure) == target;
}

Status PointTo(const fs::path& link, const fs::path& target) {
  if (PointsTo(link, target)) return Done{};
  const fs::path fresh = link.string() + ".new";
  std::error_code failure;
  fs::remove(fresh, failure);
  fs::create_directory_symlink(target, fresh, failure);
  if (!failure) fs::rename(fresh, link, failure);
  return failure ? Status(CannotKeep(link, failure)) : Done{};
}

// Those that nobody has used for so long go when others are built: each version of our sources and of torch
// has its own.
constexpr std::chrono::hours kKeptUnused{24 * 30};

// What cannot be told or removed stays: it is only room.
void RemoveUnused(const fs::path& cache) {
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, failure)) {
    std::error_code ignored;
    if (!entry.is_directory(ignored) || !fs::is_symlink(entry.path() / "torch", ignored)) continue;
    const fs::file_time_type used = entry.last_write_time(ignored);
    if (!ignored && used < fs::file_time_type::clock::now() - kKeptUnused) fs::remove_all(entry, ignored);
  }
}

// Notes that they are used.
ProgramLibraries LibrariesIn(const fs::path& kept) {
  std::error_code not_ours;  // somebody else's cache, who does the same
  fs::last_write_time(kept, fs::file_time_type::clock::now(), not_ours);
  return {kept / "phantom", kept / "capture", kept / "replay" / "tidemark-replayer"};
}

Result<fs::path> KeptFolder(const std::string& build_id) {
  const Result<fs::path> cache = StandInCacheFolder();
  if (!cache) return cache.error();
  const Result<std::string> fingerprint = SourceFingerprint(SourceFolder());
  if (!fingerprint) return fingerprint.error();
  return *cache / (build_id + "-" + *fingerprint);
}

}  // namespace

Result<fs::path> StandInCacheFolder() {
  const fs::path folder = CacheFolder();
  if (folder.empty()) {
    return Error{"There is no home folder to keep the stand-ins in. Set TIDEMARK_CACHE to a folder."};
  }
  return folder / "phantom";
}

Result<ProgramLibraries> KeptLibraries(const std::string& build_id) {
  const Result<fs::path> kept = KeptFolder(build_id);
  if (!kept) return kept.error();
  std::error_code failure;
  if (fs::exists(*kept / "torch", failure)) return LibrariesIn(*kept);
  return Error{
      "What replays the requests of this run's torch is not here (any more), or that torch was moved. Run a "
      "program of that torch once (tidemark phantom -- python ...): that makes it, and finds it."};
}

Result<ProgramLibraries> LibrariesFor(const TorchInstallation& torch, const BuildWatch& watch) {
  const Result<fs::path> folder = KeptFolder(torch.build_id);
  if (!folder) return folder.error();
  const fs::path& kept = *folder;
  const fs::path cache = kept.parent_path();
  std::error_code failure;
  if (fs::exists(kept, failure) && PointsTo(kept / "torch", torch.site / "torch")) return LibrariesIn(kept);

  fs::create_directories(cache, failure);
  if (failure) return CannotKeep(cache, failure);
  const Building building(torch, watch);
  const Result<std::optional<Lock>> lock = building.TakeLock(cache / (torch.build_id + ".lock"));
  if (!lock) return lock.error();
  if (!*lock) return building.Stopped();
  if (!fs::exists(kept, failure)) {  // else another process was first
    if (Status built = building.Into(kept); !built) return built.error();
    RemoveUnused(cache);
  }
  if (Status pointed = PointTo(kept / "torch", torch.site / "torch"); !pointed) return pointed.error();
  return LibrariesIn(kept);
}

}  // namespace tidemark::phantom
