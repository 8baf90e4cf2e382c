#include "profiler/capture/transport/messages.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::transport {
namespace {

networks::TrainingSettings UnusualSettings() {
  networks::TrainingSettings settings;
  settings.batch = 17;
  settings.amp = networks::Precision::kFloat16;
  settings.checkpoint = {networks::CheckpointMode::kSegments, 3};
  settings.learning_rate = 0.1 + 0.2;
  settings.seed = ~uint64_t{0};
  return settings;
}

template <typename Message>
Message CommandAgain(const Message& message) {
  const Result<Command> command = CommandFromJson(ToJson(Command(message)));
  if (!command) FAIL(command.error().message);
  REQUIRE(std::holds_alternative<Message>(*command));
  return std::get<Message>(*command);
}

template <typename Message>
Message ReportAgain(const Message& message) {
  const Result<Report> report = ReportFromJson(ToJson(Report(message)));
  if (!report) FAIL(report.error().message);
  REQUIRE(std::holds_alternative<Message>(*report));
  return std::get<Message>(*report);
}

TEST_CASE("every command comes back as it was", "[messages]") {
  const Start start{UnusualSettings(), {networks::DeviceKind::kCuda, 3, "t4"}};
  CHECK(CommandAgain(start).settings == start.settings);
  CHECK(CommandAgain(start).device == start.device);
  CHECK(CommandAgain(Change{UnusualSettings()}).settings == UnusualSettings());
  CHECK(CommandAgain(Restart{UnusualSettings()}).settings == UnusualSettings());
  const RunMode mode = GENERATE(RunMode::kRun, RunMode::kPause, RunMode::kOneStep, RunMode::kOneOperator);
  CHECK(CommandAgain(SetMode{mode}).mode == mode);
  CHECK(CommandAgain(SetPace{2.5}).steps_per_second == 2.5);
  CHECK(CommandAgain(SetStepLimit{int64_t{1} << 60}).steps == int64_t{1} << 60);
  CommandAgain(Stop{});
}

TEST_CASE("every report comes back as it was", "[messages]") {
  const events::RunDescription run{"Net on \"phantom\" H200\n",
                                   "phantom",
                                   "NVIDIA H200",
                                   150'754'820'096,
                                   "{\"batch\": 64}",
                                   "trainer",
                                   -5,
                                   4711,
                                   1,
                                   "python train.py",
                                   "",
                                   {"A doubt."}};
  const events::RunDescription again = ReportAgain(Started{run}).description;
  CHECK(again.title == run.title);
  CHECK(again.command == run.command);
  CHECK(again.notes == run.notes);
  CHECK(again.device == run.device);
  CHECK(again.device_name == run.device_name);
  CHECK(again.device_bytes == run.device_bytes);
  CHECK(again.settings_json == run.settings_json);
  CHECK(again.producer == run.producer);
  CHECK(again.start_time_ns == run.start_time_ns);
  CHECK(again.process_id == run.process_id);
  CHECK(again.rank == run.rank);
  const ActivityChanged changed = ReportAgain(ActivityChanged{Activity::kPaused, 12});
  CHECK(changed.activity == Activity::kPaused);
  CHECK(changed.steps_done == 12);
  CHECK(ReportAgain(Finished{99}).steps_done == 99);
  const Failed failed = ReportAgain(Failed{"CUDA out of memory.", true});
  CHECK(failed.sentence == "CUDA out of memory.");
  CHECK(failed.out_of_memory);
  CHECK_FALSE(failed.lost_rank);
  CHECK(ReportAgain(Failed{"Another rank is gone.", false, true}).lost_rank);
}

TEST_CASE("text that is not UTF-8 does not stop a report", "[messages]") {
  CHECK(ReportAgain(Failed{"\xff\xfe oh", false}).sentence.find("oh") != std::string::npos);
}

TEST_CASE("anything else is an error with a sentence", "[messages]") {
  const std::vector<std::string> commands = {
      "",
      "stop",
      "[]",
      "{}",
      R"({"message":"stop")",
      R"({"message":"Stop"})",
      R"({"message":"stop","now":true})",
      R"({"message":"set mode"})",
      R"({"message":"set mode","mode":"fly"})",
      R"({"message":"set mode","mode":1})",
      R"({"message":"set pace","steps_per_second":"2"})",
      R"({"message":"set pace","steps_per_second":1e999})",
      R"({"message":"set step limit","steps":1.5})",
      R"({"message":"set step limit","steps":18446744073709551615})",
      R"({"message":"change"})",
      R"({"message":"change","settings":{}})",
      R"({"message":"change","settings":{"batch":0}})",
      R"({"message":"finished","steps_done":1})",
      std::string(60'000, '['),
  };
  for (const std::string& json : commands) {
    INFO(json.substr(0, 100));
    const Result<Command> command = CommandFromJson(json);
    REQUIRE_FALSE(command.ok());
    CHECK(command.error().message.find("same build") != std::string::npos);
    CHECK(command.error().message.size() < 500);
  }
  CHECK_FALSE(ReportFromJson(R"({"message":"stop"})").ok());
  CHECK_FALSE(ReportFromJson(R"({"message":"failed","sentence":"x","out_of_memory":1})").ok());
}

}  // namespace
}  // namespace tidemark::transport
