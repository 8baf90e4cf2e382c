// SQLite databases, as far as we write and read them. Not thread safe. Errors are SQLite's own words, as the
// end of a sentence.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tidemark::trace {

// A prepared statement. Places and columns count from 0.
class SqlStatement {
 public:
  SqlStatement() = default;  // has no row
  explicit SqlStatement(sqlite3_stmt* statement) : statement_(statement) {}

  SqlStatement& Bind(int place, int64_t value);
  SqlStatement& Bind(int place, double value);
  SqlStatement& Bind(int place, std::string_view text);  // copied
  // Whether there is a row; false at the end and on failure (Database::failure()).
  bool Step();
  // A Step without a row, after which it can be bound again.
  bool Run();

  int64_t Integer(int column) const;        // of another type: as SQLite converts it; of none: 0
  std::string_view Text(int column) const;  // until the next Step
  bool IsNull(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  // A new one in an empty file, written in one transaction that Commit ends.
  static Result<Database> Create(const std::filesystem::path& file);
  // One that a stranger made: nothing in it is executed (no triggers, no functions that write or load), and
  // it is not written to. `going` is asked now and then while a statement runs; false ends it.
  static Result<Database> Open(const std::filesystem::path& file, std::function<bool()> going);

  Status Execute(const char* sql);
  Result<SqlStatement> Prepare(const std::string& sql);
  Status Commit();
  // A table that holds rows of its own: no view, nothing virtual.
  bool HasTable(std::string_view name);
  bool HasColumn(std::string_view table, std::string_view column);
  std::string failure() const;  // "" or what went wrong last

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  std::unique_ptr<std::function<bool()>> going_;
  std::unique_ptr<sqlite3, Close> database_;
};

// Puts rows of integers into an empty table, whose first column numbers them without a gap. Many go in by one
// statement, and SQLite counts on: several times as fast as one by one. The database outlives it.
class IntegerRows {
 public:
  static Result<IntegerRows> Into(Database& database, const std::string& table, size_t columns);

  // Of as many values as there are columns. False: it failed (Database::failure()).
  bool Add(std::span<const int64_t> row);
  // To be called after the last row.
  bool Flush();

 private:
  IntegerRows(SqlStatement one, SqlStatement many, size_t columns)
      : one_(std::move(one)), many_(std::move(many)), columns_(columns) {}
  bool AddOne(std::span<const int64_t> row);

  SqlStatement one_;
  SqlStatement many_;
  size_t columns_;
  bool is_empty_ = true;          // the table: its first row says from where to count
  std::vector<int64_t> waiting_;  // for many_
};

}  // namespace tidemark::trace
