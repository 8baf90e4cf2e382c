#!/usr/bin/env python3
"""What blocks of Python programs on the phantom are told to hold, and what they are called: categories_test.py TIDEMARK."""

import csv
import json
from pathlib import Path

from programs import PYTHON, TIDEMARK, InFolder, main, tidemark


# A backward pass may leave Python's tensors with its thread. PyTorch aborts when that lets go of them as Python ends, which
# it no longer can once it has taken up another.
LET_GO = 'torch.ones(1, device="cuda", requires_grad=True).sum().backward()\n'


class Categories(InFolder):
    def at_peak(self, code, *options):
        """What the program's blocks hold at its peak, by category."""
        ran = tidemark("phantom", *options, "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return self.told()["measured"]["by_category_at_peak"]

    def told(self):
        return json.loads(tidemark("info", self.recording, "--json").stdout)

    def events(self):
        table = str(Path(self.folder.name) / "run.csv")
        self.assertEqual(tidemark("export", self.recording, "--to", "csv", "-o", table).returncode, 0)
        with open(table, newline="") as rows:
            return list(csv.DictReader(rows))

    def called(self, category):
        """What its blocks were called, one after the other."""
        return [event["name"] for event in self.events() if event["kind"] == "categorize" and event["category"] == category]

    def names(self, category):
        return set(self.called(category))

    def test_parameters_are_known_that_no_gradient_is_accumulated_for(self):
        code = """
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.frozen = torch.nn.Linear(1024, 1024, bias=False), torch.nn.Linear(1024, 1024, bias=False).requires_grad_(False)
    def forward(self, x):
        return torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
Net().cuda()(torch.ones(1, 1024, device="cuda"))
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("OutOfMemoryError", ran.stderr)
        categories = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]["by_category_at_peak"]
        self.assertEqual(categories["parameter"], 2 * 1024 * 1024 * 4)

    def test_parameters_that_are_made_on_the_card_are_known_before_their_module_is_called(self):
        code = """
import torch
with torch.device("cuda"):
    net = torch.nn.Sequential(torch.nn.Linear(1024, 1024, bias=False), torch.nn.Linear(1024, 512, bias=False))
    kept = torch.ones(512, 512)
    torch.nn.Linear(1 << 24, 1 << 24)
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertIn("OutOfMemoryError", ran.stderr)
        holds = self.told()["measured"]["by_category_at_peak"]
        self.assertEqual((holds["parameter"], holds["unknown"]), (6 << 20, 1 << 20), holds)
        self.assertEqual(self.names("parameter"), {"parameter 1024×1024", "parameter 512×1024"})

    def test_what_an_update_by_hand_makes_and_lets_go_of_is_temporary(self):
        code = """
import torch
weight = torch.rand(1024, 1024, device="cuda", requires_grad=True)
for _ in range(3):
    (weight * 2).sum().backward()
    kept = torch.zeros(512, 512, device="cuda")
    with torch.no_grad():
        weight -= .1 * weight.grad
    weight.grad = None
    after_update = torch.zeros(512, 1024, device="cuda")
    del after_update
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["temporary"] >> 20, holds["unknown"] >> 20), (4, 1), holds)
        freed = [(int(row["bytes"]) >> 20, row["category"]) for row in self.events() if row["kind"] == "free completed"]
        self.assertIn((4, "temporary"), freed)
        self.assertIn((2, "unknown"), freed, "what is made after the update is none of it")

    def test_gradients_that_a_program_asks_for_and_updates_its_parameters_by_are_known(self):
        code = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(1024, 1024, bias=False), torch.nn.Linear(1024, 1024, bias=False)).cuda()
for _ in range(3):
    loss = net(torch.ones(1, 1024, device="cuda")).sum()
    gradients = torch.autograd.grad(loss, net.parameters())
    for weight, gradient in zip(net.parameters(), gradients): weight.data.sub_(gradient, alpha=.1)
"""
        holds = self.at_peak(code)  # those of the step before are there as well
        self.assertEqual([holds[category] >> 20 for category in ("gradient", "optimizer_state", "unknown")], [16, 0, 0], holds)
        self.assertEqual(self.names("gradient"), {"gradient 1024×1024"})

    def test_what_updates_by_hand_keep_of_the_size_of_parameters_is_optimizer_state(self):
        code = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(1024, 1024, bias=False), torch.nn.Linear(1024, 1024, bias=False)).cuda()
