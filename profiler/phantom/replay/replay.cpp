#include "profiler/phantom/replay/replay.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "profiler/base/command.h"
#include "profiler/base/unique_fd.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/machine.h"

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

std::optional<Replayed> AnswerIn(std::string_view line) {
  if (!line.starts_with(kAnswerPrefix)) return {};
  const Json answer = Json::parse(line.substr(kAnswerPrefix.size()), nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return {};  // it was ended amid the line
  Replayed replayed;
  replayed.allocated_peak_bytes = answer.value("allocated_peak_bytes", int64_t{0});
  replayed.reserved_peak_bytes = answer.value("reserved_peak_bytes", int64_t{0});
  replayed.fullest_reserved_bytes = answer.value("fullest_reserved_bytes", int64_t{0});
  replayed.retries = answer.value("retries", int64_t{0});
  replayed.failures = answer.value("failures", int64_t{0});
  for (const Json& column : answer.value("curve", Json::array())) {
    if (!column.is_array() || column.size() != 3) continue;
    replayed.curve.push_back({column[0], column[1], column[2]});
  }
  return replayed;
}

// What it said, in one line and without stacks: an exception's words where it was ended by one.
std::string WordsIn(std::string_view output) {
  constexpr std::string_view kWhat = "what():";
  if (const size_t what = output.find(kWhat); what != std::string_view::npos)
    output.remove_prefix(what + kWhat.size());
  const size_t first = output.find_first_not_of(" \n");
  if (first == std::string_view::npos) return "the process that replays them said nothing.";
  output.remove_prefix(first);
  std::string words(output.substr(0, output.find('\n')));
  while (!words.empty() && (words.back() == ' ' || words.back() == '.')) words.pop_back();
  return words + ".";
}

bool NamesDevice(const Request& request) {
  return request.kind != Request::Kind::kEmptyCache && request.kind != Request::Kind::kCountHence;
}

// The devices from 0 on in the order met: each that the phantom has takes time, used or not. Their number.
size_t NumberDevices(std::vector<Request>& requests) {
  std::unordered_map<uint64_t, uint64_t> numbers;
  for (Request& request : requests) {
    if (NamesDevice(request))
      request.device = numbers.try_emplace(request.device, numbers.size()).first->second;
  }
  return std::max<size_t>(numbers.size(), 1);
}

}  // namespace

Result<std::vector<Replayed>> Replay(const Replayer& replayer, const std::vector<Request>& requests,
                                     const std::vector<AddressOrder>& orders, size_t columns,
                                     const Progress& progress) {
  std::vector<Request> numbered = requests;
  const size_t devices = NumberDevices(numbered);
  const Result<UniqueFd> file = InMemory(numbered);
  if (!file) return file.error();
  std::vector<std::string> words = {
      replayer.executable.string(),
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file->get()), std::to_string(columns)};
  for (const AddressOrder& order : orders) words.push_back(TextOf(order));
  std::vector<Replayed> answers;
  CommandOptions options;
  options.with_errors = true;
  options.environment = replayer.environment;
  options.environment.emplace_back("CUDA_VISIBLE_DEVICES");  // whatever it hides from us
  options.environment.push_back(std::string(kDeviceCountVariable) + "=" + std::to_string(devices));
  options.on_line = [&](std::string_view line) {
    if (const std::optional<Replayed> answer = AnswerIn(line)) answers.push_back(*answer);
  };
  bool was_ended = false;
  if (progress) {
    options.goes_on = [&] {
      was_ended =
          was_ended || !progress(static_cast<double>(answers.size()) / static_cast<double>(orders.size()));
      return !was_ended;
    };
  }
  const Result<CommandOutcome> outcome = RunCommand(words, options);
  if (!outcome) return outcome.error();
  if (was_ended) return Error{"The replay was cancelled."};
  if (outcome->exit_code == 0 && answers.size() == orders.size()) return answers;
  return Error{"Replaying a run's requests failed: " + WordsIn(outcome->output)};
}

Result<ReservedBand> BandOfReserved(const Replayer& replayer, const std::vector<Request>& requests,
                                    const Replayed& as_it_was, const AddressOrder& own_order,
                                    const Progress& progress) {
  std::vector<AddressOrder> orders = LikelyOrders();
  if (std::ranges::find(orders, own_order) == orders.end()) orders.push_back(own_order);
  const Result<std::vector<Replayed>> replayed = Replay(replayer, requests, orders, 0, progress);
  if (!replayed) return replayed.error();
  ReservedBand band{as_it_was.reserved_peak_bytes,
                    as_it_was.reserved_peak_bytes,
                    false,
                    {as_it_was.allocated_peak_bytes, as_it_was.allocated_peak_bytes}};
  for (size_t i = 0; i < orders.size(); ++i) {
    const Replayed& other = (*replayed)[i];
    if (orders[i] == own_order && (other.reserved_peak_bytes != as_it_was.reserved_peak_bytes ||
                                   other.allocated_peak_bytes != as_it_was.allocated_peak_bytes)) {
      return Error{
          "How far the order of addresses moves what is reserved is not known for this run: its requests, "
          "replayed, do not reserve the same."};
    }
    band.least_bytes = std::min(band.least_bytes, other.reserved_peak_bytes);
    band.most_bytes = std::max(band.most_bytes, other.reserved_peak_bytes);
    band.allocated.least_bytes = std::min(band.allocated.least_bytes, other.allocated_peak_bytes);
    band.allocated.most_bytes = std::max(band.allocated.most_bytes, other.allocated_peak_bytes);
    band.empties_cache = band.empties_cache || other.retries > 0;
  }
  return band;
}

}  // namespace tidemark::phantom
