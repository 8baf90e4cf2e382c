#include "profiler/capture/torch/autocast_copies.h"

#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "profiler/capture/operators/context.h"
#include "profiler/capture/stream/event_stream.h"
#include "profiler/capture/torch/autocast_cache.h"
#include "profiler/capture/torch/tensor_tags.h"

namespace tidemark::capture {
namespace {

struct ThreadAutocast {
  bool on = false;
  c10::DeviceType device = c10::DeviceType::CPU;
  std::vector<uint64_t> copies;  // addresses; all alive, for autocast's cache holds them
};
thread_local ThreadAutocast autocast;

// While autocast casts it has switched itself off, so a cast that the program asks for itself is told apart.
bool WillBeCached(const at::Tensor& source, const c10::IValue& dtype) {
  return autocast.on && !at::autocast::is_autocast_enabled(autocast.device) && source.defined() &&
         source.device().type() == autocast.device && dtype.isInt() &&
         AutocastWillKeep(source, dtype.toScalarType(), autocast.device);
}

// Makes what is allocated while it lives an autocast copy, and remembers where it was.
class CopyContext final : public at::ObserverContext {
 public:
  explicit CopyContext(events::NameId name) : birth_(events::Category::kAutocastCache, name) {}
  ~CopyContext() override { autocast.copies.push_back(current_context.last_birth_address); }

 private:
  BirthScope birth_;
};

events::NameId NameOfType(c10::ScalarType type) {
  static const events::NameId float32 = Intern("float32");
  static const events::NameId float16 = Intern("float16");
  static const events::NameId bfloat16 = Intern("bfloat16");
  static const events::NameId float64 = Intern("float64");
  switch (type) {
    case c10::ScalarType::Float:
      return float32;
    case c10::ScalarType::Half:
      return float16;
    case c10::ScalarType::BFloat16:
      return bfloat16;
    case c10::ScalarType::Double:
      return float64;
    default:
      return 0;
  }
}

bool IsCast(std::string_view name) {
  return name == "aten::_to_copy" || name == "aten::to" || name == "aten::copy_";
}

// Operators call operators, after autocast has cast their inputs: what the last one is given is the type in
// which the outermost computes. Of an embedding that is its table, of a convolution its input.
void NoteType(const at::RecordFunction& function) {
  for (const c10::IValue& input : function.inputs()) {
    if (!input.isTensor() || !input.toTensor().defined()) continue;
    if (const events::NameId type = NameOfType(input.toTensor().scalar_type())) {
      current_context.computed_in = type;
      return;
    }
  }
}

std::unique_ptr<at::ObserverContext> NoticeOperator(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  if (!IsCast(name)) NoteType(function);
  if (name != "aten::_to_copy") return nullptr;
  const auto inputs = function.inputs();
  if (inputs.size() < 2 || !inputs[0].isTensor() || !WillBeCached(inputs[0].toTensor(), inputs[1]))
    return nullptr;
  return std::make_unique<CopyContext>(ParameterTag::CopyName(inputs[0].toTensor()));
}

}  // namespace

AutocastScope::AutocastScope(c10::DeviceType device, c10::ScalarType dtype)
    : device_(device),
      was_enabled_(at::autocast::is_autocast_enabled(device)),
      outer_dtype_(at::autocast::get_autocast_dtype(device)) {
  at::autocast::set_autocast_enabled(device, true);
  at::autocast::set_autocast_dtype(device, dtype);
  at::autocast::increment_nesting();
  if (was_enabled_) return;
  autocast.on = true;
  autocast.device = device;
  observer_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(NoticeOperator).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
}

AutocastScope::~AutocastScope() {
  if (observer_ != 0) {
    at::removeCallback(observer_);
    autocast.on = false;
    autocast.copies.clear();
  }
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, outer_dtype_);
}

bool IsAutocastCopy(const at::Tensor& tensor) {
  const auto address = reinterpret_cast<uint64_t>(tensor.storage().data());
  return std::find(autocast.copies.begin(), autocast.copies.end(), address) != autocast.copies.end();
}

}  // namespace tidemark::capture
