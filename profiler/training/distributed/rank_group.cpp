#include "profiler/training/distributed/rank_group.h"

#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <utility>

#include "profiler/training/distributed/pretended_store.h"

namespace tidemark::training {
namespace {

using c10d::ProcessGroup;

// From the first rank's start to the last one's: processes that load LibTorch on a busy machine.
constexpr std::chrono::seconds kMeeting{120};
// Ranks wait for one that is paused, or that a person steps through.
constexpr std::chrono::hours kLongest{24 * 30};
// torch/nn/parallel/distributed.py: broadcast_bucket_size.
constexpr size_t kBroadcastBytes = size_t{250} << 20;
constexpr const char* kParted = "parted";

std::string QueueOf(int rank) { return "order/" + std::to_string(rank); }

std::string TypesBetween(int from, int to) {
  return "type/" + std::to_string(from) + "/" + std::to_string(to);
}

bool IsThisMachine(std::string_view address) { return address == "127.0.0.1" || address == "localhost"; }

c10::intrusive_ptr<c10d::Store> Meet(const RankPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = place.rank == 0;
  options.numWorkers = static_cast<size_t>(place.world);
  options.timeout = kMeeting;
  return c10::make_intrusive<c10d::TCPStore>(place.address, options);
}

c10::intrusive_ptr<c10d::Backend> Gloo(const c10::intrusive_ptr<c10d::Store>& store, const RankPlace& place) {
  auto options = c10d::ProcessGroupGloo::Options::create(kLongest);
  // Ranks on one machine need no network of it.
  options->devices.push_back(IsThisMachine(place.address)
                                 ? c10d::ProcessGroupGloo::createDeviceForInterface("lo", false)
                                 : c10d::ProcessGroupGloo::createDefaultDevice(false));
  return c10::make_intrusive<c10d::ProcessGroupGloo>(store, place.rank, place.world, std::move(options));
}

c10::intrusive_ptr<c10d::Backend> Nccl(const c10::intrusive_ptr<c10d::Store>& store, const RankPlace& place) {
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, place.rank, place.world,
                                                     c10d::ProcessGroupNCCL::Options::create());
}

std::vector<uint8_t> Bytes(std::string_view text) { return {text.begin(), text.end()}; }

}  // namespace

RankGroup::RankGroup(const RankPlace& place, c10::Device device, bool pretended)
    : place_(place), pretended_(pretended) {
  if (pretended) {
    store_ = c10::make_intrusive<PretendedStore>(place.world);
  } else {
    store_ = Meet(place);
  }
  const auto type = device.is_cuda() ? ProcessGroup::BackendType::NCCL : ProcessGroup::BackendType::GLOO;
  backend_ = device.is_cuda() ? Nccl(store_, place) : Gloo(store_, place);
  group_ = c10::make_intrusive<ProcessGroup>(store_, place.rank, place.world);
  group_->setBackend(device.type(), type, backend_);
  group_->setDefaultBackend(type);
  if (!pretended_) store_->setTimeout(kLongest);
}

RankGroup::~RankGroup() {
  if (backend_) backend_->shutdown();
}

void RankGroup::Sum(at::Tensor& values) const {
  std::vector<at::Tensor> all = {values};
  group_->allreduce(all)->wait();
}

void RankGroup::ShareFromRank0(const std::vector<at::Tensor>& tensors) const {
  std::vector<at::Tensor> values;
  for (const at::Tensor& tensor : tensors) values.push_back(tensor.detach());
  if (!values.empty()) c10d::broadcast_coalesced(group_, values, kBroadcastBytes, /*rank=*/0);
}

void RankGroup::Pass(const std::vector<Passing>& tensors) const {
  if (tensors.empty()) return;
  const bool coalesces = backend_->supportsCoalescing();
  if (coalesces) backend_->startCoalescing();
  std::vector<c10::intrusive_ptr<c10d::Work>> passed;
  for (const Passing& passing : tensors) {
    std::vector<at::Tensor> values = {Lent(passing.tensor)};
    passed.push_back(passing.comes ? backend_->recv(values, passing.rank, /*tag=*/0)
                                   : backend_->send(values, passing.rank, /*tag=*/0));
  }
  if (coalesces) passed = {backend_->endCoalescing()};
  for (const auto& work : passed) work->wait();
}

void RankGroup::TellType(int rank, at::ScalarType type) const {
  if (!pretended_) store_->queuePush(TypesBetween(place_.rank, rank), {static_cast<uint8_t>(type)});
}

at::ScalarType RankGroup::AwaitType(int rank, at::ScalarType expected) const {
  if (pretended_) return expected;
  return static_cast<at::ScalarType>(
      store_->queuePop(TypesBetween(rank, place_.rank), /*block=*/true).front());
}

void RankGroup::AwaitQuiet() const {
  if (pretended_) backend_->waitForPendingWorks();
}

void RankGroup::Announce(const std::string& order) const {
  for (int rank = 1; rank < place_.world; ++rank) store_->queuePush(QueueOf(rank), Bytes(order));
}

std::string RankGroup::AwaitOrder() const {
  const std::vector<uint8_t> order = store_->queuePop(QueueOf(place_.rank), /*block=*/true);
  return {order.begin(), order.end()};
}

void RankGroup::Part() const {
  if (follows()) store_->queuePush(kParted, Bytes(kParted));
  if (!leads()) return;
  for (int rank = 1; rank < place_.world; ++rank) store_->queuePop(kParted, /*block=*/true);
}

at::Tensor Lent(const at::Tensor& tensor) {
  return at::for_blob(tensor.mutable_data_ptr(), {tensor.numel()})
      .options(tensor.options().requires_grad(false))
      .target_device(tensor.device())
      .make_tensor();
}

// Gloo's own exceptions are of types that no header of LibTorch has.
bool TellsOfAnotherRank(const std::exception& exception) {
  if (dynamic_cast<const c10::DistError*>(&exception) != nullptr) return true;
  constexpr std::array<std::string_view, 4> kSigns = {"Connection closed by peer", "Connection reset by peer",
                                                      "gloo/transport", "Broken pipe"};
  const std::string_view text = exception.what();
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

}  // namespace tidemark::training
