"""Programs that need nothing but torch: the parts of it that lie on different libraries of NVIDIA's."""

import torch
from torch import nn
from torch.nn import functional as F

from catalogue import program, train_once


def small_convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1, groups=2), nn.BatchNorm2d(32), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip


def classify(model, size=32, batch=8, classes=10):
    images = torch.randn(batch, 3, size, size, device="cuda")
    return F.cross_entropy(model(images), torch.randint(classes, (batch,), device="cuda"))


@program("convolutions", quick=True, unlike_card="cuDNN's workspaces, where it is not installed")
def convolutions():
    train_once(small_convolutions(), classify)


@program("convolutions-fp16", quick=True, unlike_card="cuDNN's workspaces, where it is not installed")
def convolutions_fp16():
    train_once(small_convolutions(), classify, autocast=torch.float16)


@program("convolutions-channels-last-bf16")
def convolutions_channels_last():
    train_once(small_convolutions().to(memory_format=torch.channels_last), classify, autocast=torch.bfloat16)


@program("convolutions-benchmark")
def convolutions_benchmark():
    torch.backends.cudnn.benchmark = True
    train_once(small_convolutions(), classify)


@program("convolutions-1d-3d-transposed")
def convolutions_of_all_ranks():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = nn.Conv1d(4, 8, 5, dilation=2)
            self.one_back = nn.ConvTranspose1d(8, 4, 5)
            self.three = nn.Conv3d(1, 4, 3)
            self.three_back = nn.ConvTranspose3d(4, 1, 3, stride=2)

        def forward(self, signal, volume):
            return self.one_back(self.one(signal)).sum() + self.three_back(self.three(volume)).sum()

    signal, volume = torch.randn(2, 4, 64, device="cuda"), torch.randn(2, 1, 8, 8, 8, device="cuda")
    train_once(Net(), lambda net: net(signal, volume))


@program("lstm", quick=True, unlike_card="cuDNN's recurrent workspaces for small layers")
def lstm():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(1000, 64)
            self.lstm = nn.LSTM(64, 128, num_layers=2, dropout=0.1, bidirectional=True, batch_first=True)
            self.head = nn.Linear(256, 20)

        def forward(self, tokens):
            return self.head(self.lstm(self.embed(tokens))[0])

    tokens = torch.randint(1000, (8, 40), device="cuda")
    train_once(Tagger(), lambda net: F.cross_entropy(net(tokens).flatten(0, 1), torch.zeros(320, dtype=torch.long, device="cuda")))


@program("lstm-fp16-packed")
def lstm_packed():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(32, 64, proj_size=16)

        def forward(self, steps):
            packed = nn.utils.rnn.pack_padded_sequence(steps, [7, 5, 2])
            return nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0])[0].sum()

    steps = torch.randn(7, 3, 32, device="cuda")
    train_once(Net(), lambda net: net(steps), autocast=torch.float16)


@program("gru-rnn")
def gru():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru = nn.GRU(32, 48)
            self.rnn = nn.RNN(48, 32, nonlinearity="relu")
            self.cell = nn.LSTMCell(32, 32)

        def forward(self, steps):
            return self.cell(self.rnn(self.gru(steps)[0])[0][-1])[0].sum()

    steps = torch.randn(10, 4, 32, device="cuda")
    train_once(Net(), lambda net: net(steps))
    with torch.no_grad():
        Net().cuda().eval()(steps)


@program("gan", quick=True, unlike_card="cuDNN's workspaces, where it is not installed")
def gan():
    generator = nn.Sequential(
        nn.ConvTranspose2d(64, 64, 4), nn.BatchNorm2d(64), nn.ReLU(),
        nn.ConvTranspose2d(64, 3, 4, stride=2, padding=1), nn.Tanh(),
    ).cuda()  # fmt: skip
    critic = nn.Sequential(nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(64 * 16, 1)).cuda()
    of_generator = torch.optim.Adam(generator.parameters(), 2e-4)
    of_critic = torch.optim.RMSprop(critic.parameters(), 2e-4)
    real = torch.randn(8, 3, 8, 8, device="cuda")
    fake = generator(torch.randn(8, 64, 1, 1, device="cuda"))
    mix = (real + fake.detach()).requires_grad_()
    (slope,) = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
    (critic(fake.detach()).mean() - critic(real).mean() + 10 * (slope.flatten(1).norm(dim=1) - 1).square().mean()).backward()
    of_critic.step()
    (-critic(fake).mean()).backward()
    of_generator.step()


