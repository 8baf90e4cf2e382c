#include "profiler/capture/torch/operator_watch.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/capture/torch/tensor_blocks.h"

namespace tidemark::capture {
namespace {

// AccumulateGrad has no number.
static_assert(OperatorCall::kNoNumber == static_cast<uint64_t>(-1));

OperatorListener told;

ForwardPlace PlaceOfThread() { return {at::RecordFunction::currentThreadId(), at::sequence_number::peek()}; }

std::unique_ptr<at::ObserverContext> Begin(const at::RecordFunction& function) {
  if (!told.enters()) return nullptr;
  OperatorCall call;
  call.name = function.name();
  call.is_backward_node = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  call.node = static_cast<uint64_t>(function.seqNr());
  call.forward_thread = function.forwardThreadId();
  const ForwardPlace place = PlaceOfThread();
  call.thread = place.thread;
  call.next_node = place.next_node;
  told.begins(call);
  return nullptr;
}

// What LibTorch's Python calls the types, "float16" and "float8_e4m3fn", which C++ has no names for: most are
// called as there, in small letters.
std::string PythonNameOf(c10::ScalarType type) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kOtherwise = {
      {{"Byte", "uint8"},
       {"Char", "int8"},
       {"Short", "int16"},
       {"Int", "int32"},
       {"Long", "int64"},
       {"Half", "float16"},
       {"Float", "float32"},
       {"Double", "float64"},
       {"ComplexHalf", "complex32"},
       {"ComplexFloat", "complex64"},
       {"ComplexDouble", "complex128"}}};
  std::string name = c10::toString(type);
  for (const auto& [there, here] : kOtherwise) {
    if (name == there) return std::string(here);
  }
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

std::string_view TypeOf(const at::Tensor& tensor) {
  constexpr auto kTypes = static_cast<size_t>(c10::ScalarType::NumOptions);
  static const auto& names = *[] {  // LibTorch's threads outlive main
    auto* made = new std::array<std::string, kTypes>;
    for (size_t i = 0; i < kTypes; ++i) (*made)[i] = PythonNameOf(static_cast<c10::ScalarType>(i));
    return made;
  }();
  const auto type = static_cast<size_t>(tensor.scalar_type());
  return type < kTypes ? names[type] : std::string_view("unknown");
}

// A tensor that is a part of its block, or sees one element many times, is not what the block was made for.
void TellMade(const at::Tensor& tensor) {
  c10::StorageImpl* const storage = PlainStorageOf(tensor);
  if (storage == nullptr || tensor.is_nested()) return;  // that has no sizes
  const uint64_t address = AddressOf(*storage);
  if (!told.awaits(address) || tensor.nbytes() != storage->nbytes()) return;
  const at::IntArrayRef sizes = tensor.sizes();
  told.made({address, TypeOf(tensor), sizes.data(), sizes.size()});
}

void TellMade(const c10::IValue& output) {
  if (output.isTensor()) return TellMade(output.toTensor());
  if (!output.isTensorList()) return;
  for (const c10::IValue& one : output.toListRef()) TellMade(one.toTensor());
}

void End(const at::RecordFunction& function, at::ObserverContext* /*none*/) {
  for (const c10::IValue& output : function.outputs()) TellMade(output);
  told.ends();
}

}  // namespace

void WatchOperators(const OperatorListener& listener) {
  told = listener;
  told.learns_place(PlaceOfThread);
  at::addGlobalCallback(at::RecordFunctionCallback(Begin, End)
                            .needsOutputs(true)
                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

}  // namespace tidemark::capture
