#include "app/cli/reports/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/cli/reports/band_report.h"
#include "profiler/base/format.h"
#include "profiler/base/utf8.h"
#include "profiler/events/event.h"
#include "profiler/networks/techniques.h"

namespace tidemark::cli {
namespace {

constexpr size_t kTitleWidth = 28;
constexpr int kTermWidth = 36;   // "Optimizer state (SGD with momentum)"
constexpr int kBytesWidth = 22;  // up to 9 exabytes

std::string Megabytes(std::optional<int64_t> bytes) {
  return bytes ? FormatInUnit(*bytes, ByteUnit::kMegabytes) : "–";
}

struct TimePart {
  const char* title;
  const char* key;
  double advice::StepTime::*seconds;
};
constexpr TimePart kTimeParts[] = {
    {"forward", "forward_seconds", &advice::StepTime::forward},
    {"run again", "again_seconds", &advice::StepTime::again},
    {"backward", "backward_seconds", &advice::StepTime::backward},
    {"optimizer", "optimizer_seconds", &advice::StepTime::optimizer},
    {"sending", "sending_seconds", &advice::StepTime::sending},
    {"waiting", "waiting_seconds", &advice::StepTime::waiting},
};

// A title and right-aligned figures.
std::string Row(std::string_view title, const std::vector<std::string>& figures,
                size_t title_width = kTitleWidth) {
  std::string line = fmt::format("  {:<{}}", title, title_width);
  for (const std::string& figure : figures) line += fmt::format("{:>12}", figure);
  return line + "\n";
}

std::string LevelRow(const char* title, std::optional<int64_t> textbook,
                     const std::vector<ReportColumn>& columns, int64_t session::Prediction::*level) {
  std::vector<std::string> figures = {Megabytes(textbook)};
  for (const ReportColumn& column : columns) {
    const int64_t bytes = column.peaks.*level;  // the CPU's allocator reserves nothing
    figures.push_back(Megabytes(bytes != 0 ? std::optional(bytes) : std::nullopt));
  }
  return Row(title, figures);
}

// The categories that hold anything, in their order.
std::string CategoryRows(const textbook::Estimate& estimate, const std::vector<ReportColumn>& columns) {
  std::string rows;
  for (int index = 0; index < events::kCategoryCount; ++index) {
    const auto category = static_cast<events::Category>(index);
    const int64_t textbook = textbook::BytesOf(estimate, category);
    bool any = textbook != 0;
    std::vector<std::string> figures = {Megabytes(textbook != 0 ? std::optional(textbook) : std::nullopt)};
    for (const ReportColumn& column : columns) {
      const int64_t bytes = column.peaks.at_peak[static_cast<size_t>(index)];
      any = any || bytes != 0;
      // Where nothing is allocated nobody told of blocks.
      const bool is_told = column.peaks.allocated_peak_bytes > 0;
      figures.push_back(Megabytes(is_told ? std::optional(bytes) : std::nullopt));
    }
    if (any) rows += Row(events::NameOf(category), figures);
  }
  return rows;
}

std::string TermRow(std::string_view title, int64_t bytes, std::string_view symbols) {
  std::string row = fmt::format("  {:<{}}{:>{}}", title, kTermWidth, FormatExactBytes(bytes), kBytesWidth);
  return row + (symbols.empty() ? "" : fmt::format("   {}", symbols)) + "\n";
}

// Under a term: why.
std::string WordsRow(std::string_view words) { return fmt::format("      {}\n", words); }

}  // namespace

Json TextbookJson(const textbook::Estimate& estimate) {
  Json layers = Json::array();
  for (const textbook::LayerEstimate& layer : estimate.layers) {
    if (layer.parameters == 0 && layer.activations_bytes == 0 && layer.recomputed_bytes == 0) continue;
    layers.push_back({{"name", layer.name},
                      {"parameters", layer.parameters},
                      {"parameters_bytes", layer.parameters_bytes},
                      {"activations_bytes", layer.activations_bytes},
                      {"recomputed_bytes", layer.recomputed_bytes}});
  }
  return {{"parameters_bytes", estimate.parameters_bytes + estimate.gathered_parameters_bytes},
          {"buffers_bytes", estimate.buffers_bytes},
          {"gradients_bytes", estimate.gradients_bytes + estimate.whole_gradients_bytes},
          {"optimizer_bytes", estimate.optimizer_bytes},
          {"activations_bytes", estimate.activations_bytes},
          {"loss_bytes", estimate.loss_bytes},
          {"input_bytes", estimate.input_bytes},
          {"autocast_cache_bytes", estimate.autocast_cache_bytes},
          {"communication_bytes", estimate.communication_bytes},
          {"total_bytes", estimate.total_bytes},
          {"halved_everything_bytes", estimate.halved_everything_bytes},
          {"layers", layers}};
}

Json PeaksJson(const session::Prediction& peaks) {
  Json categories = Json::object();
  for (int category = 0; category < events::kCategoryCount; ++category) {
    categories[std::string(events::KeyOf(static_cast<events::Category>(category)))] =
        peaks.at_peak[static_cast<size_t>(category)];
  }
  const bool tells_reserved = peaks.reserved_peak_bytes > 0 || peaks.allocated_peak_bytes == 0;
  Json json = {{"allocated_peak_bytes", peaks.allocated_peak_bytes},
               {"requested_peak_bytes", peaks.requested_peak_bytes},
               {"reserved_peak_bytes", tells_reserved ? Json(peaks.reserved_peak_bytes) : Json()},
               {"by_category_at_peak", categories},
               {"step_seconds", peaks.step_seconds},
               {"out_of_memory", peaks.out_of_memory},
               {"fails_later", peaks.fails_later},
               {"times_survived", peaks.times_survived}};
  if (peaks.reserved_band) AddBandJson(*peaks.reserved_band, json);
  if (!peaks.sentence.empty()) json["sentence"] = peaks.sentence;
  if (!peaks.types_of_layers.empty()) json["computed_in"] = peaks.types_of_layers;
  return json;
}

void LeaveOutBlocks(Json& peaks) {
  for (const char* key : {"allocated_peak_bytes", "requested_peak_bytes", "reserved_peak_bytes"}) {
    peaks[key] = nullptr;
  }
  for (Json& category : peaks["by_category_at_peak"]) category = nullptr;
}

Json CardJson(const phantom::Card& card) {
  return {{"name", card.name},
          {"memory_bytes", card.memory_bytes},
          {"context_bytes", card.context_bytes},
          {"context_is_measured", card.context_is_measured}};
}

void AddNeedJson(const session::Need& needed, Json& json) {
  const auto known = [](int64_t bytes) { return bytes > 0 ? Json(bytes) : Json(); };
  json["needed_bytes"] = known(needed.allocated_bytes);
  json["needed_reserved_bytes"] = known(needed.reserved_bytes);
}

std::string SurvivedRow(int64_t times) {
  if (times == 0) return "";
  return fmt::format(
      "Memory ran out {} {}, and the run went on: where a convolution's workspace has no room, PyTorch takes "
      "another plan. The card has no room to spare.\n",
      FormatNumber(times), times == 1 ? "time" : "times");
}

std::string NoteWithoutWorkspaces(const std::string& why) {
  return fmt::format("cuDNN's workspaces are not included in the phantom's figures ({}).", why);
}

std::string PhantomNote(const std::string& without_workspaces,
                        const std::vector<std::string>& unknown_sizes) {
  std::string note = without_workspaces.empty()
                         ? "No workspace of cuDNN's is missing from the phantom's figures: the layers take "
                           "none, or as much as cuDNN itself gives them."
                         : NoteWithoutWorkspaces(without_workspaces);
  note += " The CUDA context is none of PyTorch's figures: it comes on top of what is reserved.";
  if (!unknown_sizes.empty()) {
    note += fmt::format(" Not known, counted as 0: {}.", fmt::join(unknown_sizes, ", "));
  }
  return note;
}

std::string BytesRow(std::string_view title, int64_t bytes) {
  return fmt::format("  {:<18}{:>20}  {:>11}\n", title, FormatExactBytes(bytes),
                     FormatBytes(bytes, ByteUnit::kMebibytes));
}

std::string PeakRows(const session::Prediction& peaks, bool tells_requested) {
  std::string rows;
  const auto row = [&rows](std::string_view title, int64_t bytes) { rows += BytesRow(title, bytes); };
  for (int index = 0; index < events::kCategoryCount; ++index) {
    const int64_t bytes = peaks.at_peak[static_cast<size_t>(index)];
    const int64_t requested = peaks.requested_at_peak[static_cast<size_t>(index)];
    if (bytes == 0) continue;
    row(events::NameOf(static_cast<events::Category>(index)), bytes);
    if (tells_requested && requested != bytes)
      rows.insert(rows.size() - 1, fmt::format("   {} requested", FormatExactBytes(requested)));
  }
  row("allocated", peaks.allocated_peak_bytes);
  if (tells_requested) row("requested", peaks.requested_peak_bytes);
  if (peaks.reserved_peak_bytes > 0) row("reserved, highest", peaks.reserved_peak_bytes);  // else not told
  return rows;
}

// With the control letters that JSON itself would leave as they are (DEL and C1) escaped, too.
std::string TextOf(const Json& json) {
  std::string text;
  const std::string dumped = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::string_view rest = dumped; !rest.empty();) {
    const size_t size = std::max<size_t>(SizeOfControl(rest), 1);
    const auto last = static_cast<unsigned char>(rest[size - 1]);  // a letter of two bytes has its number
    if (last == 0x7f || size == 2) {
      text += fmt::format("\\u{:04x}", last);
    } else {
      text += rest.front();
    }
    rest.remove_prefix(size);
  }
  return text;
}

