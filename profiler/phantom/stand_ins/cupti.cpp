// CUPTI: records and callbacks of what the phantom device does, in the real library's own structures, so that
// tools that capture with CUPTI run without a GPU. Only the functions below are modelled.
#include <cupti.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/device/device.h"
#include "profiler/phantom/environment.h"
#include "profiler/phantom/stand_ins/cupti_buffers.h"
#include "profiler/phantom/stand_ins/cupti_listener.h"

using namespace tidemark::phantom;

namespace {

// Nobody but the tool reads them; what they tune does not exist here.
CUptiResult KeepAttribute(CUpti_ActivityAttribute attribute, size_t* bytes, void* value, bool set) {
  static tidemark::Mutex mutex;
  static auto* const kept = new std::map<CUpti_ActivityAttribute, std::array<uint8_t, sizeof(size_t)>>;
  if (bytes == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const tidemark::MutexLock lock(mutex);
  auto& place = (*kept)[attribute];
  if (*bytes > place.size()) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  if (set) {
    std::memcpy(place.data(), value, *bytes);
  } else {
    std::memcpy(value, place.data(), *bytes);
  }
  return CUPTI_SUCCESS;
}

CUptiResult NeedsDevice() {
  return device::TheDevice() == nullptr ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;  // as the real one answers
}

// What follows "held=", "refuses=" or "version=" in kCuptiVariable, where it begins so.
std::optional<std::string_view> Instead(std::string_view what) {
  const char* const told = std::getenv(kCuptiVariable);
  const std::string_view text = told == nullptr ? std::string_view() : told;
  if (!text.starts_with(what)) return {};
  return text.substr(what.size());
}

std::optional<uint32_t> NumberInstead(std::string_view what) {
  const std::optional<std::string_view> text = Instead(what);
  uint32_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc())
    return {};
  return number;
}

CUptiResult HeldBy(const std::string& name, const CUpti_SubscriberParams* parameters) {
  if (parameters != nullptr && parameters->oldSubscriberName != nullptr) {
    std::snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "%s", name.c_str());
  }
  return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

CUptiResult SubscribeAs(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* argument,
                        CUpti_SubscriberParams* parameters) {
  if (handle == nullptr || function == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  if (const CUptiResult error = NeedsDevice(); error != CUPTI_SUCCESS) return error;
  if (const auto holder = Instead("held=")) return HeldBy(std::string(*holder), parameters);
  if (const auto refusal = NumberInstead("refuses=")) return static_cast<CUptiResult>(*refusal);
  const char* name = parameters == nullptr ? nullptr : parameters->subscriberName;
  if (!cupti::Subscribe(function, argument, name)) return HeldBy(cupti::SubscriberName(), parameters);
  *handle = cupti::TheSubscriber();
  return CUPTI_SUCCESS;
}

struct ResultText {
  CUptiResult result;
  const char* name;
  const char* text;
};
constexpr std::array kResults = {
    ResultText{CUPTI_SUCCESS, "CUPTI_SUCCESS", "no error"},
    ResultText{CUPTI_ERROR_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER", "invalid parameter"},
    ResultText{CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT",
               "parameter size is not sufficient"},
    ResultText{CUPTI_ERROR_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED", "maximum limit reached"},
    ResultText{CUPTI_ERROR_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY", "the queue is empty"},
    ResultText{CUPTI_ERROR_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND", "invalid activity kind"},
    ResultText{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
               "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", "there is a subscriber already"},
    ResultText{CUPTI_ERROR_NOT_COMPATIBLE, "CUPTI_ERROR_NOT_COMPATIBLE", "not compatible"},
    ResultText{CUPTI_ERROR_UNKNOWN, "CUPTI_ERROR_UNKNOWN", "unknown error"},
};

CUptiResult TextOf(CUptiResult result, const char* ResultText::*which, const char** text) {
  if (text == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  for (const ResultText& known : kResults) {
    if (known.result != result) continue;
    *text = known.*which;
    return CUPTI_SUCCESS;
  }
  return CUPTI_ERROR_INVALID_PARAMETER;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *version = NumberInstead("version=").value_or(CUPTI_API_VERSION);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  return TextOf(result, &ResultText::name, text);
}

CUptiResult cuptiGetErrorMessage(CUptiResult result, const char** text) {
  return TextOf(result, &ResultText::text, text);
}

CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *timestamp = cupti::Now();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  if (clock == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  cupti::UseClock(clock);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  if (requested == nullptr || completed == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  cupti::UseBuffersOf(requested, completed);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (const CUptiResult error = NeedsDevice(); error != CUPTI_SUCCESS) return error;
  return cupti::EnableKind(kind, true) ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_COMPATIBLE;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return cupti::EnableKind(kind, false) ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_COMPATIBLE;
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t on) {
  cupti::EnableApiRecords(CUPTI_CB_DOMAIN_RUNTIME_API, id, on != 0);
  return NeedsDevice();
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t on) {
  cupti::EnableApiRecords(CUPTI_CB_DOMAIN_DRIVER_API, id, on != 0);
  return NeedsDevice();
}

CUptiResult cuptiActivityEnableAllocationSource(uint8_t on) {
  cupti::TellCallers(on != 0);
  return NeedsDevice();
}

// The times of events are the host's, so there is nothing more precise to switch on.
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t) { return NeedsDevice(); }

// Everything is delivered as soon as it is written or flushed.
CUptiResult cuptiActivityFlushPeriod(uint32_t) { return NeedsDevice(); }

CUptiResult cuptiActivityFlushAll(uint32_t) {
  if (!cupti::HasBuffers()) return CUPTI_ERROR_INVALID_OPERATION;
  cupti::Flush();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record) {
  if (buffer == nullptr || record == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  auto* next = buffer;
  if (*record != nullptr) {
    const size_t bytes = cupti::RecordBytes((*record)->kind);
    if (bytes == 0) return CUPTI_ERROR_INVALID_KIND;
    next = reinterpret_cast<uint8_t*>(*record) + bytes;
  }
  if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  if (dropped == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  *dropped = cupti::TakeDropped();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* bytes, void* value) {
  return KeepAttribute(attribute, bytes, value, true);
}

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, size_t* bytes, void* value) {
  return KeepAttribute(attribute, bytes, value, false);
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id) {
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID || kind >= CUPTI_EXTERNAL_CORRELATION_KIND_SIZE) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  cupti::PushExternal(kind, id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t* last) {
  return cupti::PopExternal(kind, last) ? CUPTI_SUCCESS : CUPTI_ERROR_QUEUE_EMPTY;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* argument) {
  return SubscribeAs(handle, function, argument, nullptr);
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* argument,
                              CUpti_SubscriberParams* parameters) {
  return SubscribeAs(handle, function, argument, parameters);
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
  if (!cupti::IsSubscriber(handle)) return CUPTI_ERROR_INVALID_PARAMETER;
  cupti::Unsubscribe();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  if (!cupti::IsSubscriber(handle)) return CUPTI_ERROR_INVALID_PARAMETER;
  cupti::EnableCallback(domain, id, on != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
  if (!cupti::IsSubscriber(handle)) return CUPTI_ERROR_INVALID_PARAMETER;
  cupti::EnableDomain(domain, on != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackState(uint32_t* on, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId id) {
  if (on == nullptr || !cupti::IsSubscriber(handle)) return CUPTI_ERROR_INVALID_PARAMETER;
  *on = cupti::CallbackEnabled(domain, id) ? 1 : 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize() {
  cupti::Unsubscribe();
  return CUPTI_SUCCESS;
}

}  // extern "C"
