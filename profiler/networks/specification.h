// A network as data: a graph of layers with their sizes, read from assets/networks/NAME.json. No Torch here:
// the textbook computes from it, and the trainer builds its modules from it. Pure functions, but for those
// that read files; O(layers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/result.h"
#include "profiler/networks/layer.h"
#include "profiler/networks/training_settings.h"

namespace tidemark::networks {

struct Network {
  std::string name;         // "simple-conv-net": what the command line calls it
  std::string title;        // "SimpleConvNet"
  std::string description;  // one sentence
  SampleShape input;        // {3, 32, 32}
  int64_t vocabulary = 0;   // how many different tokens the input is made of; 0 = it is of decimal numbers
  int64_t classes = 0;
  std::vector<Layer> layers;
  // Where a generator has a discriminator: the first layer of that, which judges what the layers before it
  // make of noise, or samples that are real. 0 = there is none.
  size_t discriminator = 0;
  // Of a TorchScript file (script_files.h) its path: the layers then only tell what runs in it.
  std::string script;
  // Of one stage of a pipeline (textbook/pipeline.h), which is a network by itself, but for this:
  struct Passage {
    bool receives = false;          // its input is what the stage before gives, to which gradients go back
    bool received_is_half = false;  // under autocast
    bool sends = false;             // what its last layer gives goes on to the stage behind
    // A layer with a weight that another stage has, too, and that stage; kNetworkInput = there is none.
    size_t shared_layer = kNetworkInput;
    int shared_with = 0;
    bool operator==(const Passage&) const = default;
  };
  Passage passage;

  int64_t parameters() const;
  int64_t buffer_bytes() const;  // what batch norm keeps beside parameters
  // What comes out of a layer, or is the network's input.
  const SampleShape& OutputOf(size_t layer) const;
  // Of one sample to learn from: the input, or what a discriminator judges.
  const SampleShape& sample() const;
  // {} where a sample has one label, {128} where each of its 128 tokens has one, {32, 32} for each pixel.
  SampleShape labels() const;
  bool operator==(const Network&) const = default;
};

// Where the pieces that checkpointing runs again begin, as indices into `layers`, with the number of layers
// at the end: {0, 2, 5, 6}. Empty without checkpointing. A piece is one or more whole groups; a group is a
// layer with parameters and the layers without any that follow it (conv1 with relu1). So a piece mostly
// starts from tensors that backward keeps anyway, and in a chain checkpointing never keeps more than training
// without it does. By layer: each group is a piece. K segments: the groups in K runs of equal length, the
// first ones a group longer where K does not divide; no piece is without a group. Every K: K groups in each
// piece but the last. For a budget textbook::PlanCheckpoints finds them.
std::vector<size_t> GroupStarts(const Network& network);  // the first layer of each group
std::vector<size_t> CheckpointBoundaries(const Network& network, const Checkpointing& checkpointing);

// What goes into and out of layers [first, end): the layers before `first` (or kNetworkInput) whose outputs
// they take, and those of their own whose outputs layers from `end` on take, or that are the network's last.
// Ascending, kNetworkInput first.
struct Borders {
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
};
Borders BordersOf(const Network& network, size_t first, size_t end);

// Whether this layer, a ReLU or a leaky one, may write its result over its input: nobody else takes it, and
// the layer that made it does not need it for its own backward.
bool MayRunInPlace(const Network& network, size_t index);

// Reads one network's JSON text; checks kinds and that shapes fit from layer to layer. A layer takes the
// output of the one before it, or of those that its "inputs" name ("input" is the network's). What may be
// left out: "stride" (1; of a pool its kernel), "padding" (0), "groups" (1), "bias" (true), "causal" (false),
// "weights_of" (an embedding whose table a linear layer shares), and of an LSTM "layers" (1) and "dropout"
// (0); no other key, and there are no further ones. A network with a "vocabulary" takes tokens, whole numbers
// below it. Errors tell the line, the layer and both shapes:
//   {"title": "SimpleConvNet", "description": "…", "input": [3, 32, 32], "classes": 10,
//    "layers": [{"name": "conv1", "kind": "conv2d", "in": 3, "out": 64, "kernel": 3, "padding": 0},
//               {"name": "relu1", "kind": "relu"}, {"name": "flatten", "kind": "flatten"},
//               {"name": "fc", "kind": "linear", "in": 57600, "out": 10}]}
// Two networks against each other have "generator" and "discriminator", lists of layers in this order, in
// place of "layers" and "classes". "input" is then noise, which the generator makes a sample of; the
// discriminator begins with a sample and gives one score, whether it is real. No layer of it sees into the
// generator.
Result<Network> NetworkFromJson(std::string_view json);

// All networks in a folder (AssetsFolder() / "networks"), ordered by file name, which is the network's name;
// a file that cannot be read is an error that names it.
Result<std::vector<Network>> LoadNetworks();
Result<std::vector<Network>> LoadNetworksFrom(const std::filesystem::path& folder);
// Whether a name stands for a file of one's own (.json, or script_files.h), not for one of those; such a
// network's name is its path.
bool IsNetworkPath(std::string_view name);
// Whether there is a network in a file, well made or not: an object with "layers", or an archive that is
// called as TorchScript files are.
bool IsNetworkFile(const std::filesystem::path& file);
// Null where none of them has the name. O(networks).
const Network* NetworkNamed(const std::vector<Network>& networks, std::string_view name);
// One by its name or path; unknown names list the known ones. The other files are not read. A TorchScript
// file is run (script_files.h, which has `goes_on`): no name that a file or a code has comes here unchecked.
Result<Network> FindNetwork(std::string_view name, const std::function<bool()>& goes_on = {});
Result<Network> FindNetworkIn(const std::filesystem::path& folder, std::string_view name);

// Whether settings that are valid suit the network: its data is there, and ranks train no generator against a
// discriminator; a pipeline has a place to cut for each of its stages. Error: a sentence that names the
// option.
Status CheckTogether(const Network& network, const TrainingSettings& settings);

}  // namespace tidemark::networks