std::string PeaksTable(const textbook::Estimate& estimate, const std::vector<ReportColumn>& columns) {
  std::vector<std::string> titles = {"textbook"};
  for (const ReportColumn& column : columns) titles.push_back(column.title);
  std::string table = "MB at the peak of a step\n" + Row("", titles) + CategoryRows(estimate, columns);
  table += LevelRow("allocated", estimate.total_bytes, columns, &session::Prediction::allocated_peak_bytes);
  table += LevelRow("requested", std::nullopt, columns, &session::Prediction::requested_peak_bytes);
  return table +
         LevelRow("reserved, highest", std::nullopt, columns, &session::Prediction::reserved_peak_bytes);
}

std::string CardRowsOfTable(const session::CardFit& fit) {
  const auto row = [](const char* title, int64_t bytes, const std::string& words) {
    std::string text = Row(title, {Megabytes(std::nullopt), Megabytes(bytes)});
    return text.insert(text.size() - 1, "   " + words);
  };
  std::string most =
      fit.most_taken_bytes() > fit.taken_bytes() ? ", at most " + Megabytes(fit.most_taken_bytes()) : "";
  if (fit.is_at_least) most = session::kPoolNotTold;
  return row("CUDA context", fit.card.context_bytes, session::WhereContextIsFrom(fit.card)) +
         row("of the card", fit.taken_bytes(),
             session::ShareOf(fit.card, fit.taken_bytes()) + " of " +
                 FormatBytes(fit.card.memory_bytes, ByteUnit::kMegabytes) + most);
}

