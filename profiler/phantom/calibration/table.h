// Sizes that no library tells without a GPU: tables that `tidemark calibrate` wrote on machines with one.
// What is in no table is unknown, and stays so: guessed sizes made predictions worse in every trial.
//
// A table is a file *.tsv of lines with seven columns, separated by tabs; lines that begin with # are
// remarks:
//   card        "h200", or * for every card
//   library     "cudnn", "cuda"
//   version     of the library: "9.19.0", "13.0"; or *
//   operation   as operations.h writes it
//   bytes       a whole number; ? where it was looked for and is not known
//   provenance  measured (on that card), derived (by a rule that the source names), unknown
//   source      who measured it, when and how; for people
//
// Values; thread safe after loading. Find is a look into a hash table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"

namespace tidemark::phantom::calibration {

enum class Provenance : uint8_t { kMeasured, kDerived, kUnknown };
std::string_view NameOf(Provenance provenance);

struct Size {
  std::optional<int64_t> bytes;  // nothing where it is unknown
  Provenance provenance = Provenance::kUnknown;
  std::string source;
};

struct Row {
  std::string card;
  std::string library;
  std::string version;
  std::string operation;
  Size size;
};

class Table {
 public:
  // All *.tsv of a folder; a folder that is not there is an empty table. Errors name the file and the line.
  static Result<Table> Load(const std::filesystem::path& folder);
  static Result<Table> Parse(std::string_view text, const std::string& name);

  // Of rows for this card and version before those for every one; of those, measured ones before derived
  // ones.
  Size Find(const std::string& card, const std::string& library, const std::string& version,
            const std::string& operation) const;
  size_t size() const { return rows_.size(); }

 private:
  void Add(Row row);

  // By card, library, version and operation.
  std::map<std::vector<std::string>, Size> rows_;
};

// The file that Load reads, with a remark at its top.
std::string TextOf(const std::vector<Row>& rows, const std::string& remark);

}  // namespace tidemark::phantom::calibration
