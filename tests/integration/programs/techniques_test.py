#!/usr/bin/env python3
"""A program with a technique that it does not use is as one whose author wrote it, allocation by allocation: techniques_test.py TIDEMARK."""

import functools
import json
from pathlib import Path

from programs import PYTHON, InFolder, main, tidemark

# AMP and CKPT say what the program does itself.
NET = """
import os, sys, torch, torch.nn as nn, torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
AMP, CKPT = "amp" in sys.argv, "checkpoint" in sys.argv
SIZE, STEPS, DEPTH = int(os.environ.get("SIZE", 256)), 3, 4
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.mlp = nn.LayerNorm(SIZE), nn.Sequential(nn.Linear(SIZE, 4 * SIZE), nn.GELU(), nn.Linear(4 * SIZE, SIZE))
    def forward(self, x): return x + self.mlp(self.norm(x))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks, self.head = nn.ModuleList(Block() for _ in range(DEPTH)), nn.Linear(SIZE, 1000)
    def forward(self, x):
        for block in self.blocks: x = checkpoint(block, x, use_reentrant=False) if CKPT and self.training else block(x)
        return self.head(x)
def amp(): return torch.autocast("cuda", torch.bfloat16, enabled=AMP)
"""
TRAINS = NET + """
net = Net().cuda()
optimizer = torch.optim.AdamW(net.parameters())
for _ in range(STEPS):
    x, y = torch.ones(512, SIZE, device="cuda"), torch.zeros(512, dtype=torch.long, device="cuda")
    with amp(): loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
net.eval()
with torch.no_grad(), amp(): net(x)
"""
ADVERSARIES = NET + """
made, judge = nn.Sequential(nn.Linear(64, SIZE), nn.ReLU(), nn.Linear(SIZE, 4096)).cuda(), nn.Linear(4096, 1).cuda()
first, second = (torch.optim.Adam(one.parameters()) for one in (made, judge))
for _ in range(STEPS):
    with amp(): loss = F.softplus(judge(made(torch.ones(64, 64, device="cuda")).detach())).mean()
    second.zero_grad()
    loss.backward()
    second.step()
    with amp(): loss = F.softplus(-judge(made(torch.ones(64, 64, device="cuda")))).mean()
    first.zero_grad()
    loss.backward()
    first.step()
"""
# Each layer adds to the list that the next one gets.
GROWING_LISTS = """
import torch, torch.nn as nn
class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, 8)
    def forward(self, features): return self.inner(torch.cat(features, 1)).relu()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer(16 + 8 * number) for number in range(4))
    def forward(self, x):
        features = [x]
        for layer in self.layers: features.append(layer(features))
        return torch.cat(features, 1)
Net().cuda()(torch.ones(32, 16, device="cuda")).sum().backward()
"""
# What torch.utils.checkpoint calls its own arguments.
LIKE_CHECKPOINT = """
import torch, torch.nn as nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16)
    def forward(self, x, *, debug, context_fn, determinism_check, preserve_rng_state, use_reentrant):
        assert (debug, context_fn, determinism_check, preserve_rng_state, use_reentrant) == (1, 2, 3, 4, 5)
        return self.inner(x).relu()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
    def forward(self, x):
        for block in self.blocks: x = block(x, debug=1, context_fn=2, determinism_check=3, preserve_rng_state=4, use_reentrant=5)
        return x
def main(): Net().cuda()(torch.ones(32, 16, device="cuda")).sum().backward()
main()
"""
NO_ROW = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)).cuda()
net(torch.ones(8, 64, device="cuda")).sum().backward()
"""
# Which of its casts autocast lets go of first is by chance, and so are the places of what comes after.
TOLD = """
import json, torch
torch.cuda.memory._record_memory_history(stacks="python", max_entries=1 << 20)
%s
trace = torch.cuda.memory._snapshot()["device_traces"][0]
print(json.dumps([[entry["size"] for entry in trace if entry["action"] == "alloc"], torch.cuda.max_memory_allocated()]))
"""


@functools.cache  # several tests ask for the same, as it is
def history(code, *own, options=()):
    answer = tidemark("phantom", "--card", "a100-40gb", *options, "--", PYTHON, "-c", TOLD % code, *own)
    if answer.returncode != 0:
        raise AssertionError(answer.stderr)
    return json.loads(answer.stdout.splitlines()[-1]), answer.stderr


class Techniques(InFolder):
    def assert_alike(self, code, own, options):
        expected, _ = history(code, *own)
        applied, told = history(code, options=options)
        self.assertEqual(expected, applied)
        self.assertNotEqual(history(code)[0], applied)
        return told

    def test_autocast_is_that_of_the_program_that_uses_it(self):
        told = self.assert_alike(TRAINS, ["amp"], ("--amp", "bf16"))
        self.assertIn("ran under autocast to bfloat16", told)
        self.assert_alike(ADVERSARIES, ["amp"], ("--amp", "bf16"))

    def test_checkpointed_blocks_are_those_of_the_program_that_checkpoints(self):
        told = self.assert_alike(TRAINS, ["checkpoint"], ("--checkpoint", "blocks"))
        self.assertIn("the 4 blocks of Net.blocks (Block) were checkpointed", told)

    def test_both_go_together(self):
        self.assert_alike(TRAINS, ["amp", "checkpoint"], ("--amp", "bf16", "--checkpoint", "blocks"))

    def test_what_the_program_does_itself_is_left_as_it_is(self):
        own, _ = history(TRAINS, "amp", "checkpoint")
        applied, told = history(TRAINS, "amp", "checkpoint", options=("--amp", "fp16", "--checkpoint", "blocks"))
        self.assertEqual(own, applied)
        self.assertIn("The program uses autocast itself", told)

    def test_a_list_that_grows_meanwhile_is_run_again_as_it_was(self):
        # Without its history: with it, PyTorch's own checkpointing fails, where it stops within an operator that takes a list.
        answer = tidemark("phantom", "--checkpoint", "blocks", "--", PYTHON, "-c", GROWING_LISTS)
        self.assertEqual(0, answer.returncode, answer.stderr)
        self.assertIn("the 4 blocks of Net.layers (Layer)", answer.stderr)

    def test_what_blocks_are_given_by_name_is_theirs(self):
        answer = tidemark("phantom", "--checkpoint", "blocks", "--", PYTHON, "-c", LIKE_CHECKPOINT)
        self.assertEqual(0, answer.returncode, answer.stderr)
        self.assertIn("the 3 blocks of Net.blocks (Block) were checkpointed", answer.stderr)
        self.assertNotIn("changed nothing", answer.stderr)  # though the network was gone before the program's end

    def test_what_is_traced_captured_or_frozen_is_so_with_them_too(self):
        code = """