std::string TermsTable(const textbook::Estimate& estimate) {
  std::string table = "Textbook, term by term\n";
  for (const textbook::Term& term : estimate.terms) {
    table += TermRow(term.title, term.bytes, term.symbols) + WordsRow(term.words);
  }
  table += TermRow("Total", estimate.total_bytes, "");
  return table + TermRow(textbook::kHalvedEverythingTitle, estimate.halved_everything_bytes, "") +
         WordsRow(textbook::kHalvedEverythingWords);
}

std::string LayersTable(const textbook::Estimate& estimate) {
  std::string table = "Textbook, layer by layer\n";
  for (const textbook::LayerEstimate& layer : estimate.layers) {
    const std::string title = fmt::format("{} → {}", layer.name, layer.output);
    const std::string parameters = layer.parameters == 0
                                       ? ""
                                       : fmt::format("{} parameters = {}; ", FormatNumber(layer.parameters),
                                                     FormatExactBytes(layer.parameters_bytes));
    table += fmt::format("  {:<{}}   {}{}\n", title, kTitleWidth, parameters, layer.formula);
  }
  return table;
}

std::string TypesTable(const textbook::Estimate& estimate, const session::Prediction& measured) {
  std::string rows;
  for (const textbook::LayerEstimate& layer : estimate.layers) {
    const auto types = measured.types_of_layers.find(layer.name);
    if (types != measured.types_of_layers.end())
      rows += fmt::format("  {:<28}{}\n", layer.name, types->second);
  }
  return rows.empty() ? rows : "Autocast, as measured: what each layer's operators computed in\n" + rows;
}