@program("transformer", quick=True)
def transformer():
    net = nn.Transformer(64, 4, 2, 2, 128, batch_first=True)
    source, target = torch.randn(4, 20, 64, device="cuda"), torch.randn(4, 15, 64, device="cuda")
    mask = nn.Transformer.generate_square_subsequent_mask(15, device="cuda")
    train_once(net, lambda net: net(source, target, tgt_mask=mask).square().mean())
    with torch.no_grad():
        net.eval()(source, target)


@program("attention", quick=True)
def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    for kind in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH):
        q, k, v = (torch.randn(2, 4, 128, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
        with sdpa_kernel(kind):
            F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()


@program("attention-cudnn")
def attention_cudnn():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = (torch.randn(2, 4, 128, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True) for _ in range(3))
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        F.scaled_dot_product_attention(q, k, v, is_causal=True).sum().backward()


@program("flex-attention-eager")
def flex_attention():
    from torch.nn.attention.flex_attention import flex_attention as flex

    q, k, v = (torch.randn(1, 2, 128, 32, device="cuda", requires_grad=True) for _ in range(3))
    flex(q, k, v, score_mod=lambda score, b, h, i, j: score + (i - j)).sum().backward()


@program("optimizers", quick=True, unlike_card="one allocation of 4 bytes, not explained")
def optimizers():
    layer = nn.Linear(64, 64).cuda()
    for make in (
        lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True),
        lambda p: torch.optim.Adam(p, fused=True),
        lambda p: torch.optim.Adam(p, foreach=False),
        lambda p: torch.optim.AdamW(p, amsgrad=True, capturable=True),
        lambda p: torch.optim.Adagrad(p),
        lambda p: torch.optim.Adadelta(p),
        lambda p: torch.optim.NAdam(p),
        lambda p: torch.optim.RAdam(p),
        lambda p: torch.optim.Rprop(p),
        lambda p: torch.optim.ASGD(p),
        lambda p: torch.optim.Adamax(p),
        lambda p: torch.optim.Adafactor(p),
    ):
        optimizer = make(layer.parameters())
        layer(torch.randn(4, 64, device="cuda")).square().sum().backward()
        nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    optimizer = torch.optim.LBFGS(layer.parameters(), max_iter=2)
    loss = lambda: layer(torch.ones(4, 64, device="cuda")).square().sum()  # noqa: E731

    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    optimizer.step(closure)
    if hasattr(torch.optim, "Muon"):
        optimizer = torch.optim.Muon([layer.weight])
        loss().backward()
        optimizer.step()


@program("checkpointing", quick=True)
def checkpointing():
    from torch.utils.checkpoint import checkpoint

    blocks = nn.ModuleList(nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Dropout(0.1)) for _ in range(4))

    def loss(net):
        x = torch.randn(8, 64, device="cuda")
        for block in net:
            x = checkpoint(block, x, use_reentrant=False)
        return x.square().mean()

    train_once(blocks, loss, autocast=torch.bfloat16)


