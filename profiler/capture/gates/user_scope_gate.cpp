// torch/csrc/autograd/record_function_ops.h and ATen/record_function.h. The first function returns a class,
// so the place for it comes before the arguments (autograd_gates.cpp). LibTorch was built with the old
// std::string up to 2.6, of which only the first word matters here: it points to the characters, which end in
// a zero.
#include "profiler/capture/gates/user_scope_gate.h"

#include <string>

#include "profiler/capture/gates/behind.h"

#define TIDEMARK_ENTER                                                                            \
  "_ZN5torch8autograd8profiler25record_function_enter_newERKNSt7__cxx1112basic_stringIcSt11char_" \
  "traitsIcESaIcEEERKSt8optionalIS7_E"
#define TIDEMARK_ENTER_OLD_STRING \
  "_ZN5torch8autograd8profiler25record_function_enter_newERKSsRKSt8optionalISsE"
#define TIDEMARK_END "_ZN2at14RecordFunction3endEv"

namespace {

constexpr const char* kLibTorch = "libtorch_cpu.so";

using Enter = void* (*)(void* result, const void* name, const void* arguments);

// Where nothing is behind, there is no scope: the result is a null pointer.
void* PassOn(Enter enter, void* result, const void* name, const char* text, const void* arguments) {
  if (enter == nullptr) {
    *static_cast<void**>(result) = nullptr;
    return result;
  }
  void* const returned = enter(result, name, arguments);
  tidemark::capture::OnUserScopeBegins(text, *static_cast<const void* const*>(result));
  return returned;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): their names
extern "C" {

void* TidemarkEnter(void* result, const std::string* name, const void* arguments)
    TIDEMARK_GATE(TIDEMARK_ENTER);
void* TidemarkEnterOldString(void* result, const char* const* name, const void* arguments)
    TIDEMARK_GATE(TIDEMARK_ENTER_OLD_STRING);
void TidemarkEnd(void* self) TIDEMARK_GATE(TIDEMARK_END);

void* TidemarkEnter(void* result, const std::string* name, const void* arguments) {
  static const auto enter = tidemark::capture::Behind<Enter>(kLibTorch, TIDEMARK_ENTER);
  return PassOn(enter, result, name, name->c_str(), arguments);
}

void* TidemarkEnterOldString(void* result, const char* const* name, const void* arguments) {
  static const auto enter = tidemark::capture::Behind<Enter>(kLibTorch, TIDEMARK_ENTER_OLD_STRING);
  return PassOn(enter, result, name, *name, arguments);
}

void TidemarkEnd(void* self) {
  static const auto end = tidemark::capture::Behind<void (*)(void*)>(kLibTorch, TIDEMARK_END);
  tidemark::capture::OnRecordFunctionEnds(self);
  if (end != nullptr) end(self);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
