#include "app/cli/programs/program_ways.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

namespace tidemark::cli {
namespace {

bool TextHas(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

Json TechniquesOf(const std::vector<TechniqueVerdict>& verdicts) {
  Json json;
  AddWaysJson({{}, verdicts}, *phantom::FindCard("l4"), {}, {"python", "train.py"}, json);
  return json["techniques"];
}

const std::vector<std::string> kProgram = {"python", "train.py"};
const std::vector<std::string> kWithBatch = {"python3", "train.py", "--batch-size", "3"};

// Settings with which it reserves so much.
advice::AllocatorTrial Reserves(const char* settings, int64_t bytes, int64_t retries = 0) {
  advice::AllocatorTrial trial{settings, {}};
  trial.outcome.after.allocated_peak_bytes = bytes;
  trial.outcome.after.reserved_peak_bytes = trial.outcome.after.fullest_reserved_bytes = bytes;
  trial.outcome.after.retries = retries;
  return trial;
}

}  // namespace

TEST_CASE("What techniques make of a program is told with the command that shows the first that fits") {
  const phantom::Card card = *phantom::FindCard("l4");
  const std::vector<TechniqueVerdict> verdicts = {
      {{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "none"}},
      {{true, false, "", int64_t{12} << 30, {int64_t{14} << 30}}, {"off", "blocks"}},
      {{false, false, "it ended with exit code 1"}, {"bf16", "blocks"}},
      {{false, true, "", 0, {}, {}, {"--checkpoint blocks"}}, {"bf16", "blocks"}}};
  PhantomOptions asked;
  asked.card = card.name;
  const std::string of_all = WaysText({{}, verdicts}, card, asked, kProgram);
  CHECK(TextHas(of_all, "tidemark phantom --card l4 --checkpoint blocks -- python train.py tells"));
  asked.gpus = "2";
  asked.memory = "16GiB";
  asked.addresses = "first-fit";
  const std::string text = WaysText({{}, verdicts}, card, asked, kProgram);
  CHECK(TextHas(text, "On the NVIDIA L4, with techniques that it does not use itself, as if it did:\n"));
  CHECK(TextHas(text, "does not fit\n"));
  CHECK(TextHas(text, "no answer: it ended with exit code 1\n"));
  CHECK(TextHas(text, "does not fit; --checkpoint blocks changed nothing\n"));
  CHECK(TextHas(text, "12.00 GiB"));
  CHECK(TextHas(
      text,
      "tidemark phantom --card l4 --gpus 2 --memory 16GiB --addresses first-fit --checkpoint blocks -- "
      "python train.py tells"));
  CHECK(TextHas(WaysText({{}, {verdicts.front()}}, card, asked, kProgram), "None of them makes it fit"));
  CHECK(
      TextHas(WaysText({{}, {verdicts.front()}, card.memory_bytes}, card, asked, kProgram),
              "None of them makes it fit there, nor would fewer samples at once: its parameters and what its "
              "optimizers keep are 21.99 GiB alone.\n"));
  CHECK(TextHas(WaysText({{}, {verdicts.front()}}, card, asked, kProgram),
                "may: of a program that takes --batch N, tidemark phantom --card l4 --gpus 2 --memory 16GiB "
                "--addresses first-fit --sweep batch=1..64 -- python train.py tells"));
  const ProgramWays of_known_batch = {
      {}, {verdicts.front()}, 0, phantom::SweepRange{"batch-size", {1, 2, 3}}};
  CHECK(TextHas(WaysText(of_known_batch, card, asked, kWithBatch),
                "may: tidemark phantom --card l4 --gpus 2 --memory 16GiB --addresses first-fit "
                "--sweep batch-size=1..3 -- python3 train.py --batch-size 3 tells"));
  CHECK(WaysText({}, card, asked, kProgram).empty());
  const Json json = TechniquesOf(verdicts);
  CHECK(json[1]["reserved_peak_bytes"] == int64_t{14} << 30);
  CHECK(json[0]["reserved_peak_bytes"].is_null());
  CHECK(json[0]["ran_out_of_memory"] == true);
  CHECK(json[0]["in_vain"].empty());
  CHECK(json[3]["in_vain"][0] == "--checkpoint blocks");
}

TEST_CASE(
    "What changed nothing is not recommended to a program that fits, and what leaves room comes first") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  const int64_t tight = card.memory_bytes - card.context_bytes - (int64_t{1} << 20);
  const TechniqueVerdict in_vain{{true, false, "", tight, {tight}, {}, {"--amp bf16"}}, {"bf16", "none"}};
  const TechniqueVerdict just_fits{{true, false, "", tight, {tight}}, {"off", "blocks"}};
  const TechniqueVerdict has_room{{true, false, "", int64_t{9} << 30, {int64_t{9} << 30}},
                                  {"bf16", "blocks"}};
  const auto text = [&](const std::vector<TechniqueVerdict>& verdicts) {
    return WaysText({{}, verdicts}, card, asked, kProgram);
  };
  CHECK(TextHas(text({in_vain, just_fits, has_room}), "--card l4 --amp bf16 --checkpoint blocks -- python"));
  CHECK_FALSE(TextHas(text({in_vain, just_fits, has_room}), "None of them"));
  CHECK(TextHas(text({in_vain, just_fits}), "None of them gives it room to spare there.\n"));
  CHECK(TextHas(text({in_vain, just_fits}), "--card l4 --checkpoint blocks -- python"));
  CHECK(TextHas(text({in_vain}), "None of them gives it room to spare there; fewer samples"));
  CHECK_FALSE(TextHas(text({in_vain}), "tells all of it"));
}

TEST_CASE("Of a technique that runs out is told how much is short, or which settings of the allocator do") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  const int64_t usable = card.memory_bytes - card.context_bytes;
  TechniqueVerdict is_short{{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "none"}};
  is_short.needed.allocated_bytes = usable + (int64_t{3} << 30);
  TechniqueVerdict in_pieces{{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "blocks"}};
  in_pieces.needed = {usable - (int64_t{1} << 30), usable + (int64_t{1} << 30)};
  const auto text = [&](const std::vector<TechniqueVerdict>& verdicts) {
    return WaysText({{}, verdicts}, card, asked, kProgram);
  };
  CHECK(TextHas(text({is_short}), "–  does not fit: at least 3.00 GiB short\n"));
  CHECK(TextHas(text({is_short}), "tidemark phantom --card l4 --sweep batch=1..64 -- python train.py tells"));
  CHECK(TextHas(text({in_pieces}), "–  does not fit: at most 1.00 GiB short\n"));
  in_pieces.fits_with = {"expandable_segments:True", {usable - (int64_t{2} << 30)}};
  const std::string told = text({is_short, in_pieces});
  CHECK(TextHas(told, "does not fit: with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True it has room\n"));
  CHECK(TextHas(told,
                "None of them makes it fit there with the allocator's settings as they are.\n"
                "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tidemark phantom --card l4 --amp bf16 "
                "--checkpoint blocks -- python train.py tells all of it.\n"));
  const TechniqueVerdict in_vain{{true, false, "", usable, {usable}, {}, {"--amp bf16"}}, {"bf16", "none"}};
  CHECK(
      TextHas(text({in_vain, in_pieces}), "None of them gives it room to spare there with the allocator's"));
  const Json json = TechniquesOf({is_short, in_pieces});
  CHECK(json[0]["needed_bytes"] == is_short.needed.allocated_bytes);
  CHECK(json[0]["fits_with"].is_null());
  CHECK(json[1]["fits_with"] == in_pieces.fits_with->settings);
  CHECK(json[1]["empties_cache"] == false);
  in_pieces.fits_with->held.empties_cache = true;
  CHECK(TechniquesOf({in_pieces})[0]["empties_cache"] == true);
}