std::string CurveTable(const std::vector<textbook::CurvePoint>& curve) {
  constexpr int kBarWidth = 32;
  int64_t most = 1;
  for (const textbook::CurvePoint& point : curve) most = std::max(most, point.saved_bytes);
  std::string table =
      "Checkpointing: what backward needs at most, and how much of forward runs again for it\n" +
      fmt::format("  {:<18}{:>12}{:>12}\n", "--checkpoint", "MB", "runs again");
  for (const textbook::CurvePoint& point : curve) {
    std::string bar;
    for (int64_t mark = 0; mark < point.saved_bytes * kBarWidth / most; ++mark) bar += "█";
    table += fmt::format("  {:<18}{:>12}{:>10.0f} %{}  {}\n", networks::TextOf(point.checkpoint),
                         Megabytes(point.saved_bytes), 100 * point.share_run_again,
                         point.is_best ? " *" : "  ", bar);
  }
  return table + "  * no other has both fewer bytes and less to run again\n";
}

std::string PaperTable(const std::vector<textbook::PaperLine>& lines, int64_t ranks) {
  std::string table =
      fmt::format("On paper, MB of one rank{}\n", ranks > 1 ? fmt::format(" of {}", ranks) : "");
  table += Row("", {"parameters", "gradients", "state", "total"});
  for (const textbook::PaperLine& line : lines) {
    std::string row = Row(line.title, {Megabytes(line.parameters_bytes), Megabytes(line.gradients_bytes),
                                       Megabytes(line.optimizer_bytes), Megabytes(line.total_bytes)});
    row.pop_back();
    table += row + "   " + line.formula + "\n";
  }
  return table;
}

std::string StagesTable(const std::vector<textbook::StageEstimate>& stages,
                        const std::vector<session::Prediction>& phantom, double bubble) {
  std::string table = fmt::format(
      "Stages, MB of each rank; where all take equally long, each waits {:.1f} % of a step (the bubble)\n",
      100 * bubble);
  std::vector<std::string> titles = {"in flight", "parameters", "gradients", "state", "activations", "total"};
  if (!phantom.empty()) titles.emplace_back("phantom");
  std::vector<std::string> names;
  size_t width = kTitleWidth;
  for (const textbook::StageEstimate& stage : stages) {
    const bool one = stage.first_layer == stage.last_layer;
    names.push_back(
        fmt::format("{}: {}{}", names.size(), stage.first_layer, one ? "" : " … " + stage.last_layer));
    width = std::max(width, names.back().size());
  }
  table += Row("", titles, width);
  for (size_t rank = 0; rank < stages.size(); ++rank) {
    const textbook::Estimate& estimate = stages[rank].estimate;
    std::vector<std::string> figures = {
        FormatNumber(stages[rank].in_flight),  Megabytes(estimate.parameters_bytes),
        Megabytes(estimate.gradients_bytes),   Megabytes(estimate.optimizer_bytes),
        Megabytes(estimate.activations_bytes), Megabytes(estimate.total_bytes),
    };
    if (!phantom.empty()) {
      const session::Prediction& answer = phantom[rank];
      figures.push_back(answer.out_of_memory ? "no room" : Megabytes(answer.allocated_peak_bytes));
    }
    table += Row(names[rank], figures, width);
  }
  return table;
}