@program("graph-capture", quick=True)
def graph_capture():
    net, x = nn.Linear(64, 64).cuda(), torch.zeros(8, 64, device="cuda")
    optimizer = torch.optim.Adam(net.parameters(), capturable=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        net(x).square().mean().backward()
        optimizer.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    assert not torch.cuda.is_current_stream_capturing()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        step()
    x.copy_(torch.ones(8, 64))
    graph.replay()
    torch.cuda.synchronize()
    called = torch.cuda.make_graphed_callables(nn.Linear(64, 64).cuda(), (torch.zeros(8, 64, device="cuda", requires_grad=True),))
    called(torch.zeros(8, 64, device="cuda", requires_grad=True)).sum().backward()
    graph.reset()


@program("graph-dump", quick=True)
def graph_dump():
    import inspect
    import tempfile

    keeps = "keep_graph" in inspect.signature(torch.cuda.CUDAGraph.__new__).parameters  # later versions let go of it otherwise
    graph = torch.cuda.CUDAGraph(keep_graph=True) if keeps else torch.cuda.CUDAGraph()
    graph.enable_debug_mode()
    x = torch.zeros(8, device="cuda")
    with torch.cuda.graph(graph):
        x.add_(1)
    if keeps:
        graph.instantiate()
    graph.replay()
    with tempfile.NamedTemporaryFile() as file:
        graph.debug_dump(file.name)
        assert file.read().startswith(b"digraph")


@program("pinned-memory", quick=True)
def pinned_memory():
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.randn(64, 3, 8, 8), torch.randint(10, (64,)))
    for images, labels in DataLoader(data, batch_size=16, pin_memory=True, num_workers=0):
        assert images.is_pinned()
        images.cuda(non_blocking=True), labels.cuda(non_blocking=True)


@program("streams-and-events", quick=True)
def streams():
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    side = torch.cuda.Stream(priority=-1)
    with torch.cuda.stream(side):
        x = torch.randn(1000, 1000, device="cuda")
        y = x @ x
    torch.cuda.current_stream().wait_stream(side)
    y.record_stream(torch.cuda.current_stream())
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) > 0
    assert side.query() and end.query()
    torch.cuda.ExternalStream(side.cuda_stream).synchronize()


@program("device-queries", quick=True)
def device_queries():
    properties = torch.cuda.get_device_properties(0)
    assert properties.total_memory > 0 and torch.cuda.device_count() == 1
    torch.cuda.get_device_name(), torch.cuda.get_device_capability(), torch.cuda.get_arch_list()
    torch.cuda.is_bf16_supported(), torch.cuda.mem_get_info(), torch.cuda.current_device()
    torch.cuda.memory_summary(), torch.cuda.memory_stats(), torch.cuda.memory_snapshot()
    torch.cuda.get_allocator_backend()
    torch.backends.cudnn.version(), torch.version.cuda, torch.cuda.nccl.version()
    torch.cuda.ipc_collect()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.set_per_process_memory_fraction(0.5)


@program("memory-history", quick=True)
def memory_history():
    import os
    import pickle
    import tempfile

    torch.cuda.memory._record_memory_history(max_entries=1000)
    train_once(nn.Linear(8, 8), lambda net: net(torch.ones(2, 8, device="cuda")).sum())
    file = os.path.join(tempfile.mkdtemp(), "snapshot.pickle")
    torch.cuda.memory._dump_snapshot(file)
    with open(file, "rb") as stream:
        assert len(pickle.load(stream)["device_traces"][0]) > 4
    os.remove(file)


@program("random", quick=True)
def random():
    torch.manual_seed(1)
    x = torch.empty(100, device="cuda")
    x.normal_(), x.uniform_(), x.exponential_(), x.cauchy_(), x.geometric_(0.5), x.log_normal_(), x.bernoulli_(0.5)
    torch.randperm(100, device="cuda"), torch.randint(5, (9,), device="cuda"), torch.poisson(x), F.dropout(x), F.rrelu(x, training=True)
    torch.multinomial(torch.ones(10, device="cuda"), 3), torch.distributions.Gamma(x.abs() + 1, x.abs() + 1).rsample()
    generator = torch.Generator("cuda").manual_seed(2)
    torch.rand(3, device="cuda", generator=generator)
    torch.cuda.set_rng_state(torch.cuda.get_rng_state())


