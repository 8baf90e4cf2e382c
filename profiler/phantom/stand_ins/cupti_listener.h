// What CUPTI's tool has asked for, and the listener that makes records and callbacks of what the phantom
// device tells. Thread safe.
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace tidemark::phantom::cupti {

// Activity records.
bool EnableKind(CUpti_ActivityKind kind, bool on);  // false: a kind that this CUPTI does not write
void EnableApiRecords(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on);
void TellCallers(bool on);  // in records of memory, which library asked for it
void UseClock(CUpti_TimestampCallbackFunc clock);
uint64_t Now();

// External correlation of the calling thread.
void PushExternal(CUpti_ExternalCorrelationKind kind, uint64_t id);
bool PopExternal(CUpti_ExternalCorrelationKind kind, uint64_t* last);  // false: there was none

// Callbacks: one subscriber.
bool Subscribe(CUpti_CallbackFunc function, void* argument, const char* name);
const char* SubscriberName();
void Unsubscribe();
bool IsSubscriber(CUpti_SubscriberHandle handle);
CUpti_SubscriberHandle TheSubscriber();
void EnableCallback(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on);
void EnableDomain(CUpti_CallbackDomain domain, bool on);
bool CallbackEnabled(CUpti_CallbackDomain domain, CUpti_CallbackId id);

}  // namespace tidemark::phantom::cupti
