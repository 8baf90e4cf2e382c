// Runs LibTorch on whatever CUDA libraries it finds, for reference_test.cpp, which starts it on a phantom.
// First argument:
//   step CHANNELS1 CHANNELS2 BATCH AMP ACCUMULATE   the fourth training step's peaks, in bytes, and its time
//   train STEPS                                     a small network
//   runs-out STEPS                                  the same, then memory does; and goes on until its input
//                                                   ends
//   operations                                      many networks and operations, each named on stdout before
//                                                   it runs
//   bytes                                           small values that go to the device and come back
//   segments                                        gives segments back and takes others; their peak and what
//                                                   is left
//   device                                          what LibTorch thinks of the device
//   refused                                         calls a function that nobody has modelled
#include <ATen/autocast_mode.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/autograd/record_function_ops.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using torch::Tensor;
namespace nn = torch::nn;

const torch::TensorOptions kOnDevice = torch::TensorOptions(torch::Device(torch::kCUDA, 0));

struct ConvNet : nn::Module {
  ConvNet(int channels1, int channels2)
      : conv1(register_module("conv1", nn::Conv2d(3, channels1, 3))),
        conv2(register_module("conv2", nn::Conv2d(channels1, channels2, 3))),
        fc(register_module("fc", nn::Linear(channels2 * 28 * 28, 10))) {}
  Tensor forward(Tensor x) {
    x = torch::relu(conv1(x));
    x = torch::relu(conv2(x));
    return fc(x.flatten(1));
  }
  nn::Conv2d conv1;
  nn::Conv2d conv2;
  nn::Linear fc;
};

// Autocast for as long as it lives, as torch.autocast leaves it: with an empty weight cache.
class Autocast {
 public:
  explicit Autocast(at::ScalarType type) {
    at::autocast::set_autocast_dtype(at::kCUDA, type);
    at::autocast::set_autocast_enabled(at::kCUDA, true);
  }
  ~Autocast() {
    at::autocast::set_autocast_enabled(at::kCUDA, false);
    at::autocast::clear_cache();
  }
};

Tensor Labels(int64_t batch) { return torch::randint(10, {batch}, kOnDevice.dtype(torch::kLong)); }

void MicroBatch(ConvNet& net, int64_t batch, bool amp, int accumulate) {
  const Tensor x = torch::randn({batch, 3, 32, 32}, kOnDevice);
  const Tensor y = Labels(batch);
  Tensor loss;
  if (amp) {
    const Autocast autocast(at::kHalf);
    loss = torch::cross_entropy_loss(net.forward(x), y) / accumulate;
  } else {
    loss = torch::cross_entropy_loss(net.forward(x), y) / accumulate;
  }
  loss.backward();
}

void Step(int channels1, int channels2, int64_t batch, bool amp, int accumulate) {
  ConvNet net(channels1, channels2);
  net.to(torch::Device(torch::kCUDA, 0));
  torch::optim::Adam optimizer(net.parameters(), 1e-3);
  double fastest_seconds = 1e9;
  c10::CachingDeviceAllocator::DeviceStats stats;
  for (int step = 0; step < 20; ++step) {
    c10::cuda::CUDACachingAllocator::resetPeakStats(0);
    const auto start = std::chrono::steady_clock::now();
    optimizer.zero_grad();
    for (int i = 0; i < accumulate; ++i) MicroBatch(net, batch, amp, accumulate);
    optimizer.step();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fastest_seconds = std::min(fastest_seconds, seconds.count());
    if (step == 3) stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  }
  std::printf("allocated %lld reserved %lld microseconds %.0f\n",
              static_cast<long long>(stats.allocated_bytes[0].peak),
              static_cast<long long>(stats.reserved_bytes[0].peak), fastest_seconds * 1e6);
}

Tensor Mebibytes(int64_t count) { return torch::empty({count << 20}, kOnDevice.dtype(torch::kByte)); }

