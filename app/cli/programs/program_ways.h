// What makes a user's program fit on a card: settings of PyTorch's allocator alone, techniques, and those
// with such settings, in the order of what they cost; and where none does, fewer samples at once. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/programs/phantom_order.h"
#include "app/cli/programs/program_samples.h"
#include "app/cli/programs/program_techniques.h"
#include "app/cli/reports/report.h"
#include "profiler/advice/what_if.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/phantom/programs/sweep.h"

namespace tidemark::cli {

struct ProgramWays {
  // That give it room, as SettingsThatFit has them: they cost no time and no change of the program.
  std::vector<advice::AllocatorTrial> settings = {};
  std::vector<TechniqueVerdict> techniques = {};
  // What its parameters and optimizers hold on each card, as far as that is known.
  int64_t state_bytes = 0;
  // Over fewer samples at once, where the program's command tells how many it takes.
  std::optional<phantom::SweepRange> samples = {};
  std::optional<session::HeldOfCard> as_it_is = {};  // what it holds there; none where it does not fit
  std::optional<FewerSamples> fewer = {};            // where they were tried
  // Where neither they nor techniques alone make it fit, and they were tried with these, too.
  std::optional<FewerSamples> fewer_with = {};
  phantom::Techniques with = {};
  bool were_stopped = false;  // before all were tried

  // The first of the settings; "" where there are none.
  std::string fits_with() const { return settings.empty() ? "" : settings.front().settings; }
};

bool FitsAsItIs(const ProgramWays& ways);
// As it is, or with settings or techniques: if only just.
bool FitsWithAllSamples(const ProgramWays& ways, const phantom::Card& card);
// Whether nothing else gives it room to spare, and fewer samples may, with an argument that is known.
bool MayNeedFewerSamples(const ProgramWays& ways, const phantom::Card& card);

// With which techniques fewer samples may do, where not even one sample fits alone, nor any technique with
// all of them: those that did something.
std::vector<TechniqueVerdict> TechniquesForFewerSamples(const ProgramWays& ways, const phantom::Card& card);
// Of these, which are not none, the ones to search with: that fit with one sample, of several the ones that
// need the least with all of them; or else those that need the least with one. What counts most with all
// samples need not with one: autocast's casts of weights become no smaller. `with_one`: what the same did
// with one sample, as far as that is known.
TechniqueVerdict BestForFewerSamples(const std::vector<TechniqueVerdict>& candidates,
                                     const std::vector<TechniqueVerdict>& with_one);

// "" where nothing was tried. It ends with the command that shows the cheapest way with room to spare, or
// else the cheapest. `asked`: how the program ran, of which that command is; `program`: its words.
std::string WaysText(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                     const std::vector<std::string>& program);
// Adds them, and that command; null where there is none.
void AddWaysJson(const ProgramWays& ways, const phantom::Card& card, const PhantomOptions& asked,
                 const std::vector<std::string>& program, Json& json);

}  // namespace tidemark::cli
