#include "profiler/phantom/device/enclosing_loop.h"

#include "tests/support/catch.h"

namespace tidemark::phantom::device {
namespace {

TEST_CASE("A line of Python stands in a while of its function, or in none") {
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
  constexpr bool kInWhile[] = {false, true,  true,  true,  true,  true,  true,  false,
                               false, false, false, false, false, false, false, true};
  int line = 0;
  for (const bool in_while : kInWhile) {
    ++line;
    INFO(line);
    const bool says_nothing = line == 3 || line == 5 || line == 9;  // a comment, or empty
    if (!says_nothing) CHECK(StandsInWhile(kSource, line) == in_while);
  }
  CHECK(StandsInWhile("while error > 1:\n  for x in y:\n    x.item()", 3));
  CHECK_FALSE(StandsInWhile("", 7));
}

TEST_CASE("An if that leaves a for is told from those that do not, and from those of a while") {
  constexpr const char* kSource = R"(for token in range(9):
    if done.all(): break
    if not going.any():
        print("ended")
        # at last
        break
    if done.all() and token > 3: break
    if done.all():
        print(token)
    x.all()
while True:
    if done.all(): break
def generate():
    for token in range(9):
        while False: pass
        if done.all():
            return 3
if done.all(): break
)";
  const auto ends = [&](int line) { return EndOfFor(kSource, line); };
  CHECK(ends(2) == LoopEnd::kWhenTrue);
  CHECK(ends(3) == LoopEnd::kWhenFalse);
  CHECK(ends(16) == LoopEnd::kWhenTrue);
  for (const int line : {1, 4, 5, 7, 8, 10, 12, 17, 18, 99}) {
    INFO(line);
    CHECK(ends(line) == LoopEnd::kNone);
  }
}

}  // namespace
}  // namespace tidemark::phantom::device
