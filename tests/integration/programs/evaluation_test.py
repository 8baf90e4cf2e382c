#!/usr/bin/env python3
"""Calls of models without gradients, in programs that know nothing of us: phases, and what blocks hold: evaluation_test.py TIDEMARK."""

import csv
import itertools
import json
import tempfile
from pathlib import Path

from programs import PYTHON, TIDEMARK, InFolder, main, tidemark

MIB = 1 << 20

# A model that keeps something for its next call; 4 MiB of weights, 4 MiB more in each of 4 calls.
GENERATES = """
import sys, torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1024, 1024, bias=False)
    def forward(self, x, kept):
        hidden = self.layer(x)
        return hidden.sum(), torch.cat([kept, hidden])
net, kept = Net().cuda(), torch.empty(0, 1024, device="cuda")
with getattr(torch, sys.argv[1])():
    for _ in range(4): score, kept = net(torch.ones(1024, 1024, device="cuda"), kept)
    peak = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
print(torch.cuda.max_memory_allocated())
"""


class InPhases(InFolder):
    def phantom(self, code, *words, options=()):
        ran = tidemark("phantom", *options, "-o", self.recording, "--", PYTHON, "-c", code, *words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def told(self, recording=None):
        return json.loads(tidemark("info", recording or self.recording, "--json").stdout)

    def holds(self, recording=None):
        """At the peak, by category."""
        return self.told(recording)["measured"]["by_category_at_peak"]

    def phases(self):
        """In their order."""
        table = str(Path(self.folder.name) / "run.csv")
        self.assertEqual(tidemark("export", self.recording, "--to", "csv", "-o", table).returncode, 0)
        with open(table, newline="") as rows:
            told = [row["phase"] for row in csv.DictReader(rows) if row["kind"] == "phase"]
        return [phase for phase, _ in itertools.groupby(told)]


class Generation(InPhases):
    """GENERATES, recorded once without gradients for all that is told of it."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        cls.without_gradients = str(Path(cls.shared.name) / "run.tide")
        cls.ran = tidemark("phantom", "-o", cls.without_gradients, "--", PYTHON, "-c", GENERATES, "no_grad")

    def setUp(self):
        super().setUp()
        self.assertEqual(self.ran.returncode, 0, self.ran.stderr)
        self.recording = self.without_gradients

    def check_what_a_call_leaves(self, ran):
        told = self.told()
        self.assertEqual(told["measured"]["allocated_peak_bytes"], int(ran.stdout))
        holds = told["measured"]["by_category_at_peak"]
        self.assertEqual((holds["parameter"], holds["output"]), (4 * MIB, 4 * 4 * MIB + 512), holds)
        self.assertGreater(holds["workspace"], 0, "cuBLAS's, which the first call asks for")
        self.assertEqual(holds["unknown"], 64 * MIB, holds)
        self.assertEqual(self.phases(), ["idle"] + ["evaluation", "idle"] * 4)

    def test_what_a_call_leaves_is_output_and_all_else_of_it_temporary(self):
        self.check_what_a_call_leaves(self.ran)

    def test_so_it_is_in_inference_mode(self):
        self.recording = str(Path(self.folder.name) / "run.tide")
        self.check_what_a_call_leaves(self.phantom(GENERATES, "inference_mode"))

    def test_a_program_without_steps_is_told_by_its_passes(self):
        self.assertIn(": 4 passes without gradients, ", self.ran.stderr)
        told = self.told()
        self.assertEqual((told["steps"], told["passes_without_gradients"]), (0, 4))
        self.assertIn("4, without gradients", tidemark("info", self.recording).stdout)

    def test_record_tells_the_same_with_operators(self):
        probed = str(Path(self.folder.name) / "probed.tide")
        ran = tidemark("phantom", "--", TIDEMARK, "record", "--operators", "-o", probed, "--", PYTHON, "-c", GENERATES, "no_grad")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        here, there = self.holds(), self.holds(probed)
        self.assertEqual(there["parameter"], here["parameter"])
        self.assertEqual(there["output"], here["output"] + here["workspace"])  # of which the probe is not told


class Evaluation(InPhases):
    def test_validation_in_a_training_and_a_teacher(self):
        code = """
import torch
net, teacher = (torch.nn.Linear(1024, 1024, bias=False).cuda() for _ in range(2))
optimizer = torch.optim.SGD(net.parameters())
def validate():
    with torch.no_grad(): net(torch.ones(1024, 1024, device="cuda"))
for _ in range(2):
    x = torch.ones(1024, 1024).cuda()
    y = net(x)
    with torch.no_grad(): wanted = teacher(x)
    (y - wanted).square().mean().backward()
    optimizer.step()
    validate()
"""
        self.phantom(code)
        step = ["forward", "backward", "idle", "optimizer", "idle", "evaluation", "idle"]
        self.assertEqual(self.phases(), ["idle"] + 2 * step)
        self.assertEqual(self.told()["steps"], 2)

    def test_results_that_are_kept_on_the_card_are_found_and_a_cache_is_not(self):
        code = """
import sys, torch
net = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.Linear(1024, 1024)).cuda()
kept = []
with torch.no_grad():
    for _ in range(12):
        y = net(torch.ones(1024, 1024, device="cuda"))
        kept = kept + [y] if "kept" in sys.argv else [y]