weights = list(net.parameters())
velocities = [torch.zeros_like(weight) for weight in weights]
never_read = torch.zeros(1024, 1024, device="cuda")
for _ in range(3):
    net(torch.ones(1, 1024, device="cuda")).sum().backward()
    if %s:
        with torch.no_grad():
            for i, weight in enumerate(weights):
                %s
                weight.grad = None
    else:
        for velocity, weight in zip(velocities, weights): velocity.add_(weight.grad ** 2)
    made_after = torch.zeros(1024, 1024, device="cuda")
    del made_after
"""
        in_place = "velocities[i].mul_(.9).add_(weight.grad); weight -= .1 * velocities[i]"
        anew = "velocities[i] = .9 * velocities[i] + weight.grad; weight.add_(velocities[i], alpha=-.1)"
        for updates, update, state, temporary, unknown in ((True, in_place, 8, 4, 4), (True, anew, 12, 4, 4), (False, "pass", 0, 4, 12)):
            with self.subTest(update, updates=updates):
                holds = self.at_peak(code % (updates, update))
                told = [holds[category] >> 20 for category in ("optimizer_state", "temporary", "unknown")]
                self.assertEqual(told, [state, temporary, unknown], holds)
        self.assertEqual(self.names("optimizer_state"), set())

    def test_copies_of_parameters_that_the_program_keeps_are_parameters(self):
        code = """
import copy, torch
net = torch.nn.Linear(1024, 1024, bias=False).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=.1)
detached = [p.detach().clone() for p in net.parameters()]
shadow = [p.clone().detach() for p in net.parameters()]
for _ in range(3):
    optimizer.zero_grad()
    net(torch.rand(8, 1024).cuda()).sum().backward()
    optimizer.step()
    with torch.no_grad():
        for s, p in zip(shadow, net.parameters()): s.sub_(.01 * (s - p))
best = copy.deepcopy(net.state_dict())
stored = [p.clone() for p in net.parameters()]
moved = [g.grad.clone() for g in net.parameters()]
peak = torch.empty(1 << 25, dtype=torch.uint8, device="cuda")
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["parameter"], holds["gradient"]), (5 << 22, 1 << 22), holds)
        self.assertEqual(self.names("parameter"), {"Linear.weight", "Linear.weight copy"}, self.called("parameter"))

    def test_those_without_a_module_are_called_by_their_shapes_and_so_are_their_gradients(self):
        code = """
import torch
weight = torch.nn.Parameter(torch.ones(512, 256, device="cuda"))
(weight * 2).sum().backward()
peak = torch.empty(2 << 20, device="cuda")
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["parameter"], holds["gradient"]), (512 << 10, 512 << 10), holds)
        self.assertEqual((self.names("parameter"), self.names("gradient")), ({"parameter 512×256"}, {"gradient 512×256"}))

    def test_results_that_a_program_keeps_are_output_and_what_backward_needs_is_not(self):
        code = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(1024, 1024, bias=False), torch.nn.Sigmoid()).cuda()
for _ in range(2):
    logits = net(torch.ones(1024, 1024, device="cuda"))
    moved = logits + 1
    moved.sum().backward()
    peak = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    del peak
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["output"], holds["unknown"]), (4 << 20, 64 << 20), holds)
        probed = str(Path(self.folder.name) / "probed.tide")
        ran = tidemark("phantom", "--", TIDEMARK, "record", "-o", probed, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = json.loads(tidemark("info", probed, "--json").stdout)["measured"]["by_category_at_peak"]
        self.assertGreaterEqual(told["output"], 4 << 20)

    def test_the_states_of_a_recurrent_layers_dropout_are_cudnns_and_no_activation(self):
        code = """
