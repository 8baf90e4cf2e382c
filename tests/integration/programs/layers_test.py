#!/usr/bin/env python3
"""Layers of Python programs that know nothing of us, against what the programs count themselves: layers_test.py TIDEMARK."""

import collections
import csv
import json
import tempfile
from pathlib import Path

from programs import PYTHON, TIDEMARK, InFolder, main, run, tidemark

SUPPORT = str(Path(__file__).resolve().parents[2] / "support")

# ResNet-50, with hooks of its own that count what PyTorch hands out while each module is the innermost that runs.
COUNTS_ITSELF = f"""
import collections, json, sys, torch
sys.path.insert(0, {SUPPORT!r})
from resnet_50 import make_resnet_50
net = make_resnet_50().cuda()
optimizer = torch.optim.SGD(net.parameters(), foreach=False)
names = {{id(module): name or type(net).__name__ for name, module in net.named_modules()}}
sums, around, counted = collections.Counter(), [], 0
def note():
    global counted
    now = torch.cuda.memory_stats()["allocated_bytes.all.allocated"]
    if around: sums[around[-1]] += now - counted
    counted = now
def begins(module, arguments): note(); around.append(names[id(module)])
def ends(module, arguments, result): note(); around.pop()
for module in net.modules():
    module.register_forward_pre_hook(begins)
    module.register_forward_hook(ends)
for _ in range(2):
    net(torch.ones(2, 3, 64, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
gradients = collections.Counter()
for name, module in net.named_modules():
    for parameter in module.parameters(recurse=False):
        gradients[name] += 2 * ((parameter.numel() * 4 + 511) // 512 * 512)
print(json.dumps([names[id(module)] for module in net.modules()]), json.dumps(sums), json.dumps(gradients), sep="\\n")
"""

TRACED = """
import hashlib, json, torch
torch.cuda.memory._record_memory_history(stacks="python", max_entries=1 << 20)
%s
trace = torch.cuda.memory._snapshot()["device_traces"][0]
print(hashlib.sha256(json.dumps([[entry["action"], entry["size"], entry["addr"]] for entry in trace]).encode()).hexdigest(), len(trace))
"""

PROGRAMS = {
    "reentrant checkpointing": ("""
from torch.utils.checkpoint import checkpoint
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU()) for _ in range(3))
    def forward(self, x):
        for block in self.blocks: x = checkpoint(block, x, use_reentrant=True)
        return x
net = Net().cuda()
for _ in range(2): net(torch.ones(64, 512, device="cuda", requires_grad=True)).sum().backward()
""", {"blocks.0.0", "blocks.2.1"}),
    "checkpointing": ("""
from torch.utils.checkpoint import checkpoint
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.GELU()) for _ in range(3))
    def forward(self, x):
        for block in self.blocks: x = checkpoint(block, x, use_reentrant=False)
        return x
net = Net().cuda()
for _ in range(2): net(torch.ones(64, 512, device="cuda")).sum().backward()
""", {"blocks.0.0", "blocks.2.1"}),
    "exceptions, shared modules, several roots": ("""
class Shy(torch.nn.Module):
    def forward(self, x):
        if x.numel() == 512: raise KeyboardInterrupt
        return x.relu()
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = self.again = torch.nn.Linear(512, 512)
        self.shy = Shy()
    def forward(self, x): return self.shy(self.again(self.first(x))) * 2
nets = [Net().cuda() for _ in range(2)]
for rows in (64, 1, 64):
    try: sum(net(torch.ones(rows, 512, device="cuda")).sum() for net in nets).backward()
    except KeyboardInterrupt: pass
torch.nn.Linear(512, 8).cuda()(torch.ones(1, 512, device="cuda"))
""", {"first", "shy", "Net", "Net 2", "Net 2.first", "Net 2.shy", "Linear"}),
    "torch.compile": ("""
net = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512)).cuda()
compiled = torch.compile(net, backend="aot_eager", fullgraph=True)
outer = torch.nn.Sequential(torch.nn.Linear(512, 512).cuda(), compiled)
for _ in range(2): outer(torch.ones(64, 512, device="cuda")).sum().backward()
class Called(torch.nn.Module):  # for which the compiler goes through Module.__call__
    def __init__(self):
        super().__init__()
        self.inner = net
    def __call__(self, x): return super().__call__(x) + 1
    def forward(self, x): return self.inner(x)
net[0].register_forward_hook(lambda module, arguments, result: result * 2)
torch.compile(Called(), backend="aot_eager", fullgraph=True)(torch.ones(64, 512, device="cuda"))
class Making(torch.nn.Module):  # the compiler stops at what makes a parameter, and looks at all that runs until it goes on
    def forward(self, x): return (x * 2) @ torch.nn.Parameter(torch.ones(512, 512, device="cuda"))
torch.compile(Making(), backend="aot_eager")(torch.ones(64, 512, device="cuda"))
print({name: dict(counts) for name, counts in torch._dynamo.utils.counters.items()})
""", {"0", "1"}),
    "a transformer's short way": ("""
layer = torch.nn.TransformerEncoderLayer(512, 8, batch_first=True)
net = torch.nn.TransformerEncoder(layer, 2).cuda().eval()
with torch.no_grad(): net(torch.ones(4, 16, 512, device="cuda"))
""", {"layers.0", "layers.1"}),
}


