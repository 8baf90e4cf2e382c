// The packets of Perfetto's traces, written one at a time: those that tell words, describe tracks, and tell
// events. Each ends when its object goes; while one is open, no other is written. Not thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <protozero/basic_pbf_writer.hpp>
#include <protozero/buffer_fixed.hpp>
#include <string_view>
#include <unordered_map>

#include "profiler/trace/exporters/packet_buffer.h"
#include "profiler/trace/perfetto_format.h"
#include "profiler/trace/trace_words.h"

namespace tidemark::trace::perfetto {

// A protobuf message, written where it belongs; it ends when this goes. While one inside it is open, it takes
// nothing.
class Message {
 public:
  explicit Message(PacketBuffer& out) : writer_(out) {}
  Message(Message& around, uint32_t field) : writer_(around.writer_, field) {}

  Message& Varint(uint32_t field, uint64_t value) {
    writer_.add_uint64(field, value);
    return *this;
  }
  Message& Signed(uint32_t field, int64_t value) {
    writer_.add_int64(field, value);
    return *this;
  }
  Message& Real(uint32_t field, double value) {
    writer_.add_double(field, value);
    return *this;
  }
  Message& Text(uint32_t field, std::string_view text) {
    writer_.add_string(field, text.data(), text.size());
    return *this;
  }
  // A message that was put together elsewhere.
  Message& Whole(uint32_t field, std::string_view message) {
    writer_.add_message(field, message.data(), message.size());
    return *this;
  }

 private:
  protozero::basic_pbf_writer<PacketBuffer> writer_;
};

// Numbers for words; each is told in a packet of its own before it is first meant.
class Words {
 public:
  explicit Words(Interned field) : field_(field) {}

  // `text` is the same for the same key at every call. Never 0.
  uint64_t Iid(uint64_t key, std::string_view text, PacketBuffer& out) {
    const auto [known, is_new] = iids_.try_emplace(key, iids_.size() + 1);
    if (is_new) {
      Message trace(out);
      Message packet(trace, kTracePacket);
      packet.Varint(kSequence, 1);
      Message data(packet, kInternedData);
      Message(data, field_).Varint(kIid, known->second).Text(kWord, text);
    }
    return known->second;
  }

 private:
  const Interned field_;
  std::unordered_map<uint64_t, uint64_t> iids_;
};

// A packet that describes a track. The first of a trace says that nothing came before.
struct TrackPacket {
  TrackPacket(uint64_t uuid, bool first, PacketBuffer& out)
      : trace(out), packet(trace, kTracePacket), descriptor(Of(packet, first), kTrackDescriptor) {
    descriptor.Varint(kUuid, uuid);
  }
  // One under the process's.
  TrackPacket(uint64_t uuid, std::string_view name, PacketBuffer& out) : TrackPacket(uuid, false, out) {
    descriptor.Text(kTrackName, name).Varint(kParent, kProcessTrack);
  }
  static Message& Of(Message& packet, bool first) {
    if (first) packet.Varint(kSequenceFlags, kIncrementalStateCleared);
    return packet.Varint(kSequence, 1);
  }

  Message trace;
  Message packet;
  Message descriptor;
};

// A packet with an event on a track. While it is open, no other packet is written.
struct EventPacket {
  EventPacket(int64_t time_ns, uint64_t track, Type type, PacketBuffer& out, std::string_view name = {})
      : trace(out), packet(trace, kTracePacket), event(At(packet, time_ns), kTrackEvent) {
    event.Varint(kType, type).Varint(kTrack, track);
    if (!name.empty()) event.Text(kEventName, name);
  }
  static Message& At(Message& packet, int64_t time_ns) {
    return packet.Signed(kTimestamp, time_ns)
        .Varint(kSequence, 1)
        .Varint(kSequenceFlags, kNeedsIncrementalState);
  }

  // Arguments' names are interned under their numbers, which the trace tells first.
  void Annotate(TraceArgument note, int64_t value) {
    AnnotateVarint(note, kInteger, static_cast<uint64_t>(value));
  }
  void Annotate(TraceArgument note, std::string_view value) {
    Message(event, kAnnotations).Varint(kAnnotationNameIid, static_cast<uint64_t>(note)).Text(kText, value);
  }
  // An interned text; 0 = there is none.
  void AnnotateIid(TraceArgument note, uint64_t iid) {
    if (iid != 0) AnnotateVarint(note, kTextIid, iid);
  }
  void AnnotateVarint(TraceArgument note, Annotation field, uint64_t value) {
    // Inside the event it would be moved when its length is known.
    std::array<char, 4 * kMostVarintBytes> bytes;
    protozero::fixed_size_buffer_adaptor buffer(bytes);
    protozero::basic_pbf_writer<protozero::fixed_size_buffer_adaptor> annotation(buffer);
    annotation.add_uint64(kAnnotationNameIid, static_cast<uint64_t>(note));
    annotation.add_uint64(field, value);
    event.Whole(kAnnotations, {buffer.data(), buffer.size()});
  }
  static constexpr size_t kMostVarintBytes = 10;
  Message trace;
  Message packet;
  Message event;
};

}  // namespace tidemark::trace::perfetto