import torch
net = torch.nn.LSTM(32, 64, num_layers=2, dropout=.2).cuda()
for _ in range(2):
    net(torch.ones(16, 4, 32, device="cuda"))[0].sum().backward()
"""
        holds = self.at_peak(code, "--card", "t4")
        self.assertGreaterEqual(holds["workspace"], 49152 * 40, holds)  # of each of its multiprocessors
        self.assertLess(holds["activation"], 49152 * 40, holds)
        self.assertIn("cuDNN dropout states", self.names("workspace"))

    def test_what_cudnn_works_in_for_a_recurrent_layer_is_its_workspace(self):
        code = """
import torch
net = torch.nn.LSTM(512, 512, num_layers=2).cuda()
batch = torch.ones(16, 64, 512, device="cuda")
for _ in range(2):
    net(batch)[0].sum().backward()
"""
        self.at_peak(code)
        self.assertEqual(self.called("workspace").count("cuDNN workspace"), 2 * 3, "a step's forward, and backward for data and for weights")

    def test_a_buffer_that_gradients_are_copied_into_is_for_communication(self):
        code = """
import torch
net = torch.nn.Sequential(*[torch.nn.Linear(512, 512, bias=False) for _ in range(4)]).cuda()
buffer = torch.empty(4 << 20, device="cuda")
def into_buffer(weight):
    weight.grad.data = buffer.narrow(0, 0, weight.numel()).view_as(weight).copy_(weight.grad)
for weight in net.parameters(): weight.register_post_accumulate_grad_hook(into_buffer)
optimizer = torch.optim.SGD(net.parameters())
for _ in range(4):
    net(torch.ones(1, 512, device="cuda")).sum().backward()
    optimizer.step()
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        info = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertEqual(info["measured"]["by_category_at_peak"]["communication"], 16 << 20)
        self.assertNotIn("kept_gradients", {finding["kind"] for finding in info["findings"]})

    def test_parameters_are_known_while_they_are_converted_before_any_is_used(self):
        code = """
import torch
net = torch.nn.ModuleDict({name: torch.nn.Linear(1024, 1024, bias=False) for name in "abc"}).cuda().bfloat16()
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        self.assertEqual(measured["allocated_peak_bytes"], (3 * 4 + 2) << 20)
        self.assertGreaterEqual(measured["by_category_at_peak"]["parameter"], 3 * 4 << 20)  # but for what is just made

    def test_what_ddp_sends_gradients_in_is_called_so(self):
        code = """
import sys, torch
torch.distributed.init_process_group("nccl")
net = torch.nn.Linear(1024, 1024, bias=False).cuda()
net = torch.nn.parallel.DistributedDataParallel(net, gradient_as_bucket_view="view" in sys.argv)
for _ in range(2):
    net(torch.ones(1, 1024, device="cuda")).sum().backward()
more = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")  # the peak
"""
        for words, communication, gradient in (((), 4 << 20, 4 << 20), (("view",), 0, 4 << 20)):
            ran = tidemark("phantom", "--world", "2", "-o", self.recording, "--", PYTHON, "-c", code, *words)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
            categories = measured["by_category_at_peak"]
            self.assertEqual(categories["gradient"], gradient)
            self.assertGreaterEqual(categories["communication"], communication)
            csv = str(Path(self.folder.name) / "run.csv")
            self.assertEqual(tidemark("export", self.recording, "--to", "csv", "-o", csv).returncode, 0)
            self.assertIn("DDP bucket", Path(csv).read_text())

    def test_what_an_optimizer_loaded_is_its_state_and_no_input(self):
        code = """
