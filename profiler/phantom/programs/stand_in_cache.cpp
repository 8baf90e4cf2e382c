#include "profiler/phantom/programs/stand_in_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "profiler/base/command.h"
#include "profiler/base/paths.h"
#include "profiler/base/unique_fd.h"

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
                                          "profiler/phantom/replay",
                                          "profiler/phantom/stand_ins",
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
      if (entry->is_regular_file(unreadable)) files.push_back(entry->path());
    }
    if (failure) {
      return Error{"The sources of the phantom GPU are not in " + sources.string() +
                   ", where this program was built. Start it with ./run from its checkout."};
    }
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    all += file.lexically_relative(sources).string() + '\0';
    all.append(std::istreambuf_iterator<char>(stream), {});
  }
  return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

// Held while it lives.
class Lock {
 public:
  // `waits` is called where another process holds it.
  static Result<Lock> Take(const fs::path& file, const std::function<void()>& waits) {
    UniqueFd fd(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
    if (!fd.valid()) return CannotKeep(file, {errno, std::generic_category()});
    if (flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return Lock(std::move(fd));
    waits();
    while (flock(fd.get(), LOCK_EX) != 0) {
      if (errno != EINTR) return CannotKeep(file, {errno, std::generic_category()});
    }
    return Lock(std::move(fd));
  }

 private:
  explicit Lock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

Error BuildFailed(const TorchInstallation& torch, const std::string& output, const fs::path& log) {
  std::ofstream(log, std::ios::binary) << output;
  // The generator's own complaint says it best.
  const std::string said = "generate_stand_ins.py: ";
  const size_t complaint = output.find(said);
  const std::string why = complaint == std::string::npos
                              ? ""
                              : " (" +
                                    output.substr(complaint + said.size(),
                                                  output.find('\n', complaint) - complaint - said.size()) +
                                    ")";
  return Error{"The stand-ins for torch " + torch.version + " could not be built" + why +
               ". All that the build said is in " + log.string() + "."};
}

Status Run(const std::vector<std::string>& words, const TorchInstallation& torch, const fs::path& log,
           const std::function<void(std::string_view)>& progress) {
  const Result<CommandOutcome> outcome = RunCommand(words, {true, progress});
  if (!outcome) {
    return Error{outcome.error().message + " It is needed to build stand-ins; install what ./run installs."};
  }
  if (outcome->exit_code != 0) return BuildFailed(torch, outcome->output, log);
  return Done{};
}

Status Build(const TorchInstallation& torch, const fs::path& sources, const fs::path& folder,
             const std::function<void(std::string_view)>& progress) {
  const fs::path log = folder.string() + ".log";
  Status configured =
      Run({"cmake", "-G", "Ninja", "-S", sources.string(), "-B", folder.string(), "-DTIDEMARK_GUI=OFF",
           "-DTIDEMARK_TESTS=OFF", "-DTIDEMARK_SITE=" + torch.site.string()},
          torch, log, {});
  if (!configured) return configured;
  return Run({"ninja", "-C", folder.string(), "tidemark_phantom_stand_ins", "tidemark_program_capture",
              "tidemark-replayer"},
             torch, log, progress);
}

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

ProgramLibraries LibrariesIn(const fs::path& kept) {
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

Result<ProgramLibraries> LibrariesFor(const TorchInstallation& torch,
                                      const std::function<void(std::string_view line)>& progress) {
  const auto tell = [&](std::string_view line) {
    if (progress) progress(line);
  };
  const Result<fs::path> folder = KeptFolder(torch.build_id);
  if (!folder) return folder.error();
  const fs::path& kept = *folder;
  const fs::path cache = kept.parent_path();
  std::error_code failure;
  if (fs::exists(kept, failure) && PointsTo(kept / "torch", torch.site / "torch")) return LibrariesIn(kept);

  fs::create_directories(cache, failure);
  if (failure) return CannotKeep(cache, failure);
  const Result<Lock> lock = Lock::Take(cache / (torch.build_id + ".lock"),
                                       [&] { tell("another process builds them, waiting for it"); });
  if (!lock) return lock.error();
  if (!fs::exists(kept, failure)) {  // else another process was first
    tell("configuring");
    const fs::path building = cache / (torch.build_id + ".building");
    fs::remove_all(building, failure);  // of one that was killed
    if (Status built = Build(torch, SourceFolder(), building, progress); !built) return built.error();
    fs::rename(building / "lib", kept, failure);
    if (failure) return CannotKeep(kept, failure);
    fs::remove_all(building, failure);
  }
  if (Status pointed = PointTo(kept / "torch", torch.site / "torch"); !pointed) return pointed.error();
  return LibrariesIn(kept);
}

}  // namespace tidemark::phantom
