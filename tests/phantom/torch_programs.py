"""Programs that need nothing but torch: the parts of it that lie on different libraries of NVIDIA's."""

import resource

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
    torch.cuda.get_allocator_backend(), torch.cuda.can_device_access_peer(0, 0) if torch.cuda.device_count() > 1 else None
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


@program("fft", quick=True)
def fft():
    x = torch.randn(4, 32, 32, device="cuda", requires_grad=True)
    (torch.fft.ifft2(torch.fft.fft2(x)).abs().sum() + torch.fft.irfftn(torch.fft.rfftn(x)).sum()).backward()
    torch.stft(torch.randn(2, 400, device="cuda"), 64, return_complex=True, window=torch.hann_window(64, device="cuda"))
    torch.fft.fft(torch.randn(3, 17, device="cuda", dtype=torch.double), dim=0)
    torch.fft.hfft(torch.randn(3, 17, device="cuda", dtype=torch.cfloat))


@program("linear-algebra", quick=True, unlike_card="cuSOLVER's workspaces")
def linear_algebra():
    for dtype in (torch.float, torch.double, torch.cfloat):
        a = torch.eye(8, device="cuda", dtype=dtype)
        batch = a.expand(3, 8, 8).contiguous()
        for x in (a, batch):
            for call in (
                torch.linalg.cholesky_ex, torch.linalg.inv_ex, torch.linalg.lu_factor_ex, torch.linalg.qr,
                torch.linalg.eigh, torch.linalg.eigvalsh, torch.linalg.svd, torch.linalg.svdvals, torch.linalg.det,
                torch.linalg.slogdet, torch.linalg.pinv, torch.linalg.matrix_norm, torch.linalg.ldl_factor_ex,
                torch.linalg.eigvals, torch.linalg.eig, torch.linalg.lu,
            ):  # fmt: skip
                call(x)
            y = torch.ones(*x.shape[:-1], 2, device="cuda", dtype=dtype)
            torch.linalg.solve_ex(x, y), torch.linalg.solve_triangular(x, y, upper=True), torch.linalg.lstsq(x, y)
            torch.linalg.solve_ex(x, y, left=True)
            torch.cholesky_solve(y, x), torch.cholesky_inverse(x), torch.triangular_solve(y, x)
            torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y)
            factor = torch.linalg.ldl_factor(x)
            torch.linalg.ldl_solve(factor.LD, factor.pivots, y)
            torch.geqrf(x), torch.linalg.householder_product(x, x[..., 0]), torch.ormqr(x, x[..., 0], y)
        for driver in ("gesvd", "gesvdj", "gesvda"):
            torch.linalg.svd(a, driver=driver), torch.linalg.svd(batch, driver=driver)
    train_once(nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8)), lambda net: net(torch.ones(2, 8, device="cuda")).sum())
    train_once(nn.utils.parametrizations.orthogonal(nn.Linear(8, 8), orthogonal_map="householder"), lambda net: net(torch.ones(2, 8, device="cuda")).sum())


@program("linear-algebra-large")
def linear_algebra_large():
    a = torch.eye(600, device="cuda")
    torch.linalg.svd(a), torch.linalg.eigh(a), torch.linalg.cholesky(a), torch.linalg.inv(a), torch.linalg.qr(a)
    many = torch.eye(32, device="cuda").expand(64, 32, 32).contiguous()
    torch.linalg.svd(many), torch.linalg.eigh(many), torch.linalg.cholesky(many), torch.linalg.inv(many), torch.linalg.qr(many)