TEST_CASE("What costs nothing is told and recommended before techniques, where it leaves room to spare") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  const int64_t tight = card.memory_bytes - card.context_bytes - (int64_t{1} << 20);
  const TechniqueVerdict has_room{{true, false, "", int64_t{9} << 30, {int64_t{9} << 30}}, {"bf16", "none"}};
  const auto text = [&](const ProgramWays& ways) { return WaysText(ways, card, asked, kProgram); };
  const ProgramWays both{{Reserves("expandable_segments:True", int64_t{12} << 30)}, {has_room}};
  const std::string told = text(both);
  CHECK(told.find("expandable_segments:True") < told.find("--amp bf16"));
  CHECK(TextHas(
      told,
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tidemark phantom --card l4 -- python train.py "
      "tells all of it.\n"));
  CHECK_FALSE(TextHas(told, "None of them"));
  CHECK(text({both.settings}).ends_with("python train.py tells all of it.\n"));
  // They just fit: what has room comes first.
  const ProgramWays nearly_full{{Reserves("expandable_segments:True", int64_t{12} << 30, 3)}, {has_room}};
  CHECK(TextHas(text(nearly_full), "fits, but nearly full: PyTorch empties its cache\n"));
  CHECK(TextHas(text(nearly_full), "\ntidemark phantom --card l4 --amp bf16 -- python train.py tells"));
  const ProgramWays tightly{{Reserves("expandable_segments:True", tight)}, {has_room}};
  CHECK(TextHas(text(tightly), "fits if its context is no larger than estimated\n"));
  CHECK(TextHas(text(tightly), "\ntidemark phantom --card l4 --amp bf16 -- python train.py tells"));
  TechniqueVerdict empties_cache = has_room;
  empties_cache.held.empties_cache = true;
  const std::string full = text({nearly_full.settings, {empties_cache}});
  CHECK(TextHas(full, "9.00 GiB      9.17 GiB  fits, but nearly full: PyTorch empties its cache\n"));
  CHECK(TextHas(full,
                "None of them gives it room to spare there.\nPYTORCH_CUDA_ALLOC_CONF=expandable_segments"));
  CHECK(TextHas(text({tightly.settings}),
                "None of them gives it room to spare there.\nPYTORCH_CUDA_ALLOC_CONF=expandable_segments"));
}

