#include "app/cli/programs/program_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app/cli/programs/capture_options.h"
#include "app/cli/programs/user_program.h"
#include "profiler/base/clock.h"
#include "profiler/base/paths.h"
#include "profiler/base/rank_place.h"
#include "profiler/capture/gates/library_names.h"
#include "profiler/capture/gates/probe_loading.h"
#include "profiler/events/allocator_settings.h"
#include "profiler/events/device_work.h"
#include "profiler/events/torch_versions.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/faults.h"
#include "profiler/phantom/machine.h"
#include "profiler/phantom/programs/torch_installation.h"
#include "profiler/session/ranks.h"
#include "profiler/trace/tide.h"

namespace tidemark::cli {
namespace {

constexpr const char* kInjection = "CUDA_INJECTION64_PATH";      // which the CUDA driver loads
constexpr const char* kNvtxInjection = "NVTX_INJECTION64_PATH";  // which NVTX loads, in the program

std::string ValueOf(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What the program needs to find itself on the phantom.
Result<std::vector<std::string>> EnvironmentOf(const PhantomOrder& order,
                                               const std::vector<std::string>& program,
                                               const phantom::TorchInstallation& torch,
                                               const phantom::ProgramLibraries& libraries) {
  Result<std::vector<std::string>> environment = phantom::PhantomEnvironment(
      order.card, libraries.stand_ins, {libraries.capture / capture::kGatesLibrary});
  if (!environment) return environment.error();
  for (std::string& entry : phantom::CommandsEnvironment(torch.python))
    environment->push_back(std::move(entry));
  if (ValueOf(kNvtxInjection).empty()) {
    environment->push_back(
        fmt::format("{}={}", kNvtxInjection, (libraries.capture / capture::kRecorderLibrary).string()));
  }
  if (order.memory_bytes) {
    environment->push_back(fmt::format("{}={}", phantom::kMemoryVariable, *order.memory_bytes));
  }
  if (!order.faults.empty()) {
    environment->push_back(fmt::format("{}={}", phantom::kFaultsVariable, order.faults));
  }
  if (!order.stacks.empty()) environment->push_back(StacksEntry(order.stacks));
  if (order.kernels) environment->push_back(events::DeviceWorkEntry());
  environment->push_back(fmt::format("{}={}", phantom::kAddressesVariable, phantom::TextOf(order.addresses)));
  for (std::string& entry : phantom::PythonEnvironment()) environment->push_back(std::move(entry));
  for (std::string& entry : phantom::EnvironmentOf(order.techniques))
    environment->push_back(std::move(entry));
  int64_t processes = ProcessesOfLauncher(program).value_or(1);
  if (order.rank.world > 1) {
    for (std::string& entry : phantom::RankEnvironment(order.rank)) environment->push_back(std::move(entry));
    processes = phantom::RanksOfMachine(order.rank);
  }
  if (processes * order.gpus > 1) {
    environment->push_back(fmt::format("{}={}", phantom::kDeviceCountVariable, processes * order.gpus));
  }
  return environment;
}

std::string TitleFrom(const phantom::PythonStart& python, const std::vector<std::string>& program) {
  return TitleOf({program.begin() + static_cast<std::ptrdiff_t>(python.place), program.end()});
}

events::RunDescription Describe(const PhantomOrder& order, const phantom::TorchInstallation& torch,
                                const std::vector<std::string>& program, const std::string& title) {
  events::RunDescription description;
  description.device = networks::TextOf(networks::DeviceChoice{});
  description.device_name = order.card.title;
  description.device_bytes = order.memory_bytes.value_or(order.card.memory_bytes);
  description.title = fmt::format("{} on phantom {}", title, order.card.title);
  description.producer = fmt::format("tidemark phantom {} (torch {})", TIDEMARK_VERSION, torch.version);
  description.torch_build_id = torch.build_id;
  description.torch_cuda = torch.cuda;
  description.rank = static_cast<int32_t>(order.rank.rank);
  if (order.rank.world > 1) description.pretended_world = static_cast<int32_t>(order.rank.world);
  description.allocator_settings = events::AllocatorSettings();
  description.tells_pools = events::TellsPools(torch.version, description.allocator_settings);
  description.address_order = phantom::TextOf(order.addresses);
  description.start_time_ns = RealtimeNs();
  description.command = CommandLineOf(program);
  return description;
}

// Of one of several ranks that a launcher started, each with a recorder of its own: a file for each.
std::filesystem::path RecordingFor(const std::string& recording) {
  const Result<RankPlace> place = RankPlaceFromEnvironment();  // a program may make of odd ones what it likes
  return place && place->world > 1 ? session::RecordingOfRank(recording, place->rank)
                                   : std::filesystem::path(recording);
}

// What brings the probe into the program. An injection that is there already is somebody else's, and stays.
Result<std::vector<std::string>> ProbeEnvironment(const RecordedLayers& layers,
                                                  std::vector<std::string>& missing) {
  const std::string probe =
      (ExecutableFolder().parent_path() / "lib" / "probe" / capture::kProbeLibrary).string();
  if (!std::filesystem::exists(probe)) {
    return Error{"The probe is not in " + probe + ". Build the project again with ./run."};
  }
  const std::string preload = ValueOf("LD_PRELOAD");
  std::vector<std::string> environment = {"LD_PRELOAD=" + probe + (preload.empty() ? "" : ":" + preload)};
  const std::string injection = ValueOf(kInjection);
  if (injection.empty() || injection == "none") {
    environment.push_back(std::string(kInjection) + "=" + probe);
  } else {
    missing.push_back(
        fmt::format("{} names another tool ({}), so what the CUDA driver hands out is not recorded. Unset "
                    "it to record that too.",
                    kInjection, injection));
  }
  if (ValueOf(kNvtxInjection).empty()) environment.push_back(std::string(kNvtxInjection) + "=" + probe);
  if (layers.cpu) environment.push_back(std::string(capture::kProbeCpuVariable) + "=1");
  if (!layers.stacks.empty()) environment.push_back(StacksEntry(layers.stacks));
  if (layers.kernels) environment.push_back(events::DeviceWorkEntry());
  if (!layers.without.empty()) environment.push_back(WithoutEntry(layers.without));
  return environment;
}

// What lets the probe tell operators: a library compiled for the program's torch, once, with its stand-ins.
Result<std::vector<std::string>> OperatorsEnvironment(const Result<phantom::PythonStart>& python,
                                                      const phantom::BuildWatch& building) {
  if (!python) {
    return Error{
        "which Python will run is not known here. Start it itself, as in: tidemark record --operators -- "
        "python train.py."};
  }
  const Result<phantom::TorchInstallation> torch = phantom::FindTorch(python->words, building.goes_on);
  if (!torch) return torch.error();
  const Result<phantom::ProgramLibraries> libraries = phantom::LibrariesFor(*torch, building);
  if (!libraries) return libraries.error();
  std::vector<std::string> environment = phantom::PythonEnvironment();
  environment.push_back(fmt::format("{}={}", capture::kProbeOperatorsVariable,
                                    (libraries->capture / capture::kOperatorsLibrary).string()));
  environment.push_back(fmt::format("{}={}", capture::kProbeTorchVariable,
                                    (torch->site / "torch" / "lib" / "libtorch_cuda.so").string()));
  return environment;
}

// And what of it was measured elsewhere.
std::string AddressesNote(const PhantomOrder& order) {
  constexpr std::string_view kMeasuredOn = "h200";
  std::string note = fmt::format(
      "Addresses were handed out in the order {}, as asked for: what is reserved is that of this order.",
      phantom::TextOf(order.addresses));
  if (order.addresses.kind == phantom::AddressOrder::Kind::kLinux580 && order.card.name != kMeasuredOn) {
    note +=
        " What driver 580 and cuBLAS hold among them was measured on an H200; here it is derived, the "
        "driver's "
        "part by the number of multiprocessors, cuBLAS's 64 MiB a handle as they were.";
  }
  return note;
}

Status AskForDoubts(ProgramLaunch& launch) {
  Result<phantom::DoubtsFile> doubts = phantom::DoubtsFile::Create();
  if (!doubts) return doubts.error();
  launch.environment.push_back(doubts->EnvironmentEntry());
  launch.doubts = std::make_shared<const phantom::DoubtsFile>(std::move(*doubts));
  return Done{};
}

// Whether a launcher around us has said which rank we are, whatever it said: then each rank has one of us.
bool HasRank() {
  return std::ranges::any_of(kLaunchers,
                             [](const LauncherNames& names) { return !ValueOf(names.rank).empty(); });
}

Status LetRanksMeet(const phantom::Rank& rank, ProgramLaunch& launch) {
  const bool pretended = rank.world > 1;
  const bool has_rank = HasRank();
  if (pretended || has_rank) {
    launch.environment.push_back(std::string(phantom::kRanksVariable) + "=");  // whatever is around us
  }
  if (has_rank && !pretended) return Done{};
  Result<phantom::RanksFolder> ranks = phantom::RanksFolder::Create();
  if (!ranks) return ranks.error();
  launch.environment.push_back(pretended ? ranks->EnvironmentEntryOfPretended() : ranks->EnvironmentEntry());
  launch.ranks = std::make_shared<const phantom::RanksFolder>(std::move(*ranks));
  // Those that are started within the program, by a launcher or by itself: of them the first is recorded.
  launch.recorded.local_rank_0_only = !pretended;
  return Done{};
}

}  // namespace

session::AllocatorOf ProgramLaunch::Allocator() const {
  return {libraries->replayer, libraries->stand_ins, addresses};
}

std::vector<std::string> ProgramLaunch::Notes() const {
  if (doubts == nullptr) return {};
  std::vector<std::string> sentences = early_doubts;
  for (std::string& sentence : doubts->Sentences()) sentences.push_back(std::move(sentence));
  for (std::string& note : phantom::FaultNotes(faults, sentences)) sentences.push_back(std::move(note));
  return sentences;
}

Result<ProgramLaunch> LaunchOnPhantom(const PhantomOrder& order, const std::vector<std::string>& program,
                                      const std::string& recording, const phantom::BuildWatch& building) {
  if (Status writable = trace::CanBeRecorded(recording); !writable) return writable.error();
  const Result<phantom::PythonStart> python = phantom::PythonOf(program);
  if (!python) return python.error();
  const Result<phantom::TorchInstallation> torch = phantom::FindTorch(python->words, building.goes_on);
  if (!torch) return torch.error();
  const Result<phantom::ProgramLibraries> libraries = phantom::LibrariesFor(*torch, building);
  if (!libraries) return libraries.error();
  Result<std::vector<std::string>> environment = EnvironmentOf(order, program, *torch, *libraries);
  if (!environment) return environment.error();
  ProgramLaunch launch;
  launch.environment = std::move(*environment);
  launch.recorded.on_phantom = true;
  launch.recorded.first_only = true;
  launch.title = TitleFrom(*python, program);
  if (const std::string techniques = phantom::InWords(order.techniques); !techniques.empty())
    launch.title += " with " + techniques;
  launch.recorded.description = Describe(order, *torch, program, launch.title);
  launch.recorded.stop = [stop = launch.stop] { stop->Ask(); };
  if (!recording.empty()) launch.recorded.recording = RecordingFor(recording);
  launch.libraries = *libraries;
  launch.addresses = order.addresses;
  if (order.addresses != phantom::AddressOrder{}) launch.early_doubts.push_back(AddressesNote(order));
  if (!events::IsTriedTorch(torch->version)) {
    launch.early_doubts.push_back(fmt::format(
        "Its torch, {}, is none of those that were tried with the phantom ({}). Its stand-ins could "
        "be built; what it asks of CUDA beyond them ends it with the function's name.",
        torch->version, events::kTorchVersions));
  }
  if (Status asked = AskForDoubts(launch); !asked) return asked.error();
  if (Status met = LetRanksMeet(order.rank, launch); !met) return met.error();
  launch.faults = order.faults;
  return launch;
}

Result<ProgramLaunch> LaunchAsItIs(const std::vector<std::string>& program, const std::string& recording,
                                   const RecordedLayers& layers, const phantom::BuildWatch& building) {
  if (Status writable = trace::CanBeRecorded(recording); !writable) return writable.error();
  ProgramLaunch launch;
  launch.stop = std::make_shared<phantom::ProgramStop>(phantom::WhenWeAreKilled::kLivesOn);
  events::RunDescription& description = launch.recorded.description;
  Result<std::vector<std::string>> environment = ProbeEnvironment(layers, description.notes);
  if (!environment) return environment.error();
  launch.environment = std::move(*environment);
  const Result<phantom::PythonStart> python = phantom::PythonOf(program);
  if (layers.operators) {
    const Result<std::vector<std::string>> operators = OperatorsEnvironment(python, building);
    if (!operators) description.notes.push_back("Operators are not told: " + operators.error().message);
    if (operators) launch.environment.insert(launch.environment.end(), operators->begin(), operators->end());
    if (operators && ValueOf(phantom::kDoubtsVariable).empty()) {  // else a phantom around us has asked
      if (Status asked = AskForDoubts(launch); !asked) return asked.error();
    }
  }
  launch.title = python ? TitleFrom(*python, program)
                        : std::filesystem::path(program.front()).filename().string();  // any CUDA program
  description.title = launch.title;
  launch.recorded.titled_by_process = !python;
  description.device = layers.cpu ? "cpu" : "cuda:0";
  description.producer = fmt::format("tidemark record {}", TIDEMARK_VERSION);
  description.start_time_ns = RealtimeNs();
  description.command = CommandLineOf(program);
  if (!recording.empty()) launch.recorded.recording = recording;
  launch.recorded.stop = [stop = launch.stop] { stop->Ask(); };
  return launch;
}

}  // namespace tidemark::cli
