// TorchScript files (torch.jit.save) as networks. What one is made of tells tidemark-trainer, which loads it
// and runs it once on a few samples of zeros: the layers are the operators that ran. A TorchScript file is
// code: it does what TorchScript lets it do.
//
// A name is a path, "model.pt", or a path and the shape of one sample, "model.pt@3x224x224"; without a shape
// one is found by trying. Any thread; a file that was not seen before takes a second or more, or never ends.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "profiler/base/result.h"
#include "profiler/networks/specification.h"

namespace tidemark::networks {

struct ScriptName {
  std::filesystem::path file;
  SampleShape input;  // empty: to be found
};

// .pt, .pth, .ts and .torchscript.
bool IsScriptPath(std::string_view name);
// Error: the shape is none.
Result<ScriptName> ScriptNameFromText(std::string_view name);
// "3x224x224".
std::string SampleTextOf(const SampleShape& input);
// "model.pt" and "3x224x224" as one name.
std::string ScriptNameWith(std::string_view name, std::string_view input);

// Whether there is such a regular file, of a network of whichever kind, that may be read; else a sentence.
Status CheckNetworkFile(const std::filesystem::path& file);

// Kept in CacheFolder() for the next time, of this file and this trainer. `goes_on` is asked while the file
// is loaded; false ends that.
Result<Network> ReadScript(std::string_view name, const std::function<bool()>& goes_on = {});

// Of a name that a recording, a lesson or a session code has, not the person: opening those is to run no
// code. Error: a sentence, where it names a TorchScript file.
Status CheckNamedByFile(std::string_view name);
// The network of such a name. Error also: it is not, or no longer, to be read.
Result<Network> FindNamedByFile(std::string_view name);

// What the trainer tells: FromJson(ToJson(x)) == x; of an object with "error" that sentence.
std::string ScriptToJson(const Network& network);
std::string ScriptErrorToJson(const Error& error);
// Error also where what is told cannot be: an input that comes later, a size of 0.
Result<Network> ScriptFromJson(std::string_view json);

// Whether what is asked for can be done with a network that is one piece: error, a sentence that names the
// option.
Status CheckScript(const Network& network, const TrainingSettings& settings);
// The same settings without what CheckScript refuses of this network.
TrainingSettings WithoutWhatScriptsLack(const Network& network, TrainingSettings settings);

}  // namespace tidemark::networks