TEST_CASE("A technique that takes no time comes first with other settings, too") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  TechniqueVerdict with_settings{{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "none"}};
  with_settings.fits_with = {"expandable_segments:True", {int64_t{9} << 30}};
  const TechniqueVerdict runs_again{{true, false, "", int64_t{9} << 30, {int64_t{9} << 30}},
                                    {"off", "blocks"}};
  const ProgramWays ways{{}, {with_settings, runs_again}};
  const std::string told = WaysText(ways, card, asked, kProgram);
  CHECK(TextHas(told,
                "\nPYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tidemark phantom --card l4 --amp bf16 "));
  CHECK_FALSE(TextHas(told, "None of them"));
}

TEST_CASE("Where neither techniques nor a single sample fit alone, fewer samples are tried with techniques") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  const std::vector<std::string> program = {"python3", "train.py", "batch=64"};
  const auto short_of = [](const char* amp, const char* checkpoint, int64_t needed_gib) {
    TechniqueVerdict verdict{{false, true, "Tried to allocate 20.00 MiB."}, {amp, checkpoint}};
    verdict.needed.allocated_bytes = needed_gib << 30;
    return verdict;
  };
  ProgramWays ways{
      {}, {short_of("bf16", "none", 60), short_of("off", "blocks", 40), short_of("bf16", "blocks", 50)}};
  ways.samples = phantom::BatchSweepOf(program);
  CHECK(TechniquesForFewerSamples(ways, card).empty());  // they have not been tried alone
  ways.fewer = FewerSamples{"batch", 64, 12, int64_t{9} << 30, {int64_t{10} << 30}, 13};
  CHECK(TechniquesForFewerSamples(ways, card).empty());  // which do
  ways.fewer = FewerSamples{"batch", 64, 0, 0, {}, 1};
  ways.techniques[0].in_vain = {"--amp bf16"};
  const std::vector<TechniqueVerdict> candidates = TechniquesForFewerSamples(ways, card);
  REQUIRE(candidates.size() == 2);
  CHECK(BestForFewerSamples(candidates, {}).techniques == phantom::Techniques{"off", "blocks"});
  ways.with = {"off", "blocks"};
  ways.fewer_with = FewerSamples{"batch", 64, 3, int64_t{9} << 30, {int64_t{10} << 30}, 4};
  const std::string told = WaysText(ways, card, asked, program);
  CHECK(TextHas(told, "with fewer samples at once and --checkpoint blocks, by its requests"));
  CHECK(told.ends_with(
      "None of them makes it fit there, nor do fewer samples at once alone; both together do.\n"
      "tidemark phantom --card l4 --checkpoint blocks -- python3 train.py batch=3 tells all of it.\n"));
  Json json;
  AddWaysJson(ways, card, asked, program, json);
  CHECK(json["fewer_samples"]["most"].is_null());
  CHECK(json["fewer_samples_with_techniques"]["most"] == 3);
  CHECK(json["fewer_samples_with_techniques"]["checkpoint"] == "blocks");
  CHECK(json["command"] == "tidemark phantom --card l4 --checkpoint blocks -- python3 train.py batch=3");
  ways.fewer_with = FewerSamples{"batch", 64, 0, 0, {}, 1};
  CHECK(TextHas(WaysText(ways, card, asked, program),
                "None of them makes it fit there, nor does batch 1, alone or with --checkpoint blocks.\n"));
}

