#include "app/cli/programs/program_sweep.h"

#include <optional>
#include <string>

#include "tests/support/catch.h"

namespace tidemark::cli {

TEST_CASE("What cannot be read of a sweep's order is told before anything starts, and which part it is") {
  const auto blamed = [](const std::string& memory, const std::string& range) {
    session::SweepOrder order;
    order.program.command = "python train.py";
    order.program.card = "l4";
    order.program.memory = memory;
    order.range = range;
    std::optional<session::ProgramField> field;
    session::StartWatch watch;
    watch.blamed = [&](session::ProgramField told) { field = told; };
    CHECK_FALSE(SweepProgram(order, {}, watch));
    return field;
  };
  CHECK(blamed("much", "batch=1..8") == session::ProgramField::kMemory);
  CHECK(blamed("8GiB", "batch=8..1") == session::ProgramField::kSweep);
  CHECK(blamed("8GiB", "") == session::ProgramField::kSweep);
}

}  // namespace tidemark::cli
