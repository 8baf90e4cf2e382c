#include "app/cli/report.h"

#include <fmt/format.h>

#include "profiler/base/format.h"
#include "profiler/events/event.h"

namespace tidemark::cli {
namespace {

std::string Megabytes(std::optional<int64_t> bytes) {
  return bytes ? FormatInUnit(*bytes, ByteUnit::kMegabytes) : "–";
}

// A title and right-aligned figures. fmt counts characters, not bytes, so "–" takes one place.
std::string Row(std::string_view title, const std::vector<std::string>& figures) {
  std::string line = fmt::format("  {:<24}", title);
  for (const std::string& figure : figures) line += fmt::format("{:>12}", figure);
  return line + "\n";
}

std::vector<std::string> Figures(std::optional<int64_t> textbook, const std::vector<ReportColumn>& columns,
                                 int64_t (*figure)(const session::Prediction&)) {
  std::vector<std::string> figures = {Megabytes(textbook)};
  for (const ReportColumn& column : columns) figures.push_back(Megabytes(figure(column.peaks)));
  return figures;
}

}  // namespace

Json TextbookJson(const textbook::Estimate& estimate) {
  Json layers = Json::array();
  for (const textbook::LayerEstimate& layer : estimate.layers) {
    if (layer.parameters == 0) continue;  // a ReLU shares its result with the layer that reads it
    layers.push_back({{"name", layer.name},
                      {"parameters", layer.parameters},
                      {"parameters_bytes", layer.parameters_bytes},
                      {"activations_bytes", layer.activations_bytes}});
  }
  return {{"parameters_bytes", estimate.parameters_bytes},
          {"gradients_bytes", estimate.gradients_bytes},
          {"optimizer_bytes", estimate.optimizer_bytes},
          {"activations_bytes", estimate.activations_bytes},
          {"input_bytes", estimate.input_bytes},
          {"autocast_cache_bytes", estimate.autocast_cache_bytes},
          {"total_bytes", estimate.total_bytes},
          {"layers", layers}};
}

Json PeaksJson(const session::Prediction& peaks) {
  Json categories = Json::object();
  for (int category = 0; category < events::kCategoryCount; ++category) {
    categories[std::string(events::KeyOf(static_cast<events::Category>(category)))] =
        peaks.at_peak[static_cast<size_t>(category)];
  }
  Json json = {{"allocated_peak_bytes", peaks.allocated_peak_bytes},
               {"requested_peak_bytes", peaks.requested_peak_bytes},
               {"reserved_peak_bytes", peaks.reserved_peak_bytes},
               {"by_category_at_peak", categories},
               {"step_seconds", peaks.step_seconds}};
  if (peaks.out_of_memory) json["out_of_memory"] = true;
  if (!peaks.sentence.empty()) json["sentence"] = peaks.sentence;
  return json;
}

std::string PeaksTable(const textbook::Estimate& estimate, const std::vector<ReportColumn>& columns) {
  std::vector<std::string> titles = {"textbook"};
  for (const ReportColumn& column : columns) titles.push_back(column.title);
  std::string table = Row("MB at the peak of a step", titles);
  for (int index = 0; index < events::kCategoryCount; ++index) {
    const auto category = static_cast<events::Category>(index);
    const int64_t textbook = textbook::BytesOf(estimate, category);
    bool any = textbook != 0;
    std::vector<std::string> figures = {Megabytes(textbook != 0 ? std::optional(textbook) : std::nullopt)};
    for (const ReportColumn& column : columns) {
      const int64_t bytes = column.peaks.at_peak[static_cast<size_t>(index)];
      any = any || bytes != 0;
      figures.push_back(Megabytes(bytes));
    }
    if (any) table += Row(events::NameOf(category), figures);
  }
  table += Row("allocated", Figures(estimate.total_bytes, columns, [](const session::Prediction& peaks) {
                 return peaks.allocated_peak_bytes;
               }));
  table += Row("requested", Figures(std::nullopt, columns, [](const session::Prediction& peaks) {
                 return peaks.requested_peak_bytes;
               }));
  table += Row("reserved", Figures(std::nullopt, columns, [](const session::Prediction& peaks) {
                 return peaks.reserved_peak_bytes;
               }));
  return table;
}

std::string LayersTable(const textbook::Estimate& estimate) {
  std::string table = Row("textbook, layer by layer", {"parameters", "their MB", "kept MB"});
  for (const textbook::LayerEstimate& layer : estimate.layers) {
    if (layer.parameters == 0) continue;
    table += Row(layer.name, {FormatNumber(layer.parameters), Megabytes(layer.parameters_bytes),
                              Megabytes(layer.activations_bytes)});
  }
  return table;
}

}  // namespace tidemark::cli