TEST_CASE("Fewer samples are tried with techniques by what these do with one sample") {
  const auto needs = [](const phantom::Techniques& techniques, int64_t gib) {
    TechniqueVerdict verdict{{false, true, "Tried to allocate 20.00 MiB."}, techniques};
    verdict.needed.allocated_bytes = gib << 30;
    return verdict;
  };
  const phantom::Techniques amp{"bf16", "none"};
  const phantom::Techniques blocks{"off", "blocks"};
  const phantom::Techniques both{"bf16", "blocks"};
  const std::vector<TechniqueVerdict> candidates = {needs(amp, 60), needs(blocks, 50), needs(both, 40)};
  const TechniqueVerdict blocks_fit{{true}, blocks};
  const TechniqueVerdict both_fit{{true}, both};
  const auto best = [&](const std::vector<TechniqueVerdict>& with_one) {
    return BestForFewerSamples(candidates, with_one).techniques;
  };
  CHECK(best({needs(amp, 26), blocks_fit, needs(both, 25)}) == blocks);
  CHECK(best({needs(amp, 26), blocks_fit, both_fit}) == both);
  CHECK(best({needs(amp, 26), needs(blocks, 24), needs(both, 25)}) == blocks);
  CHECK(best({}) == both);
  CHECK(BestForFewerSamples(candidates, {blocks_fit}).needed.allocated_bytes == int64_t{50} << 30);
}

TEST_CASE(
    "Techniques of which one changes nothing are as the other alone, where its own run came to its end") {
  const std::vector<phantom::Techniques> techniques = {
      {"bf16", "none"}, {"off", "blocks"}, {"bf16", "blocks"}};
  session::TechniqueAnswer in_vain{true};
  in_vain.in_vain = {"--amp bf16"};
  const session::TechniqueAnswer helps{true};
  const auto same = [&](const session::TechniqueAnswer& amp, const session::TechniqueAnswer& checkpoint) {
    return SameProgramWith(techniques[2], techniques, {{0, amp}, {1, checkpoint}});
  };
  REQUIRE(same(in_vain, helps));
  CHECK(same(in_vain, helps)->technique == 1);
  CHECK(same(in_vain, helps)->in_vain == in_vain.in_vain);
  REQUIRE(same(helps, in_vain));
  CHECK(same(helps, in_vain)->technique == 0);
  CHECK_FALSE(same(helps, helps));  // takes no less alone, which says nothing of both
  session::TechniqueAnswer ran_out = in_vain;
  ran_out.fits = false;
  CHECK_FALSE(same(ran_out, helps));  // with the other it may have come to more
  CHECK_FALSE(SameProgramWith(techniques[1], techniques, {{0, in_vain}}));
  CHECK_FALSE(SameProgramWith(techniques[2], techniques, {{0, in_vain}}));
}

