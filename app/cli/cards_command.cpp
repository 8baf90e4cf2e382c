// `tidemark cards`: the cards that a phantom GPU can be, or all that is known of one.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console/console.h"
#include "app/cli/console/exit_codes.h"
#include "app/cli/reports/report.h"
#include "profiler/base/format.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/card_fit.h"

namespace tidemark::cli {
namespace {

Json ShortJson(const phantom::Card& card) {
  return {{"name", card.name},
          {"title", card.title},
          {"memory_bytes", card.memory_bytes},
          {"compute_capability", card.compute_capability / 10.0},
          {"multiprocessors", card.multiprocessors},
          {"source", card.source}};
}

Json WholeJson(const phantom::Card& card) {
  Json json = ShortJson(card);
  json.update(CardJson(card));
  json["l2_bytes"] = card.l2_bytes;
  json["shared_bytes_per_multiprocessor"] = card.shared_bytes_per_multiprocessor;
  json["clock_khz"] = card.clock_khz;
  json["memory_bytes_per_second"] = card.memory_bytes_per_second;
  json["float32_flops"] = card.float32_flops;
  json["float16_tensor_flops"] = card.float16_tensor_flops;
  json["link_bytes_per_second"] = card.link_bytes_per_second;
  json["notes"] = card.notes;
  return json;
}

std::string Binary(int64_t bytes) { return FormatBytes(bytes, ByteUnit::kMebibytes); }
std::string Giga(double count, const char* of) { return FormatDecimal(count / 1e9, 0) + " " + of; }
std::string Tera(double count, const char* of) { return FormatDecimal(count / 1e12, 1) + " " + of; }

std::string WholeText(const phantom::Card& card) {
  const std::string half = card.float16_tensor_flops > 0
                               ? Tera(card.float16_tensor_flops, "TFLOP/s, tensor cores")
                               : "no tensor cores";
  const std::pair<const char*, std::string> rows[] = {
      {"memory", fmt::format("{}, of which CUDA has {} ({} bytes)", session::CardSize(card.memory_bytes),
                             Binary(card.memory_bytes), FormatNumber(card.memory_bytes))},
      {"CUDA context",
       Binary(card.context_bytes) + (card.context_is_measured ? ", measured" : ", an estimate")},
      {"compute capability", FormatDecimal(card.compute_capability / 10.0, 1)},
      {"multiprocessors",
       fmt::format("{} at {}", card.multiprocessors, FormatDecimal(card.clock_khz / 1e3, 0) + " MHz")},
      {"shared memory", Binary(card.shared_bytes_per_multiprocessor) + " a multiprocessor"},
      {"L2 cache", Binary(card.l2_bytes)},
      {"memory bandwidth", Giga(card.memory_bytes_per_second, "GB/s")},
      {"float32", Tera(card.float32_flops, "TFLOP/s")},
      {"float16", half},
      {"link", Giga(card.link_bytes_per_second, "GB/s to another such card, one way")},
  };
  std::string text = fmt::format("{}: {}\n\n", card.name, card.title);
  for (const auto& [what, value] : rows) text += fmt::format("{:<20}{}\n", what, value);
  text += "\nSource: " + card.source + "\n";
  return card.notes.empty() ? text : text + "Notes: " + card.notes + "\n";
}

int ListCards(bool as_json) {
  const Result<std::vector<phantom::Card>> cards = phantom::LoadCards();
  if (!cards) return Complain(cards.error().message, kExitFailed);
  Json json = Json::array();
  std::string text;
  for (const phantom::Card& card : *cards) {
    json.push_back(ShortJson(card));
    text += fmt::format("{:<18}{:>8}{:>12}  {}\n", card.name, session::CardSize(card.memory_bytes),
                        Binary(card.memory_bytes), card.title);
  }
  return Answer(as_json ? TextOf(json) : text);
}

int ShowCard(const std::string& name, bool as_json) {
  const Result<phantom::Card> card = phantom::FindCard(name);
  if (!card) return Complain(card.error().message, phantom::LoadCards() ? kExitUsage : kExitFailed);
  return Answer(as_json ? TextOf(WholeJson(*card)) : WholeText(*card));
}

}  // namespace

Command RegisterCards(CLI::App& application) {
  CLI::App* command =
      application.add_subcommand("cards", "The cards that a phantom GPU can be, or all about one");
  command->footer("Examples:\n  tidemark cards\n  tidemark cards h200\n  tidemark cards --json");
  auto name = std::make_shared<std::string>();
  command->add_option("card", *name, "Show all that is known of this one")->type_name("");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "A JSON list, or one card as an object");
  return {command,
          [name, as_json] { return name->empty() ? ListCards(*as_json) : ShowCard(*name, *as_json); }};
}

}  // namespace tidemark::cli
