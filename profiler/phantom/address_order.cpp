#include "profiler/phantom/address_order.h"

#include <charconv>

namespace tidemark::phantom {
namespace {

constexpr std::string_view kScattered = "scattered-";

}  // namespace

std::string TextOf(const AddressOrder& order) {
  if (order.kind == AddressOrder::Kind::kLinux) return "linux";
  if (order.kind == AddressOrder::Kind::kLinux580) return "linux-580";
  if (order.kind == AddressOrder::Kind::kWsl) return "wsl";
  return std::string(kScattered) + std::to_string(order.seed);
}

Result<AddressOrder> AddressOrderFromText(std::string_view text) {
  if (text == "linux") return AddressOrder{};
  if (text == "linux-580") return AddressOrder{AddressOrder::Kind::kLinux580, 0};
  if (text == "wsl") return AddressOrder{AddressOrder::Kind::kWsl, 0};
  if (text.starts_with(kScattered)) {
    AddressOrder order{AddressOrder::Kind::kScattered, 0};
    const std::string_view seed = text.substr(kScattered.size());
    const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), order.seed);
    if (error == std::errc() && end == seed.data() + seed.size()) return order;
  }
  return Error{"Addresses are handed out as by linux, linux-580, wsl or scattered-7 (any number), not '" +
               std::string(text) + "'."};
}

std::vector<AddressOrder> LikelyOrders() {
  constexpr uint64_t kScatteredOrders = 14;
  std::vector<AddressOrder> orders = {{}, {AddressOrder::Kind::kLinux580, 0}, {AddressOrder::Kind::kWsl, 0}};
  for (uint64_t seed = 1; seed <= kScatteredOrders; ++seed) {
    orders.push_back({AddressOrder::Kind::kScattered, seed});
  }
  return orders;
}

}  // namespace tidemark::phantom