// Between one block and the next segments go and come: larger ones, and ones in the place of others.
void Segments() {
  std::vector<Tensor> held;
  for (int i = 0; i < 6; ++i) held.push_back(Mebibytes(30));
  for (int i = 0; i < 6; i += 2) held[i].reset();
  c10::cuda::CUDACachingAllocator::emptyCache();
  for (int i = 0; i < 4; ++i) held.push_back(Mebibytes(50));
  held[1].reset();
  held[6].reset();
  c10::cuda::CUDACachingAllocator::emptyCache();
  held.push_back(Mebibytes(30));
  held.push_back(Mebibytes(50));
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  std::printf("allocated %lld reserved %lld segments %lld of %lld\n",
              static_cast<long long>(stats.allocated_bytes[0].peak),
              static_cast<long long>(stats.reserved_bytes[0].peak),
              static_cast<long long>(stats.segment[0].current),
              static_cast<long long>(stats.segment[0].allocated));
}

// Trains any module for three steps.
template <typename Optimizer = torch::optim::SGD, typename Options = torch::optim::SGDOptions>
void Train(nn::Sequential net, const Tensor& x, const Options& options = Options(0.1),
           at::ScalarType autocast_type = at::kFloat) {
  net->to(torch::Device(torch::kCUDA, 0));
  Optimizer optimizer(net->parameters(), options);
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    Tensor loss;
    if (autocast_type == at::kFloat) {
      loss = net->forward(x).square().mean();
    } else {
      const Autocast autocast(autocast_type);
      loss = net->forward(x).to(at::kFloat).square().mean();
    }
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    optimizer.step();
    loss.item<float>();
  }
}

Tensor Images(int64_t batch = 4, int64_t channels = 3) {
  return torch::randn({batch, channels, 32, 32}, kOnDevice);
}
nn::Conv2d Conv(int in, int out) { return nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1)); }

nn::Sequential BatchNormNet() {
  return nn::Sequential(Conv(3, 8), nn::BatchNorm2d(8), nn::ReLU(), nn::MaxPool2d(2), Conv(8, 16),
                        nn::BatchNorm2d(16), nn::GELU(), nn::AdaptiveAvgPool2d(1), nn::Flatten(),
                        nn::Dropout(0.5), nn::Linear(16, 10));
}

using Operation = std::pair<const char*, std::function<void()>>;

