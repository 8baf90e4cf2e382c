#include "profiler/trace/tide.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "profiler/base/unique_fd.h"
#include "profiler/events/torch_versions.h"
#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::trace {
namespace {

using events::Event;

events::RunDescription Description() {
  return {"Net on \"phantom\"\n",
          "phantom",
          "NVIDIA H200",
          150'754'820'096,
          R"({"batch": 64})",
          "trainer 0.1",
          17,
          42,
          3,
          "python train.py",
          "It ended.",
          {"A doubt.", "Another."},
          "0a1b",
          "13.0",
          "expandable_segments:True",
          "scattered-7",
          8,
          /*tells_pools=*/false};
}

std::vector<Event> RandomEvents(size_t count) {
  std::mt19937_64 random(count);
  std::vector<Event> events(count);
  int64_t time_ns = 1'760'000'000'000'000'000;
  for (Event& event : events) {
    event.time_ns = time_ns += static_cast<int64_t>(random() % 1000);
    event.address = 0x7f0000000000 + random() % 1000 * 512;
    event.bytes = static_cast<int64_t>(random() % 4096);
    event.rounded_bytes = (event.bytes + 511) / 512 * 512;
    event.kind = static_cast<events::EventKind>(random() % events::kEventKindCount);
    event.category = static_cast<events::Category>(random() % events::kCategoryCount);
  }
  return events;
}

struct ReadBack {
  Result<TideSummary> summary;
  std::vector<Event> events;
};

ReadBack Read(const std::filesystem::path& file) {
  std::vector<Event> events;
  Result<TideSummary> summary = ReadTide(
      file, [&](std::span<const Event> chunk) { events.insert(events.end(), chunk.begin(), chunk.end()); });
  return {std::move(summary), std::move(events)};
}

std::string ReadError(const std::filesystem::path& file) {
  const ReadBack read = Read(file);
  REQUIRE_FALSE(read.summary.ok());
  CHECK(read.events.empty());
  return read.summary.error().message;
}

// Where each chunk begins, and the end of the file: by the sizes in the chunks' headers (FORMAT.md).
std::vector<size_t> Boundaries(const std::string& bytes) {
  std::vector<size_t> boundaries = {16};
  while (boundaries.back() < bytes.size()) {
    uint32_t packed = 0;
    std::memcpy(&packed, bytes.data() + boundaries.back() + 24, sizeof packed);
    boundaries.push_back(boundaries.back() + 48 + packed);
  }
  return boundaries;
}

// Three chunks of events: of 5, 3 and 7.
std::string SmallRecording(const std::filesystem::path& file, const std::vector<Event>& events) {
  TideWriter writer = std::move(*TideWriter::Create(file, Description()));
  const std::span<const Event> all(events);
  REQUIRE(writer.Append(all.first(5)).ok());
  REQUIRE(writer.Flush().ok());
  REQUIRE(writer.Append(all.subspan(5, 3)).ok());
  REQUIRE(writer.Flush().ok());
  REQUIRE(writer.Append(all.subspan(8)).ok());
  REQUIRE(writer.Close().ok());
  return ReadFile(file);
}

bool IsPrefix(const std::vector<Event>& part, const std::vector<Event>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

TEST_CASE("a recording over an old one does not show that one's bookmarks", "[tide]") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  SmallRecording(file, RandomEvents(15));
  REQUIRE(SaveBookmarks({{17, "of the old one"}}, file).ok());
  TideWriter writer = std::move(*TideWriter::Create(file, Description()));
  CHECK(LoadBookmarks(file)->empty());
  REQUIRE(SaveBookmarks({{18, "while it is recorded"}}, file).ok());
  CHECK_FALSE(TideWriter::Create(file, Description()));  // another has it
  REQUIRE(writer.Close().ok());
  CHECK(LoadBookmarks(file)->size() == 1);
}

TEST_CASE("where an old recording's bookmarks cannot be removed it stays", "[tide]") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  const std::vector<Event> events = RandomEvents(15);
  SmallRecording(file, events);
  std::filesystem::create_directories(BookmarksFileOf(file) / "what is in the way");
  const Result<TideWriter> writer = TideWriter::Create(file, Description());
  REQUIRE_FALSE(writer.ok());
  CHECK(writer.error().message.find("cannot be removed") != std::string::npos);
  CHECK(Read(file).events == events);
}