std::string TimesTable(const std::string& card, const std::vector<advice::StepTime>& ranks) {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows(ranks.size());
  const auto add = [&](const char* title, const auto& seconds) {
    const auto takes_time = [&](const advice::StepTime& time) { return seconds(time) > 0; };
    if (std::ranges::none_of(ranks, takes_time)) return;
    titles.emplace_back(title);
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      rows[rank].push_back(FormatDuration(static_cast<int64_t>(seconds(ranks[rank]) * 1e9)));
  };
  for (const TimePart& part : kTimeParts)
    add(part.title, [&part](const advice::StepTime& time) { return time.*part.seconds; });
  add("step", [](const advice::StepTime& time) { return time.total(); });
  std::string table = fmt::format(
      "Time of a step on an {}, estimated (roofline: a kernel reaches a part of the card's peak)\n", card);
  table += Row("", titles);
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    table += Row(ranks.size() == 1 ? "all" : fmt::format("rank {}", rank), rows[rank]);
  return table;
}

Json TimeJson(const advice::StepTime& time) {
  Json json;
  const auto microseconds = [](double seconds) { return std::round(seconds * 1e6) / 1e6; };
  for (const TimePart& part : kTimeParts) json[part.key] = microseconds(time.*part.seconds);
  json["step_seconds"] = microseconds(time.total());
  return json;
}

Json StagesJson(const std::vector<textbook::StageEstimate>& stages,
                const std::vector<session::Prediction>& phantom) {
  Json json = Json::array();
  for (size_t rank = 0; rank < stages.size(); ++rank) {
    const textbook::StageEstimate& stage = stages[rank];
    json.push_back({{"first_layer", stage.first_layer},
                    {"last_layer", stage.last_layer},
                    {"parameters", stage.parameters},
                    {"micro_batches_in_flight", stage.in_flight},
                    {"textbook", TextbookJson(stage.estimate)}});
    if (!phantom.empty()) json.back()["phantom"] = PeaksJson(phantom[rank]);
  }
  return json;
}

Json CurveJson(const std::vector<textbook::CurvePoint>& curve) {
  Json json = Json::array();
  for (const textbook::CurvePoint& point : curve) {
    json.push_back({{"checkpoint", networks::TextOf(point.checkpoint)},
                    {"saved_bytes", point.saved_bytes},
                    {"share_run_again", point.share_run_again},
                    {"is_best", point.is_best}});
  }
  return json;
}

Json PaperJson(const std::vector<textbook::PaperLine>& lines) {
  Json json = Json::array();
  for (const textbook::PaperLine& line : lines) {
    json.push_back({{"title", line.title},
                    {"parameters_bytes", line.parameters_bytes},
                    {"gradients_bytes", line.gradients_bytes},
                    {"optimizer_bytes", line.optimizer_bytes},
                    {"total_bytes", line.total_bytes}});
  }
  return json;
}

std::string SettingsLine(const networks::TrainingSettings& settings) {
  std::string line =
      fmt::format("batch {} · accumulate {} · amp {} · checkpoint {} · {}", settings.batch,
                  settings.accumulate, networks::TextOf(settings.amp), networks::TitleOf(settings.checkpoint),
                  networks::TitleOf(settings.optimizer));
  for (const networks::Technique& technique : networks::Techniques()) {
    if (technique.IsInUse(settings))
      line += fmt::format(" · {} {}", technique.title, technique.TextOf(settings));
  }
  return line;
}

}  // namespace tidemark::cli