import io, torch
net = torch.nn.Linear(1024, 1024, bias=False)
optimizer = torch.optim.Adam(net.parameters(), foreach=False)
net(torch.ones(1, 1024)).sum().backward()
optimizer.step()
kept = io.BytesIO()
torch.save(optimizer.state_dict(), kept)
kept.seek(0)
net.zero_grad()
net.cuda()
optimizer = torch.optim.Adam(net.parameters(), foreach=False)
optimizer.load_state_dict(torch.load(kept))
for _ in range(3):
    net(torch.ones(1, 1024).cuda()).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
optimizer.load_state_dict(optimizer.state_dict())
net(torch.ones(1, 1024).cuda()).sum().backward()
optimizer.step()
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["parameter"], holds["optimizer_state"], holds["gradient"]), (4 << 20, 8 << 20, 4 << 20))
        self.assertLess(holds["input"], 8192)
        self.assertEqual(self.names("optimizer_state"), {"Linear.weight exp_avg", "Linear.weight exp_avg_sq"})

    def test_buffers_and_copies_of_a_model_are_parameters(self):
        code = """
import copy, torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(1024, 1024, bias=False)
        self.register_buffer("mask", torch.ones(1024, 1024))
    def forward(self, x): return self.inner(x) @ self.mask
net = Net().cuda()
average = copy.deepcopy(net)
net(torch.ones(1, 1024, device="cuda"))
"""
        self.assertEqual(self.at_peak(code)["parameter"], 4 * 4 << 20)
        self.assertEqual(self.names("parameter"), {"inner.weight", "Net.mask", "inner.weight copy", "Net.mask copy"})

    def test_parameters_of_a_whole_model_in_one_buffer_are_no_layers(self):
        code = """
import torch
net = torch.nn.Sequential(*[torch.nn.Linear(512, 512, bias=False) for _ in range(4)]).cuda()
flat = torch.cat([weight.data.flatten() for weight in net.parameters()])
for number, weight in enumerate(net.parameters()): weight.data = flat[number << 18:(number + 1) << 18].view(512, 512)
buffer = torch.empty(2 << 18, device="cuda")
def into_buffer(weight): weight.grad.data = buffer.narrow(0, 0, weight.numel()).view_as(weight).copy_(weight.grad)
for weight in net.parameters(): weight.register_post_accumulate_grad_hook(into_buffer)
net(torch.ones(1, 512, device="cuda")).sum().backward()
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["parameter"], holds["communication"]), (4 << 20, 2 << 20))
        self.assertIn("flat_weights", self.names("parameter"))

    def test_what_a_model_is_called_with_is_input_wherever_it_was_made_but_for_what_a_model_made(self):
        code = """
import torch
up, down = (torch.nn.Linear(1024, 1024, bias=False).cuda() for _ in range(2))
down.requires_grad_(False)
judge, wanted = torch.nn.MSELoss(), torch.ones(1024, 1024, device="cuda")
batch = {"pair": [torch.ones(1024, 1024, device="cuda"), torch.ones(9)], "name": "x"}
class Net(torch.nn.Module):
    def forward(self, pair, name): return up(pair[0])
net = Net()
with torch.autocast("cuda", torch.bfloat16):
    made = net(**batch)
    down(made.detach())
    judge(made.float(), wanted).backward()
more = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")  # the peak
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["input"], holds["output"]), (8 << 20, 2 << 20))

    def test_what_is_copied_or_made_for_a_model_is_input_whenever_that_is(self):
        code = """
import torch
net = torch.nn.Linear(1024, 1024, bias=False).cuda()
judge = torch.nn.MSELoss()
frozen = torch.nn.Sequential(torch.nn.Linear(1024, 1024, bias=False), torch.nn.Linear(1024, 1024, bias=False)).cuda().requires_grad_(False)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
def closure():
    global batch, labels, following, features
    batch = torch.randn(1024, 1024, device="cuda")
    features = frozen(batch)
    results = net(features)
    labels = torch.ones(1024, 1024).cuda()  # while the forward goes on
    following = torch.ones(1024, 1024).cuda()
    loss = judge(results, labels)
    loss.backward()
    return loss
for _ in range(2): optimizer.step(closure)
more = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")  # the peak
"""
        holds = self.at_peak(code)
        self.assertEqual((holds["input"], holds["activation"], holds["optimizer_state"]), (12 << 20, 4 << 20, 0))

    def test_what_a_forward_lets_go_of_is_temporary(self):
        code = """
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(1024, 1024, bias=False)
    def forward(self, x):
        x = self.inner(x)
        x = x * 2.0 + torch.empty(64 << 18, device="cuda").sum()  # the peak
        return x
net = Net().cuda()
for _ in range(2): net(torch.ones(1024, 1024, device="cuda")).sum().backward()
"""
        holds = self.at_peak(code)
        self.assertGreaterEqual(holds["temporary"], 64 << 20)
        self.assertLess(holds["unknown"], 4096)

    def test_a_subclass_with_memory_of_its_own_is_what_it_and_its_attributes_hold(self):
        code = """
import torch
class State:
    def __init__(self): self.scales, self.weight = torch.ones(1 << 18, device="cuda"), self
class Quantized(torch.nn.Parameter): pass
State.__module__ = Quantized.__module__ = "library.of_its_own"
class Trainer:
    def __init__(self): self.kept = torch.ones(1 << 18, device="cuda")
    def __getattr__(self, name): raise RuntimeError(name)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = Quantized(torch.ones(1 << 20, dtype=torch.uint8, device="cuda"), requires_grad=False)
        self.weight.state, self.weight.module = State(), self
        self.weight.owner = Trainer()
    def forward(self, x): return x * self.weight.state.scales[0]
Net()(torch.ones(9, device="cuda"))
"""
        holds = self.at_peak(code)
        self.assertEqual(holds["parameter"], 2 << 20)
        self.assertEqual(self.names("parameter"), {"parameter 1048576", "Net.weight", "Net.weight.state.scales"})

    def test_of_a_tensor_that_wraps_others_those_are_told(self):
        code = """
import torch
class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, codes, scales): return torch.Tensor._make_wrapper_subclass(cls, codes.shape, device=codes.device)
    def __init__(self, codes, scales): self.codes, self.scales = codes, scales
    def __tensor_flatten__(self): return ["codes", "scales"], None
    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), named=None): raise NotImplementedError(function)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        made = Wrapped(torch.ones(1 << 20, dtype=torch.uint8, device="cuda"), torch.ones(1 << 18, device="cuda"))
        self.register_buffer("table", made)
    def forward(self, x): return x
Net()(torch.ones(9, device="cuda"))
"""
        holds = self.at_peak(code)
        self.assertEqual(holds["parameter"], 2 << 20)
        self.assertEqual(self.names("parameter"), {"Net.table.codes", "Net.table.scales"})

    def test_what_is_saved_of_a_tensor_that_wraps_others_is_an_activation(self):
        made = {
            "jagged": ('torch.nested.nested_tensor([torch.ones(512, 1024)] * 2, layout=torch.jagged, device="cuda") * 2', ()),
            "DTensor": ('torch.distributed.tensor.distribute_tensor(torch.ones(1024, 1024, device="cuda"), mesh, [torch.distributed.tensor.Replicate()]) * 2', ("--world", "2")),
        }
        for title, (x, options) in made.items():
            with self.subTest(title):
                self.assert_saved(f"""
import torch, torch.distributed.tensor
mesh = {bool(options)} and torch.distributed.device_mesh.init_device_mesh("cuda", (2,))
x = {x}
results = torch.sigmoid(x.requires_grad_())
torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
""", options)

    def test_a_dtensors_gradient_is_one_as_backward_accumulates_it(self):
        holds = self.at_peak("""
import torch
from torch.distributed.tensor import Replicate, distribute_tensor
mesh = torch.distributed.device_mesh.init_device_mesh("cuda", (2,))
net = torch.nn.Linear(1024, 1024, bias=False).cuda()
net.weight = torch.nn.Parameter(distribute_tensor(net.weight.data, mesh, [Replicate()]))
for _ in range(2):
    net(distribute_tensor(torch.ones(16, 1024, device="cuda"), mesh, [Replicate()])).to_local().sum().backward()
    torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
""" + LET_GO, "--world", "2")
        self.assertEqual(holds["gradient"], 4 << 20, holds)
        self.assertEqual(self.names("gradient"), {"Linear.weight.grad", "gradient 1"})

    def test_what_is_saved_within_a_transform_is_an_activation(self):
        self.assert_saved("""
import torch
def loss(x):
    results = torch.sigmoid(torch.vmap(lambda row: row * 2)(x))
    torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
    return results.sum()
torch.func.grad(loss)(torch.ones(1024, 1024, device="cuda"))
""" + LET_GO)

    def assert_saved(self, code, options=()):
        """What sigmoid returns, and nothing else that is large: where a jagged tensor's rows begin may be."""
        holds = self.at_peak(code, *options)
        self.assertEqual(holds["activation"] >> 20, 4, holds)
        phases = {event["phase"] for event in self.events() if event["kind"] == "categorize" and event["category"] == "activation"}
        self.assertIn("forward", phases)

    def test_what_is_saved_of_a_sparse_tensor_are_its_indices_and_values(self):
        code = """
import torch
count, fewer = 1 << 18, 1 << 17
pairs = torch.arange(count).repeat(2, 1)
for matrix in (torch.sparse_coo_tensor(pairs, torch.ones(count), (count, count), is_coalesced=True).cuda() * 2,
               torch.sparse_csr_tensor(torch.arange(fewer + 1), torch.arange(fewer), torch.ones(fewer)).cuda() * 2):
    torch.sparse.mm(matrix, torch.ones(matrix.shape[1], 1, device="cuda", requires_grad=True))
    del matrix
"""
        self.at_peak(code)
        saved = [int(event["bytes"]) for event in self.events() if event["kind"] == "categorize" and event["category"] == "activation"]
        for size in (2 * 8 << 18, 4 << 18, 8 * ((1 << 17) + 1), 8 << 17, 4 << 17):
            self.assertIn(size, saved)

    def test_a_sparse_buffer_of_a_model_is_a_parameter(self):
        holds = self.at_peak("""
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("adjacent", torch.sparse_coo_tensor(torch.arange(1 << 18).repeat(2, 1), torch.ones(1 << 18), (1 << 18, 1 << 18), is_coalesced=True))
        self.scale = torch.nn.Parameter(torch.ones(1 << 18, 1))
    def forward(self, x): return torch.sparse.mm(self.adjacent, x * self.scale)
Net().cuda()(torch.ones(1 << 18, 1, device="cuda")).sum().backward()
""")
        self.assertEqual(holds["parameter"], (2 * 8 + 4 + 4) << 18, holds)
        self.assertEqual(self.names("parameter"), {"Net.adjacent.indices", "Net.adjacent.values", "Net.scale"})

    def test_who_hears_all_that_a_program_calls_hears_nothing_of_ours(self):
        code = """
import torch
from torch.overrides import TorchFunctionMode
class Heard(TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), named=None):
        heard.append(function)
        return function(*arguments, **(named or {}))
heard, batch = [], torch.ones(9, device="cuda")
with Heard():
    torch.nn.Linear(9, 9).cuda()(batch)
ours = (torch.Tensor.untyped_storage, torch.Tensor.is_cuda.__get__, torch.Tensor.requires_grad.__get__)
assert heard and not any(function in ours for function in heard), heard
"""
        self.at_peak(code)


if __name__ == "__main__":
    main()