@program("losses-and-norms", quick=True)
def losses():
    x = torch.randn(8, 16, 4, 4, device="cuda", requires_grad=True)
    layers = [nn.GroupNorm(4, 16), nn.InstanceNorm2d(16), nn.LayerNorm(4), nn.LocalResponseNorm(2), nn.SyncBatchNorm(16), nn.RMSNorm(4)]
    for layer in layers[:4] + layers[5:]:
        layer.cuda()(x).sum().backward()
    flat = x.flatten(1)
    F.mse_loss(x, x.detach()).backward(), F.smooth_l1_loss(flat, flat.detach()).backward()
    F.kl_div(flat.log_softmax(1), flat.detach().softmax(1)).backward()
    logits = torch.randn(50, 4, 20, device="cuda", requires_grad=True)
    lengths = torch.full((4,), 50, dtype=torch.int), torch.full((4,), 10, dtype=torch.int)
    F.ctc_loss(logits.log_softmax(2), torch.ones(4, 10, dtype=torch.int), *lengths).backward()
    F.ctc_loss(logits.log_softmax(2), torch.ones(4, 10, dtype=torch.long, device="cuda"), *lengths).backward()
    grid = F.affine_grid(torch.zeros(8, 2, 3, device="cuda"), x.shape, align_corners=True)
    F.grid_sample(x, grid, align_corners=True).sum().backward()
    F.interpolate(x, scale_factor=2, mode="bilinear").sum().backward(), F.interpolate(x, size=9, mode="bicubic").sum().backward()
    F.unfold(x, 3).sum().backward(), F.avg_pool2d(x, 2).sum().backward(), F.fractional_max_pool2d(x, 2, 2).sum().backward()
    F.embedding_bag(torch.zeros(3, 2, dtype=torch.long, device="cuda"), torch.ones(9, 4, device="cuda"))


@program("fused-kernels-at-run-time")
def jiterator():
    add = torch.cuda.jiterator._create_jit_fn("template <typename T> T add(T x, T y) { return x + y; }")
    add(torch.ones(3, device="cuda"), torch.ones(3, device="cuda"))
    torch.special.gammaincc(torch.ones(3, device="cuda"), torch.ones(3, device="cuda"))
    torch.special.bessel_j0(torch.ones(3, device="cuda")), torch.lcm(torch.ones(3, dtype=torch.int, device="cuda"), torch.ones(3, dtype=torch.int, device="cuda"))
    torch.ones(3, device="cuda", dtype=torch.cfloat).sigmoid(), torch.ones(3, dtype=torch.cfloat, device="cuda").prod()


@program("compile", needs=("triton",))
def compiled():
    net = torch.compile(nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 64)).cuda())
    net(torch.ones(4, 64, device="cuda")).sum().backward()


@program("triton-kernel", needs=("triton",))
def triton_kernel():
    """Of the program's own, tuned: as flash attention and state space models in Python bring theirs."""
    from triton_kernels import doubled

    assert doubled(torch.ones(1000, device="cuda")).shape == (1000,)


@program("compile-eager-backend", quick=True)
def compiled_eagerly():
    net = torch.compile(nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 64)).cuda(), backend="aot_eager")
    net(torch.ones(4, 64, device="cuda")).sum().backward()


@program("script")
def scripted():
    net = torch.jit.trace(nn.Sequential(nn.Linear(64, 64), nn.Sigmoid(), nn.Tanh()).cuda(), torch.ones(4, 64, device="cuda"))
    for _ in range(3):
        net(torch.ones(4, 64, device="cuda")).sum().backward()


@program("traced-before-any-call", quick=True, unlike_card="it checks what a phantom adds to the program")
def traced_before_any_call():
    """Its layers get their names within the trace, which has nothing of that."""
    layers = nn.Sequential(nn.Linear(64, 64), nn.Sigmoid(), nn.Linear(64, 64)).cuda()
    assert torch.jit.trace(layers, torch.ones(4, 64, device="cuda"))(torch.ones(4, 64, device="cuda")).shape == (4, 64)


@program("quantization-and-nested", since=(2, 6))
def nested():
    rows = torch.nested.nested_tensor([torch.ones(3, 8), torch.ones(5, 8)], layout=torch.jagged, device="cuda")
    nn.Linear(8, 8).cuda()(rows).values().sum().backward()
    torch.nested.to_padded_tensor(rows, 0.0)
    torch.fake_quantize_per_tensor_affine(torch.ones(4, device="cuda"), 0.1, 0, 0, 255)
    torch.quantize_per_tensor(torch.ones(4, device="cuda"), 0.1, 0, torch.quint8)
