// What a user's program is started with, so that it is recorded: on the phantom, or as it is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/programs/phantom_order.h"
#include "profiler/base/result.h"
#include "profiler/phantom/address_order.h"
#include "profiler/phantom/programs/program.h"
#include "profiler/phantom/programs/stand_in_cache.h"
#include "profiler/session/allocator_trial.h"
#include "profiler/session/program_recorder.h"

namespace tidemark::cli {

struct ProgramLaunch {
  std::vector<std::string> environment;  // "NAME=value", added to ours
  session::RecorderOptions recorded;     // whose stop is the program's
  std::shared_ptr<phantom::ProgramStop> stop = std::make_shared<phantom::ProgramStop>();
  std::string title;                                  // its script or module; without Python its file
  std::shared_ptr<const phantom::DoubtsFile> doubts;  // null where nobody asked for them
  std::shared_ptr<const phantom::RanksFolder> ranks;  // null on cards, and where each rank has one of us
  // On the phantom:
  std::optional<phantom::ProgramLibraries> libraries;
  phantom::AddressOrder addresses;
  std::vector<std::string> early_doubts;  // known before it ran
  std::string faults;

  // On the phantom: that of the program's torch there.
  session::AllocatorOf Allocator() const;
  // What makes its figures less than certain, once it has ended.
  std::vector<std::string> Notes() const;
};

// `building` watches the build of stand-ins, where they have to be built, and ends what comes before it, too.
// Errors: no torch, an unwritable recording, ended by `building`, ...
Result<ProgramLaunch> LaunchOnPhantom(const PhantomOrder& order, const std::vector<std::string>& program,
                                      const std::string& recording, const phantom::BuildWatch& building);

// What is recorded besides, where it is asked for, and what is not.
struct RecordedLayers {
  bool cpu = false;                  // PyTorch's tensors on the CPU
  std::vector<std::string> stacks;   // of these languages (capture_options.h)
  bool kernels = false;              // and memory copies and memsets
  bool operators = false;            // PyTorch's
  std::vector<std::string> without;  // of these sources (capture_options.h) nothing is recorded
};

// What will be missing is among the description's notes. `building` watches the build of what operators take,
// as on the phantom.
Result<ProgramLaunch> LaunchAsItIs(const std::vector<std::string>& program, const std::string& recording,
                                   const RecordedLayers& layers, const phantom::BuildWatch& building = {});

}  // namespace tidemark::cli
