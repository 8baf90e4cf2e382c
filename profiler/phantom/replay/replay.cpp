#include "profiler/phantom/replay/replay.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "profiler/base/command.h"
#include "profiler/base/unique_fd.h"
#include "profiler/phantom/environment.h"

namespace tidemark::phantom {
namespace {

using Json = nlohmann::json;

// Readable under /proc/PID/fd by a process of the same user, and gone with the last descriptor.
Result<UniqueFd> InMemory(const std::vector<Request>& requests) {
  UniqueFd file(memfd_create("requests", MFD_CLOEXEC));
  const auto* bytes = reinterpret_cast<const char*>(requests.data());
  size_t left = requests.size() * sizeof(Request);
  while (file.valid() && left > 0) {
    const ssize_t written = write(file.get(), bytes, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    bytes += written;
    left -= static_cast<size_t>(written);
  }
  if (file.valid() && left == 0) return file;
  return Error{"A run's requests cannot be kept to be replayed: " +
               std::error_code(errno, std::generic_category()).message() + "."};
}

Result<Replayed> Replay(const Replayer& replayer, const UniqueFd& requests, const AddressOrder& order) {
  CommandOptions options;
  options.with_errors = true;
  options.environment = replayer.environment;
  options.environment.emplace_back("CUDA_VISIBLE_DEVICES");  // whatever it hides from us
  options.environment.push_back(std::string(kAddressesVariable) + "=" + TextOf(order));
  const std::string file = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(requests.get());
  const Result<CommandOutcome> outcome = RunCommand({replayer.executable.string(), file}, options);
  if (!outcome) return outcome.error();
  // What else it, or what is loaded into it, said stands before the answer.
  const size_t begin = outcome->output.rfind('{');
  const Json answer = begin == std::string::npos
                          ? Json()
                          : Json::parse(outcome->output.substr(begin), nullptr, /*allow_exceptions=*/false);
  if (outcome->exit_code != 0 || !answer.is_object()) {
    return Error{"Replaying a run's requests failed: " + outcome->output};
  }
  Replayed replayed;
  replayed.allocated_peak_bytes = answer.value("allocated_peak_bytes", int64_t{0});
  replayed.reserved_peak_bytes = answer.value("reserved_peak_bytes", int64_t{0});
  replayed.retries = answer.value("retries", int64_t{0});
  replayed.failures = answer.value("failures", int64_t{0});
  return replayed;
}

}  // namespace

Result<Replayed> Replay(const Replayer& replayer, const std::vector<Request>& requests,
                        const AddressOrder& order) {
  const Result<UniqueFd> file = InMemory(requests);
  if (!file) return file.error();
  return Replay(replayer, *file, order);
}

Result<ReservedBand> BandOfReserved(const Replayer& replayer, const std::vector<Request>& requests,
                                    const Replayed& as_it_was) {
  const Result<UniqueFd> file = InMemory(requests);
  if (!file) return file.error();
  ReservedBand band{as_it_was.reserved_peak_bytes, as_it_was.reserved_peak_bytes};
  for (const AddressOrder& order : LikelyOrders()) {
    const Result<Replayed> replayed = Replay(replayer, *file, order);
    if (!replayed) return replayed.error();
    if (order == AddressOrder{} && (replayed->reserved_peak_bytes != as_it_was.reserved_peak_bytes ||
                                    replayed->allocated_peak_bytes != as_it_was.allocated_peak_bytes)) {
      return Error{
          "How far the order of addresses moves what is reserved is not known for this run: its requests, "
          "replayed, do not reserve the same."};
    }
    band.least_bytes = std::min(band.least_bytes, replayed->reserved_peak_bytes);
    band.most_bytes = std::max(band.most_bytes, replayed->reserved_peak_bytes);
  }
  return band;
}

}  // namespace tidemark::phantom