TEST_CASE("Where only fewer samples fit, they are told with the whole command that shows it") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  asked.gpus = "2";
  const std::vector<std::string> program = {"python3", "train.py", "batch=64"};
  ProgramWays ways{{}, {{{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "none"}}}};
  CHECK_FALSE(MayNeedFewerSamples(ways, card));  // nobody knows how many it takes
  ways.samples = phantom::BatchSweepOf(program);
  CHECK(MayNeedFewerSamples(ways, card));
  ways.fewer = FewerSamples{"batch", 64, 12, int64_t{9} << 30, {int64_t{10} << 30}, 13};
  const std::string told = WaysText(ways, card, asked, program);
  CHECK(TextHas(told, "  batch 12 instead of 64 "));
  CHECK(TextHas(told, "9.00 GiB     10.17 GiB  fits; with 13 it has no room to spare\n"));
  CHECK(
      told.ends_with("None of them makes it fit there; fewer samples at once do.\n"
                     "tidemark phantom --card l4 --gpus 2 -- python3 train.py batch=12 tells all of it.\n"));
  ways.fewer = FewerSamples{"batch", 64, 0, 0, {}, 1};
  CHECK(
      WaysText(ways, card, asked, program).ends_with("None of them makes it fit there, nor does batch 1.\n"));
  ways.fewer = FewerSamples{"batch", 64, 0, 0, {}, {}, "With batch 12: it ended with exit code 1"};
  CHECK(
      TextHas(WaysText(ways, card, asked, program),
              "\nWith batch 12: it ended with exit code 1\nNone of them makes it fit there; fewer samples"));
  ways.techniques.push_back({{true, false, "", int64_t{9} << 30, {int64_t{9} << 30}}, {"off", "blocks"}});
  CHECK_FALSE(MayNeedFewerSamples(ways, card));  // it takes no change of what it trains
}

TEST_CASE("Of fewer samples no more is said than was tried") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  const std::vector<std::string> program = {"python3", "train.py", "batch=1000"};
  ProgramWays ways{{}, {{{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "none"}}}};
  ways.samples = phantom::BatchSweepOf(program);
  const auto text = [&] { return WaysText(ways, card, asked, program); };
  ways.fewer = FewerSamples{"batch", 1000, 54, int64_t{9} << 30, {int64_t{10} << 30}, 58};
  CHECK(TextHas(text(), "fits; with 58 it has no room to spare\n"));
  CHECK(TextHas(text(), "None of them makes it fit there; fewer samples at once do, at least 54 of them.\n"));
  ways.fewer->too_many.reset();
  CHECK(TextHas(text(), "fewer samples at once do, at least 54 of them.\n"));
  for (const std::optional<int64_t> too_many : {std::optional<int64_t>(), std::optional<int64_t>(5)}) {
    ways.fewer = FewerSamples{"batch", 1000, 0, 0, {}, too_many};
    CHECK_FALSE(TextHas(text(), "nor does"));
    CHECK(TextHas(text(), "fewer samples at once may: tidemark phantom --card l4 --sweep batch=1.."));
  }
  ways.fewer = FewerSamples{"batch", 1000, 999, int64_t{9} << 30, {int64_t{10} << 30}};
  CHECK(TextHas(text(), "fewer samples at once do.\n"));  // there are none between
  Json json;
  ways.fewer = FewerSamples{"batch", 1000, 54, int64_t{9} << 30, {int64_t{10} << 30, true}, 55};
  AddWaysJson(ways, card, asked, program, json);
  CHECK(json["fewer_samples"]["is_the_most"] == true);
  CHECK(json["fewer_samples"]["has_room_to_spare"] == false);
  ways.fewer = FewerSamples{"batch", 1000, 54, int64_t{9} << 30, {int64_t{10} << 30}};
  AddWaysJson(ways, card, asked, program, json);
  CHECK(json["fewer_samples"]["is_the_most"] == false);
  CHECK(json["fewer_samples"]["has_room_to_spare"] == true);
}