std::vector<Operation> Networks() {
  return {
      {"batch norm, pooling, dropout", [] { Train(BatchNormNet(), Images()); }},
      {"batch norm, half precision",
       [] { Train(BatchNormNet(), Images(), torch::optim::SGDOptions(0.1), at::kHalf); }},
      {"batch norm, channels last",
       [] { Train(BatchNormNet(), Images().contiguous(at::MemoryFormat::ChannelsLast)); }},
      {"batch norm, channels last, half precision",
       [] {
         const Tensor x = Images(64).contiguous(at::MemoryFormat::ChannelsLast);
         Train(BatchNormNet(), x, torch::optim::SGDOptions(0.1), at::kHalf);
       }},
      {"convolutions: grouped, dilated, strided, transposed, one and three dimensions",
       [] {
         Train(nn::Sequential(nn::Conv2d(nn::Conv2dOptions(4, 8, 3).groups(2).stride(2)),
                              nn::Conv2d(nn::Conv2dOptions(8, 8, 3).groups(8).dilation(2)),
                              nn::ConvTranspose2d(nn::ConvTranspose2dOptions(8, 4, 3).stride(2))),
               Images(4, 4));
         Train(nn::Sequential(nn::Conv1d(4, 8, 3)), torch::randn({2, 4, 32}, kOnDevice));
         Train(nn::Sequential(nn::Conv3d(4, 8, 3)), torch::randn({2, 4, 8, 8, 8}, kOnDevice));
       }},
      {"convolution in double precision",
       [] {
         nn::Sequential net(nn::Conv2d(3, 8, 3));
         net->to(torch::kFloat64);
         Train(net, Images().to(torch::kFloat64));
       }},
      {"linear layers in bfloat16",
       [] {
         Train(nn::Sequential(nn::Linear(64, 128), nn::ReLU(), nn::Linear(128, 10)),
               torch::randn({32, 64}, kOnDevice), torch::optim::SGDOptions(0.1), at::kBFloat16);
       }},
      {"layer norm and group norm",
       [] {
         Train(nn::Sequential(nn::LayerNorm(nn::LayerNormOptions({32})),
                              nn::GroupNorm(nn::GroupNormOptions(1, 3))),
               Images());
       }},
      {"embedding",
       [] {
         Train(nn::Sequential(nn::Embedding(100, 16), nn::Linear(16, 16)),
               torch::randint(100, {8, 12}, kOnDevice.dtype(torch::kLong)));
       }},
      {"attention, flash and memory-efficient",
       [] {
         at::globalContext().setSDPUseCuDNN(false);  // which it prefers on some cards
         const Tensor q = torch::randn({2, 4, 16, 32}, kOnDevice.dtype(torch::kHalf)).requires_grad_();
         at::scaled_dot_product_attention(q, q, q).sum().backward();
         const Tensor wide = torch::randn({2, 4, 16, 32}, kOnDevice).requires_grad_();
         at::scaled_dot_product_attention(wide, wide, wide, {}, 0.0, true).sum().backward();
         at::globalContext().setSDPUseCuDNN(true);
       }},
      {"convolutions with bias and ReLU in one",
       [] {
         const torch::NoGradGuard no_gradients;
         const Tensor x = torch::randn({4, 16, 14, 14}, kOnDevice.dtype(torch::kHalf));
         const Tensor filter = torch::randn({16, 16, 3, 3}, kOnDevice.dtype(torch::kHalf));
         const Tensor bias = torch::randn({16}, kOnDevice.dtype(torch::kHalf));
         for (const at::MemoryFormat format :
              {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
           const Tensor y = at::cudnn_convolution_relu(x.contiguous(format), filter.contiguous(format), bias,
                                                       {1, 1}, {1, 1}, {1, 1}, 1);
           at::cudnn_convolution_add_relu(x.contiguous(format), filter.contiguous(format), y, 1.0, bias,
                                          {1, 1}, {1, 1}, {1, 1}, 1);
         }
       }},
      {"attention, cuDNN's",
       [] {
         if (at::cuda::getCurrentDeviceProperties()->major < 8) return;
         const auto half = kOnDevice.dtype(torch::kHalf);
         const Tensor q = torch::randn({2, 4, 128, 64}, half).requires_grad_();
         for (const bool causal : {false, true}) {
           auto [out, logsumexp, cum_q, cum_k, max_q, max_k, seed, offset, mask] =
               at::_scaled_dot_product_cudnn_attention(q, q, q, {}, true, 0.0, causal, false, {});
           out.sum().backward();
         }
       }},
  };
}

std::vector<Operation> Optimizers() {
  const auto linear = [] { return nn::Sequential(nn::Linear(32, 32)); };
  const auto x = [] { return torch::randn({8, 32}, kOnDevice); };
  return {
      {"SGD with momentum", [=] { Train(linear(), x(), torch::optim::SGDOptions(0.1).momentum(0.9)); }},
      {"Adam",
       [=] {
         Train<torch::optim::Adam, torch::optim::AdamOptions>(linear(), x(), torch::optim::AdamOptions(1e-3));
       }},
      {"AdamW",
       [=] {
         Train<torch::optim::AdamW, torch::optim::AdamWOptions>(linear(), x(),
                                                                torch::optim::AdamWOptions(1e-3));
       }},
      {"many tensors at once",
       [] {
         std::vector<Tensor> a, b;
         for (int64_t size = 1; size < 100; size += 7) {
           a.push_back(torch::ones({size, size}, kOnDevice));
           b.push_back(torch::ones({size, size}, kOnDevice));
         }
         at::_foreach_mul_(a, 0.9);
         at::_foreach_add_(a, b, 0.1);
         at::_foreach_addcmul_(a, b, b, 0.1);
         at::_foreach_sqrt(a);
         at::_foreach_norm(a);
         at::_foreach_zero_(a);
       }},
      {"loss scaling",
       [] {
         std::vector<Tensor> gradients{torch::ones({100}, kOnDevice), torch::ones({3, 5}, kOnDevice)};
         const Tensor scale = torch::full({}, 65536.0, kOnDevice);
         const Tensor tracker = torch::full({}, 0, kOnDevice.dtype(torch::kInt));
         Tensor found = torch::full({}, 0.0, kOnDevice);
         at::_amp_foreach_non_finite_check_and_unscale_(gradients, found,
                                                        scale.to(at::kDouble).reciprocal().to(at::kFloat));
         if (found.item<float>() != 0) std::abort();
         Tensor changed = scale;
         Tensor counted = tracker;
         at::_amp_update_scale_(changed, counted, found, 2.0, 0.5, 2000);
       }},
  };
}

std::vector<Operation> Tensors() {
  return {
      {"random numbers and their state",
       [] {
         torch::manual_seed(5);
         at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator(0);
         const Tensor state = generator.get_state();
         torch::randn({1000}, kOnDevice);
         torch::rand({1000}, kOnDevice.dtype(torch::kHalf));
         torch::randperm(1000, kOnDevice.dtype(torch::kLong));
         torch::empty({100}, kOnDevice).bernoulli_(0.5);
         torch::multinomial(torch::ones({10}, kOnDevice), 5, true);
         generator.set_state(state);
         generator.set_current_seed(7);
       }},
      {"copies from pageable and pinned memory",
       [] {
         const Tensor host = torch::randn({64, 3, 32, 32});
         host.to(torch::kCUDA);
         const Tensor pinned = host.pin_memory();
         if (!pinned.is_pinned() || host.is_pinned()) std::abort();
         const Tensor device = pinned.to(torch::kCUDA, /*non_blocking=*/true);
         device.cpu();
         device.to(torch::kHalf).cpu();
         torch::empty({5, 7}, kOnDevice).t().cpu();
         torch::empty({100, 100}, kOnDevice).slice(1, 0, 50).copy_(torch::ones({100, 50}));
       }},
      {"events and streams",
       [] {
         at::cuda::CUDAEvent start(cudaEventDefault), end(cudaEventDefault);
         start.record();
         torch::ones({10}, kOnDevice).mul_(2);
         end.record();
         end.synchronize();
         if (start.elapsed_time(end) < 0) std::abort();
         const auto stream = at::cuda::getStreamFromPool();
         at::cuda::getStreamFromPool(true);
         end.block(stream);
         stream.synchronize();
         if (!stream.query()) std::abort();
         at::cuda::device_synchronize();
         c10::cuda::CUDACachingAllocator::emptyCache();
       }},
      {"without gradients",
       [] {
         const torch::NoGradGuard guard;
         nn::Sequential net = BatchNormNet();
         net->to(torch::Device(torch::kCUDA, 0));
         net->eval();
         net->forward(Images()).argmax(1).cpu();
       }},
      {"products",
       [] {
         const Tensor a = torch::ones({3, 8, 8}, kOnDevice);
         a.bmm(a);
         a[0].mv(a[0][0]);
         a[0][0].dot(a[0][0]);
         at::einsum("bij,bkj->bik", {a, a});
         a.to(torch::kHalf).matmul(a.to(torch::kHalf));
         a.to(torch::kDouble).matmul(a.to(torch::kDouble));
         at::addmm(a[0][0], a[0], a[0]);
         at::baddbmm(a, a, a);
         at::cdist(a, a);
       }},
      {"reductions, sorting, indexing",
       [] {
         const Tensor a = torch::ones({100, 100}, kOnDevice);
         const Tensor index = torch::zeros({100}, kOnDevice.dtype(torch::kLong));
         a.sum(0), a.mean(), a.std(), a.norm(), a.max(), a.argmax(), a.cumsum(0);
         a.sort(), a.topk(5), a.flatten().sort(), a.kthvalue(3), a.median();
         a.index_select(0, index), a.gather(0, index.unsqueeze(1)), a.index({index});
         torch::zeros_like(a).index_add_(0, index, a).scatter_add_(0, index.unsqueeze(1), a);
         a.nonzero(), a.masked_select(a > 0), at::where(a > 0, a, -a), at::one_hot(index, 10), a.flip(0);
         at::cat({a, a}), at::stack({a, a}), a.tril(), a.softmax(1), a.log_softmax(1), at::_unique2(index);
         a.isnan().any().item<bool>(), a.equal(a), torch::arange(10, kOnDevice),
             torch::linspace(0, 1, 5, kOnDevice);
         at::bincount(index), a.histc(10), at::embedding_bag(a, index, index);
       }},
      {"interpolation and losses",
       [] {
         const Tensor x = Images().requires_grad_();
         at::upsample_bilinear2d(x, {64, 64}, false).sum().backward();
         at::upsample_nearest2d(x, {64, 64}).sum().backward();
         at::avg_pool2d(x, 2).sum().backward();
         at::smooth_l1_loss(x, torch::zeros_like(x)).backward();
         at::binary_cross_entropy_with_logits(x, torch::zeros_like(x)).backward();
         at::cross_entropy_loss(torch::randn({8, 10}, kOnDevice).requires_grad_(), Labels(8), {}, 1, -100,
                                0.1)
             .backward();
       }},
  };
}

void Operations() {
  for (const auto& group : {Networks(), Optimizers(), Tensors()}) {
    for (const auto& [name, run] : group) {
      std::printf("%s\n", name);
      std::fflush(stdout);
      run();
    }
  }
}

// Its steps are told as Python's optimizers tell them.
void TrainSmall(int steps) {
  nn::Sequential net(nn::Linear(64, 64), nn::ReLU(), nn::Linear(64, 10));
  net->to(torch::Device(torch::kCUDA, 0));
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    net->forward(torch::randn({32, 64}, kOnDevice)).square().mean().backward();
    const auto scope = torch::autograd::profiler::record_function_enter_new("Optimizer.step#SGD.step", {});
    optimizer.step();
  }
}