TEST_CASE("a recording reads back as it was written", "[tide]") {
  const Scratch scratch;
  const size_t count = GENERATE(0, 1, kMaxEventsInChunk - 1, kMaxEventsInChunk, 3 * kMaxEventsInChunk + 5);
  const std::vector<Event> events = RandomEvents(count);
  TideWriter writer = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
  std::span<const Event> rest(events);
  for (size_t part = 1; !rest.empty(); part = part * 3 + 1) {
    const size_t size = std::min(part, rest.size());
    REQUIRE(writer.Append(rest.first(size)).ok());
    rest = rest.subspan(size);
  }
  REQUIRE(writer.Close().ok());
  const ReadBack read = Read(scratch / "run.tide");
  REQUIRE(read.summary.ok());
  CHECK(read.events == events);
  CHECK(read.summary->complete);
  CHECK(read.summary->warning.empty());
  CHECK(read.summary->events == count);
  const events::RunDescription description = read.summary->description;
  CHECK(description.title == Description().title);
  CHECK(description.device == "phantom");
  CHECK(description.device_name == "NVIDIA H200");
  CHECK(description.device_bytes == 150'754'820'096);
  CHECK(description.settings_json == R"({"batch": 64})");
  CHECK(description.producer == "trainer 0.1");
  CHECK(description.start_time_ns == 17);
  CHECK(description.process_id == 42);
  CHECK(description.rank == 3);
  CHECK(description.command == "python train.py");
  CHECK(description.ending == "It ended.");
  CHECK(description.notes == Description().notes);
  CHECK(description.torch_build_id == "0a1b");
  CHECK(description.torch_cuda == "13.0");
  CHECK(description.allocator_settings == "expandable_segments:True");
  CHECK(description.address_order == "scattered-7");
  CHECK(description.pretended_world == 8);
  CHECK_FALSE(description.tells_pools);
}

TEST_CASE("Of a file from before it was said who recorded the run tells whether pools are told", "[tide]") {
  const auto tells = [](const std::string& producer, const std::string& more = "") {
    return events::DescriptionFromJson(R"({"producer": ")" + producer + "\"" + more + "}")->tells_pools;
  };
  CHECK(tells("tidemark phantom 0.1 (torch 2.8.0+cu128)"));
  CHECK_FALSE(tells("tidemark phantom 0.1 (torch 2.7.1+cu126)"));
  CHECK_FALSE(tells("tidemark phantom 0.1 (torch 2.8.0+cu128)",
                    R"(, "allocator_settings": "backend:cudaMallocAsync")"));
  CHECK(tells(events::kSnapshotProducer));
  CHECK_FALSE(tells("tidemark record 0.1"));
  CHECK_FALSE(tells("torch.profiler"));
  CHECK(tells("tidemark record 9.9", R"(, "tells_pools": true)"));
  CHECK_FALSE(tells("tidemark phantom 9.9 (torch 9.9.0)", R"(, "tells_pools": false)"));
}

TEST_CASE("the last description holds", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(10);
  TideWriter writer = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
  REQUIRE(writer.Append(events).ok());
  events::RunDescription better = Description();
  better.device_name = "NVIDIA T4";
  REQUIRE(writer.Describe(better).ok());
  REQUIRE(writer.Close().ok());
  const ReadBack read = Read(scratch / "run.tide");
  REQUIRE(read.summary.ok());
  CHECK(read.summary->description.device_name == "NVIDIA T4");
  CHECK(read.events == events);
}

