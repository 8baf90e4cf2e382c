// The source with an NVTX that the test plays itself: tables of pointers, as NVTX's header has them in a
// program.
#include "profiler/capture/nvtx/nvtx_source.h"

#include <array>
#include <string>
#include <vector>

#include "profiler/capture/stream/event_stream.h"
#include "tests/support/catch.h"

namespace tidemark::capture::nvtx {
namespace {

using events::Event;
using events::EventKind;

constexpr unsigned kFunctions = 16;
template <Module kModule>
std::array<AnyFunction, kFunctions> functions{};
template <Module kModule>
std::array<AnyFunction*, kFunctions> places{};

template <Module kModule>
FunctionTable TableOf() {
  for (unsigned i = 1; i < kFunctions; ++i) places<kModule>[i] = &functions<kModule>[i];
  return places<kModule>.data();
}

int FunctionsOf(int module, FunctionTable* table, unsigned* count) {
  *count = kFunctions;
  *table = module == kCore ? TableOf<kCore>() : TableOf<kDomains>();
  return 1;
}

const void* Tables(uint32_t id) {
  static constexpr Callbacks kCallbacks{sizeof(Callbacks), &FunctionsOf};
  return id == kCallbacksTable ? &kCallbacks : nullptr;
}

template <typename Function, Module kModule = kCore, typename... Arguments>
auto Call(unsigned place, Arguments... arguments) {
  return reinterpret_cast<Function>(functions<kModule>[place])(arguments...);
}
int Push(const char* text) { return Call<int (*)(const char*)>(kRangePush, text); }
int Pop() { return Call<int (*)()>(kRangePop); }

Attributes Saying(MessageType type, const void* message) {
  Attributes attributes{};
  attributes.bytes = sizeof(Attributes);
  attributes.message_type = type;
  attributes.message = message;
  return attributes;
}

// "kind text" of every event since.
std::vector<std::string> Told(transport::RingReader& ring) {
  static std::vector<std::string> names{""};
  std::vector<std::string> told;
  std::array<Event, 64> batch;
  for (size_t count = 1; count > 0;) {
    count = ring.Pop(batch, true);
    for (size_t i = 0; i < count; ++i) {
      const Event& event = batch[i];
      if (event.kind == EventKind::kName) {
        if (event.layer == 0) names.resize(event.name + 1);
        names[event.name] += events::NamePiece(event);
      } else {
        const events::NameId name = event.kind == EventKind::kMarker ? event.name : event.op;
        told.push_back(std::string(NameOf(event.kind)) + " " + names[name]);
      }
    }
  }
  return told;
}

}  // namespace

TEST_CASE("NVTX: ranges are scopes, marks are markers, whatever the text is written in") {
  using Texts = std::vector<std::string>;
  REQUIRE(InitializeInjectionNvtx2(&Tables) == 1);

  // Begun before there was anyone to tell: its end is nobody's either.
  CHECK(Push("early") == 0);
  Call<void (*)(const char*)>(kMark, "here");
  auto ring = std::move(*transport::RingReader::Create(1024));
  OpenEventStream(transport::RingWriter::Beside(ring), 0);
  CHECK(Push("forward, seq = 17, op_id = 3") == 1);
  CHECK(Pop() == 1);
  CHECK(Pop() == 0);
  CHECK(Pop() == -1);
  CHECK(Told(ring) == Texts{"scope begin forward", "scope end "});

  Call<void (*)(const char*)>(kMark, "here");
  Call<void (*)(const wchar_t*)>(kMarkWide, L"Übergröße \U0001F600");
  CHECK(Told(ring) == Texts{"marker here", "marker Übergröße 😀"});

  const auto id = Call<uint64_t (*)(const char*)>(kRangeStart, "load");
  Call<void (*)(uint64_t)>(kRangeEnd, id);
  Call<void (*)(uint64_t)>(kRangeEnd, id);  // a second time: there is none
  CHECK(Told(ring) == Texts{"marker load begins", "marker load ends"});

  const void* const registered =
      Call<const void* (*)(void*, const char*), kDomains>(kDomainRegisterString, nullptr, "epoch");
  const Attributes of_registered = Saying(kRegistered, registered);
  Call<int (*)(void*, const Attributes*), kDomains>(kDomainRangePushEx, nullptr, &of_registered);
  Call<int (*)(void*), kDomains>(kDomainRangePop, nullptr);
  const Attributes of_text = Saying(kText, "saved");
  Call<void (*)(void*, const Attributes*), kDomains>(kDomainMarkEx, nullptr, &of_text);
  Attributes shorter = of_text;
  shorter.bytes = 8;
  Call<void (*)(const Attributes*)>(kMarkEx, &shorter);
  Call<void (*)(const Attributes*)>(kMarkEx, nullptr);
  CHECK(Told(ring) ==
        Texts{"scope begin epoch", "scope end ", "marker saved", "marker NVTX mark", "marker NVTX mark"});
}

TEST_CASE("NVTX: one that is not known is left alone") {
  CHECK(InitializeInjectionNvtx2([](uint32_t) -> const void* { return nullptr; }) == 0);
}

}  // namespace tidemark::capture::nvtx
