#include "app/cli/programs/technique_trials.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/programs/phantom_order.h"
#include "app/cli/programs/program_launch.h"
#include "app/cli/programs/program_start.h"
#include "app/cli/programs/program_techniques.h"
#include "profiler/base/check.h"
#include "profiler/phantom/programs/sweep.h"
#include "profiler/phantom/programs/techniques.h"

namespace tidemark::cli {
namespace {

using phantom::Techniques;

// An order leaves empty what is as the program has it.
Techniques TechniquesOf(const session::ProgramOrder& order) {
  Techniques techniques;
  if (!order.amp.empty()) techniques.amp = order.amp;
  if (!order.checkpoint.empty()) techniques.checkpoint = order.checkpoint;
  return techniques;
}

// Run so it leaves the recording of the run that is shown as it is.
session::TechniqueOrder OrderWith(const session::ProgramOrder& order, const Techniques& techniques) {
  session::TechniqueOrder with{order, phantom::InWords(techniques)};
  with.program.recording.clear();
  with.program.amp = techniques.amp == Techniques{}.amp ? "" : techniques.amp;
  with.program.checkpoint = techniques.checkpoint == Techniques{}.checkpoint ? "" : techniques.checkpoint;
  if (with.title.empty()) with.title = "as it is";
  return with;
}

std::vector<session::TechniqueOrder> OrdersToTry(const session::ProgramOrder& order) {
  if (!order.card) return {};
  const Result<phantom::Card> card = phantom::FindCard(*order.card);
  if (!card) return {};  // nothing runs on it
  const Techniques own = TechniquesOf(order);
  std::vector<session::TechniqueOrder> orders = {OrderWith(order, own)};
  std::vector<Techniques> others = phantom::TechniquesToTry(card->compute_capability);
  others.insert(others.begin(), Techniques{});
  for (const Techniques& other : others) {
    if (other != own) orders.push_back(OrderWith(order, other));
  }
  return orders;
}

// Of what a run of it tells only the peaks are asked for.
session::ProgramOrder Plain(session::ProgramOrder order) {
  order.amp.clear();
  order.checkpoint.clear();
  order.stacks.clear();
  order.kernels = false;
  return order;
}

Result<std::vector<std::string>> RunOrders(const std::vector<session::TechniqueOrder>& orders,
                                           const session::TechniqueAnswered& answered,
                                           const session::StartWatch& watch) {
  TIDEMARK_CHECK(!orders.empty());
  const session::ProgramOrder order = Plain(orders.front().program);
  Result<std::vector<std::string>> words = WordsOf(order.command);
  if (!words) return words.error();
  if (order.argument) words = phantom::WithArgument(*words, order.argument->name, order.argument->value);
  const Result<PhantomOrder> understood = UnderstandPhantom(OptionsOf(order));
  if (!understood) return Blame(watch, session::ProgramField::kMemory, understood.error());
  const Result<ProgramLaunch> launch =
      LaunchOnPhantom(*understood, *words, "", {watch.told, watch.goes_on, watch.share});
  if (!launch) return launch.error();
  TechniquesToRun next{{}, understood->CardAsAsked()};
  for (const session::TechniqueOrder& one : orders) next.techniques.push_back(TechniquesOf(one.program));
  ProgramTrials program(*words, *launch);
  const Status tried = TryTechniques(program, next, {answered, watch.told, watch.goes_on, watch.share});
  if (!tried) return tried.error();
  return launch->Notes();
}

}  // namespace

session::TechniqueTrials TechniqueTrials() { return {OrdersToTry, RunOrders}; }

}  // namespace tidemark::cli