class Layers(InFolder):
    @classmethod
    def setUpClass(cls):
        cls.shared, cls.recorded = tempfile.TemporaryDirectory(), {}
        cls.addClassCleanup(cls.shared.cleanup)

    def once(self, code):
        """As phantom(), but one recording of a program for all tests that read something of it."""
        if code not in self.recorded:
            self.recording = str(Path(self.shared.name) / f"{len(self.recorded)}.tide")
            self.recorded[code] = self.recording, self.phantom("-c", code)
        self.recording, ran = self.recorded[code]
        return ran

    def rows(self, recording=None):
        table = str(Path(self.folder.name) / "run.csv")
        self.assertEqual(tidemark("export", recording or self.recording, "-o", table).returncode, 0)
        with open(table, newline="") as rows:
            return list(csv.DictReader(rows))

    def notes(self):
        return json.loads(tidemark("info", self.recording, "--json").stdout).get("notes", [])

    def phantom(self, *program, words=()):
        ran = tidemark("phantom", "-o", self.recording, *words, "--", PYTHON, *program)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def test_names_and_sums_are_what_hooks_in_the_program_count(self):
        names, sums, gradients = map(json.loads, self.once(COUNTS_ITSELF).stdout.splitlines())
        rows = self.rows()
        begun = list(dict.fromkeys(row["layer"] for row in rows if row["kind"] == "scope begin" and not row["operator"]))
        self.assertEqual(sorted(begun), sorted(names))
        told, given, layer_of = collections.Counter(), collections.Counter(), {}
        for row in rows:
            if row["kind"] == "allocate":
                layer_of[row["address"]] = row["layer"]
                if row["phase"] != "backward" and row["layer"]:
                    told[row["layer"]] += int(row["rounded_bytes"])
            if row["kind"] == "categorize" and row["category"] == "gradient" and row["name"].endswith(".grad"):
                given[layer_of[row["address"]]] += (int(row["bytes"]) + 511) // 512 * 512
        self.assertEqual(+told, collections.Counter({name: size for name, size in sums.items() if size}))
        self.assertEqual(given, collections.Counter(gradients))

    def test_nothing_else_changes_whatever_calls_the_modules(self):
        for title, (code, expected) in PROGRAMS.items():
            with self.subTest(title):
                told = self.once(TRACED % code)
                layers = {row["layer"] for row in self.rows() if row["kind"] == "scope begin" and not row["operator"]}
                self.assertLessEqual(expected, layers)
                self.recording = str(Path(self.folder.name) / "untold.tide")
                untold = self.phantom("-I", "-c", TRACED % code)  # to which nobody adds anything
                self.assertEqual({row["layer"] for row in self.rows()}, {""})
                self.assertEqual(told.stdout, untold.stdout)
                self.assertGreater(int(told.stdout.split()[-1]), 10)

    def test_what_checkpointing_runs_again_and_its_backward_are_the_layers(self):
        for title in ("reentrant checkpointing", "checkpointing"):
            with self.subTest(title):
                self.once(TRACED % PROGRAMS[title][0])
                rows = [row for row in self.rows() if row["kind"] == "allocate" and row["phase"] == "backward"]
                again = {row["layer"] for row in rows if row["recompute"] == "1"}
                self.assertLessEqual({f"blocks.{block}.0" for block in range(3)}, again)
                back = {row["layer"] for row in rows if row["operator"] == "AddmmBackward0"}
                self.assertEqual(back, {f"blocks.{block}.0" for block in range(3)})
                self.assertIn("blocks.1.1", {row["layer"] for row in rows if row["operator"] == "GeluBackward0"})

    def test_what_stands_around_a_module_is_no_part_of_its_name(self):
        code = """
import torch
torch.distributed.init_process_group("nccl")
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.module = torch.nn.Linear(1024, 1024)
    def forward(self, x): return self.module(x)
net = torch.nn.parallel.DistributedDataParallel(Net().cuda())
for _ in range(2): net(torch.ones(1, 1024, device="cuda")).sum().backward()
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
class Deep(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = FullyShardedDataParallel(checkpoint_wrapper(torch.nn.Linear(512, 512)), device_id=0)
    def forward(self, x): return self.inner(x)
FullyShardedDataParallel(Deep(), device_id=0)(torch.ones(1, 512, device="cuda")).sum().backward()
# FSDP leaves a Python function with the backward pass. PyTorch aborts when its thread lets go of it as Python ends,
# which it no longer can once it has taken up another backward pass.
torch.ones(1, device="cuda", requires_grad=True).sum().backward()
"""
        self.phantom("-c", code, words=("--world", "2"))
        layers = {row["layer"] for row in self.rows() if row["kind"] == "scope begin" and not row["operator"]}
        self.assertEqual(layers, {"Net", "module", "Deep", "inner"})

    def test_a_module_is_named_by_the_outermost_that_holds_it_whatever_calls_that(self):
        code = """
import torch
class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.late = torch.nn.Linear(9, 9), None
    def forward(self, x):
        self.late = self.late or torch.nn.Linear(9, 9, device="cuda")
        return self.late(self.first(x))
held = [Holder().cuda()]
class Caller(torch.nn.Module):
    def forward(self, x): return held[0](x)
caller = Caller()
for _ in range(2): caller(torch.ones(1, 9, device="cuda"))
"""
        self.phantom("-c", code)
        layers = [row["layer"] for row in self.rows() if row["kind"] == "scope begin" and not row["operator"]]
        self.assertEqual(layers, 2 * ["Caller", "Holder", "first", "late"])

    def test_a_traceback_is_the_programs_own(self):
        script = Path(self.folder.name) / "fails.py"
        script.write_text("import torch\n"
                          "class Net(torch.nn.Module):\n"
                          "    def forward(self, x): raise ValueError('as it was')\n"
                          "Net()(torch.ones(1, device='cuda'))\n")
        said = [run(TIDEMARK, "phantom", "--", PYTHON, *words, str(script)).stderr for words in ((), ("-I",))]
        self.assertIn("ValueError: as it was", said[0])
        self.assertEqual(*(text[:text.index("as it was")] for text in said))

    def test_record_tells_them_with_operators(self):
        probed = str(Path(self.folder.name) / "probed.tide")
        ran = self.once(COUNTS_ITSELF)
        names, sums, gradients = map(json.loads, ran.stdout.splitlines())
        ran = tidemark("phantom", "--", TIDEMARK, "record", "--operators", "-o", probed, "--", PYTHON, "-c", COUNTS_ITSELF)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = self.rows(probed)
        self.assertEqual({row["layer"] for row in rows if row["kind"] == "scope begin" and not row["operator"]}, set(names))
        told = collections.Counter()
        for row in rows:
            if row["kind"] == "allocate" and row["phase"] != "backward" and row["layer"]:
                told[row["layer"]] += int(row["rounded_bytes"])
        self.assertEqual(+told, collections.Counter({name: size for name, size in sums.items() if size}))
        self.assertLessEqual(set(gradients), {row["layer"] for row in rows if row["kind"] == "allocate" and row["phase"] == "backward"})

    def test_why_a_pytorch_tells_none_is_noted(self):
        code = """
import inspect
lines_of = inspect.getsourcelines
def lines_of_others(function):
    if getattr(function, "__name__", "") == "_wrapped_call_impl": raise OSError("could not get source code")
    return lines_of(function)
inspect.getsourcelines = lines_of_others
import torch
torch.nn.Linear(9, 9).cuda()(torch.ones(1, 9, device="cuda"))
"""
        self.phantom("-c", code)
        on_phantom = self.notes()
        ran = tidemark("phantom", "--", "env", "TIDEMARK_PHANTOM_DOUBTS=", TIDEMARK, "record", "--operators", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for notes in (on_phantom, self.notes()):
            told = [note for note in notes if note.startswith("Layers are not told: ")]
            self.assertEqual(len(told), 1, notes)
            self.assertIn("OSError('could not get source code')", told[0])

    def test_python_that_lets_nobody_in_has_no_layers_and_runs(self):
        self.phantom("-I", "-c", "import torch; torch.nn.Linear(9, 9).cuda()(torch.ones(1, 9, device='cuda'))")
        self.assertEqual({row["layer"] for row in self.rows()}, {""})


if __name__ == "__main__":
    main()