@program("matrix-products", quick=True)
def matrix_products():
    for dtype in (torch.float, torch.double, torch.half, torch.bfloat16, torch.cfloat, torch.cdouble):
        a, v = torch.ones(16, 16, device="cuda", dtype=dtype), torch.ones(16, device="cuda", dtype=dtype)
        batch = torch.ones(3, 16, 16, device="cuda", dtype=dtype)
        a @ a, a @ v, v @ v, torch.vdot(v, v), batch @ batch, torch.addmm(v, a, a), torch.baddbmm(batch, batch, batch)
        torch.addmv(v, a, v), torch.addr(a, v, v), torch.outer(v, v), torch.einsum("bij,jk->bik", batch, a)
        F.linear(a, a, v)
    F.gelu(F.linear(torch.ones(16, 16, device="cuda"), torch.ones(16, 16, device="cuda"), torch.ones(16, device="cuda")))
    torch._addmm_activation(torch.ones(16, device="cuda"), torch.ones(16, 16, device="cuda"), torch.ones(16, 16, device="cuda"))
    torch._int_mm(torch.ones(32, 16, device="cuda", dtype=torch.int8), torch.ones(16, 16, device="cuda", dtype=torch.int8))
    eight = torch.zeros(32, 32, device="cuda").to(torch.float8_e4m3fn)
    one = torch.ones((), device="cuda")
    torch._scaled_mm(eight, eight.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


@program("sparse", quick=True, unlike_card="cuSPARSE's workspaces")
def sparse():
    indices = torch.tensor([[0, 1, 2], [2, 0, 1]])
    coo = torch.sparse_coo_tensor(indices, torch.ones(3), (3, 3), is_coalesced=True).cuda()
    dense = torch.ones(3, 3, device="cuda")
    torch.sparse.mm(coo, dense), coo.to_dense(), coo + coo
    csr = torch.sparse_csr_tensor(torch.tensor([0, 1, 2, 3]), torch.tensor([0, 1, 2]), torch.ones(3), (3, 3)).cuda()
    csr @ dense, csr @ dense[0], csr.to_dense(), csr @ csr, csr + csr
    torch.sparse.sampled_addmm(csr, dense, dense)
    torch.triangular_solve(dense, csr)
    bsr = torch.eye(4, device="cuda").to_sparse_bsr((2, 2))
    bsr @ torch.ones(4, 4, device="cuda")
    embed = nn.Embedding(100, 16, sparse=True).cuda()
    embed(torch.zeros(4, dtype=torch.long, device="cuda")).sum().backward()
    torch.optim.SparseAdam(embed.parameters()).step()
    bag = nn.EmbeddingBag(100, 16, mode="sum").cuda()
    bag(torch.zeros(4, 3, dtype=torch.long, device="cuda")).sum().backward()


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


@program("reading-back", quick=True)
def reading_back():
    x = torch.arange(6.0).cuda()
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    torch.ones(3, device="cuda").mul_(2)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]  # kernels ran, on other tensors as far as anybody knows
    address = x.data_ptr()
    del x
    computed = torch.ones(6, device="cuda")
    assert computed.data_ptr() == address and computed.tolist() == [0] * 6  # never what was in that memory before
    x = torch.arange(6.0).cuda()
    x.sum().item(), x.nonzero(), x[x > 2], torch.unique(x), torch.isfinite(x).all().item(), torch.masked_select(x, x > 1)
    torch.sort(x), torch.topk(x, 3), torch.cumsum(x, 0), torch.histc(x), torch.bincount(x.long()), torch.median(x), torch.kthvalue(x, 2)
    torch.repeat_interleave(x, torch.ones(6, dtype=torch.long, device="cuda")), torch.searchsorted(x, x), print(x)


@program("different-values", quick=True)
def different_values():
    """How many there are is read back: of zeros, which is what kernels leave here, one. No card would answer with none."""
    x = torch.randint(9, (5000,), device="cuda")
    assert torch.unique(x).numel() == 1 and torch.unique(x, return_inverse=True)[0].numel() == 1
    assert torch.unique_consecutive(x).numel() == 1 and torch.unique(x.view(50, 100), dim=0).shape == (1, 100)
    values, where, counts = torch.unique(x, return_inverse=True, return_counts=True)
    assert values.shape == counts.shape == (1,) and torch.unique_consecutive(x, return_counts=True)[1].shape == (1,)
    rows, counts = torch.unique(x.view(50, 100), dim=0, return_counts=True)
    assert rows.shape == (1, 100) and counts.shape == (1,)
    torch.isin(x, torch.randint(9, (500,), device="cuda"))
    loss = x.sum()
    torch.unique(x)
    assert loss.item() == 0  # only the count is told