"""
        self.phantom(code)
        self.assertEqual(self.told()["findings"], [])
        self.phantom(code, "kept")
        finding, = self.told()["findings"]
        self.assertEqual((finding["kind"], finding["bytes"]), ("kept_outputs", 10 * 4 * MIB))
        self.assertIn("4.0 MiB more with each. Most of it is of layer 1.", finding["evidence"])

    def test_results_that_are_put_together_on_the_card_between_trainings_are_output_and_found(self):
        code = """
import torch
net = torch.nn.Linear(1024, 1024, bias=False).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=.1)
def batch(): return torch.ones(1024, 1024, device="cuda")
for _ in range(2):
    net(batch()).sum().backward(); optimizer.step(); optimizer.zero_grad()
    results = None
    with torch.no_grad():
        for _ in range(8):
            result = net(batch())
            results = result if results is None else torch.cat([results, result])
    del result, results
"""
        self.phantom(code)
        self.assertEqual(self.holds()["output"], (7 + 8 + 1) * 4 * MIB)
        finding, = self.told()["findings"]
        self.assertEqual((finding["kind"], finding["bytes"]), ("kept_outputs", (7 + 8) * 4 * MIB))

    def test_what_records_within_a_call_is_a_forward(self):
        code = """
import torch
class Forces(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(64, 64)
    @torch.enable_grad()
    def forward(self, x):
        x.requires_grad_()
        # Not autograd.grad: the engine's thread lets its results go, and aborts if Python has ended by then.
        self.inner(x).square().sum().backward(inputs=[x])
        return x.grad
with torch.no_grad(): Forces().cuda()(torch.ones(64, 64, device="cuda"))
"""
        self.phantom(code)
        self.assertEqual(self.phases(), ["idle", "evaluation", "forward", "backward", "evaluation", "idle"])

    def test_what_autocast_casts_for_an_evaluation_makes_no_forward_of_it(self):
        code = """
import contextlib, sys, torch
net = torch.nn.Linear(1024, 1024, bias=False).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=.1)
own = torch.autocast("cuda", torch.bfloat16) if sys.argv[1] == "own" else contextlib.nullcontext()
for _ in range(2):
    with own: loss = net(torch.ones(8, 1024, device="cuda")).sum()
    loss.backward(), optimizer.step(), optimizer.zero_grad()
    del loss  # and what autograd keeps for the weight
with torch.no_grad():
    for _ in range(3):
        with own: net(torch.ones(8, 1024, device="cuda"))
"""
        for whose, options in (("own", ()), ("ours", ("--amp", "bf16"))):
            self.phantom(code, whose, options=options)
            self.assertEqual(self.phases()[-2:], ["evaluation", "idle"], whose)
            self.assertEqual(self.phases().count("forward"), 2, whose)

    def test_checkpointing_with_reentry_is_no_evaluation(self):
        code = """
