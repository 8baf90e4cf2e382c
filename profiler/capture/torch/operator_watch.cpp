#include "profiler/capture/torch/operator_watch.h"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <memory>

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

void End(const at::RecordFunction& /*function*/, at::ObserverContext* /*none*/) { told.ends(); }

}  // namespace

void WatchOperators(const OperatorListener& listener) {
  told = listener;
  told.learns_place(PlaceOfThread);
  at::addGlobalCallback(at::RecordFunctionCallback(Begin, End)
                            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

}  // namespace tidemark::capture