TEST_CASE("what was flushed survives a writer that never closes", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(100);
  {
    TideWriter writer = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
    REQUIRE(writer.Append(events).ok());
    REQUIRE(writer.Flush().ok());
    REQUIRE(writer.Append(events).ok());
  }
  const ReadBack read = Read(scratch / "run.tide");
  REQUIRE(read.summary.ok());
  CHECK(read.events == events);
  CHECK_FALSE(read.summary->complete);
  CHECK(read.summary->warning.find("without its closing chunk") != std::string::npos);
}

TEST_CASE("what is being recorded right now is read as that, and is cut short once its writer is gone",
          "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(100);
  {
    TideWriter writer = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
    CHECK(ReadError(scratch / "run.tide").find("still being recorded, and holds no event yet") !=
          std::string::npos);
    REQUIRE(writer.Append(events).ok());
    REQUIRE(writer.Flush().ok());
    const ReadBack read = Read(scratch / "run.tide");
    REQUIRE(read.summary.ok());
    CHECK(read.events == events);
    CHECK_FALSE(read.summary->complete);
    CHECK(read.summary->warning.find("still being recorded: its first 100 events are shown.") !=
          std::string::npos);
    CHECK(read.summary->warning.find("cut short") == std::string::npos);
  }
  CHECK(Read(scratch / "run.tide").summary->warning.find("is cut short or damaged") != std::string::npos);
}

TEST_CASE("what is read goes on although another file takes its name meanwhile", "[tide]") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  TideWriter writer = std::move(*TideWriter::Create(file, Description()));
  REQUIRE(writer.Append(RandomEvents(100)).ok());
  REQUIRE(writer.Flush().ok());
  const Result<TideSummary> summary = ReadTide(file, [&](std::span<const Event>) {
    std::filesystem::rename(file, scratch / "moved.tide");
    WriteFile(file, "another");
  });
  REQUIRE(summary.ok());
  CHECK(summary->warning.find("still being recorded: its first 100 events") != std::string::npos);
}

TEST_CASE("what ends while it is read is whole", "[tide]") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "run.tide";
  const std::vector<Event> events = RandomEvents(8);
  size_t cut_short = 0;
  for (int i = 0; i < 400; ++i) {
    TideWriter writer = std::move(*TideWriter::Create(file, Description()));
    REQUIRE(writer.Append(std::span(events).first(5)).ok());
    REQUIRE(writer.Flush().ok());
    REQUIRE(writer.Append(std::span(events).subspan(5)).ok());
    std::thread end([&writer] { (void)writer.Close(); });
    for (bool is_complete = false; !is_complete;) {
      const ReadBack read = Read(file);
      is_complete = !read.summary || read.summary->complete;
      cut_short += !read.summary || read.summary->warning.find("cut short") != std::string::npos ? 1 : 0;
    }
    end.join();
  }
  CHECK(cut_short == 0);
}

TEST_CASE("a recording is not replaced while it is written", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(8);
  TideWriter first = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
  REQUIRE(first.Append(std::span(events).first(5)).ok());
  REQUIRE(first.Flush().ok());
  const Result<TideWriter> second = TideWriter::Create(scratch / "run.tide", Description());
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().message.find("Choose another name") != std::string::npos);
  REQUIRE(first.Append(std::span(events).subspan(5)).ok());
  REQUIRE(first.Close().ok());
  CHECK(Read(scratch / "run.tide").events == events);
  CHECK(TideWriter::Create(scratch / "run.tide", Description()).ok());
  CHECK(Read(scratch / "run.tide").events.empty());
}

TEST_CASE("where a recording cannot be written is known before, and nothing is left of the trial", "[tide]") {
  const Scratch scratch;
  CHECK(CanBeRecorded("").ok());
  CHECK(CanBeRecorded(scratch / "run.tide").ok());
  CHECK_FALSE(std::filesystem::exists(scratch / "run.tide"));
  WriteFile(scratch / "run.tide", "old");
  CHECK(CanBeRecorded(scratch / "run.tide").ok());
  CHECK(std::filesystem::file_size(scratch / "run.tide") == 3);
  CHECK_FALSE(CanBeRecorded(scratch / "no" / "run.tide").ok());
}

