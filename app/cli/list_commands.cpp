#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/reports/report.h"
#include "app/cli/training_options.h"
#include "profiler/base/format.h"
#include "profiler/networks/layer_kinds.h"
#include "profiler/networks/operators.h"
#include "profiler/networks/specification.h"
#include "profiler/textbook/operations.h"
#include "profiler/textbook/textbook.h"
#include "profiler/trace/samples.h"

namespace tidemark::cli {
namespace {

double Mega(int64_t count) { return static_cast<double>(count) / 1e6; }

int ListNetworks(bool as_json) {
  const Result<std::vector<networks::Network>> networks = networks::LoadNetworks();
  if (!networks) return Complain(networks.error().message, kExitFailed);
  Json json = Json::array();
  std::string text;
  for (const networks::Network& network : *networks) {
    json.push_back({{"name", network.name},
                    {"title", network.title},
                    {"description", network.description},
                    {"parameters", network.parameters()}});
    text += fmt::format("{:<20}{:>12} parameters  {}\n", network.name, FormatNumber(network.parameters()),
                        network.description);
  }
  return Answer(as_json ? TextOf(json) : text);
}

// What a sample makes of it, layer by layer.
struct LayerLine {
  const networks::Layer* layer = nullptr;
  int64_t saved_bytes = 0;
  int64_t operations = 0;
};

std::vector<LayerLine> LinesOf(const networks::Network& network) {
  networks::TrainingSettings one_sample;
  one_sample.network = network.name;
  one_sample.batch = 1;
  const textbook::Estimate estimate = textbook::EstimateMemory(network, one_sample);
  std::vector<LayerLine> lines;
  for (size_t index = 0; index < network.layers.size(); ++index) {
    const networks::Layer& layer = network.layers[index];
    lines.push_back({&layer, estimate.layers[index].activations_bytes, textbook::ForwardOperations(layer)});
  }
  return lines;
}

Json LayersJson(const networks::Network& network) {
  Json layers = Json::array();
  for (const LayerLine& line : LinesOf(network)) {
    layers.push_back({{"name", line.layer->name},
                      {"kind", networks::TextOf(line.layer->kind)},
                      {"output", line.layer->output},
                      {"parameters", line.layer->parameters()},
                      {"saved_bytes_per_sample", line.saved_bytes},
                      {"forward_operations_per_sample", line.operations}});
  }
  return {{"name", network.name},
          {"title", network.title},
          {"description", network.description},
          {"input", network.input},
          {"parameters", network.parameters()},
          {"layers", layers}};
}

std::string WhatItTakes(const networks::Network& network) {
  const std::string input = networks::TextOf(network.input);
  if (network.discriminator == 0) return input + (network.vocabulary > 0 ? " tokens" : "");
  return fmt::format("{} of noise; from {} on the discriminator judges {}", input,
                     network.layers[network.discriminator].name, networks::TextOf(network.sample()));
}

std::string LayersText(const networks::Network& network) {
  constexpr const char* kRow = "{:<28}{:<20}{:<16}{:>13}{:>13}{:>13}{:>10}\n";
  std::string text =
      fmt::format("{}: {}\nIt takes {}.\n\n", network.title, network.description, WhatItTakes(network));
  text += fmt::format(kRow, "layer", "kind", "gives", "parameters", "their bytes", "saves", "MFLOP");
  LayerLine total;
  for (const LayerLine& line : LinesOf(network)) {
    total.saved_bytes += line.saved_bytes;
    total.operations += line.operations;
    text += fmt::format(
        kRow, line.layer->name, line.layer->op.empty() ? networks::TextOf(line.layer->kind) : line.layer->op,
        networks::TextOf(line.layer->output), FormatNumber(line.layer->parameters()),
        FormatBytes(line.layer->parameters() * 4, ByteUnit::kMegabytes),
        networks::LacksRule(*line.layer) ? "unknown" : FormatBytes(line.saved_bytes, ByteUnit::kMegabytes),
        FormatDecimal(Mega(line.operations), 1));
  }
  text += fmt::format(kRow, "total", "", "", FormatNumber(network.parameters()),
                      FormatBytes(network.parameters() * 4, ByteUnit::kMegabytes),
                      FormatBytes(total.saved_bytes, ByteUnit::kMegabytes),
                      FormatDecimal(Mega(total.operations), 1));
  return text + "\nShapes, saved bytes and forward operations are of one sample, in float32.\n";
}

int ShowNetwork(const std::string& name, const std::string& input, bool as_json) {
  const Result<std::string> given = NetworkGiven(name, input);
  if (!given) return Complain(given.error().message, kExitUsage);
  const Result<networks::Network> network = networks::FindNetwork(*given);
  if (!network) return Complain(network.error().message, networks::LoadNetworks() ? kExitUsage : kExitFailed);
  return Answer(as_json ? TextOf(LayersJson(*network)) : LayersText(*network));
}

int ListSamples(bool as_json) {
  const Result<std::vector<trace::Sample>> samples = trace::LoadSamples();
  if (!samples) return Complain(samples.error().message, kExitFailed);
  Json json = Json::array();
  std::string text;
  for (const trace::Sample& sample : *samples) {
    json.push_back(
        {{"file", sample.file.string()}, {"title", sample.title}, {"description", sample.description}});
    text += fmt::format("{}\n  {}\n  {}\n\n", sample.title, sample.description, sample.file.string());
  }
  return Answer(as_json ? TextOf(json)
                        : text + "tidemark open FILE shows one, compare FILE FILE two beside each other.\n");
}

}  // namespace

Command RegisterSamples(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("samples", "Recordings made on real cards, to look into without one");
  command->footer("Examples:\n  tidemark samples\n  tidemark samples --json");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "A JSON list");
  return {command, [as_json] { return ListSamples(*as_json); }};
}

Command RegisterNetworks(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("networks", "The networks that can be trained, or one's layers");
  command->footer(
      "Examples:\n  tidemark networks\n  tidemark networks resnet-50\n  tidemark networks --json");
  auto name = std::make_shared<std::string>();
  command->add_option("network", *name, "Show this one's layers: shapes, parameters, bytes")->type_name("");
  auto input = std::make_shared<std::string>();
  command->add_option("--input", *input, "Of a TorchScript file the shape of one sample: 3x224x224, or 128")
      ->type_name("");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "A JSON list, or one network as an object");
  return {command, [name, input, as_json] {
            return name->empty() && input->empty() ? ListNetworks(*as_json)
                                                   : ShowNetwork(*name, *input, *as_json);
          }};
}

}  // namespace tidemark::cli
