#include "profiler/trace/database.h"

#include <sqlite3.h>

#include <utility>

namespace tidemark::trace {
namespace {

constexpr int kOneThread = SQLITE_OPEN_NOMUTEX;  // one that uses it at a time, as database.h asks: no locks

}  // namespace

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

SqlStatement& SqlStatement::Bind(int place, int64_t value) {
  sqlite3_bind_int64(statement_.get(), place + 1, value);
  return *this;
}

SqlStatement& SqlStatement::Bind(int place, double value) {
  sqlite3_bind_double(statement_.get(), place + 1, value);
  return *this;
}

SqlStatement& SqlStatement::Bind(int place, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), place + 1, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

bool SqlStatement::Step() { return statement_ != nullptr && sqlite3_step(statement_.get()) == SQLITE_ROW; }

bool SqlStatement::Run() {
  const bool done = sqlite3_step(statement_.get()) == SQLITE_DONE;
  return sqlite3_reset(statement_.get()) == SQLITE_OK && done;
}

int64_t SqlStatement::Integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view SqlStatement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

bool SqlStatement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Database> Database::Create(const std::filesystem::path& file) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle,
                                   kOneThread | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database database(handle);
  if (code != SQLITE_OK) return Error{database.failure()};
  // The file takes its place only when it is whole, so there is nothing to roll back to.
  const Status begun = database.Execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  if (!begun) return begun.error();
  return database;
}

Result<Database> Database::Open(const std::filesystem::path& file, std::function<bool()> going) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle, kOneThread | SQLITE_OPEN_READONLY, nullptr);
  Database database(handle);
  if (code != SQLITE_OK) return Error{database.failure()};
  constexpr int kInstructionsBetween = 10'000;
  database.going_ = std::make_unique<std::function<bool()>>(std::move(going));
  sqlite3_progress_handler(
      handle, kInstructionsBetween,
      [](void* asked) { return (*static_cast<std::function<bool()>*>(asked))() ? 0 : 1; },
      database.going_.get());
  // A file that is shorter than it says is read up to its end, and not refused. Nothing can be written.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 16 << 20);
  if (const Status set = database.Execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0"); !set)
    return set.error();
  return database;
}

Status Database::Execute(const char* sql) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Error{failure()};
  return Done{};
}

Result<SqlStatement> Database::Prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int size = static_cast<int>(sql.size());
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), size, &statement, nullptr) != SQLITE_OK)
    return Error{failure()};
  return SqlStatement(statement);
}

Status Database::Commit() { return Execute("COMMIT"); }

bool Database::HasTable(std::string_view name) {
  Result<SqlStatement> found =
      Prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql LIKE 'CREATE TABLE %'");
  return found && found->Bind(0, name).Step();
}

bool Database::HasColumn(std::string_view table, std::string_view column) {
  if (!HasTable(table)) return false;
  Result<SqlStatement> found = Prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  return found && found->Bind(0, table).Bind(1, column).Step();
}

std::string Database::failure() const {
  const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database_.get());
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return "";
  return database_ == nullptr ? "there is no memory for it" : sqlite3_errmsg(database_.get());
}

namespace {

constexpr size_t kRowsOfAStatement = 100;  // more are no faster

// "INSERT INTO table VALUES (NULL,?,?),(NULL,?,?)"
std::string InsertionOf(const std::string& table, const std::string& row, size_t rows) {
  std::string sql = "INSERT INTO " + table + " VALUES " + row;
  for (size_t i = 1; i < rows; ++i) sql += "," + row;
  return sql;
}

}  // namespace

Result<IntegerRows> IntegerRows::Into(Database& database, const std::string& table, size_t columns) {
  std::string values;
  for (size_t i = 1; i < columns; ++i) values += ",?";
  Result<SqlStatement> one = database.Prepare(InsertionOf(table, "(?" + values + ")", 1));
  if (!one) return one.error();
  Result<SqlStatement> many = database.Prepare(InsertionOf(table, "(NULL" + values + ")", kRowsOfAStatement));
  if (!many) return many.error();
  return IntegerRows(std::move(*one), std::move(*many), columns);
}

bool IntegerRows::Add(std::span<const int64_t> row) {
  if (is_empty_) {
    is_empty_ = false;
    return AddOne(row);
  }
  waiting_.insert(waiting_.end(), row.begin(), row.end());
  if (waiting_.size() < kRowsOfAStatement * columns_) return true;
  int place = 0;
  for (size_t i = 0; i < waiting_.size(); ++i) {
    if (i % columns_ != 0) many_.Bind(place++, waiting_[i]);
  }
  waiting_.clear();
  return many_.Run();
}

bool IntegerRows::Flush() {
  const std::vector<int64_t> rows = std::exchange(waiting_, {});
  bool is_good = true;
  for (size_t at = 0; at < rows.size() && is_good; at += columns_)
    is_good = AddOne(std::span(rows).subspan(at, columns_));
  return is_good;
}

bool IntegerRows::AddOne(std::span<const int64_t> row) {
  for (size_t i = 0; i < row.size(); ++i) one_.Bind(static_cast<int>(i), row[i]);
  return one_.Run();
}

}  // namespace tidemark::trace
