#include "profiler/capture/roles/block_roles.h"

#include <vector>

#include "tests/support/catch.h"

namespace tidemark::capture {

using events::Category;

TEST_CASE("A block keeps its first role until it dies, but that an activation may become a gradient") {
  BlockRoles roles;
  CHECK(roles.Take(512, Category::kActivation));
  CHECK_FALSE(roles.Take(512, Category::kParameter));
  CHECK(roles.Is(512, Category::kActivation));
  CHECK(roles.Take(512, Category::kGradient));
  CHECK_FALSE(roles.Is(512, Category::kActivation));
  CHECK_FALSE(roles.Is(1024, Category::kGradient));
  roles.Died(512);
  CHECK_FALSE(roles.Is(512, Category::kGradient));
  CHECK(roles.Take(512, Category::kParameter));
}

TEST_CASE("What came from the host may turn out to be of the model, or state that an optimizer loaded") {
  BlockRoles roles;
  for (const Category role : {Category::kParameter, Category::kOptimizerState}) {
    roles.Died(512);
    CHECK(roles.Take(512, Category::kInput));
    CHECK(roles.Take(512, role));
    CHECK_FALSE(roles.Take(512, Category::kInput));
  }
  CHECK(roles.Take(1024, Category::kInput));
  CHECK_FALSE(roles.Take(1024, Category::kActivation));
}

TEST_CASE("What a model is called with is an input, but for what a model made, and results") {
  BlockRoles roles;
  roles.Born(512, {.maker = kForward});  // between two calls
  CHECK(roles.TakeArgument(512));
  CHECK(roles.Is(512, Category::kInput));
  CHECK(roles.TakeMadeBy(kForward).empty());
  CHECK(roles.TakeArgument(1024));
  CHECK_FALSE(roles.TakeArgument(1024));
  roles.Born(1024, {.in_model = true});
  CHECK_FALSE(roles.TakeArgument(1024));
  CHECK(roles.Take(1024, Category::kInput));  // copied from the host there
  roles.Born(2048, {.maker = kForward});
  CHECK(roles.Take(2048, Category::kOutput));
  CHECK_FALSE(roles.TakeArgument(2048));
  CHECK(roles.Take(2048, Category::kActivation));
}

TEST_CASE("What a forward made was temporary if it died in it, and nothing had said what it held") {
  BlockRoles roles;
  for (const uint64_t address : {512, 1024, 1536}) roles.Born(address, {.maker = kForward});
  CHECK(roles.Died(512).maker == kForward);
  CHECK(roles.Take(1024, Category::kActivation));
  CHECK(roles.Died(1024).maker == kNobody);
  CHECK(roles.TakeMadeBy(kForward) == std::vector<uint64_t>{1536});
  CHECK(roles.Died(1536).maker == kNobody);
  CHECK(roles.Died(2048).maker == kNobody);
}

TEST_CASE(
    "Who made a block that nothing was said of is known as it dies, until what its maker left is taken") {
  BlockRoles roles;
  for (const uint64_t address : {0x1000, 0x2000, 0x3000}) roles.Born(address, {.maker = kUpdate});
  roles.Take(0x2000, Category::kInput);
  CHECK(roles.Died(0x1000).maker == kUpdate);
  CHECK(roles.Died(0x2000).maker == kNobody);
  CHECK(roles.TakeMadeBy(kUpdate) == std::vector<uint64_t>{0x3000});
  CHECK(roles.Died(0x3000).maker == kNobody);
}

namespace {

std::vector<uint64_t> AddressesOf(const std::vector<Block>& blocks) {
  std::vector<uint64_t> addresses;
  for (const Block& block : blocks) addresses.push_back(block.address);
  return addresses;
}

using Addresses = std::vector<uint64_t>;

}  // namespace

TEST_CASE("What an update changes in place and is as large as a parameter is state as it ends") {
  BlockRoles roles;
  roles.Take(0x1000, Category::kParameter, 0, 4096);
  roles.Take(0x2000, Category::kInput);
  roles.Born(0x6000, {.maker = kUpdate, .bytes = 4096});
  for (const uint64_t changed : {0x1000, 0x2000, 0x3000, 0x6000})
    CHECK(roles.ReadInUpdate({changed, 4096}, true) == Category::kUnknown);
  roles.ReadInUpdate({0x4000, 4096}, false);  // as targets that an error is computed from
  roles.ReadInUpdate({0x5000, 512}, true);    // a number of steps
  const Left left = roles.EndUpdate();
  CHECK(AddressesOf(left.state) == Addresses{0x3000});
  CHECK(AddressesOf(left.unknown) == Addresses{0x6000});
  CHECK(roles.EndUpdate().state.empty());
}

TEST_CASE("What takes the place of state is state, as much as was let go of, the first that was made") {
  BlockRoles roles;
  roles.Take(0x1000, Category::kParameter, 0, 4096);
  roles.ReadInUpdate({0x2000, 4096}, false);
  for (const uint64_t made : {0x3000, 0x4000, 0x5000}) roles.Born(made, {.maker = kUpdate, .bytes = 4096});
  CHECK(roles.Died(0x3000).maker == kUpdate);
  CHECK(roles.Died(0x2000).was_read);
  const Left left = roles.EndUpdate();
  CHECK(AddressesOf(left.state) == Addresses{0x4000});
  CHECK(AddressesOf(left.unknown) == Addresses{0x5000});
  CHECK(roles.Died(0x4000).role == Category::kOptimizerState);
  CHECK(roles.EndUpdate().state.empty());
}

TEST_CASE("What is changed after an update, as a moving average, is state before the next pass") {
  BlockRoles roles;
  roles.Take(0x1000, Category::kParameter, 0, 4096);
  roles.EndUpdate();
  roles.ReadInUpdate({0x2000, 4096}, true);
  CHECK(AddressesOf(roles.ForgetUpdate().state) == Addresses{0x2000});
  roles.ReadInUpdate({0x3000, 4096}, true);
  CHECK(roles.ForgetUpdate().state.empty());  // no update came before it
}

TEST_CASE("What adds up gradients from pass to pass is no state") {
  BlockRoles roles;
  roles.Take(0x1000, Category::kParameter, 0, 4096);
  roles.ReadInUpdate({0x2000, 4096}, true);
  roles.Born(0x3000, {.maker = kUpdate, .bytes = 4096});
  const Left left = roles.ForgetUpdate();
  CHECK(AddressesOf(left.unknown) == Addresses{0x3000});
  CHECK(left.state.empty());
  roles.ReadInUpdate({0x2000, 4096}, true);
  CHECK(roles.EndUpdate().state.empty());
  CHECK_FALSE(roles.Died(0x2000).was_read);
}

TEST_CASE("What backward made and an update reads of the size of a parameter is a gradient") {
  BlockRoles roles;
  roles.Take(0x1000, Category::kParameter, 0, 4096);
  for (const uint64_t made : {0x2000, 0x3000}) roles.Born(made, {.maker = kBackward});
  CHECK(roles.ReadInUpdate({0x2000, 4096}, false) == Category::kGradient);
  roles.ForgetUpdate();  // another pass, as of a second network
  CHECK(roles.ReadInUpdate({0x3000, 4096}, true) == Category::kGradient);
  CHECK(roles.EndUpdate().state.empty());
}

TEST_CASE("A parameter may get another name, and keeps it where nobody tells of one") {
  BlockRoles roles;
  CHECK(roles.Take(512, Category::kParameter, 1));
  CHECK_FALSE(roles.Take(512, Category::kParameter, 1));
  CHECK(roles.Take(512, Category::kParameter, 2));
  CHECK_FALSE(roles.Take(512, Category::kParameter));
  CHECK(roles.GradientNameOf(512) == 2);
}

TEST_CASE("A copy of all of a parameter is one, until it is found to be something else") {
  BlockRoles roles;
  CHECK(roles.Take(512, Category::kParameter, 1, 4096));
  CHECK_FALSE(roles.TakeCopy(8192, {512, 40}));     // a part of it
  CHECK_FALSE(roles.TakeCopy(8192, {1024, 4096}));  // none
  CHECK(roles.TakeCopy(8192, {512, 4096}));
  CHECK_FALSE(roles.TakeCopy(8192, {512, 4096}));
  CHECK(roles.TakeCopy(16384, {8192, 4096}));  // of a copy
  CHECK_FALSE(roles.Take(8192, Category::kOutput));
  CHECK(roles.Is(8192, Category::kParameter));
  CHECK(roles.Take(8192, Category::kGradient));
  CHECK_FALSE(roles.Take(8192, Category::kActivation));
  CHECK(roles.Take(16384, Category::kParameter, 2));  // its module is called
  CHECK_FALSE(roles.Take(16384, Category::kGradient));
}

TEST_CASE("What was there before gradients is known by it until it dies, whatever it holds") {
  BlockRoles roles;
  roles.Born(512, {.maker = kForward, .before_gradients = true});
  CHECK(roles.Take(512, Category::kCommunication));
  CHECK(roles.WasBeforeGradients(512));
  CHECK_FALSE(roles.WasBeforeGradients(1024));
  roles.Born(512, {.maker = kOptimizer});
  CHECK_FALSE(roles.WasBeforeGradients(512));
}

TEST_CASE("Two blocks that had one address, one after the other, are told apart by their turns") {
  BlockRoles roles;
  roles.Take(512, Category::kGradient);
  const uint64_t first = roles.TurnOf(512, Category::kGradient);
  CHECK(first != 0);
  CHECK(roles.TurnOf(512, Category::kParameter) == 0);
  roles.Died(512);
  CHECK(roles.TurnOf(512, Category::kGradient) == 0);
  roles.Take(512, Category::kGradient);
  CHECK(roles.TurnOf(512, Category::kGradient) > first);
}

TEST_CASE("What an optimizer made is told once, in the order of birth, without what has died") {
  BlockRoles roles;
  for (const uint64_t address : {2048, 512, 1024, 4096}) roles.Born(address, {.maker = kOptimizer});
  roles.Died(512);
  roles.Born(512, {.maker = kOptimizer});  // where one lay that died
  roles.Died(1024);
  roles.Born(1024, {.category = Category::kWorkspace});  // of somebody else
  CHECK(roles.TakeMadeBy(kOptimizer) == std::vector<uint64_t>{2048, 4096, 512});
  CHECK(roles.TakeMadeBy(kOptimizer).empty());
  CHECK(roles.Is(1024, Category::kWorkspace));
  CHECK(roles.Take(2048, Category::kOptimizerState));
}

TEST_CASE("Evaluations of two threads are told apart, also where one has the address of what another made") {
  BlockRoles roles;
  constexpr Maker kFirst = 1;
  constexpr Maker kSecond = 2;
  roles.Born(512, {.category = Category::kTemporary, .maker = kFirst});
  roles.Born(1024, {.category = Category::kTemporary, .maker = kSecond});
  roles.Born(2048, {.category = Category::kTemporary, .maker = kFirst});
  roles.Died(512);
  roles.Born(512, {.category = Category::kTemporary, .maker = kSecond});
  CHECK(roles.TakeMadeBy(kFirst) == std::vector<uint64_t>{2048});
  CHECK(roles.TakeMadeBy(kSecond) == std::vector<uint64_t>{1024, 512});
}

TEST_CASE("What a forward made and was lost sight of is nobody's once another has its address") {
  BlockRoles roles;
  roles.Born(512, {.maker = kForward});
  roles.Born(1024, {.maker = kForward});
  roles.Born(512, {});
  roles.Born(1024, {.maker = kForward});
  CHECK(roles.TakeMadeBy(kForward) == std::vector<uint64_t>{1024});
  roles.Born(1024, {.maker = kForward});
  CHECK(roles.TakeMadeBy(kForward) == std::vector<uint64_t>{1024});
}

TEST_CASE("An output may become anything, and nothing becomes one") {
  BlockRoles roles;
  CHECK(roles.Take(512, Category::kOutput));
  CHECK_FALSE(roles.Take(512, Category::kOutput));
  CHECK(roles.Take(512, Category::kActivation));
  CHECK_FALSE(roles.Take(512, Category::kOutput));
  CHECK(roles.Take(1024, Category::kOutput));
  CHECK(roles.Take(1024, Category::kParameter));
}

TEST_CASE(
    "What is copied awaits its use: a forward's after what Module.to copies, all of it an evaluation's") {
  const auto addresses = [](const std::vector<Block>& blocks) {
    std::vector<uint64_t> found;
    for (const Block& block : blocks) found.push_back(block.address);
    return found;
  };
  for (const bool evaluates : {false, true}) {
    BlockRoles roles;
    roles.AwaitUse({4096, 8}, true);
    roles.AwaitUse({512, 8}, false);
    roles.AwaitUse({1024, 8}, true);
    roles.AwaitUse({2048, 8}, true);
    roles.Died(1024);
    if (evaluates) {
      CHECK(addresses(roles.TakeAwaitingEvaluation()) == std::vector<uint64_t>{4096, 512, 2048});
    } else {
      CHECK(addresses(roles.TakeAwaitingForward()) == std::vector<uint64_t>{2048});
      CHECK(addresses(roles.TakeAwaitingEvaluation()) == std::vector<uint64_t>{4096, 512});
    }
    CHECK(roles.TakeAwaitingEvaluation().empty());
    roles.AwaitUse({2048, 8}, true);
    CHECK(addresses(roles.TakeAwaitingEvaluation()) == std::vector<uint64_t>{2048});
  }
}

TEST_CASE("Many blocks, whose addresses end in zeros, are each known") {
  constexpr uint64_t kBlocks = 20'000;
  constexpr uint64_t kApart = 2 << 20;
  BlockRoles roles;
  for (uint64_t block = 1; block <= kBlocks; ++block) roles.Take(block * kApart, Category::kActivation);
  for (uint64_t block = 2; block <= kBlocks; block += 2) roles.Died(block * kApart);
  uint64_t known = 0;
  for (uint64_t block = 1; block <= kBlocks; ++block) {
    known += roles.Is(block * kApart, Category::kActivation) ? 1 : 0;
  }
  CHECK(known == kBlocks / 2);
}

}  // namespace tidemark::capture
