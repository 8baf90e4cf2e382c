// Settings of PyTorch's allocator, tried on what a user's program asked for on a phantom: they cost nothing.
// Each takes a process of its own, some 20 ms and 0.4 us for each request. Any thread.
#pragma once

#include <string>
#include <vector>

#include "profiler/advice/what_if.h"
#include "profiler/base/progress.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/run.h"

namespace tidemark::cli {

// What they do to what the run reserved on its card, as a sentence; "" where they could not be tried, and of
// a run in which memory ran out, which has other ways out.
std::string SettingsAdvice(const session::Run& run, const phantom::Card& card,
                           const session::AllocatorOf& allocator);

// Those with which a run that had room for all has room on `card`: segments that grow first, which take no
// time, then what reserves least. `own`: its settings then. None of a run on several cards, whose addresses
// are each for itself, and none where `progress` ends it.
std::vector<advice::AllocatorTrial> SettingsThatFit(const timeline::View& view, const std::string& own,
                                                    const phantom::Card& card,
                                                    const session::AllocatorOf& allocator,
                                                    const Progress& progress = {});

}  // namespace tidemark::cli
