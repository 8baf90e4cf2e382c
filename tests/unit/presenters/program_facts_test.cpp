#include "app/presenters/run/program_facts.h"

#include <algorithm>

#include "profiler/phantom/address_order.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::presenters {
namespace {

std::string FactIn(const ProgramFacts& told, const std::string& title) {
  const auto found = std::ranges::find(told.facts, title, &Fact::title);
  return found == told.facts.end() ? "" : found->text;
}

TEST_CASE("The command that tells what makes a program fit says as much of it and its card as is known") {
  phantom::Card card;
  card.name = "t4";
  card.title = "NVIDIA T4";
  card.memory_bytes = int64_t{15} << 30;
  const std::vector<phantom::Card> known = {card};
  events::RunDescription description;
  CHECK(FitCommand(description, 0, known) == "tidemark fit --card NAME -- PROGRAM");
  description.device = "phantom";
  description.device_name = card.title;
  description.device_bytes = card.memory_bytes;
  description.command = "python train.py";
  CHECK(FitCommand(description, 1, known) == "tidemark fit --card t4 -- python train.py");
  CHECK(FitCommand(description, 1, {}) == "tidemark fit --card NAME -- python train.py");
  description.device_bytes = int64_t{8} << 30;
  CHECK(FitCommand(description, 2, known) ==
        "tidemark fit --card t4 --memory 8192MiB --gpus 2 -- python train.py");
  description.device_bytes = card.memory_bytes;
  description.pretended_world = 8;
  description.rank = 3;
  CHECK(FitCommand(description, 1, known) == "tidemark fit --card t4 --world 8 --rank 3 -- python train.py");
  description.pretended_world = 0;
  description.address_order = phantom::TextOf(phantom::AddressOrder());
  CHECK(FitCommand(description, 1, known) == "tidemark fit --card t4 -- python train.py");
  description.address_order = "first-fit";
  CHECK(FitCommand(description, 1, known) ==
        "tidemark fit --card t4 --addresses first-fit -- python train.py");
}

TEST_CASE("What recorded a program is told, or what others' file tells of it") {
  timeline::Stream stream;
  const auto told_of = [&](const char* producer) {
    events::RunDescription description;
    description.title = "run.pickle";
    description.producer = producer;
    return MakeProgramFacts(*stream.Publish(), description, {}, {}, {}, {}, ByteUnit::kMegabytes);
  };
  CHECK(FactIn(told_of("tidemark record 0.1"), "Recorded by") == "tidemark record 0.1");
  CHECK(FactIn(told_of("PyTorch memory snapshot"), "Read from") == "PyTorch memory snapshot");
  CHECK(FactIn(told_of("PyTorch memory snapshot"), "Recorded by").empty());
}

TEST_CASE("What ran is called as it is, also where its name says on what") {
  events::RunDescription description;
  const auto name_of = [&](const char* title) {
    description.title = title;
    CHECK(TitleWithName(description, NameOfProgram(description)) == title);
    return NameOfProgram(description);
  };
  CHECK(name_of("work on the a.pickle") == "work on the a.pickle");  // a file, of no device
  description.device = "phantom";
  CHECK(name_of("MLP on digits on phantom") == "MLP on digits");  // before the trainer tells the card
  description.device_name = "NVIDIA H200";
  CHECK(name_of("train.py on phantom NVIDIA H200") == "train.py");
  CHECK(name_of("MLP on digits on phantom NVIDIA H200, rank 1 of 2") == "MLP on digits");
  CHECK(TitleWithName(description, "VGG-16 on ImageNet") ==
        "VGG-16 on ImageNet on phantom NVIDIA H200, rank 1 of 2");
  description.device = "cuda:0";
  CHECK(name_of("MLP on digits on NVIDIA H200") == "MLP on digits");
  CHECK(name_of("work on a.py") == "work on a.py");  // recorded
  description.device = "cpu";
  description.device_name = "CPU";
  CHECK(name_of("MLP on digits on the CPU") == "MLP on digits");
}

TEST_CASE("What a program comes to with techniques is a verdict, and why where there is more to say") {
  phantom::Card card;
  card.memory_bytes = 1000;
  card.context_bytes = 100;
  session::TechniqueAnswer answer;
  answer.failure = "it ended with exit code 1";
  CHECK(VerdictOf(answer) == "no answer");
  CHECK(WhyVerdict(answer, card) == "it ended with exit code 1");
  answer.ran_out = true;
  CHECK(VerdictOf(answer) == "does not fit");
  CHECK(WhyVerdict(answer, card).empty());
  answer = {.fits = true};
  answer.in_vain = {"--amp bf16", "--checkpoint blocks"};
  CHECK(VerdictOf(answer) == "fits");
  CHECK(WhyVerdict(answer, card) == "--amp bf16 and --checkpoint blocks changed nothing");
  CHECK(FitsInWords({800, false}, card) == "fits");
  CHECK(FitsInWords({850, false}, card) == "fits if its context is no larger than estimated");
  answer.held.empties_cache = true;
  answer.in_vain.clear();
  CHECK(WhyVerdict(answer, card) == "nearly full: PyTorch empties its cache");
  CHECK(FitsInWords(answer.held, card) == "fits, but nearly full: PyTorch empties its cache");
}

TEST_CASE(
    "How much a card is short of is told from below by what is allocated, else from above by segments") {
  phantom::Card card;
  card.memory_bytes = 1000;
  card.context_bytes = 100;
  CHECK(HowMuchShort({}, card, ByteUnit::kMegabytes).empty());
  CHECK(HowMuchShort({1400, 1500}, card, ByteUnit::kMegabytes) == "at least 500 B short");
  CHECK(HowMuchShort({900, 1500}, card, ByteUnit::kMegabytes) == "at most 600 B short");
  CHECK(HowMuchShort({900, 900}, card, ByteUnit::kMegabytes).empty());
}

TEST_CASE("A program is told by its command, its card, and what it took of it") {
  events::RunDescription description;
  description.title = "train.py on phantom NVIDIA T4";
  description.command = "python train.py";
  description.notes = {"A doubt."};
  description.device_name = "NVIDIA T4";
  phantom::Card card;
  card.title = "NVIDIA T4";
  card.memory_bytes = 1'000'000;
  card.context_bytes = 100'000;
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x100000, 400'000);
  stream.Allocate(0x100000, 512);
  session::RunStatus status;
  status.steps_done = 3;
  REQUIRE(IsProgram(description));
  const ProgramFacts told =
      MakeProgramFacts(*stream.Publish(), description, status, {card}, {}, {}, ByteUnit::kMegabytes);
  CHECK(FactIn(told, "Command") == "python train.py");
  CHECK(FactIn(told, "Card") == "NVIDIA T4, 1.0 MB");
  events::RunDescription limited = description;
  limited.device = "phantom";
  limited.device_bytes = 700'000;
  CHECK(FactIn(MakeProgramFacts(*stream.Publish(), limited, status, {card}, {}, {}, ByteUnit::kMegabytes),
               "Card") == "NVIDIA T4, limited to 700.0 kB");
  limited.device = "cuda";  // a card tells what it has
  CHECK(FactIn(MakeProgramFacts(*stream.Publish(), limited, status, {card}, {}, {}, ByteUnit::kMegabytes),
               "Card") == "NVIDIA T4, 700.0 kB");
  CHECK(FactIn(told, "Steps") == "3");
  CHECK(FactIn(told, "Reserved at its highest") == "400.0 kB");
  timeline::Stream on_cpu;
  on_cpu.Allocate(0x100000, 512);
  CHECK(FactIn(MakeProgramFacts(*on_cpu.Publish(), description, status, {}, {}, {}, ByteUnit::kMegabytes),
               "Reserved at its highest")
            .empty());
  CHECK(FactIn(told, "Of the card, with the context").starts_with("500.0 kB, 50.0 % of it"));
  CHECK(FactIn(told, "Ended early").empty());
  CHECK(FactIn(told, "Reserved in other orders").empty());
  const auto told_of_band = [&](const Band& band) {
    return FactIn(
        MakeProgramFacts(*stream.Publish(), description, status, {card}, {}, band, ByteUnit::kMegabytes),
        "Reserved in other orders");
  };
  CHECK(
      told_of_band(session::ReservedBand{{400'000, 400'000}, false}).starts_with("the same in every order"));
  const std::string moved = "400.0 kB to 900.0 kB, by the order of the driver's addresses";
  CHECK(told_of_band(session::ReservedBand{{400'000, 900'000}, false}) == moved);
  const auto exact_of = [](const ProgramFacts& facts, std::string_view title) {
    const auto fact = std::ranges::find(facts.facts, title, &Fact::title);
    return fact == facts.facts.end() ? std::string("none") : fact->exact;
  };
  const auto with_band = [&](const session::ReservedBand& band) {
    return MakeProgramFacts(*stream.Publish(), description, status, {card}, {}, band, ByteUnit::kMegabytes);
  };
  CHECK(exact_of(told, "Of the card, with the context") == "500,000 B");
  CHECK(exact_of(with_band({{400'000, 900'000}, false}), "Reserved in other orders") ==
        "400,000 B to 900,000 B");
  CHECK(exact_of(with_band({{400'000, 400'000}, false}), "Reserved in other orders").empty());
  session::ReservedBand at_the_cliff{{400'000, 900'000}, false};
  at_the_cliff.at_the_cliff = true;
  CHECK(told_of_band(at_the_cliff) ==
        moved + "; the card is nearly full, and with one more segment what is reserved jumps");
  CHECK(told_of_band(Error{"Faults."}) == "not known: Faults.");
  const auto allocated_in = [&](const phantom::AllocatedBand& allocated) {
    const Band band = session::ReservedBand{{400'000, 900'000, false, allocated}, false};
    return FactIn(
        MakeProgramFacts(*stream.Publish(), description, status, {card}, {}, band, ByteUnit::kMegabytes),
        "Allocated in other orders");
  };
  session::ReservedBand late{{400'000, 400'000}, false};
  const auto told_of_late_frees = [&](int64_t bytes) {
    late.late_frees_bytes = bytes;
    return FactIn(MakeProgramFacts(*stream.Publish(), description, status, {card}, {}, Band(late),
                                   ByteUnit::kMegabytes),
                  "Reserved with late frees");
  };
  CHECK(told_of_late_frees(700'000).starts_with("up to 700.0 kB, if"));
  CHECK(told_of_late_frees(400'000).starts_with("no more, if"));
  CHECK(allocated_in({300'000, 300'000}).empty());
  CHECK(allocated_in({200'000, 300'000}) == "200.0 kB to 300.0 kB, by the order of the driver's addresses");
  CHECK(told.notes == std::vector<std::string>{"A doubt."});
  const auto steps_told = [&](session::RunState state) {
    session::RunStatus none;
    none.state = state;
    return FactIn(
        MakeProgramFacts(*stream.Publish(), description, none, {card}, {}, {}, ByteUnit::kMegabytes),
        "Steps");
  };
  CHECK(steps_told(session::RunState::kRunning) == "0");  // it may come to one yet
  CHECK(steps_told(session::RunState::kFinished) == "0 (it tells of no whole step)");
  CHECK(WhyNoStep(status, description).empty());
  session::RunStatus none;
  CHECK(WhyNoStep(none, description) == " (it tells of no whole step)");
  description.torch_build_id = "1234";
  CHECK(WhyNoStep(none, description).find("told of neither: what torch.compile compiles tells of nothing") !=
        std::string::npos);
  // Of a file or a program that was cut off, nobody knows what would have come.
  none.cut_off = true;
  CHECK(WhyNoStep(none, description) == " (what is recorded ends before a first one does)");
  description.ending = "Memory ran out.";
  CHECK(WhyNoStep(none, description) == " (it ended before a first one did)");
  description.settings_json = "{}";
  CHECK(WhyNoStep(none, description).empty());
  CHECK_FALSE(IsProgram(description));
}

TEST_CASE("A program without steps is told by its passes without gradients, and no other run is") {
  timeline::Stream stream;
  for (int pass = 0; pass < 3; ++pass) {
    stream.BeginPhase(events::Phase::kEvaluation);
    stream.BeginPhase(events::Phase::kIdle);
  }
  stream.BeginPhase(events::Phase::kForward);
  const auto view = stream.Publish();
  events::RunDescription program;
  program.title = "evaluate.py";
  session::RunStatus status;
  CHECK(PassesWithoutSteps(*view, status, program) == 3);
  const ProgramFacts told = MakeProgramFacts(*view, program, status, {}, {}, {}, ByteUnit::kMegabytes);
  CHECK(FactIn(told, "Passes") == "3, without gradients");
  CHECK(FactIn(told, "Steps").empty());
  status.steps_done = 1;
  CHECK(PassesWithoutSteps(*view, status, program) == 0);
  status.steps_done = 0;
  program.settings_json = "{}";
  CHECK(PassesWithoutSteps(*view, status, program) == 0);
  program.settings_json.clear();
  stream.BeginPhase(events::Phase::kBackward);
  stream.BeginPhase(events::Phase::kIdle);
  CHECK(PassesWithoutSteps(*stream.Publish(), status, program) == 0);
}

TEST_CASE("Of a run on several cards each is told, and the fullest is held against a card's memory") {
  phantom::Card card;
  card.title = "NVIDIA H200";
  card.memory_bytes = 150'000'000;
  card.context_bytes = 50'000'000;
  events::RunDescription description;
  description.device_name = card.title;
  description.device_bytes = card.memory_bytes;
  timeline::Stream stream;
  stream.Add(events::EventKind::kSegmentAllocate, 0x10000000, 80'000'000);
  stream.Allocate(0x10000000, 1'000'000);
  stream.Add(events::EventKind::kSegmentAllocate, 0x90000000, 90'000'000).device = 1;
  const ProgramFacts told =
      MakeProgramFacts(*stream.Publish(), description, {}, {card}, {}, {}, ByteUnit::kMegabytes);
  CHECK(FactIn(told, "Reserved on each card") == "80.0 MB on cuda:0, 90.0 MB on cuda:1");
  CHECK(FactIn(told, "Of the fullest card, with the context").find("140.0 MB, 93.3 % of it") == 0);
}

}  // namespace
TEST_CASE("A program's facts tell how often it replayed CUDA graphs, and its sizes to the byte") {
  timeline::Stream stream;
  stream.Allocate(0x1000, 177'728'000);
  const auto facts = [&] {
    const auto view = stream.Publish();
    return MakeProgramFacts(*view, {}, {}, {}, timeline::GraphReplaysIn(*view), {}, ByteUnit::kMegabytes);
  };
  CHECK(FactIn(facts(), "Graph replays").empty());
  const events::NameId replay = stream.Name("CUDAGraph::replay");
  for (int i = 0; i < 12; ++i) {
    stream.Add(events::EventKind::kScopeBegin).op = replay;
    stream.Add(events::EventKind::kScopeEnd).op = replay;
  }
  const ProgramFacts told = facts();
  CHECK(FactIn(told, "Graph replays") == "12");
  const auto allocated = std::ranges::find(told.facts, "Allocated at the peak", &Fact::title);
  REQUIRE(allocated != told.facts.end());
  CHECK(allocated->text == "177.7 MB");
  CHECK(allocated->exact == "177,728,000 B");
}

}  // namespace tidemark::presenters