void RunOut(int steps) {
  TrainSmall(steps);
  try {
    Mebibytes(1 << 20);
  } catch (const c10::OutOfMemoryError&) {
    std::puts("went on");
    std::fflush(stdout);
  }
  std::getchar();
}

void Bytes() {
  const Tensor numbers = torch::arange(1000);
  const Tensor copied = numbers.to(torch::kCUDA).clone().cpu();
  const Tensor computed = numbers.to(torch::kCUDA).add(1).cpu();
  std::printf("copied %d computed_sum %lld\n", numbers.equal(copied) ? 1 : 0,
              static_cast<long long>(computed.sum().item<int64_t>()));
}

void DescribeDevice() {
  std::printf("devices %d\n", static_cast<int>(torch::cuda::device_count()));
  if (!torch::cuda::is_available()) return;
  const cudaDeviceProp* properties = at::cuda::getCurrentDeviceProperties();
  std::printf("name %s\ncapability %d.%d\n", properties->name, properties->major, properties->minor);
}

int Run(const std::vector<std::string>& arguments) {
  const auto number = [&](size_t i) { return std::stoi(arguments.at(i)); };
  const std::string& what = arguments.at(0);
  if (what == "step") Step(number(1), number(2), number(3), number(4) != 0, number(5));
  if (what == "train") TrainSmall(number(1));
  if (what == "runs-out") RunOut(number(1));
  if (what == "operations") Operations();
  if (what == "bytes") Bytes();
  if (what == "segments") Segments();
  if (what == "device") DescribeDevice();
  if (what == "refused") cudaCtxResetPersistingL2Cache();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return Run({arguments + 1, arguments + count});
  } catch (const c10::OutOfMemoryError& error) {
    std::printf("c10::OutOfMemoryError: %s\n", error.what_without_backtrace());
  } catch (const std::exception& error) {
    std::printf("exception: %s\n", error.what());
  }
  return 1;
}