@program("sizes-from-what-was-sent", quick=True)
def sizes_from_what_was_sent():
    """Masks and lengths decide sizes, and whole numbers that come of what the program sent are computed."""
    lengths, mask = torch.tensor([3, 5, 7, 3]).cuda(), torch.tensor([True, False, True, False]).cuda()
    features = torch.randn(4, 8, device="cuda", requires_grad=True)
    assert features[mask].shape == (2, 8) and features[lengths == 3].shape == (2, 8) and features[lengths > 9].shape == (0, 8)
    features[mask & (lengths != 7)].sum().backward()
    assert mask.nonzero().tolist() == [[0], [2]] and lengths.cumsum(0).tolist() == [3, 8, 15, 18] and lengths.max().item() == 7
    inside = torch.arange(8, device="cuda")[None] < lengths[:, None]
    assert inside.sum(1).tolist() == [3, 5, 7, 3] and torch.randn(4, 8, device="cuda")[inside].shape == (18,)
    assert torch.repeat_interleave(features, lengths, dim=0).shape == (18, 8) and torch.unique(lengths).tolist() == [3, 5, 7]
    assert torch.stack([lengths, lengths])[:, 1:].contiguous().long().tolist() == [[5, 7, 3]] * 2
    lengths[lengths == 3] = 9
    assert lengths.tolist() == [9, 5, 7, 9]
    unknown = torch.randn(4, device="cuda") > 0
    assert (unknown | torch.ones_like(mask)).tolist() == [True] * 4 and not (unknown & torch.zeros_like(mask)).any()
    drawn = torch.randint(1, 9, (4,), device="cuda")
    assert drawn.tolist() == [0] * 4  # by chance: nobody knows


@program("how-many-numbers-are-computed", quick=True)
def how_many_numbers_are_computed():
    """Up to 32,768 of them. Of what would be more only the size is known, and none of the host's memory is taken."""
    ids = torch.arange(20_000).cuda()
    even = ids % 2 == 0
    assert torch.where(even, -100, ids)[:3].tolist() == torch.where(even, torch.full_like(ids, -100), ids)[:3].tolist() == [-100, 1, -100]
    assert ids[even].shape == torch.where(even, ids, -100)[even].shape == (10_000,)
    assert torch.unique(even).tolist() == [False, True] and torch.unique(ids >= 0).tolist() == [True] and torch.unique(ids < 0).tolist() == [False]
    table, row = torch.arange(32_768).view(2, 16_384).cuda(), torch.zeros(32_768, dtype=torch.long).cuda()
    assert table[:, 5:7][row[:3]].tolist() == table[:, 5:7].index_select(0, row[:3]).tolist() == [[5, 6]] * 3
    assert torch.bincount(ids[:3]).tolist() == [1] * 3 and torch.cat([ids[:2], ids[:1]]).tolist() == [0, 1, 0]
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert table[row].shape == table.index_select(0, row).shape == (32_768, 16_384) and torch.cat([table] * 9).shape == (18, 16_384)
    assert table.index_select(0, row[:16_384]).shape == (16_384, 16_384)
    torch.bincount(ids + 100_000_000), torch.repeat_interleave(torch.full((2,), 100_000_000, device="cuda"))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < used + 500_000  # KiB