TEST_CASE("what is being recorded right now is no place for another recording, and stays as it is",
          "[tide]") {
  const Scratch scratch;
  const Result<TideWriter> recording = TideWriter::Create(scratch / "run.tide", {});
  REQUIRE(recording.ok());
  const auto size = std::filesystem::file_size(scratch / "run.tide");
  const Status writable = CanBeRecorded(scratch / "run.tide");
  REQUIRE_FALSE(writable.ok());
  CHECK(writable.error().message.find("is being recorded right now") != std::string::npos);
  CHECK(std::filesystem::file_size(scratch / "run.tide") == size);
}

TEST_CASE("a device takes what many record", "[tide]") {
  const Result<TideWriter> first = TideWriter::Create("/dev/null", Description());
  CHECK(first.ok());
  CHECK(TideWriter::Create("/dev/null", Description()).ok());
}

TEST_CASE("what was recorded outlives a folder that vanishes", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(8);
  std::filesystem::create_directory(scratch / "runs");
  std::filesystem::create_directory(scratch / "temporary");
  TideWriter writer = std::move(*TideWriter::Create(scratch / "runs/run.tide", Description()));
  REQUIRE(writer.Append(std::span(events).first(5)).ok());
  REQUIRE(writer.Flush().ok());
  std::filesystem::remove_all(scratch / "runs");
  const char* const before = std::getenv("TMPDIR");
  const std::string kept_tmpdir = before == nullptr ? "" : before;
  setenv("TMPDIR", (scratch / "temporary").c_str(), 1);
  REQUIRE(writer.Append(std::span(events).subspan(5)).ok());
  const Status flushed = writer.Flush();
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept_tmpdir.c_str(), 1);
  REQUIRE_FALSE(flushed.ok());
  CHECK(flushed.error().message.find((scratch / "runs/run.tide").string() + " was removed") == 0);
  CHECK_FALSE(writer.Close().ok());
  const std::filesystem::path kept = std::filesystem::directory_iterator(scratch / "temporary")->path();
  CHECK(flushed.error().message.find(kept.string()) != std::string::npos);
  const ReadBack read = Read(kept);
  REQUIRE(read.summary.ok());
  CHECK(read.events == events);
}

TEST_CASE("a file cut anywhere reads up to its last whole chunk and says where it ends", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(15);
  const std::string whole = SmallRecording(scratch / "whole.tide", events);
  const std::vector<size_t> boundaries = Boundaries(whole);
  REQUIRE(boundaries.size() == 6);
  const std::vector<size_t> events_before = {0, 0, 5, 8, 15};
  const auto cut_file = scratch / "cut.tide";
  WriteFile(cut_file, whole);
  for (size_t size = whole.size(); size-- > 0;) {
    INFO("cut at byte " << size);
    std::filesystem::resize_file(cut_file, size);
    const ReadBack read = Read(cut_file);
    if (size < boundaries[1]) {
      REQUIRE_FALSE(read.summary.ok());
      CHECK(read.summary.error().message.find("byte " + std::to_string(size < 16 ? size : 16)) !=
            std::string::npos);
      continue;
    }
    const auto next = std::upper_bound(boundaries.begin(), boundaries.end(), size) - 1;
    CHECK(read.events.size() == events_before[static_cast<size_t>(next - boundaries.begin())]);
    if (read.events.empty()) {
      REQUIRE_FALSE(read.summary.ok());
      CHECK(read.summary.error().message.find("at byte " + std::to_string(*next)) != std::string::npos);
      continue;
    }
    REQUIRE(read.summary.ok());
    CHECK(IsPrefix(read.events, events));
    CHECK_FALSE(read.summary->complete);
    CHECK(read.summary->warning.find("at byte " + std::to_string(*next)) != std::string::npos);
  }
}

bool Tells(const ReadBack& read, const std::string& words) {
  return read.summary->warning.find(words) != std::string::npos;
}

