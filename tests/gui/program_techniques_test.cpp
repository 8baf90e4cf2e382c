#include "app/gui/panels/program_techniques.h"

#include <string>
#include <vector>

#include "tests/gui/measured.h"
#include "tests/support/catch.h"

namespace tidemark::gui {
namespace {

// What the panel says.
std::string Drawn(const std::vector<session::TechniqueOrder>& to_try, const ProgramTechniques& found) {
  CommandQueue queue;
  return WordsIn({600, 600}, [&] { DrawProgramTechniques({&to_try, &found}, "L4", queue); });
}

}  // namespace

TEST_CASE_METHOD(Measured, "What changed nothing is not offered to be run") {
  std::vector<session::TechniqueOrder> to_try(2);
  to_try[1].program.amp = "bf16";
  const bool in_vain = GENERATE(false, true);
  ProgramTechniques found;
  found.goes_on = false;
  found.card.memory_bytes = int64_t{1} << 30;
  for (const session::TechniqueOrder& order : to_try)
    found.rows.push_back({order, session::TechniqueAnswer{.fits = true, .held = {(9 << 20) / 2}}});
  if (in_vain) found.rows[1].answer->in_vain = {"--amp bf16"};
  const std::string drawn = Drawn(to_try, found);
  CHECK(drawn.find("taken · 0.4 % of the card") != std::string::npos);  // as the program's own facts
  CHECK((drawn.find("Run it so") == std::string::npos) == in_vain);
  CHECK((drawn.find("Mixed precision changed nothing") != std::string::npos) == in_vain);
}

TEST_CASE_METHOD(Measured, "How full the card is with what fits is told as on the command line") {
  const std::vector<session::TechniqueOrder> to_try(2);
  ProgramTechniques found;
  found.goes_on = false;
  found.card.memory_bytes = int64_t{1} << 30;
  const bool empties_cache = GENERATE(false, true);
  for (const session::TechniqueOrder& order : to_try)
    found.rows.push_back({order, session::TechniqueAnswer{.fits = true, .held = {1 << 29, empties_cache}}});
  CHECK((Drawn(to_try, found).find("nearly full: PyTorch empties its cache") != std::string::npos) ==
        empties_cache);
}

TEST_CASE_METHOD(Measured, "That fewer samples may help is said with what they leave as it is") {
  const std::vector<session::TechniqueOrder> to_try(2);
  ProgramTechniques found;
  found.goes_on = false;
  found.card.memory_bytes = int64_t{1} << 30;
  for (const session::TechniqueOrder& order : to_try)
    found.rows.push_back({order, session::TechniqueAnswer{false, true, "Tried to allocate 20.00 MiB."}});
  const std::string drawn = Drawn(to_try, found);
  REQUIRE(drawn.find("None of them makes it fit.") != std::string::npos);
  CHECK(drawn.find("if its parameters and what its optimizers keep leave room") != std::string::npos);
}

}  // namespace tidemark::gui
