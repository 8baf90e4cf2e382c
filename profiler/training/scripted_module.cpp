#include "profiler/training/scripted_module.h"

#include <torch/csrc/jit/python/update_graph_executor_opt.h>
#include <torch/csrc/jit/runtime/interpreter.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace tidemark::training {
namespace {

// The interpreter's frames are "TOP(Net)::forward", "layer1(Sequential)::forward",
// "CALL_FUNCTION::relu(...)": modules have a name and a type.
std::string PathOf(const std::vector<std::string>& frames) {
  std::string path;
  for (const std::string& frame : frames) {
    const size_t type = frame.find('(');
    const std::string name = frame.substr(0, type);
    if (type == std::string::npos || name.empty() || name == "TOP" || name == "SELF" ||
        name.starts_with("CALL_FUNCTION")) {
      continue;
    }
    path += (path.empty() ? "" : ".") + name;
  }
  return path;
}

template <typename List>
std::vector<ScriptedModule::Named> EachOnce(const List& list) {
  std::vector<ScriptedModule::Named> tensors;
  std::set<const c10::TensorImpl*> known;
  for (const auto& entry : list) {
    if (!known.insert(entry.value.unsafeGetTensorImpl()).second) continue;
    const size_t dot = entry.name.rfind('.');
    const bool nested = dot != std::string::npos;
    tensors.push_back({nested ? entry.name.substr(0, dot) : "",
                       nested ? entry.name.substr(dot + 1) : entry.name, entry.value});
  }
  return tensors;
}

std::vector<at::Tensor> TensorsOf(const std::vector<ScriptedModule::Named>& list) {
  std::vector<at::Tensor> tensors;
  for (const ScriptedModule::Named& named : list) tensors.push_back(named.tensor);
  return tensors;
}

std::optional<at::Tensor> ScoresIn(c10::IValue result) {
  while (result.isTuple() && !result.toTupleRef().elements().empty())
    result = c10::IValue(result.toTupleRef().elements()[0]);
  if (result.isTensor()) return result.toTensor();
  if (result.isTensorList() && !result.toTensorList().empty()) return result.toTensorList().get(0);
  if (!result.isGenericDict()) return std::nullopt;
  const auto entries = result.toGenericDict();
  for (const char* key : {"logits", "out"}) {
    const auto found = entries.find(key);
    if (found != entries.end() && found->value().isTensor()) return found->value().toTensor();
  }
  for (const auto& entry : entries) {
    if (entry.value().isTensor()) return entry.value().toTensor();
  }
  return std::nullopt;
}

}  // namespace

OperatorNames::OperatorNames(const torch::jit::Module& module) {
  for (const auto& entry : module.named_modules()) {
    modules_.insert(entry.name);
    if (entry.value.children().size() == 0) leaves_.insert(entry.name);
  }
}

const std::string& OperatorNames::WholePathOf(const std::string& path) {
  const auto [known, is_new] = whole_paths_.try_emplace(path, path);
  if (!is_new || path.empty() || modules_.contains(path)) return known->second;
  const auto ends_with_it = [ending = "." + path](const std::string& name) { return name.ends_with(ending); };
  if (std::ranges::count_if(modules_, ends_with_it) == 1)
    known->second = *std::ranges::find_if(modules_, ends_with_it);
  return known->second;
}

std::string OperatorNames::Next(const std::string& op) {
  const std::string& path = WholePathOf(PathOf(torch::jit::currentModuleHierarchy()));
  const bool has_leaf_name =
      !path.empty() && leaves_.contains(path) && first_of_leaf_.try_emplace(path, op).first->second == op;
  std::string name = has_leaf_name ? path : (path.empty() ? op : path + "." + op);
  const int use = ++uses_[name];
  return use == 1 ? name : name + "_" + std::to_string(use);
}

void OperatorNames::Restart() {
  first_of_leaf_.clear();
  uses_.clear();
}

std::string ShortName(const c10::OperatorHandle& op) {
  std::string name = op.schema().name();
  name.erase(0, name.rfind(':') + 1);
  while (name.ends_with('_')) name.pop_back();
  return name.substr(std::min(name.find_first_not_of('_'), name.size()));
}

ScriptedModule::ScriptedModule(const std::string& file, c10::Device device)
    : module_(torch::jit::load(file, device)),
      names_(module_),
      parameters_(EachOnce(module_.named_parameters())),
      buffers_(EachOnce(module_.named_buffers())) {
  torch::jit::setGraphExecutorOptimize(false);
}

// As module.to(device): the tensors stay, what they hold moves, one after the other.
void ScriptedModule::MoveTo(c10::Device device) {
  const at::NoGradGuard no_grad;
  for (const std::vector<Named>* list : {&parameters_, &buffers_}) {
    for (const Named& named : *list) named.tensor.set_data(named.tensor.to(device));
  }
}

std::vector<at::Tensor> ScriptedModule::Parameters() const { return TensorsOf(parameters_); }
std::vector<at::Tensor> ScriptedModule::Buffers() const { return TensorsOf(buffers_); }

at::Tensor ScriptedModule::Forward(const at::Tensor& input, const Seen& seen) {
  names_.Restart();
  std::exception_ptr thrown;  // as it was: the interpreter makes a text of it
  const OperatorWatch watch(
      [&](const c10::OperatorHandle& op, torch::jit::Stack& stack, const std::function<void()>& run) {
        try {
          seen(names_.Next(ShortName(op)), op, stack, run);
        } catch (...) {
          thrown = std::current_exception();
          throw;
        }
      });
  try {
    const std::optional<at::Tensor> scores = ScoresIn(module_.forward({input}));
    TORCH_CHECK(scores, "It gives no tensor that could be scores.");
    return *scores;
  } catch (...) {
    if (thrown) std::rethrow_exception(thrown);
    throw;
  }
}

std::string Complaint(const std::exception& exception) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&exception);
  std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : exception.what();
  constexpr std::string_view kError = "Error: ";  // TorchScript's come last, behind its traceback
  if (text.starts_with("The following operation failed in the TorchScript interpreter")) {
    const size_t last = text.rfind(kError);
    if (last != std::string::npos) text.erase(0, last + kError.size());
  }
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

}  // namespace tidemark::training