TEST_CASE("What saves nothing of a program that just fits is no way to make room") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  const int64_t tight = card.memory_bytes - card.context_bytes - (int64_t{1} << 20);
  ProgramWays ways{{Reserves("expandable_segments:True", tight)},
                   {{{true, false, "", tight, {tight}}, {"bf16", "none"}}}};
  ways.samples = phantom::BatchSweepOf(kWithBatch);
  CHECK(FitsAsItIs({{}, {{{true, false, "", tight, {tight}, {}, {"--amp bf16"}}, {"bf16", "none"}}}}));
  CHECK_FALSE(FitsAsItIs(ways));
  const char* const with_settings = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tidemark phantom";
  CHECK(TextHas(WaysText(ways, card, asked, kWithBatch), with_settings));  // as it is it does not fit
  ways.as_it_is = session::HeldOfCard{tight};
  CHECK(FitsAsItIs(ways));
  CHECK(TextHas(WaysText(ways, card, asked, kWithBatch), "None of them gives it room to spare there; fewer"));
  ways.as_it_is->empties_cache = true;
  CHECK(TextHas(WaysText(ways, card, asked, kWithBatch), with_settings));
  ways.as_it_is = session::HeldOfCard{tight + 1};
  CHECK(TextHas(WaysText(ways, card, asked, kWithBatch), with_settings));
}

TEST_CASE("Where with all samples it only just fits, fewer with room to spare come first") {
  const phantom::Card card = *phantom::FindCard("l4");
  PhantomOptions asked;
  asked.card = card.name;
  const int64_t tight = card.memory_bytes - card.context_bytes - (int64_t{1} << 20);
  ProgramWays ways{{Reserves("expandable_segments:True", tight)},
                   {{{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "none"}}}};
  ways.samples = phantom::BatchSweepOf(kWithBatch);
  CHECK(FitsWithAllSamples(ways, card));
  CHECK(MayNeedFewerSamples(ways, card));
  const auto text = [&] { return WaysText(ways, card, asked, kWithBatch); };
  ways.fewer = FewerSamples{"batch-size", 3, 2, int64_t{9} << 30, {int64_t{10} << 30}};
  CHECK(text().ends_with(
      "None of them gives it room to spare there; fewer samples at once do.\n"
      "tidemark phantom --card l4 -- python3 train.py --batch-size 2 tells all of it.\n"
      "With as many samples as now, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tidemark phantom "
      "--card l4 -- python3 train.py --batch-size 3 tells what only just fits.\n"));
  Json json;
  AddWaysJson(ways, card, asked, kWithBatch, json);
  CHECK(json["command"] == "tidemark phantom --card l4 -- python3 train.py --batch-size 2");
  ways.fewer = FewerSamples{"batch-size", 3, 0, 0, {}, 1};
  CHECK(TextHas(text(), "None of them gives it room to spare there, nor does batch-size 1.\nPYTORCH_CUDA"));
  CHECK(TechniquesForFewerSamples(ways, card).empty());
  ways.settings = {Reserves("expandable_segments:True", tight / 2)};
  CHECK_FALSE(MayNeedFewerSamples(ways, card));
}

TEST_CASE("Of what was stopped before all was tried nothing is said that only all of it tells") {
  const phantom::Card card = *phantom::FindCard("l4");
  ProgramWays ways{{}, {{{false, true, "Tried to allocate 20.00 MiB."}, {"bf16", "none"}}}};
  ways.were_stopped = true;
  const std::string told = WaysText(ways, card, {}, kProgram);
  CHECK(told.ends_with("\nStopped as asked, before all was tried that may make it fit there.\n"));
  CHECK_FALSE(TextHas(told, "None of them"));
}

TEST_CASE("Techniques are words of the command line, of the environment and of a title") {
  const Result<phantom::Techniques> both = phantom::TechniquesFromText("bf16", "blocks");
  REQUIRE(both.ok());
  CHECK(phantom::OptionsOf(*both) == "--amp bf16 --checkpoint blocks");
  CHECK(phantom::InWords(*both) == "bf16, checkpointed blocks");
  CHECK(phantom::EnvironmentOf(*both) ==
        std::vector<std::string>{"TIDEMARK_AMP=bf16", "TIDEMARK_CHECKPOINT=blocks"});
  CHECK(phantom::EnvironmentOf({}).empty());
  CHECK(phantom::OptionsOf({}).empty());
  CHECK_FALSE(phantom::TechniquesFromText("int8", "none").ok());
  CHECK_FALSE(phantom::TechniquesFromText("off", "layers").ok());
}

}  // namespace tidemark::cli