TEST_CASE("of a chunk that is cut the events before the cut are read, and the loss is told", "[tide]") {
  const Scratch scratch;
  constexpr size_t kInFirst = 10'000;
  std::vector<Event> events = RandomEvents(2 * kInFirst);
  TideWriter writer = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
  REQUIRE(writer.Append(std::span(events).first(kInFirst)).ok());
  REQUIRE(writer.Flush().ok());
  REQUIRE(writer.Append(std::span(events).subspan(kInFirst)).ok());
  REQUIRE(writer.Close().ok());
  const std::string whole = ReadFile(scratch / "run.tide");
  const std::vector<size_t> at = Boundaries(whole);

  WriteFile(scratch / "cut.tide", whole.substr(0, at[1] + (at[2] - at[1]) * 6 / 10));
  const ReadBack first = Read(scratch / "cut.tide");
  REQUIRE(first.summary.ok());
  CHECK(first.events.size() == 2 * size_t{128 << 10} / sizeof(Event));  // the blocks before the cut
  CHECK(IsPrefix(first.events, events));
  CHECK(first.summary->events == first.events.size());
  CHECK_FALSE(first.summary->complete);
  CHECK(Tells(first, "at byte " + std::to_string(at[1])));
  CHECK(Tells(first, "at least 5,904 events are lost (how many more is not known)."));

  WriteFile(scratch / "cut.tide", whole.substr(0, at[2] + (at[3] - at[2]) / 2));
  const ReadBack second = Read(scratch / "cut.tide");
  REQUIRE(second.summary.ok());
  CHECK(second.events.size() > kInFirst);
  CHECK(IsPrefix(second.events, events));
}

TEST_CASE("of a cut chunk that is not packed each whole event is read", "[tide]") {
  const Scratch scratch;
  std::vector<Event> events = RandomEvents(20);
  std::mt19937_64 random(7);
  for (Event& event : events) {  // nothing to pack
    event.address = random();
    event.bytes = static_cast<int64_t>(random());
    event.rounded_bytes = static_cast<int64_t>(random());
    event.stream = random();
    for (uint32_t* const id : {&event.layer, &event.op, &event.name, &event.thread})
      *id = static_cast<uint32_t>(random());
    event.time_ns = static_cast<int64_t>(random());
    event.device = static_cast<uint8_t>(random());
    event.pool = static_cast<uint8_t>(random());
  }
  TideWriter writer = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
  REQUIRE(writer.Append(events).ok());
  REQUIRE(writer.Close().ok());
  const std::string whole = ReadFile(scratch / "run.tide");
  const size_t payload = Boundaries(whole)[1] + 48;
  WriteFile(scratch / "cut.tide", whole.substr(0, payload + 7 * sizeof(Event) + 63));
  const ReadBack read = Read(scratch / "cut.tide");
  REQUIRE(read.summary.ok());
  CHECK(read.events.size() == 7);
  CHECK(IsPrefix(read.events, events));
  CHECK(Tells(read, "The 7 events before it are shown"));
  CHECK(Tells(read, "at least 13 events are lost"));
}

TEST_CASE("a chunk with wrong bytes is left out whole, and what it and those behind it held is counted",
          "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(15);
  std::string bytes = SmallRecording(scratch / "whole.tide", events);
  const std::vector<size_t> at = Boundaries(bytes);
  bytes[at[2] + 60] ^= 1;
  WriteFile(scratch / "flipped.tide", bytes);
  const ReadBack read = Read(scratch / "flipped.tide");
  REQUIRE(read.summary.ok());
  CHECK(read.events.size() == 5);
  CHECK(Tells(read, "; 10 events are lost."));
  WriteFile(scratch / "and cut.tide", bytes.substr(0, at[4]));
  CHECK(Tells(Read(scratch / "and cut.tide"), "at least 10 events are lost (how many more is not known)."));
  bytes[at[1] + 60] ^= 1;
  WriteFile(scratch / "both.tide", bytes);
  CHECK(ReadError(scratch / "both.tide").find("15 events are lost") != std::string::npos);
}

