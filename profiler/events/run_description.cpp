#include "profiler/events/run_description.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiler/events/torch_versions.h"

namespace tidemark::events {
namespace {

using Json = nlohmann::json;

void Take(const Json& json, const char* key, std::string& field) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_string()) field = found->get<std::string>();
}

void Take(const Json& json, const char* key, bool& field) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_boolean()) field = found->get<bool>();
}

template <typename Integer>
void Take(const Json& json, const char* key, Integer& field) {
  const auto found = json.find(key);
  if (found != json.end() && found->is_number_integer()) field = found->get<Integer>();
}

void Take(const Json& json, const char* key, std::vector<std::string>& field) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return;
  for (const Json& text : *found) {
    if (text.is_string()) field.push_back(text.get<std::string>());
  }
}

// What nobody told before there was a field for it: who recorded a run, and with which torch, tells.
bool WouldTellPools(std::string_view producer, std::string_view allocator_settings) {
  constexpr std::string_view kTorch = "(torch ";
  const size_t torch = producer.find(kTorch);
  if (torch != std::string_view::npos)
    return TellsPools(producer.substr(torch + kTorch.size()), allocator_settings);
  return producer.empty() || producer == kSnapshotProducer;
}

}  // namespace

std::string ToJson(const RunDescription& description) {
  const Json json = {{"title", description.title},
                     {"device", description.device},
                     {"device_name", description.device_name},
                     {"device_bytes", description.device_bytes},
                     {"settings_json", description.settings_json},
                     {"producer", description.producer},
                     {"start_time_ns", description.start_time_ns},
                     {"process_id", description.process_id},
                     {"rank", description.rank},
                     {"pretended_world", description.pretended_world},
                     {"command", description.command},
                     {"ending", description.ending},
                     {"notes", description.notes},
                     {"torch_build_id", description.torch_build_id},
                     {"torch_cuda", description.torch_cuda},
                     {"allocator_settings", description.allocator_settings},
                     {"address_order", description.address_order},
                     {"tells_pools", description.tells_pools}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RunDescription> DescriptionFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{"its description is not a JSON object"};
  RunDescription description;
  Take(json, "title", description.title);
  Take(json, "device", description.device);
  Take(json, "device_name", description.device_name);
  Take(json, "device_bytes", description.device_bytes);
  Take(json, "settings_json", description.settings_json);
  Take(json, "producer", description.producer);
  Take(json, "start_time_ns", description.start_time_ns);
  Take(json, "process_id", description.process_id);
  Take(json, "rank", description.rank);
  description.rank = std::max(description.rank, 0);
  Take(json, "pretended_world", description.pretended_world);
  Take(json, "command", description.command);
  Take(json, "ending", description.ending);
  Take(json, "notes", description.notes);
  Take(json, "torch_build_id", description.torch_build_id);
  Take(json, "torch_cuda", description.torch_cuda);
  Take(json, "allocator_settings", description.allocator_settings);
  Take(json, "address_order", description.address_order);
  description.tells_pools = WouldTellPools(description.producer, description.allocator_settings);
  Take(json, "tells_pools", description.tells_pools);
  return description;
}

}  // namespace tidemark::events
