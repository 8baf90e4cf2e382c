#include "profiler/phantom/calibration/table.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "profiler/base/whole_file.h"

namespace tidemark::phantom::calibration {
namespace {

constexpr size_t kColumns = 7;
constexpr std::string_view kEvery = "*";
constexpr std::string_view kUnknownBytes = "?";

std::vector<std::string> Columns(std::string_view line) {
  std::vector<std::string> columns;
  while (true) {
    const size_t tab = line.find('\t');
    columns.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return columns;
    line.remove_prefix(tab + 1);
  }
}

std::optional<Provenance> ProvenanceOf(std::string_view name) {
  for (const Provenance provenance : {Provenance::kMeasured, Provenance::kDerived, Provenance::kUnknown}) {
    if (NameOf(provenance) == name) return provenance;
  }
  return std::nullopt;
}

// What is wrong with the line, or nothing and the row.
std::optional<std::string> ReadRow(std::string_view line, Row& row) {
  std::vector<std::string> columns = Columns(line);
  if (columns.size() != kColumns) return "must have seven columns, separated by tabs";
  for (size_t i = 0; i < kColumns; ++i) {
    if (columns[i].empty()) return "has an empty column";
  }
  const std::optional<Provenance> provenance = ProvenanceOf(columns[5]);
  if (!provenance) return "must say 'measured', 'derived' or 'unknown', not '" + columns[5] + "'";
  const std::string& bytes = columns[4];
  row = {columns[0], columns[1], columns[2], columns[3], {std::nullopt, *provenance, columns[6]}};
  if ((bytes == kUnknownBytes) != (*provenance == Provenance::kUnknown)) {
    return "must have ? for its bytes where they are unknown, and only there";
  }
  if (*provenance == Provenance::kUnknown) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), number);
  if (error != std::errc{} || end != bytes.data() + bytes.size() || number < 0) {
    return "has '" + bytes + "' where a number of bytes must be";
  }
  row.size.bytes = number;
  return std::nullopt;
}

}  // namespace

std::string_view NameOf(Provenance provenance) {
  switch (provenance) {
    case Provenance::kMeasured:
      return "measured";
    case Provenance::kDerived:
      return "derived";
    case Provenance::kUnknown:
      break;
  }
  return "unknown";
}

Result<Table> Table::Load(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (auto entry = std::filesystem::directory_iterator(folder, failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    if (entry->path().extension() == ".tsv") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  Table all;
  for (const std::filesystem::path& file : files) {
    const Result<std::string> text = ReadWholeFile(file);
    if (!text) return text.error();
    Result<Table> table = Parse(*text, file.string());
    if (!table) return table.error();
    for (auto& [key, size] : table->rows_) all.Add({key[0], key[1], key[2], key[3], std::move(size)});
  }
  return all;
}

Result<Table> Table::Parse(std::string_view text, const std::string& name) {
  Table table;
  int number = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    Row row;
    if (const auto problem = ReadRow(line, row)) {
      return Error{"Line " + std::to_string(number) + " of the table " + name + " " + *problem +
                   ". Mend it, or take the file away."};
    }
    table.Add(std::move(row));
  }
  return table;
}

void Table::Add(Row row) {
  Size& size = rows_[{row.card, row.library, row.version, row.operation}];
  if (!size.bytes || row.size.provenance <= size.provenance) size = std::move(row.size);
}

Size Table::Find(const std::string& card, const std::string& library, const std::string& version,
                 const std::string& operation) const {
  const std::string every(kEvery);
  for (const std::string& its_card : {card, every}) {
    for (const std::string& its_version : {version, every}) {
      const auto found = rows_.find({its_card, library, its_version, operation});
      if (found != rows_.end() && found->second.bytes) return found->second;
    }
  }
  return {};
}

std::string TextOf(const std::vector<Row>& rows, const std::string& remark) {
  std::string text = "# " + remark + "\n# card\tlibrary\tversion\toperation\tbytes\tprovenance\tsource\n";
  for (const Row& row : rows) {
    const std::string bytes = row.size.bytes ? std::to_string(*row.size.bytes) : std::string(kUnknownBytes);
    text += row.card + "\t" + row.library + "\t" + row.version + "\t" + row.operation + "\t" + bytes + "\t" +
            std::string(NameOf(row.size.provenance)) + "\t" + row.size.source + "\n";
  }
  return text;
}

}  // namespace tidemark::phantom::calibration