import torch, torch.nn as nn
def x(): return torch.ones(2, 8, device="cuda")
net = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(3)]).cuda()
net(x())  # no backward follows
print(torch.jit.trace(net, x())(x()).dtype)  # under autocast again
print(torch.jit.trace(nn.Linear(8, 8).cuda(), x())(x()).dtype)
layer = nn.Linear(8, 8).cuda()
layer(x())
print(torch.cuda.make_graphed_callables(layer, (x(),))(x()).shape)
print(torch.jit.freeze(torch.jit.script(nn.Linear(8, 8).cuda().eval()))(x()).shape)
"""
        answer = tidemark("phantom", "--amp", "bf16", "--checkpoint", "blocks", "--", PYTHON, "-c", code)
        self.assertEqual(0, answer.returncode, answer.stderr)
        self.assertEqual(["torch.bfloat16", "torch.bfloat16", "torch.Size([2, 8])", "torch.Size([2, 8])"], answer.stdout.splitlines())
        self.assertIn("torch.jit.trace follows", answer.stderr)

    def test_nothing_to_checkpoint_is_told(self):
        _, told = history(NO_ROW, options=("--checkpoint", "blocks"))
        self.assertIn("--checkpoint blocks changed nothing", told)
        swept = tidemark("phantom", "--checkpoint", "blocks", "--sweep", "n=1,2", "--", PYTHON, "-c", NO_ROW)
        self.assertEqual(0, swept.returncode, swept.stderr)
        self.assertEqual(1, swept.stderr.count("--checkpoint blocks changed nothing"), swept.stderr)

    def test_the_recording_says_that_it_is_not_the_program_as_it_is(self):
        answer = tidemark("phantom", "--amp", "bf16", "-o", self.recording, "--", PYTHON, "-c", NO_ROW)
        self.assertEqual(0, answer.returncode, answer.stderr)
        told = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertIn("with bf16", told["title"])
        self.assertTrue(any("autocast" in note for note in told["notes"]), told["notes"])

    def test_lines_of_code_are_the_programs_own_with_them_too(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text(NO_ROW)
        told = tidemark("phantom", "--stacks", "python", "--amp", "bf16", "--", PYTHON, str(script)).stderr
        rows = told[told.index("by line of code"):]
        self.assertIn("(train.py:", rows)
        self.assertNotIn("tidemark_techniques", rows)

    def test_fit_tells_which_make_a_program_fit(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text(TRAINS.replace('get("SIZE", 256)', 'get("SIZE", 1024)').replace("(512,", "(32768,"))
        answer = tidemark("fit", "--card", "t4", "--memory", "3584MiB", "--json", "--", PYTHON, str(script))
        self.assertEqual(0, answer.returncode, answer.stderr)
        techniques = json.loads(answer.stderr[answer.stderr.index("{"):])["techniques"]
        self.assertEqual([("fp16", "none"), ("off", "blocks"), ("fp16", "blocks")], [(one["amp"], one["checkpoint"]) for one in techniques])
        self.assertEqual([False, True, True], [one["fits"] for one in techniques])
        self.assertTrue(techniques[0]["ran_out_of_memory"])
        self.assertIsNone(techniques[0]["reserved_peak_bytes"])
        alone = tidemark("phantom", "--card", "t4", "--amp", "fp16", "-o", self.recording, "--", PYTHON, str(script))
        self.assertEqual(0, alone.returncode, alone.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        needed = measured["allocated_peak_bytes"] - measured["by_category_at_peak"].get("workspace", 0)
        self.assertEqual([needed, None, None], [one["needed_bytes"] for one in techniques])
        own = tidemark("phantom", "--card", "t4", "--memory", "3584MiB", "--checkpoint", "blocks", "-o", self.recording, "--", PYTHON, str(script))
        self.assertEqual(0, own.returncode, own.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        self.assertEqual([measured["allocated_peak_bytes"], measured["reserved_peak_bytes"]],
                         [techniques[1]["allocated_peak_bytes"], techniques[1]["reserved_peak_bytes"]])

    def test_fit_tries_the_allocators_settings_and_tells_what_stands_out(self):
        script = Path(self.folder.name) / "grow.py"  # each size needs a segment of its own, and leaves it empty
        script.write_text(
            "import torch\n"
            "for size in range(200, 700, 100): held = None; held = torch.empty(size << 20, dtype=torch.uint8, device='cuda')\n"
            "print(torch.cuda.max_memory_reserved())"
        )
        limits = ("--card", "t4", "--memory", "1500MiB")
        told = json.loads(tidemark("fit", *limits, "--json", "--", PYTHON, str(script)).stderr)
        settings = told["allocator_settings"]
        self.assertEqual("expandable_segments:True", settings[0]["allocator"])
        grown = tidemark("phantom", *limits, "--", "env", "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", PYTHON, str(script))
        self.assertEqual(int(grown.stdout), settings[0]["reserved_peak_bytes"])
        told = tidemark("fit", *limits, "--", PYTHON, str(script)).stderr
        self.assertRegex(told, r"tried on what it asked for:\n.*\n  expandable_segments:True +600\.0 MiB +720\.0 MiB  fits\n")
        self.assertIn("NVIDIA T4 limited to 1.46 GiB", told)
        self.assertRegex(told, r"\n  --checkpoint blocks +600\.0 MiB +1\.19 GiB  fits, but nearly full: PyTorch empties its cache\n")
        self.assertRegex(told, r"\nPYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tidemark phantom --card t4 --memory 1500MiB -- \S+ \S+grow\.py tells")
        self.assertNotIn("Reserved memory that nothing could use", told)
        alone = tidemark("phantom", "--", PYTHON, str(script)).stderr
        self.assertIn("Tried on this run, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True reserves 1.37 GiB less.", alone)
        self.assertNotIn("what-if", alone)

    def test_fit_tells_settings_first_where_they_alone_make_it_fit(self):
        script = Path(self.folder.name) / "gaps.py"  # three of the first segment's parts stay, and between them gaps
        script.write_text(
            "import torch\n"
            "def take(mebibytes): return torch.empty(mebibytes << 20, dtype=torch.uint8, device='cuda')\n"
            "whole = take(600); del whole; parts = [take(100) for _ in range(6)]; del parts[::2]; more = take(250)"
        )
        told = tidemark("fit", "--card", "t4", "--memory", "860MiB", "--", PYTHON, str(script)).stderr
        room = "with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True it has room"
        self.assertIn(f"gaps.py on the NVIDIA T4 limited to 860.0 MiB: does not fit: {room}.\n", told)
        self.assertRegex(told, r"  --checkpoint blocks +– +–  does not fit: " + room)
        self.assertRegex(told, r"\nPYTORCH_CUDA_ALLOC_CONF=expandable_segments:True tidemark phantom --card t4 --memory 860MiB -- ")

    def test_fit_runs_one_rank_of_many(self):
        script = Path(self.folder.name) / "rank.py"
        script.write_text(
            "import os, torch\n"
            "held = torch.empty(10 + int(os.environ['RANK']) << 30, dtype=torch.uint8, device='cuda')\n"
            "assert os.environ['WORLD_SIZE'] == '4'"
        )
        told = tidemark("fit", "--card", "t4", "--world", "4", "--rank", "3", "--", PYTHON, str(script)).stderr
        self.assertIn("on the NVIDIA T4: fits.", told)
        told = tidemark("fit", "--card", "t4", "--memory", "12GiB", "--world", "4", "--rank", "3", "--", PYTHON, str(script)).stderr
        self.assertIn("on the NVIDIA T4 limited to 12.00 GiB: does not fit: at least 1.12 GiB short.", told)

    def test_fit_tells_which_changed_nothing(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text(NO_ROW.replace("(8, 64,", "(1 << 22, 64,"))
        answer = tidemark("fit", "--card", "t4", "--memory", "4GiB", "--json", "--", PYTHON, str(script))
        self.assertEqual(0, answer.returncode, answer.stderr)
        told = json.loads(answer.stderr[answer.stderr.index("{"):])
        self.assertEqual([[], ["--checkpoint blocks"], ["--checkpoint blocks"]], [one["in_vain"] for one in told["techniques"]])
        self.assertTrue(any("--checkpoint blocks changed nothing" in note for note in told["notes"]), told["notes"])

    def test_fit_finds_with_how_many_samples_a_program_fits(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text(
            "import sys, torch, torch.nn as nn\n"
            "samples = int(dict(word.split('=') for word in sys.argv[1:])['batch'])\n"
            "net = nn.Sequential(nn.Linear(1024, 4096), nn.Linear(4096, 1024)).cuda()\n"
            "net(torch.ones(samples << 10, 1024, device='cuda')).sum().backward()"
        )
        limits = ("--card", "t4", "--memory", "1GiB")
        told = tidemark("fit", *limits, "--json", "--", PYTHON, str(script), "batch=64").stderr
        found = json.loads(told[told.index("{"):])["fewer_samples"]
        self.assertEqual(["batch", 64, ""], [found["argument"], found["asked"], found["failure"]])
        self.assertEqual(found["most"] + 1, found["too_many"])
        for samples, code in ((found["most"], 0), (2 * found["most"], 1)):
            ran = tidemark("phantom", *limits, "-o", self.recording, "--", PYTHON, str(script), f"batch={samples}")
            self.assertEqual(code, ran.returncode, ran.stderr)
            if code == 0:
                measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
                self.assertEqual(found["reserved_peak_bytes"], measured["reserved_peak_bytes"])
        told = tidemark("fit", *limits, "--", PYTHON, str(script), "batch=64").stderr
        self.assertIn(f"\n  batch {found['most']} instead of 64 ", told)
        self.assertRegex(told, rf"\nNone of them makes it fit there; fewer samples at once do\.\ntidemark phantom --card t4 --memory 1GiB -- .*train\.py batch={found['most']} tells all of it\.\n")

    def test_fit_tries_fewer_samples_with_techniques_where_neither_fits_alone(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text(
            "import sys, torch, torch.nn as nn\n"
            "samples = int(dict(word.split('=') for word in sys.argv[1:])['batch'])\n"
            "block = lambda: nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256))\n"
            "class Block(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.inner = block()\n"
            "    def forward(self, x): return x + self.inner(x)\n"
            "net = nn.Sequential(*[Block() for _ in range(12)]).cuda()\n"
            "net(torch.ones(samples << 15, 256, device='cuda')).sum().backward()"
        )
        limits = ("--card", "t4", "--memory", "1300MiB")
        told = tidemark("fit", *limits, "--json", "--", PYTHON, str(script), "batch=16").stderr
        answer = json.loads(told[told.index("{"):])
        self.assertIsNone(answer["fewer_samples"]["most"])
        found = answer["fewer_samples_with_techniques"]
        options = ("--amp", found["amp"], "--checkpoint", found["checkpoint"])
        ran = tidemark("phantom", *limits, *options, "-o", self.recording, "--", PYTHON, str(script), f"batch={found['most']}")
        self.assertEqual(0, ran.returncode, ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        self.assertEqual(found["reserved_peak_bytes"], measured["reserved_peak_bytes"])

    def test_fit_tries_fewer_samples_with_the_techniques_that_fit_with_one(self):
        """With all samples both together need the least; with one autocast's casts of the weights have no room beside their gradients."""
        script = Path(self.folder.name) / "train.py"
        script.write_text(
            "import sys, torch, torch.nn as nn\n"
            "samples = int(dict(word.split('=') for word in sys.argv[1:])['batch'])\n"
            "class Block(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.inner = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 1024))\n"
            "    def forward(self, x): return x + self.inner(x)\n"
            "net = nn.Sequential(*[Block() for _ in range(12)]).cuda()\n"
            "for _ in range(2): net(torch.ones(samples << 11, 1024, device='cuda')).sum().backward()"
        )
        told = tidemark("fit", "--card", "l4", "--memory", "1263MiB", "--json", "--", PYTHON, str(script), "batch=16").stderr
        answer = json.loads(told[told.index("{"):])
        least = min(answer["techniques"], key=lambda one: one["needed_bytes"])
        self.assertEqual(("bf16", "blocks"), (least["amp"], least["checkpoint"]))
        found = answer["fewer_samples_with_techniques"]
        self.assertEqual(("off", "blocks", 1), (found["amp"], found["checkpoint"], found["most"]))

    def test_fit_tries_what_shares_a_divisor_where_a_number_of_samples_fails(self):
        for rule, asked, most in (
            ("assert n % 16 == 0", 64, 32),
            ("assert n % 12 == 0", 96, 36),  # of which no power of two is one
            ("n = (n + 31) // 32 * 32", 64, 32),
        ):
            script = Path(self.folder.name) / "train.py"
            script.write_text(
                f"import sys, torch\nn = int(sys.argv[2])\n{rule}\nx = torch.empty(n * 20 << 20, dtype=torch.uint8, device='cuda')"
            )
            told = tidemark("fit", "--card", "t4", "--memory", "1GiB", "--json", "--", PYTHON, str(script), "--batch", str(asked)).stderr
            answer = json.loads(told[told.index("{"):])
            found = answer["fewer_samples"]
            self.assertEqual(most, found["most"])
            self.assertTrue(found["has_room_to_spare"])
            failure = r"With batch \d+: .*AssertionError.*" if rule.startswith("assert") else ""
            self.assertRegex(found["failure"], f"^{failure}$")
            self.assertTrue(answer["command"].endswith(f"train.py --batch {most}"), answer["command"])
            self.assertFalse(answer["stopped"])

    def test_fit_judges_samples_that_just_fit_as_it_judges_the_program(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text(
            "import sys, torch\nn = int(sys.argv[2])\nkeep = torch.empty(750 << 20, dtype=torch.uint8, device='cuda')\n"
            "x = torch.empty(n * 60 << 20, dtype=torch.uint8, device='cuda'); del x\n"
            "x = torch.empty(n * 100 << 20, dtype=torch.uint8, device='cuda')"
        )
        told = tidemark("fit", "--card", "t4", "--memory", "1GiB", "--", PYTHON, str(script), "--batch", "4").stderr
        self.assertRegex(told, r"\n  batch 1 instead of 4 .* fits, but nearly full: PyTorch empties its cache; with 2 it does not fit\n")

    def test_fit_tells_that_an_argument_makes_no_difference(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text(NO_ROW.replace("(8, 64,", "(1 << 22, 64,"))
        told = tidemark("fit", "--card", "t4", "--memory", "1GiB", "--", PYTHON, str(script), "--batch", "64").stderr
        self.assertRegex(told, r"\nWith batch \d+ it takes as much memory as with 64: the program may not make use of it\.\n")

    def test_words_that_there_are_not_are_refused(self):
        for option, word in (("--amp", "int8"), ("--checkpoint", "layers")):
            answer = tidemark("phantom", option, word, "--", PYTHON, "-c", NO_ROW)
            self.assertEqual(2, answer.returncode)
            self.assertIn(f'{option} is "{word}"', answer.stderr)


main()
