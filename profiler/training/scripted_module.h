// A TorchScript file's network: loaded, and run operator by operator, as torch.jit.optimized_execution(False)
// does in Python, so that autograd keeps what it keeps of any other program. One thread.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiler/training/operator_watch.h"

namespace tidemark::training {

// Names the operators of one run: a module that has no others in it gives its own, "layer1.0.conv1"; else it
// is the module's and the operator's, "layer1.0.add". What runs again is "layer1.0.relu_2".
class OperatorNames {
 public:
  explicit OperatorNames(const torch::jit::Module& module);
  // Of an operator ("relu"; ShortName) that the interpreter runs at the moment.
  std::string Next(const std::string& op);
  void Restart();

 private:
  // The interpreter does not tell of lists of modules: "0.conv" may be "layers.0.conv", if no other ends so.
  const std::string& WholePathOf(const std::string& path);

  std::set<std::string> modules_;
  std::map<std::string, std::string> whole_paths_;
  std::set<std::string> leaves_;
  std::map<std::string, std::string> first_of_leaf_;  // by path: which operator has the leaf's name
  std::map<std::string, int> uses_;
};

// "relu" of aten::relu_.
std::string ShortName(const c10::OperatorHandle& op);

class ScriptedModule {
 public:
  // Throws c10::Error with a sentence where there is no TorchScript in the file.
  ScriptedModule(const std::string& file, c10::Device device);

  // `seen` as OperatorWatch has it, with each operator's name. Of several results the one that scores are:
  // the first tensor, of a dictionary "logits" or "out", else its first.
  using Seen = std::function<void(const std::string& name, const c10::OperatorHandle& op,
                                  torch::jit::Stack& stack, const std::function<void()>& run)>;
  at::Tensor Forward(const at::Tensor& input, const Seen& seen);

  void SetTraining(bool training) { module_.train(training); }
  void MoveTo(c10::Device device);
  struct Named {
    std::string module;  // "layer1.0.conv1"
    std::string name;    // "weight"
    at::Tensor tensor;
  };
  const std::vector<Named>& parameters() const { return parameters_; }  // each once
  const std::vector<Named>& buffers() const { return buffers_; }
  std::vector<at::Tensor> Parameters() const;
  std::vector<at::Tensor> Buffers() const;
  const torch::jit::Module& module() const { return module_; }

 private:
  torch::jit::Module module_;
  OperatorNames names_;
  std::vector<Named> parameters_;
  std::vector<Named> buffers_;
};

// What TorchScript or LibTorch complain about, on one line: without traceback and frames.
std::string Complaint(const std::exception& exception);

}  // namespace tidemark::training
