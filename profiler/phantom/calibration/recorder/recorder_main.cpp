// tidemark-calibrator: what only a machine with a GPU can tell. `tidemark calibrate` starts it, with the real
// CUDA libraries and no stand-ins. It writes into the folder --output
//   CARD.cudnn.json   cuDNN's own description of the card, which the device-less mode takes for the handle
//   CARD.tsv          the sizes that cuDNN tells only with a handle
// says what the CUDA context takes, which belongs into the card's file, and compares, on standard output,
// what cuDNN plans with the handle and what it plans with that description.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiler/phantom/calibration/convolution.h"
#include "profiler/phantom/calibration/recorder/gpu.h"
#include "profiler/phantom/calibration/recorder/sizes.h"
#include "profiler/phantom/calibration/table.h"
#include "profiler/phantom/workspaces/backend.h"
#include "profiler/phantom/workspaces/oracle/cudnn.h"

namespace {

using namespace tidemark::phantom;
using namespace tidemark::phantom::calibration;
using workspaces::Planner;

int Fail(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  return 1;
}

std::string Dotted(size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now));
  return text.data();
}

// cuDNN's own description of the card behind a handle; "" if it gives none.
std::string PropertiesBehind(const workspaces::CudnnFunctions& cudnn, void* handle) {
  workspaces::Backend properties(cudnn, workspaces::kDeviceProperties);
  properties.Set(workspaces::kDevicePropertiesHandle, workspaces::kHandle, 1, &handle);
  properties.Finalize();
  return properties.GetText(workspaces::kDevicePropertiesJson);
}

std::vector<Convolution> Convolutions() {
  std::vector<Convolution> all;
  const std::vector<Convolution> shapes = {
      {Direction::kForward, 0, Layout::kChannelsFirst, {64, 64, 30, 30}, {128, 64, 3, 3}, {0, 0}, {1, 1}},
      {Direction::kForward, 0, Layout::kChannelsFirst, {32, 3, 224, 224}, {64, 3, 7, 7}, {3, 3}, {2, 2}},
      {Direction::kForward, 0, Layout::kChannelsFirst, {32, 64, 56, 56}, {64, 64, 3, 3}, {1, 1}, {1, 1}},
      {Direction::kForward, 0, Layout::kChannelsFirst, {32, 256, 56, 56}, {512, 256, 1, 1}, {0, 0}, {2, 2}},
      {Direction::kForward, 0, Layout::kChannelsFirst, {32, 512, 7, 7}, {512, 512, 3, 3}, {1, 1}, {1, 1}},
      {Direction::kForward, 0, Layout::kChannelsFirst, {32, 192, 28, 28}, {192, 1, 3, 3}, {1, 1}, {1, 1}},
      {Direction::kForward, 0, Layout::kChannelsFirst, {32, 128, 28, 28}, {256, 4, 3, 3}, {1, 1}, {1, 1}},
      {Direction::kForward,
       0,
       Layout::kChannelsFirst,
       {4, 32, 16, 28, 28},
       {64, 32, 3, 3, 3},
       {1, 1, 1},
       {1, 1, 1}}};
  for (Convolution convolution : shapes) {
    for (const Direction direction :
         {Direction::kForward, Direction::kBackwardFilter, Direction::kBackwardData}) {
      for (const int element : {kFloat32, kFloat16, kBfloat16}) {
        for (const Layout layout : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
          convolution.direction = direction;
          convolution.element = element;
          convolution.layout = layout;
          all.push_back(convolution);
        }
      }
    }
  }
  return all;
}

// Of how many convolutions the configurations or the first three plans differ. Says which.
int Differences(Planner& with_handle, Planner& without, const std::vector<Convolution>& convolutions) {
  constexpr int kPlans = 3;
  int different = 0;
  for (size_t number = 0; number < convolutions.size(); ++number) {
    const std::string tree = TreeOf(convolutions[number]);
    const workspaces::HeuristicsAnswer real = with_handle.Heuristics(tree);
    bool same = real == without.Heuristics(tree);
    for (int plan = 0; same && plan < kPlans && plan < static_cast<int>(real.configurations.size()); ++plan) {
      const workspaces::PlanAnswer with = with_handle.Plan(tree, plan);
      const workspaces::PlanAnswer other = without.Plan(tree, plan);
      same = with == other;
      if (!same) {
        std::printf(
            "convolution %zu, plan %d: %lld bytes with the handle (status %d), %lld without (status %d)\n",
            number, plan, static_cast<long long>(with.workspace_bytes), with.status,
            static_cast<long long>(other.workspace_bytes), other.status);
      }
    }
    if (!same) ++different;
  }
  return different;
}

bool Write(const std::string& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  return static_cast<bool>(stream.flush());
}

int Record(const std::string& library, const std::string& card, const std::string& folder) {
  const auto gpu = OpenGpu();
  if (!gpu) return Fail(gpu.error().message);
  const auto handled = HandledCudnn::Open(library);
  if (!handled) return Fail(handled.error().message);
  const auto cudnn = workspaces::CudnnFunctions::Load(library);
  if (!cudnn) return Fail("The installed library is no cuDNN: " + cudnn.error().message + ".");
  const std::string version = Dotted(cudnn->get_version());
  const std::string properties = PropertiesBehind(*cudnn, handled->handle());
  if (!nlohmann::json::accept(properties)) {
    return Fail("cuDNN " + version + " does not describe the card; 9.8 and later do.");
  }
  auto without = Planner::WithoutDevice(*cudnn, properties);
  if (!without) return Fail("cuDNN does not take its own description: " + without.error().message + ".");

  const std::string cuda =
      std::to_string(gpu->cuda_version / 1000) + "." + std::to_string(gpu->cuda_version % 1000 / 10);
  const std::string source =
      "tidemark calibrate on an " + gpu->name + ", cuDNN " + version + ", CUDA " + cuda + ", " + Today();
  const std::vector<Row> rows = handled->Measure(card, version, source);
  const std::string base = folder + "/" + card;
  if (!Write(base + ".cudnn.json", properties + "\n") || !Write(base + ".tsv", TextOf(rows, source))) {
    return Fail("The tables cannot be written to " + folder + ". Name a folder that can be (-o).");
  }
  std::printf(
      "%s: %zu sizes in %s.tsv; cuDNN's description in %s.cudnn.json\n"
      "The CUDA context takes %lld bytes: context_bytes in assets/cards/%s.json.\n",
      gpu->name.c_str(), rows.size(), base.c_str(), base.c_str(), static_cast<long long>(gpu->context_bytes),
      card.c_str());

  Planner with_handle(*cudnn, {std::nullopt, handled->handle()});
  const std::vector<Convolution> convolutions = Convolutions();
  const int different = Differences(with_handle, **without, convolutions);
  std::printf("%d of %zu convolutions are planned differently with the handle and without\n", different,
              convolutions.size());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < count; i += 2) options[arguments[i]] = arguments[i + 1];
  if (options.size() != 3 || !options.contains("--cudnn") || !options.contains("--card") ||
      !options.contains("--output")) {
    std::fputs("tidemark-calibrator is started by tidemark calibrate: run that instead.\n", stderr);
    return 2;
  }
  return Record(options["--cudnn"], options["--card"], options["--output"]);
}