@program("checks-of-values", quick=True)
def checks_of_values():
    """PyTorch refuses arguments that are wrong. What kernels made of them nobody knows here, and nothing may be refused for that."""
    from torch import distributions

    zero, one = torch.zeros(3, device="cuda").add(0), torch.ones(3, device="cuda").mul(1)
    torch.normal(zero, one), torch.normal(0.0, one.half()), torch.cov(torch.ones(3, 3, device="cuda"), aweights=one)
    for loc, scale in ((zero, one), (zero[0], one[0]), (zero[:1, None], one[:1, None])):
        distributions.Normal(loc, scale).sample()
        distributions.Independent(distributions.Gamma(scale, scale.double()), 0).rsample()
        distributions.Categorical(probs=one.div(3)).log_prob(torch.zeros((), device="cuda").add(1))
    distributions.MultivariateNormal(zero, torch.eye(3, device="cuda").mul(1)).rsample()
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 1).cuda().eval()
    with torch.no_grad():
        padding = torch.tensor([[False, False, True], [False] * 3]).cuda()
        assert encoder(torch.ones(2, 3, 16, device="cuda"), src_key_padding_mask=padding).shape == (2, 3, 16)
    window = torch.hann_window(64, device="cuda")
    spectrum = torch.stft(torch.ones(2, 1000, device="cuda"), 64, window=window, return_complex=True)
    assert torch.istft(spectrum, 64, window=window).shape == (2, 992)  # it refuses windows that leave gaps
    batches = nn.BatchNorm1d(3, momentum=None).cuda()  # as torch.optim.swa_utils.update_bn makes them: one over their number
    batches(torch.ones(4, 3, device="cuda")).sum().backward()
    assert torch.isfinite(one.sum()) and not torch.isnan(one.sum()) and not torch.isinf(one.sum())
    for number in (one.sum(), one.sum().half(), one.sum().double(), one.sum().long(), one.sum().to(torch.uint8)):
        assert number >= 0 and number <= 1 and number < 1 and number == 0 and number != 1 and number >= number
        assert not number > 0 and not number < 0 and not number >= 1 and not number != 0 and not number == 1


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
    F.multi_head_attention_forward


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


@program("quantization-and-nested", since=(2, 6))
def nested():
    rows = torch.nested.nested_tensor([torch.ones(3, 8), torch.ones(5, 8)], layout=torch.jagged, device="cuda")
    nn.Linear(8, 8).cuda()(rows).sum().backward() if False else None
    torch.nested.to_padded_tensor(rows, 0.0)
    torch.fake_quantize_per_tensor_affine(torch.ones(4, device="cuda"), 0.1, 0, 0, 255)
    torch.quantize_per_tensor(torch.ones(4, device="cuda"), 0.1, 0, torch.quint8)


@program("out-of-memory", quick=True)
def out_of_memory():
    _, total = torch.cuda.mem_get_info()
    try:
        torch.empty(2 * total, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError as error:
        assert "Tried to allocate" in str(error)
    else:
        raise AssertionError("More memory was given than there is.")


def churn():
    """Sizes of all of the allocator's classes, freed out of order."""
    blocks = [torch.empty(int(n), dtype=torch.uint8, device="cuda") for n in (500, 3e5, 2e6, 7e6, 1.5e7, 3e7, 7e7, 3e8)]
    del blocks[::2]
    x = torch.empty(int(1.2e7), dtype=torch.uint8, device="cuda")
    del blocks
    torch.cuda.empty_cache()
    del x
    train_once(nn.Linear(512, 512), lambda net: net(torch.ones(64, 512, device="cuda")).sum())
    return torch.cuda.memory_snapshot()


for setting in (
    "expandable_segments:True",
    "max_split_size_mb:32",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "garbage_collection_threshold:0.6",
    "backend:cudaMallocAsync",
    "pinned_use_cuda_host_register:True,pinned_num_register_threads:2",
    "pinned_use_background_threads:True",
):

    # Before 2.8 PyTorch's thread outlives the allocator that it works for, and the process ends with a fault (pytorch#152008).
    since = (2, 8) if "background_threads" in setting else (2, 0)

    @program("allocator-" + setting.replace(":True", "").replace(":", "-"), settings=setting, since=since, quick=True)
    def allocator(setting=setting):
        torch.ones(1000).pin_memory()
        if "cudaMallocAsync" in setting:
            train_once(nn.Linear(512, 512), lambda net: net(torch.ones(64, 512, device="cuda")).sum())
            torch.cuda.empty_cache()
            return
        segments = churn()
        if "expandable" in setting:
            assert segments and all(segment["is_expandable"] for segment in segments)
        torch.cuda.empty_cache()