TEST_CASE("any flipped bit is found", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(15);
  const std::string whole = SmallRecording(scratch / "whole.tide", events);
  const auto flipped_file = scratch / "flipped.tide";
  WriteFile(flipped_file, whole);
  const UniqueFd fd(open(flipped_file.c_str(), O_WRONLY | O_CLOEXEC));
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    if (bit == 64 || bit == 66) continue;  // make the version 4 or 1, which are read as this one is
    INFO("bit " << bit % 8 << " of byte " << bit / 8);
    const char flipped = static_cast<char>(whole[bit / 8] ^ (1 << bit % 8));
    REQUIRE(pwrite(fd.get(), &flipped, 1, static_cast<off_t>(bit / 8)) == 1);
    const ReadBack read = Read(flipped_file);
    if (read.summary.ok()) {
      CHECK(read.summary->warning.find("at byte ") != std::string::npos);
      CHECK(IsPrefix(read.events, events));
      CHECK_FALSE(read.summary->complete);
    } else {
      CHECK(read.summary.error().message.find("byte ") != std::string::npos);
    }
    REQUIRE(pwrite(fd.get(), &whole[bit / 8], 1, static_cast<off_t>(bit / 8)) == 1);
  }
}

// Somebody who can compute checksums: whatever the fields say, reading ends with a sentence and in little
// memory.
TEST_CASE("chunk headers that lie under right checksums", "[tide]") {
  const Scratch scratch;
  const std::string whole = SmallRecording(scratch / "whole.tide", RandomEvents(15));
  const std::vector<size_t> at = Boundaries(whole);
  std::mt19937_64 random(3);
  const std::vector<uint32_t> nasty = {0, 1, 2, 3, 64, 65'536, 65'537, 0x7fffffff, 0x80000000, 0xffffffff};
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = whole;
    const size_t chunk = at[random() % (at.size() - 1)];
    const size_t field = 4 + random() % 7 * 4;  // kind, first event (two), events, unpacked, packed, packing
    const uint32_t value = nasty[random() % nasty.size()];
    std::memcpy(bytes.data() + chunk + field, &value, sizeof value);
    const size_t payload = chunk + 48 + random() % 40;
    if (random() % 2 == 0 && payload < bytes.size()) bytes[payload] = static_cast<char>(random());
    uint32_t packed = 0;
    std::memcpy(&packed, bytes.data() + chunk + 24, sizeof packed);
    const size_t there = std::min<size_t>(packed, bytes.size() - chunk - 48);
    const uint64_t payload_checksum = XXH3_64bits(bytes.data() + chunk + 48, there);
    std::memcpy(bytes.data() + chunk + 32, &payload_checksum, sizeof payload_checksum);
    const uint64_t header_checksum = XXH3_64bits(bytes.data() + chunk, 40);
    std::memcpy(bytes.data() + chunk + 40, &header_checksum, sizeof header_checksum);
    WriteFile(scratch / "lie.tide", bytes);
    const ReadBack read = Read(scratch / "lie.tide");
    CHECK(read.events.size() <= 15);
    if (!read.summary.ok()) CHECK(read.summary.error().message.find("byte ") != std::string::npos);
  }
}

TEST_CASE("a file with bytes after its end is read, with a warning", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(15);
  const std::string whole = SmallRecording(scratch / "a.tide", events);
  WriteFile(scratch / "b.tide", whole + "x");
  const ReadBack read = Read(scratch / "b.tide");
  REQUIRE(read.summary.ok());
  CHECK(read.summary->complete);
  CHECK(read.events == events);
  CHECK(read.summary->warning.find("byte " + std::to_string(whole.size())) != std::string::npos);
}

TEST_CASE("a chunk that is missing in the middle is noticed", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(15);
  const std::string whole = SmallRecording(scratch / "a.tide", events);
  const std::vector<size_t> at = Boundaries(whole);
  WriteFile(scratch / "b.tide", whole.substr(0, at[2]) + whole.substr(at[3]));
  const ReadBack read = Read(scratch / "b.tide");
  REQUIRE(read.summary.ok());
  CHECK(read.events.size() == 5);
  CHECK(read.summary->warning.find("does not follow") != std::string::npos);
}

