#include "profiler/trace/importers/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "profiler/base/shell_words.h"
#include "profiler/trace/file_types.h"
#include "profiler/trace/importers/json_import.h"
#include "profiler/trace/importers/objects.h"
#include "profiler/trace/importers/perfetto_import.h"
#include "profiler/trace/importers/pickle.h"
#include "profiler/trace/importers/snapshot.h"
#include "profiler/trace/importers/sqlite_import.h"
#include "profiler/trace/perfetto_format.h"

namespace tidemark::trace {
namespace {

enum class Format { kUnknown, kTide, kPickle, kJson, kPerfetto, kSqlite };

// Of the traces that we write: a packet's tag and its length, which may be the number of a bracket, and then
// a tag that nothing in JSON begins with.
bool BeginsWithOurPacket(std::string_view beginning) {
  constexpr char kFirstTag = perfetto::kSequenceFlags << 3 | perfetto::kVarint;
  if (beginning.front() != '\n') return false;
  const auto is_last_of_length = [](char byte) { return static_cast<unsigned char>(byte) < 0x80; };
  const auto last = std::find_if(beginning.begin() + 1, beginning.end(), is_last_of_length);
  return last != beginning.end() && last + 1 != beginning.end() && last[1] == kFirstTag;
}

Format FormatOf(std::string_view beginning) {
  if (beginning.starts_with("\x89PNG")) return Format::kUnknown;  // a recording begins with that byte, too
  if (beginning.empty() || beginning.front() == '\x89')
    return Format::kTide;  // it says what an empty file is
  if (beginning.front() == '\x80') return Format::kPickle;
  if (BeginsWithOurPacket(beginning)) return Format::kPerfetto;
  const size_t letter = beginning.find_first_not_of(" \t\r\n");
  if (letter != std::string_view::npos && (beginning[letter] == '{' || beginning[letter] == '['))
    return Format::kJson;
  if (beginning.starts_with("SQLite format 3")) return Format::kSqlite;
  if (beginning.front() == '\n') return Format::kPerfetto;  // another's
  // Protocols 0 and 1 begin with what they build: "(dp0", "(lp0", "}q", "]q".
  const bool builds = beginning.starts_with("(d") || beginning.starts_with("(l") ||
                      beginning.starts_with("}q") || beginning.starts_with("]q");
  return builds ? Format::kPickle : Format::kUnknown;
}

Error NothingKnown(std::string_view name) {
  return Error{
      fmt::format("{} is nothing that Tidemark can open: it begins as none of {}. Tables (CSV, Arrow), "
                  "pages and pictures are written for others, not read.",
                  name, OpenableTypesInWords())};
}

}  // namespace

Result<TideSummary> ImportBytes(ByteSource source, std::string_view name,
                                const std::function<void(std::span<const events::Event>)>& accept,
                                const Progress& progress) {
  const Format format = FormatOf(source.Peek());
  if (!source.failure().empty())
    return Error{fmt::format("{} cannot be read: at byte 0, {}.", name, source.failure())};
  const bool is_whole =
      format == Format::kTide || format == Format::kSqlite;  // read from a file of their own
  if (is_whole && source.packed() && !source.Peek().empty()) {
    return Error{fmt::format("{} is a {} that was packed by gzip. Unpack it first: gunzip {}", name,
                             format == Format::kTide ? "recording" : "database", InShell(name))};
  }
  if (is_whole || format == Format::kUnknown) return NothingKnown(name);
  // Reading is the first half of the work, and what is made of it the second.
  if (progress) source.ReportTo([&progress](double share) { return progress(0.5 * share); });
  if (format == Format::kPerfetto) return ImportPerfetto(source, std::string(name), accept, progress);
  if (format == Format::kJson) return ImportJson(source, std::string(name), accept, progress);
  Objects objects;
  const ReadObjects read = ReadPickle(source, objects);
  if (source.cancelled()) return Error{fmt::format("Reading {} was cancelled.", name)};
  return ImportSnapshot(read, objects, std::string(name), accept, progress);
}

Result<TideSummary> Import(const std::filesystem::path& file,
                           const std::function<void(std::span<const events::Event>)>& accept,
                           const Progress& progress) {
  Result<ByteSource> source = ByteSource::Open(file);
  if (!source) return source.error();
  if (!source->packed() && FormatOf(source->Peek()) == Format::kTide) return ReadTide(file, accept, progress);
  if (!source->packed() && FormatOf(source->Peek()) == Format::kSqlite)
    return ImportSqlite(file, accept, progress);
  return ImportBytes(std::move(*source), file.string(), accept, progress);
}

}  // namespace tidemark::trace