import torch
from torch.utils.checkpoint import checkpoint
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)).cuda()
optimizer = torch.optim.SGD(net.parameters())
for _ in range(2):
    x = torch.ones(64, 64, device="cuda", requires_grad=True)
    checkpoint(net, x, use_reentrant=True).sum().backward()
    optimizer.step()
"""
        self.phantom(code)
        self.assertNotIn("evaluation", self.phases())

    def test_a_batch_for_an_evaluation_is_an_input(self):
        code = """
import sys, torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(1024, 1024, bias=False)
        self.register_buffer("mask", torch.ones(1024, 1024))
    def forward(self, x):
        peak = torch.empty(x.numel() << 5, dtype=torch.uint8, device="cuda")
        return self.inner(x) * self.mask[0]
net = Net().cuda()
if "loaded" in sys.argv: net.load_state_dict({name: tensor.cpu() for name, tensor in net.state_dict().items()})
if "trained" in sys.argv:
    net(torch.ones(8, 1024).cuda()).sum().backward()
    net.zero_grad()
if "outside" in sys.argv:
    x = torch.ones(2048, 1024).cuda()
    with torch.no_grad(): net(x)
else:
    with torch.no_grad():
        for _ in range(2): net(torch.ones(2048, 1024).cuda())
"""
        for words in itertools.product(("", "loaded"), ("", "trained"), ("", "outside")):
            self.phantom(code, *words)
            holds = self.holds()
            self.assertEqual((holds["input"], holds["parameter"]), (8 * MIB, 8 * MIB), (words, holds))

    def test_a_state_that_is_loaded_before_an_evaluation_is_no_input(self):
        code = """
import torch
def make():
    net = torch.nn.Linear(1024, 1024, bias=False).cuda()
    return net, torch.optim.Adam(net.parameters(), foreach=False)
def train():
    net(torch.ones(1, 1024).cuda()).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
net, optimizer = make()
train()
kept = {"net": {name: tensor.cpu() for name, tensor in net.state_dict().items()}, "optimizer": optimizer.state_dict()}
for state in kept["optimizer"]["state"].values(): state.update({name: tensor.cpu() for name, tensor in state.items()})
net = optimizer = None
net, optimizer = make()
net.load_state_dict(kept["net"])
optimizer.load_state_dict(kept["optimizer"])
with torch.no_grad(): net(torch.ones(1, 1024).cuda())
train()
peak = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
"""
        self.phantom(code)
        holds = self.holds()
        self.assertEqual((holds["parameter"], holds["optimizer_state"]), (4 * MIB, 8 * MIB), holds)
        self.assertLess(holds["input"], 8192)

    def test_what_a_teacher_gave_and_backward_needs_is_an_activation(self):
        code = """
import torch
net, teacher = (torch.nn.Linear(1024, 1024, bias=False).cuda() for _ in range(2))
x = torch.ones(1024, 1024, device="cuda")
with torch.no_grad(): given = teacher(x)
y = net(given)
peak = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
"""
        self.phantom(code)
        holds = self.holds()
        self.assertEqual((holds["activation"], holds.get("output", 0)), (4 * MIB, 0), holds)

    def test_calls_on_several_cards_and_of_what_is_compiled(self):
        code = """
import sys, torch
net = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024, bias=False) for _ in range(2)]).cuda()
called = torch.nn.DataParallel(net) if sys.argv[1] == "parallel" else torch.compile(net, backend="eager")
kept = []
with torch.no_grad():
    for _ in range(3): kept.append(called(torch.ones(1024, 1024, device="cuda")))
    peak = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
"""
        for word, options in (("parallel", ("--gpus", "2")), ("compiled", ())):
            self.phantom(code, word, options=options)
            self.assertEqual(self.holds()["output"], 3 * 4 * MIB, word)
            self.assertEqual(self.phases(), ["idle"] + ["evaluation", "idle"] * 3, word)


if __name__ == "__main__":
    main()
