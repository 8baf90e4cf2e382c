#include "app/cli/programs/program_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "app/cli/console/interrupt_listener.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/programs/sweep.h"
#include "profiler/session/program_recorder.h"

namespace tidemark::cli {
namespace {

using Clock = std::chrono::steady_clock;

CardRun RunOf(const phantom::Card& card, const phantom::SweepAnswer& answer,
              const std::shared_ptr<const session::ProgramRun>& run) {
  CardRun told{card, nullptr, answer.sentence};
  told.ran_out = answer.out_of_memory;
  if (!told.failure.empty()) return told;
  if (run == nullptr || run->view()->empty()) {
    told.failure = "it asked for no memory";
  } else {
    told.view = run->view();
    if (run->status().lost > 0) told.failure = "events were lost";
  }
  return told;
}

std::vector<std::string> OwnEnvironment(const phantom::Card& card, bool with_own_memory) {
  std::vector<std::string> entries = {phantom::CardEntry(card)};
  if (with_own_memory) entries.push_back(fmt::format("{}={}", phantom::kMemoryVariable, card.memory_bytes));
  return entries;
}

}  // namespace

bool ShareRuns(const phantom::Card& one, const phantom::Card& other) {
  const auto kind_of = [](const phantom::Card& card) {
    return std::vector<int64_t>{card.compute_capability, card.compiled_architecture, card.multiprocessors,
                                card.threads_per_multiprocessor, card.blocks_per_multiprocessor,
                                card.shared_bytes_per_block, card.shared_bytes_per_block_optin,
                                card.shared_bytes_per_multiprocessor, card.l2_bytes, card.clock_khz,
                                // cuDNN's plans go by it there, too (device_properties.h).
                                card.compute_capability == 90 ? card.memory_clock_khz : 0};
  };
  return kind_of(one) == kind_of(other);
}

Status RunOnCards(const std::vector<std::string>& program, const ProgramLaunch& launch,
                  const CardsToRun& next, const CardsWatch& watch) {
  const std::vector<phantom::Card>& cards = next.cards;
  session::RecorderOptions recorded;
  recorded.on_phantom = true;
  const auto recorder = session::ProgramRecorder::Start(recorded);
  if (!recorder) return recorder.error();
  phantom::SweepTask task{program, launch.environment, "", {}};
  task.environment.push_back((*recorder)->environment_entry());
  task.values.resize(cards.size());
  std::iota(task.values.begin(), task.values.end(), 0);
  for (const phantom::Card& card : cards)
    task.own_environments.push_back(OwnEnvironment(card, next.with_own_memory));
  task.at_once = 1;
  const InterruptListener listener;
  const auto began = Clock::now();
  size_t done = 0;
  const auto answered = [&](const phantom::SweepAnswer& answer) {
    done = std::min(done + 1, cards.size() - 1);
    CardRun run =
        RunOf(cards[static_cast<size_t>(answer.value)], answer, (*recorder)->Take(answer.process_id));
    run.had_own_memory = next.with_own_memory;
    watch.ran(run);
  };
  return phantom::Sweep(task, answered, [&] {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began).count();
    if (watch.progress) {
      watch.progress(fmt::format("running it on the {}{} · {} s", cards[done].title,
                                 cards.size() == 1 ? "" : fmt::format(", {} of {}", done + 1, cards.size()),
                                 seconds));
    }
    return !InterruptListener::WasInterrupted();
  });
}

}  // namespace tidemark::cli