TEST_CASE("events with values out of range do not get through", "[tide]") {
  const Scratch scratch;
  std::vector<Event> events = RandomEvents(3);
  events[1].category = static_cast<events::Category>(99);
  TideWriter writer = std::move(*TideWriter::Create(scratch / "run.tide", Description()));
  REQUIRE(writer.Append(events).ok());
  REQUIRE(writer.Close().ok());
  CHECK(ReadError(scratch / "run.tide").find("does not know") != std::string::npos);
}

TEST_CASE("what is no recording is refused with a sentence", "[tide]") {
  const Scratch scratch;
  WriteFile(scratch / "empty.tide", "");
  CHECK(ReadError(scratch / "empty.tide").find("is empty") != std::string::npos);
  WriteFile(scratch / "text.tide", "{\"traceEvents\": []}, and some more text");
  CHECK(ReadError(scratch / "text.tide").find("no Tidemark recording") != std::string::npos);
  WriteFile(scratch / "short.tide", "PK");
  CHECK(ReadError(scratch / "short.tide").find("no Tidemark recording") != std::string::npos);
  CHECK(ReadError(scratch / "missing.tide").find("No such file") != std::string::npos);
  CHECK(ReadError(scratch / ".").find("is a folder") != std::string::npos);
  CHECK(ReadError("/dev/zero").find("no regular file") != std::string::npos);
  REQUIRE(mkfifo((scratch / "pipe").c_str(), 0600) == 0);
  CHECK(ReadError(scratch / "pipe").find("no regular file") != std::string::npos);
  std::string newer = SmallRecording(scratch / "a.tide", RandomEvents(15));
  newer[8] = 6;
  WriteFile(scratch / "newer.tide", newer);
  CHECK(ReadError(scratch / "newer.tide").find("version 6") != std::string::npos);
  std::string older = newer;
  for (const char version : {'\1', '\2', '\3', '\4', '\5'}) {
    older[8] = version;
    WriteFile(scratch / "older.tide", older);
    CHECK(Read(scratch / "older.tide").events.size() == 15);
  }
}

TEST_CASE("places where nothing can be written are refused with a sentence", "[tide]") {
  const Scratch scratch;
  const auto error_of = [](const std::filesystem::path& file) {
    const Result<TideWriter> writer = TideWriter::Create(file, Description());
    REQUIRE_FALSE(writer.ok());
    CHECK(writer.error().message.find(file.string()) != std::string::npos);
    return writer.error().message;
  };
  CHECK(error_of(scratch / "no/such/run.tide").find("Create its folder") != std::string::npos);
  CHECK(error_of(scratch / ".").find("Is a directory") != std::string::npos);
  CHECK(error_of("/dev/full").find("Free some space") != std::string::npos);
  if (geteuid() != 0) {  // root may write anywhere
    std::filesystem::create_directory(scratch / "locked");
    std::filesystem::permissions(scratch / "locked", std::filesystem::perms::owner_read);
    CHECK(error_of(scratch / "locked/run.tide").find("may write to") != std::string::npos);
    WriteFile(scratch / "locked.tide", "");
    std::filesystem::permissions(scratch / "locked.tide", std::filesystem::perms::none);
    CHECK(ReadError(scratch / "locked.tide").find("Permission denied") != std::string::npos);
  }
}

TEST_CASE("reading tells its progress and can be cancelled", "[tide]") {
  const Scratch scratch;
  const std::vector<Event> events = RandomEvents(15);
  SmallRecording(scratch / "a.tide", events);
  std::vector<double> seen;
  const auto nothing = [](std::span<const Event>) {};
  REQUIRE(ReadTide(scratch / "a.tide", nothing, [&](double share) {
            seen.push_back(share);
            return true;
          }).ok());
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() == 1);
  const auto cancelled = ReadTide(scratch / "a.tide", nothing, [](double) { return false; });
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().message.find("cancelled") != std::string::npos);
}

}  // namespace
}  // namespace tidemark::trace
