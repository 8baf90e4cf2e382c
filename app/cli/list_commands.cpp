#include <fmt/format.h>

#include <memory>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/report.h"
#include "profiler/base/format.h"
#include "profiler/networks/specification.h"
#include "profiler/phantom/cards/card.h"

namespace tidemark::cli {
namespace {

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

int ListCards(bool as_json) {
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return Complain(cards.error().message, kExitFailed);
  Json json = Json::array();
  std::string text;
  for (const phantom::Card& card : *cards) {
    json.push_back({{"name", card.name},
                    {"title", card.title},
                    {"memory_bytes", card.memory_bytes},
                    {"compute_capability", card.compute_capability / 10.0},
                    {"multiprocessors", card.multiprocessors},
                    {"source", card.source}});
    text += fmt::format("{:<16}{:>12}  {}\n", card.name, FormatBytes(card.memory_bytes, ByteUnit::kMebibytes),
                        card.title);
  }
  return Answer(as_json ? TextOf(json) : text);
}

Command RegisterList(CLI::App& application, const char* name, const char* help, int (*list)(bool)) {
  CLI::App* command = application.add_subcommand(name, help);
  command->footer(fmt::format("Examples:\n  tidemark {0}\n  tidemark {0} --json", name));
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "A JSON list");
  return {command, [as_json, list] { return list(*as_json); }};
}

}  // namespace

Command RegisterNetworks(CLI::App& application) {
  return RegisterList(application, "networks", "The networks that can be trained", ListNetworks);
}

Command RegisterCards(CLI::App& application) {
  return RegisterList(application, "cards", "The cards that a phantom GPU can be", ListCards);
}

}  // namespace tidemark::cli
