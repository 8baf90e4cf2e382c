#include "app/gui/panels/slow_motion.h"

#include <string>
#include <vector>

#include "app/gui/widgets/text.h"
#include "tests/gui/measured.h"
#include "tests/support/catch.h"
#include "tests/unit/timeline/stream.h"

namespace tidemark::gui {

TEST_CASE_METHOD(Measured, "What comes and goes in slow motion is named as a whole where the row has room") {
  timeline::Stream stream;
  stream.Allocate(1 << 20, 7'168);
  const auto view = stream.Publish();
  const timeline::State state;
  presenters::StepWalk walk;
  walk.stops.resize(1);
  const std::vector<presenters::BlockChange> changes = {
      {presenters::Change::kGoes, "conv1.weight.grad", "a parameter's gradient", {}, 7'168, 0}};
  const std::vector<lessons::CodeLine> code;
  SlowMotionInput input;
  input.view = view.get();
  input.walk = &walk;
  input.changes = &changes;
  input.state = &state;
  input.code = &code;
  const std::string name = "conv1.weight.grad · a parameter's gradient";
  const float row =
      Measure(SmallMuted(), "goes").x + Measure(Words(), name).x + Measure(Numbers(), "7.2 kB").x;
  SlowMotionState slow;
  CommandQueue queue;
  const std::string drawn = WordsIn({row + Px(100), 600}, [&] { DrawSlowMotionPanel(input, slow, queue); });
  CHECK(drawn.find(name) != std::string::npos);
  CHECK(drawn.find("--stacks python") == std::string::npos);
  input.tells_lines = false;
  const std::string without = WordsIn(
      {row + Px(100), 600}, [&] { DrawSlowMotionPanel(input, slow, queue); }, "without lines");
  CHECK(without.find("--stacks python") != std::string::npos);
}

}  // namespace tidemark::gui
