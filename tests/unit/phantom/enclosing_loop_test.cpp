#include "profiler/phantom/device/enclosing_loop.h"

#include "tests/support/catch.h"

namespace tidemark::phantom::device {
namespace {

TEST_CASE("A line of Python stands in the innermost loop of its function") {
  constexpr const char* kSource = R"(for epoch in range(3):
    while(loss > 1):
        # for a comment
        loss = step()

        if loss:
            print(loss)
    whiled = form = 1

def step():
    return loss.item()
async def steps():
    async for x in y:
        z(
            x)
    while True: x.item()
)";
  constexpr Loop kLoops[] = {Loop::kFor,   Loop::kWhile, Loop::kWhile, Loop::kWhile,
                             Loop::kWhile, Loop::kWhile, Loop::kWhile, Loop::kFor,
                             Loop::kNone,  Loop::kNone,  Loop::kNone,  Loop::kNone,
                             Loop::kFor,   Loop::kFor,   Loop::kFor,   Loop::kWhile};
  int line = 0;
  for (const Loop loop : kLoops) {
    ++line;
    INFO(line);
    const bool says_nothing = line == 3 || line == 5 || line == 9;  // a comment, or empty
    if (!says_nothing) CHECK(LoopAround(kSource, line) == loop);
  }
  CHECK(LoopAround("", 7) == Loop::kNone);
}

}  // namespace
}  // namespace tidemark::phantom::device
