#!/usr/bin/env python3
"""Python programs on the phantom, against what torch says of them and what the trainer's phantom predicts: programs_test.py TIDEMARK."""

import csv
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from programs import PYTHON, TIDEMARK, TRAINING, InFolder, main, run, tidemark, torch_version


class Programs(InFolder):
    def train(self, *words, under=()):
        """What torch says, what the recording says, and what tidemark said. `under`: a command that starts all that."""
        ran = run(*under, TIDEMARK, "phantom", "-o", self.recording, "--", PYTHON, TRAINING, *words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        info = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertEqual(info["events"]["lost"], 0)
        self.assertEqual(info["warnings"], [])
        return json.loads(ran.stdout), info, ran.stderr

    def check_peaks(self, torch, info):
        self.assertEqual(info["measured"]["allocated_peak_bytes"], torch["allocated"])
        self.assertEqual(info["measured"]["requested_peak_bytes"], torch["requested"])
        self.assertEqual(info["measured"]["reserved_peak_bytes"], torch["reserved"])

    def test_the_recording_is_what_torch_counts_and_what_the_trainer_predicts(self):
        torch, info, said = self.train("3")
        self.check_peaks(torch, info)
        self.assertEqual(info["steps"], 3)
        categories = info["measured"]["by_category_at_peak"]
        self.assertEqual(categories["parameter"], torch["parameters"])
        self.assertGreater(categories["gradient"], 0)
        self.assertGreater(categories["activation"], 0)
        self.assertEqual(sum(categories.values()), torch["allocated"])
        self.assertIn("At the peak of the run", said)
        estimate = tidemark("estimate", "--net", "simple-conv-net", "--batch", "64", "--optimizer", "sgd", "--json")
        predicted = json.loads(estimate.stdout)["phantom"]
        if version_of_torch() == "2.11.0":  # the trainer's
            self.assertEqual(predicted["allocated_peak_bytes"], torch["allocated"])
            self.assertEqual(predicted["requested_peak_bytes"], torch["requested"])

    def test_batches_are_input_and_a_model_is_none(self):
        torch, info, _ = self.train("3")
        self.check_peaks(torch, info)
        categories = info["measured"]["by_category_at_peak"]
        images = 64 * 3 * 32 * 32 * 4
        self.assertGreaterEqual(categories["input"], images)
        self.assertLess(categories["input"], 2 * images)
        code = "import torch; net = torch.nn.Linear(9, 9).cuda(); net(torch.ones(1, 9).cuda())"
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("0 steps (a step ends with an Optimizer.step(), or once parameters are written to in place after backward; the recorded process told of neither: what torch.compile compiles tells of nothing)", ran.stderr)
        info = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertEqual(info["measured"]["by_category_at_peak"]["input"], 512)

    def test_optimizers_of_layers_and_those_inside_backward_make_one_step_of_a_round(self):
        start = """
import torch
net = torch.nn.Sequential(*[torch.nn.Linear(64, 64, bias=False) for _ in range(12)]).cuda()
optimizers = {weight: torch.optim.Adam([weight]) for weight in net.parameters()}
def step(weight):
    optimizers[weight].step()
    optimizers[weight].zero_grad()
"""
        for rounds in ("""
for _ in range(4):
    net(torch.ones(1, 64, device="cuda")).sum().backward()
    for weight in net.parameters(): step(weight)
""", """
for weight in net.parameters(): weight.register_post_accumulate_grad_hook(step)
for _ in range(4): net(torch.ones(1, 64, device="cuda")).sum().backward()
"""):
            self.assertNotIn("growth", self.findings_of(start + rounds))
            self.assertEqual(json.loads(tidemark("info", self.recording, "--json").stdout)["steps"], 4)

    def test_updates_by_hand_end_a_step_and_a_model_that_is_only_looked_into_has_none(self):
        code = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 64)).cuda()
for _ in range(4):
    for micro_batch in range(2): net(torch.ones(1, 64, device="cuda")).sum().backward()
    %s
"""
        for update, steps in (("with torch.no_grad():\n        for p in net.parameters():\n            p -= 0.1 * p.grad\n            p.grad.zero_()", 4),
                              ("for p in net.parameters(): p.data.add_(p.grad, alpha=-0.1)", 4),
                              ("torch._foreach_add_([p.data for p in net.parameters()], [p.grad for p in net.parameters()], alpha=-0.1)", 4),
                              ("for p in net.parameters(): p.grad.zero_(); p.requires_grad_()", 0)):
            with self.subTest(update):
                self.findings_of(code % update)
                self.assertEqual(json.loads(tidemark("info", self.recording, "--json").stdout)["steps"], steps)
        nothing_is_freed_at_the_end = """
import ctypes, torch
weight = torch.ones(64, 64, device="cuda", requires_grad=True)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(weight))
for _ in range(4):
    weight.sum().backward()
    weight.data.add_(weight.grad, alpha=-.1)
"""
        self.findings_of(nothing_is_freed_at_the_end)
        self.assertEqual(json.loads(tidemark("info", self.recording, "--json").stdout)["steps"], 4)
        sharpness_aware = """
import torch
net = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net.cuda()
for _ in range(4):
    net(torch.ones(1, 64, device="cuda")).sum().backward()
    with torch.no_grad():
        for p in net.parameters(): p.add_(p.grad)
    optimizer.zero_grad()
    net(torch.ones(1, 64, device="cuda")).sum().backward()
    optimizer.step()
"""
        self.findings_of(sharpness_aware)
        self.assertEqual(json.loads(tidemark("info", self.recording, "--json").stdout)["steps"], 4)

    def test_copies_that_autocast_keeps_are_told_apart(self):
        torch, info, _ = self.train("2", "amp")
        self.check_peaks(torch, info)
        self.assertGreater(info["measured"]["by_category_at_peak"]["autocast_cache"], 0)

    def findings_of(self, code, *options):
        ran = tidemark("phantom", *options, "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return {one["kind"]: one for one in json.loads(tidemark("info", self.recording, "--json").stdout)["findings"]}

    def test_what_programs_waste_is_found(self):
        start = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.Linear(1024, 1024)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.ones(4096, 1024, device="cuda")
kept = []
for step in range(8):
"""
        wasteful = self.findings_of(start.replace("1024", "2048") + """
    loss = net(x).sum()
    work = torch.empty(100 << 20, dtype=torch.uint8, device="cuda")  # beside gradients of the step before: the peak
    del work
    if step == 0:
        spike = torch.empty(200 << 20, dtype=torch.uint8, device="cuda")
        del spike
    kept.append(loss.detach())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
pieces = [torch.empty(40 << 20, dtype=torch.uint8, device="cuda") for _ in range(8)]
del pieces[::2]
more = [torch.empty(80 << 20, dtype=torch.uint8, device="cuda") for _ in range(4)]
""", "--memory", "4GiB")
        self.assertEqual(set(wasteful) - {"large_workspace"}, {"growth", "kept_gradients", "first_step_spike", "fragmentation"})
        self.assertEqual(wasteful["growth"]["bytes"], 6 * 512)
        self.assertGreaterEqual(wasteful["fragmentation"]["bytes"], 100 << 20)
        careless = start + """
    small = x[:4]
    kept.append(net(small).sum())
    half = x.to(torch.float16)
    optimizer.zero_grad()
    net(small).sum().backward()
    optimizer.step()
"""
        self.assertGreaterEqual(set(self.findings_of(careless)), {"kept_graph", "type_copies"})
        # cuBLAS takes as much for whatever it multiplies: a word is worth that where little memory is there.
        self.assertIn("large_workspace", self.findings_of(careless, "--memory", "4GiB"))

    def test_fit_finds_the_smallest_card_with_room_and_says_what_it_did_not_run(self):
        code = "import sys, torch; x = torch.empty(int(sys.argv[1]) << 30, dtype=torch.uint8, device='cuda'); x[0].item()"
        ran = tidemark("fit", "--card", "t4", "--", PYTHON, "-c", code, "150")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("on the NVIDIA T4: does not fit: at least 135.55 GiB short.", ran.stderr)
        self.assertIn("The smallest known card with room for it is the NVIDIA B200.", ran.stderr)
        self.assertRegex(ran.stderr, r"\n  \d+ cards with .* to .*  does not fit, whatever its workspaces are there\n")
        self.assertLess(len(ran.stderr.splitlines()), 20)
        doubt = "read a result that no kernel had computed"
        self.assertRegex(ran.stderr, f"Note: .*{doubt}")
        code += "; a = torch.ones(64, 64, device='cuda'); a @ a; print(torch.cuda.max_memory_reserved())"
        words = ("--json", "--", "env", "A=1", PYTHON, "-c", code)
        ran = tidemark("fit", "--card", "t4", "--memory", "40GiB", *words, "38")
        answer = json.loads(ran.stderr)
        self.assertIn(doubt, answer["notes"][0])
        told = {card["name"]: card for card in answer["cards"]}
        t4, a100 = told["t4"], told["a100-40gb"]
        self.assertEqual((t4["memory_bytes"], t4["fits"], t4["reserved_peak_bytes"]), (40 << 30, True, int(ran.stdout)))
        self.assertEqual((a100["ran_on"], a100["ran_on_its_kind"], answer["smallest"]), ("a100-40gb", True, "a100-40gb"))
        self.assertEqual((told["h100"]["ran_on_its_kind"], told["h100"]["fits"]), (False, True))
        self.assertEqual((told["l4"]["ran_on"], told["l4"]["fits"]), ("t4", False))  # with no room, whatever it does there
        ran = tidemark("fit", "--card", "t4", "--memory", "40GiB", "--all-cards", *words, "76")
        told = {card["name"]: card for card in json.loads(ran.stderr)["cards"]}
        self.assertEqual([told[name]["ran_on"] for name in ("gh200", "h200")], ["gh200", "h200"])  # whose memory has other clocks
        own = int(tidemark("phantom", "--card", "h100", "--", PYTHON, "-c", code, "76").stdout)
        self.assertEqual((told["h100"]["ran_on"], told["h100"]["reserved_peak_bytes"]), ("h100", own))
        self.assertNotEqual(own, int(ran.stdout))  # cuBLAS's workspace is another
        cuda = subprocess.run([PYTHON, "-c", "import importlib.util as u; print(u.find_spec('torch').origin)"], capture_output=True, text=True)
        with open(os.path.join(os.path.dirname(cuda.stdout.strip()), "version.py")) as file:
            of_cuda_13 = "cuda: Optional[str] = '13" in file.read()
        self.assertEqual(told["v100-16gb"]["has_kernels"], not of_cuda_13)

    def test_fit_in_json_says_why_it_has_no_answer(self):
        def answer(code, *options):
            return json.loads(tidemark("fit", "--json", "--card", "t4", *options, "--", PYTHON, "-c", code).stderr)
        idle = answer("print(1)")
        self.assertEqual((idle["cards"], idle["error"]), (None, "The program asked the phantom GPU for no memory."))
        self.assertIn("ended with exit code 3. The program asked", answer("raise SystemExit(3)")["error"])
        taken = "import torch; x = torch.ones(9, device='cuda')"
        self.assertIsNone(answer(taken)["why_no_runs"])
        failed = answer(taken + "; raise SystemExit(3)")
        self.assertIn("It came to no end", failed["why_no_runs"])
        self.assertIsNone(failed["smallest"])
        self.assertIn("ended with exit code 3", failed["cards"][-1]["failure"])

    def test_fit_runs_a_program_that_takes_what_there_is_with_each_cards_own_memory(self):
        code = "import torch; x = torch.empty(int(torch.cuda.mem_get_info()[0] * .9) >> 21 << 21, dtype=torch.uint8, device='cuda')"
        ran = tidemark("fit", "--card", "t4", "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("It takes what the card has: with room for all it allocated", ran.stderr)
        self.assertRegex(ran.stderr, r"on the NVIDIA T4: ends well, and takes 13\.\d\d GiB of 14\.57 GiB with the context\.")
        self.assertIn("The smallest known card on which it ends well is the ", ran.stderr)
        self.assertIn("--all-cards runs it on each kind.", ran.stderr)
        until_it_fails = (
            "import torch\nheld = []\ntry:\n"
            "    while True: held.append(torch.empty(1 << 30, dtype=torch.uint8, device='cuda'))\n"
            "except torch.OutOfMemoryError: pass"
        )
        ran = tidemark("fit", "--card", "t4", "--json", "--", PYTHON, "-c", until_it_fails)
        answer = json.loads(ran.stderr)
        self.assertTrue(answer["takes_what_there_is"])
        [t4] = [card for card in answer["cards"] if card["name"] == "t4"]
        room = t4["memory_bytes"] - t4["context_bytes"]
        self.assertEqual((t4["fits"], t4["had_own_memory"], t4["reserved_peak_bytes"]), (True, True, room >> 30 << 30))

    def test_a_gpu_that_is_not_there_is_told_of_and_can_be_asked_for(self):
        code = "import torch; x = torch.ones(1 << 20, device='cuda:1'); print(torch.cuda.device_count())"
        ran = tidemark("phantom", "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stderr.count("The program asked for GPU 1 (cuda:1) and sees one, number 0. "), 1, ran.stderr)
        self.assertIn("tidemark phantom --gpus 2 gives a program so many", ran.stderr)
        two = "import torch; held = [torch.empty(5 << 20, dtype=torch.uint8, device=f'cuda:{i % 2}') for i in range(4)]; print(torch.cuda.device_count())"
        ran = tidemark("phantom", "--gpus", "2", "-o", self.recording, "--", PYTHON, "-c", two)
        self.assertEqual((ran.returncode, ran.stdout), (0, "2\n"), ran.stderr)
        self.assertNotIn("The program asked for GPU", ran.stderr)
        self.assertNotIn("is not known", ran.stderr)
        self.assertIn("memory on several GPUs", ran.stderr)
        told = json.loads(tidemark("info", self.recording, "--json").stdout)
        measured, segment = told["measured"], 20 << 20  # one on each
        self.assertEqual(measured["reserved_peak_bytes"], 2 * segment)
        each = {"allocated_peak_bytes": 10 << 20, "requested_peak_bytes": None, "reserved_peak_bytes": segment}  # in blocks of what was asked for
        self.assertEqual(told["cards"], [{"device": "cuda:0", **each}, {"device": "cuda:1", **each}])
        self.assertIn("cuda:1 reserved", ran.stderr)
        second = str(Path(self.folder.name) / "second.tide")
        self.assertEqual(tidemark("export", self.recording, "--device", "cuda:1", "-o", second).returncode, 0)
        for one in ([self.recording, "--device", "cuda:1"], [second]):
            alone = json.loads(tidemark("info", *one, "--json").stdout)
            self.assertEqual((alone["measured"]["reserved_peak_bytes"], alone["cards"]), (segment, []))
            self.assertTrue(alone["title"].endswith(", cuda:1"), alone["title"])
        absent = tidemark("info", self.recording, "--device", "cuda:2")
        self.assertEqual(absent.returncode, 1)
        self.assertIn("tells nothing of cuda:2: its run used cuda:0, cuda:1.", absent.stderr)
        self.assertEqual(tidemark("info", self.recording, "--device", "1").returncode, 2)
        self.assertRegex(ran.stderr, r"of the fullest card +\S+ B +638.8 MiB")  # with the CUDA context
        self.assertEqual(measured["reserved_peak_band"], {"least_bytes": 40 << 20, "most_bytes": 40 << 20, "at_the_cliff": False})
        # Each has memory of its own, whichever allocator takes it.
        both = ("import os, torch\ntotal = torch.cuda.mem_get_info(1)[1]\n"
                "held = [torch.empty(total * 2 // 3, dtype=torch.uint8, device=f'cuda:{i}') for i in range(2)]\n"
                "print([held[i].data_ptr() != 0 and torch.cuda.mem_get_info(i)[0] * 2 < total for i in range(2)])\n"
                "try: torch.empty(total // 2, dtype=torch.uint8, device='cuda:1')\n"
                "except torch.OutOfMemoryError as full: print('GPU 1' in str(full) or 'device 1' in str(full))")
        for way in ("", "expandable_segments:True", "backend:cudaMallocAsync"):
            ran = tidemark("phantom", "--gpus", "2", "--card", "t4", "--", "env", f"PYTORCH_CUDA_ALLOC_CONF={way}", PYTHON, "-c", both)
            self.assertEqual((ran.returncode, ran.stdout), (0, "[True, True]\nTrue\n"), ran.stderr)
        # As one goes to the other, and how many NVLinks PyTorch finds for it.
        peers = ("import torch; print(torch.cuda.can_device_access_peer(0, 1)); torch.ones(9, 9, device='cuda:0').t().to('cuda:1').to('cuda:0')\n"
                 "print(torch._C._distributed_c10d._detect_dma_connectivity(torch._C._autograd.DeviceType.CUDA, 'nvlink').matrix)")
        for card, reach in (("h100", "True\n[[0, 18], [18, 0]]\n"), ("rtx-4090", "False\n[[0, 0], [0, 0]]\n")):
            ran = tidemark("phantom", "--gpus", "2", "--card", card, "--", PYTHON, "-c", peers)
            self.assertEqual((ran.returncode, ran.stdout), (0, reach), ran.stderr)
        count = "import torch; print(torch.cuda.device_count())"
        ran = tidemark("phantom", "--gpus", "2", "--world", "4", "--rank", "1", "--", PYTHON, "-c", count)
        self.assertEqual(ran.stdout, "8\n", ran.stderr)  # each of the machine's four ranks has two

    def test_sizes_after_kernels_that_were_compiled_as_the_program_ran_are_told_of(self):
        kernels = [("pass", False), ("torch.rand(9, 2, device='cuda').prod(-1)", False)]  # the second is one of PyTorch's own
        if (torch_version() or (0, 0)) >= (2, 9):
            kernels.append(("torch.cuda._compile_kernel('__global__ void twice(bool* x) {}', 'twice')((1, 1, 1), (1, 1, 1), (mask,))", True))
        script = Path(self.folder.name) / "train.py"
        script.write_text("import torch\nmask = torch.tensor([True, False]).cuda()\n" + "".join(f"{kernel}; torch.ones(2, device='cuda')[mask]\n" for kernel, _ in kernels))
        ran = tidemark("phantom", "--", PYTHON, str(script))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.lines_that(r" chose elements by what was known before kernels ran that Triton or NVRTC had compiled", ran.stderr),
                         [line for line, (_, told) in enumerate(kernels, 3) if told], ran.stderr)

    def lines_that(self, did, stderr):
        """The lines of train.py of which a note says that."""
        notes = re.findall(f"^Note: (.*){did}", stderr, re.MULTILINE)
        return sorted(int(line) for places in notes for line in re.findall(r"train\.py:(\d+)", places))

    def test_sizes_after_kernels_of_another_library_are_told_of(self):
        """Nobody knows where they write. Its stub lies where no kernel of PyTorch's does."""
        launch = """
import ctypes, torch
class Size(ctypes.Structure): _fields_ = [(axis, ctypes.c_uint) for axis in "xyz"]
mask = torch.tensor([True, False]).cuda()
runtime = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
def launch(stub, stream=0):
    assert runtime.cudaLaunchKernel(ctypes.c_void_p(stub), Size(1, 1, 1), Size(1, 1, 1), None, ctypes.c_size_t(0), ctypes.c_void_p(stream)) == 0
of_another = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value
"""
        captures = """
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph): launch(of_another, torch.cuda.current_stream().cuda_stream)
"""
        chooses = "torch.ones(2, device='cuda')[mask]"
        script = Path(self.folder.name) / "train.py"
        # Once one of theirs ran, all that is known from before is in doubt: what runs none stands before.
        for kernels in (f"launch(of_another)\n{chooses}  # told\n", f"mask.int() + 1\n{chooses}\n{captures}{chooses}\ngraph.replay()\n{chooses}  # told\n"):
            program = launch + kernels
            script.write_text(program)
            ran = tidemark("phantom", "--", PYTHON, str(script))
            self.assertEqual(ran.returncode, 0, ran.stderr)
            told = [number for number, line in enumerate(program.splitlines(), 1) if line.endswith("# told")]
            self.assertEqual(self.lines_that(" chose .* or that are another library's: where these changed it, a card chooses others.", ran.stderr), told, ran.stderr)

    def test_an_index_of_nothing_that_is_there_is_told_of_as_a_card_would_end_there(self):
        start = ["import torch", "from torch.nn import functional as F", "eight, at = lambda: torch.arange(8).cuda(), lambda *numbers: torch.tensor(numbers).cuda()"]
        large, unknown = "torch.nn.Embedding(50_000, 64).cuda()", "(torch.ones(8, 1).cuda() @ torch.ones(1, 1).cuda()).argmax(1)"
        cases = (
            ("x[at(1, 9)]", "9 of 8"), ("x[at(-9)]", "-9 of 8"), ("x[torch.tensor([8])]", "8 of 8"), ("x[at(7, -8)], x[[0]], x[x > 7]", ""), ("x.view(2, 4)[:, at(4)]", "4 of 4"),
            ("x.view(2, 2, 2)[x.view(2, 2, 2)[0] > 1, at(0, 2)]", "2 of 2"), ("x[at(8)] = 1", "8 of 8"), ("x[at(11, 1)] = at(1, 2)", "11 of 8"),
            ("x.index_fill_(0, at(-8), 1)", ""), ("x.index_fill_(0, at(-9), 1)", "-9 of 8"), ("x.index_copy_(0, at(-1), at(3))", "-1 of 8"), ("x.gather(0, at(8))", "8 of 8"), ("x.gather(0, at(-1))", "-1 of 8"),
            ("torch.zeros(3).cuda().scatter_(0, at(7), 1)", "7 of 3"), ("F.one_hot(at(7), 3)", "7 of 3"), (f"{large}(at(3, 50_000))", "50000 of 50000"), (f"{large}(at(3, 49_999))", ""),
            ("F.cross_entropy(torch.rand(2, 10).cuda(), at(10, 1))", "10 of 10"), ("F.cross_entropy(torch.rand(2, 10).cuda(), at(-100, 9))", ""), ("F.cross_entropy(torch.rand(2, 10).cuda(), at(-1, 9))", "-1 of 10"),
            ("F.cross_entropy(torch.rand(1, 3, 2, 2).cuda(), x.view(2, 2, 2)[:1])", "3 of 3"), (f"x.gather(0, {unknown} - 1)", ""),
        )
        script = Path(self.folder.name) / "train.py"
        script.write_text("\n".join(start + [f"for x in eight(), eight(): {program}" for program, _ in cases]))
        ran = tidemark("phantom", "--", PYTHON, str(script))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        notes = re.findall(r"^Note: (.*) asked for element (.*), counted from 0: .*\(device-side assert triggered\)", ran.stderr, re.MULTILINE)
        told = sorted((int(line), missing) for lines, missing in notes for line in re.findall(r"train\.py:(\d+)", lines))
        self.assertEqual(told, [(line, missing) for line, (_, missing) in enumerate(cases, len(start) + 1) if missing], ran.stderr)
        self.assertEqual(ran.stderr.count("device-side assert triggered"), len(notes), ran.stderr)

    def test_a_loop_that_waits_for_the_card_learns_why_it_does_not_end(self):
        """One that ends by itself, or trains, is left alone, however often it reads."""
        start = "import torch\nx = (torch.rand(1).cuda() + 1).requires_grad_()\noptimizer = torch.optim.SGD([x])\n"
        waits = "read = 0\nwhile read < {}:\n    x.item(){}\n    read += 1\n"
        trains = "read = 0\nwhile read < 10_001:\n    for _ in range(2_000): x.item()\n    read += 1_000\n    x.item(), optimizer.step()\n" + "while read < 31_000:\n    x.item()\n    optimizer.step()\n    read += 2\n"
        nested = "def look():\n    for _ in range(5): x.item()  # in vain\nread = 0\nwhile read < 20_001:\n    look()\n    read += 5\n"
        in_vain = waits.format("20_001", "  # in vain")
        many = "x.item()\n" * 40  # more than are told
        program = start + waits.format("9_999", "") + nested + in_vain + "for _ in range(20_001): x.item()\n" + trains + many + in_vain
        script = Path(self.folder.name) / "waits.py"
        script.write_text(program)
        ran = tidemark("phantom", "--", PYTHON, str(script))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = [line for line in ran.stderr.splitlines() if line.endswith("A loop that ends by it does not end here.")]
        expected = [number for number, line in enumerate(program.splitlines(), 1) if "in vain" in line]
        self.assertEqual([int(re.search(r": waits\.py:(\d+) ", line)[1]) for line in told], expected, ran.stderr)
        self.assertEqual(ran.stderr.count("A loop that ends by it does not end here."), 3, ran.stderr)

    def test_a_program_that_fails_learns_what_it_read_last(self):
        script = Path(self.folder.name) / "fails.py"
        last = "Note: ValueError ended the program. Last before that, fails.py:3 read a result that no kernel had computed: it was zero."
        for program, told in (("math.log(loss)", 1), ("sys.exit(3)", 0), ("torch.empty(1 << 60, device='cuda')", 0), ("loss.log()", 0),
                              ("raise RuntimeError('No backend type associated with device type cpu')", 0), ("x + 1, math.log(loss)", 0)):  # not since a kernel was launched
            script.write_text(f"import math, sys, torch\nx = torch.ones(4, 4, device='cuda') @ torch.ones(4, device='cuda')\nloss = x.sum().item()\n{program}\n")
            ran = tidemark("phantom", "--", PYTHON, str(script))
            self.assertNotEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stderr.count(last), told, program + ran.stderr)
            self.assertEqual(ran.stderr.count("ended the program."), told, program + ran.stderr)
            self.assertEqual(ran.stderr.count("max(value, 1e-8) of what is divided by"), told, ran.stderr)

    def test_a_program_that_fails_by_a_choice_or_an_answer_gets_other_advice(self):
        script = Path(self.folder.name) / "fails.py"
        for program, advice in (("torch.nonzero(x > 1)[0]", "let it go on where nothing was chosen."), ("assert x.sum() > 0", "let it go on whatever the answer is.")):
            script.write_text(f"import torch\nx = torch.ones(4, 4, device='cuda') @ torch.ones(4, device='cuda')\n{program}\n")
            ran = tidemark("phantom", "--", PYTHON, str(script))
            self.assertIn("If that is why, " + advice, ran.stderr)
            self.assertNotIn("max(value", ran.stderr)

    def test_what_the_driver_lacks_is_an_error_that_a_program_may_catch_and_is_told(self):
        ran = tidemark("phantom", "--", PYTHON, "-c", "import ctypes, torch; print(ctypes.CDLL('libcuda.so.1').cuGetExportTable(None, None))")
        self.assertEqual((ran.returncode, ran.stdout.strip()), (0, "801"), ran.stderr)  # CUDA_ERROR_NOT_SUPPORTED
        self.assertIn("The program called cuGetExportTable, which is not modelled: it was told that the card does not support it.", ran.stderr)

    def test_what_was_printed_before_a_function_that_is_not_modelled_is_there(self):
        """Also in a file or a pipe, where Python keeps it for a while, whether or not this thread has Python's lock."""
        start = "import ctypes, sys, torch\ntorch.ones(3, device='cuda')\nname = f\"libcudart.so.{torch.version.cuda.split('.')[0]}\"\nprint('result')\n"
        held = ("sys.setswitchinterval(100)\nholding, function = ctypes.PyDLL(None), ctypes.cast(ctypes.CDLL(name).cudaMallocMipmappedArray, ctypes.c_void_p)\n"
                "holding.pthread_create(ctypes.byref(ctypes.c_ulong()), None, function, None), holding.sleep(60)\n")  # by another thread, for ever: waited for a second
        calls = "ctypes.{}(name).cudaMallocMipmappedArray(0, 0, 0)\n"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        for way, printed in ((calls.format("CDLL"), "result\n"), (calls.format("PyDLL"), "result\n"), (held, "")):
            ran = run(TIDEMARK, "phantom", "--", PYTHON, "-c", start + way, env=environment, timeout=50)
            self.assertEqual((ran.returncode, ran.stdout), (70, printed), way + ran.stderr)
            self.assertIn("not modelled: cudaMallocMipmappedArray", ran.stderr)

    def test_a_workspace_that_is_made_anew_is_one_again(self):
        code = """
import torch
a = torch.ones(64, 64, device="cuda")
for _ in range(3):
    a @ a
    torch._C._cuda_clearCublasWorkspaces()
a @ a
more = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")  # the peak, when all is known of what came before
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        self.assertGreaterEqual(measured["by_category_at_peak"]["workspace"], 8 << 20)

    def probe(self, *program):
        """What the probe tells of a program on a phantom, and what the phantom's recorder does."""
        probed = str(Path(self.folder.name) / "probed.tide")
        ran = tidemark("phantom", "-o", self.recording, "--", TIDEMARK, "record", "-o", probed, "--", PYTHON, *program)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return (json.loads(tidemark("info", file, "--json").stdout) for file in (probed, self.recording))

    def test_the_probe_tells_the_same_steps_and_categories_also_after_an_out_of_memory_in_backward(self):
        code = """
import torch
layers = torch.nn.Linear(1000, 1000), torch.nn.ReLU(), torch.nn.Linear(1000, 1000), torch.nn.ReLU(), torch.nn.Linear(1000, 9000)
net = torch.nn.Sequential(*layers).cuda()
optimizer = torch.optim.Adam(net.parameters())
class Huge(torch.autograd.Function):
    @staticmethod
    def forward(context, x): return x * 1
    @staticmethod
    def backward(context, gradient): return torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
def train(too_large=False):
    for micro_batch in range(2):
        with torch.autocast("cuda", torch.float16):
            scores = net(torch.ones(8192, 1000).cuda())
        (Huge.apply(scores) if too_large else scores).float().sum().backward()
    optimizer.step()
    optimizer.zero_grad()
train()
try:
    train(too_large=True)
    raise SystemExit("there was room")
except torch.cuda.OutOfMemoryError:
    optimizer.zero_grad()
train()
"""
        record, phantom = self.probe("-c", code)
        self.assertEqual((record["steps"], phantom["steps"]), (2, 2))
        self.assertEqual((record["out_of_memory"], record["measured"]["times_survived"]), (False, 1))
        self.assertEqual(record["warnings"], [])
        probed, told = (info["measured"]["by_category_at_peak"] for info in (record, phantom))
        for category in ("parameter", "gradient", "optimizer_state", "autocast_cache"):
            self.assertEqual(probed.get(category), told.get(category), (category, probed, told))
        self.assertGreater(probed["autocast_cache"], 1 << 20)
        self.assertEqual(probed["activation"], told["activation"] + told.get("input", 0))

    def test_what_an_optimizers_closure_runs_counts_as_outside_of_it(self):
        """As Lightning trains, in the phantom's words and the probe's."""
        code = """
import sys, torch
net = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8)).cuda()
optimizer = torch.optim.AdamW(net.parameters())
def closure():
    optimizer.zero_grad()
    net(torch.randn(32, 64).cuda()).square().mean().backward()
for _ in range(3):
    if sys.argv[1] == "within":
        optimizer.step(closure)
    else:
        closure()
        optimizer.step()
"""
        within, before = self.probe("-c", code, "within"), self.probe("-c", code, "before")
        for of_closure, of_none in zip(within, before):
            self.assertEqual((of_closure["steps"], of_none["steps"]), (3, 3))
            self.assertEqual(of_closure["measured"]["by_category_at_peak"], of_none["measured"]["by_category_at_peak"])

    def test_the_probe_tells_the_same_steps_and_peak_and_forked_workers_are_not_heard(self):
        probed = str(Path(self.folder.name) / "probed.tide")
        alone, phantom, _ = self.train("2", under=(TIDEMARK, "record", "-o", probed, "--"))
        record = json.loads(tidemark("info", probed, "--json").stdout)
        self.assertEqual((record["steps"], phantom["steps"]), (2, 2))
        self.assertEqual(record["title"], "training.py")
        self.assertEqual(record["measured"]["allocated_peak_bytes"], alone["allocated"])
        torch, info, _ = self.train("2", "workers")
        self.check_peaks(torch, info)
        self.assertEqual(torch["allocated"], alone["allocated"])

    def test_stacks_lead_to_the_line_also_from_backward_and_two_optimizers_make_one_step(self):
        script = Path(self.folder.name) / "gan.py"
        script.write_text(
            "import torch\n"
            "nets = [torch.nn.Linear(512, 512).cuda() for _ in range(2)]\n"
            "optimizers = [torch.optim.SGD(net.parameters()) for net in nets]\n"
            "def play(net, optimizer):\n"
            "    loss = net(torch.ones(64, 512, device='cuda')).relu().sum()\n"
            "    optimizer.zero_grad(); loss.backward(); optimizer.step()\n"
            "for _ in range(4):\n"
            "    for net, optimizer in zip(nets, optimizers): play(net, optimizer)\n")
        table = str(Path(self.folder.name) / "run.csv")
        ran = tidemark("phantom", "--stacks", "python", "-o", self.recording, "--", PYTHON, str(script))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        info = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertEqual(info["steps"], 4)  # also the first, in which nobody knew that there are two
        tidemark("export", self.recording, "-o", table)
        with open(table, newline="") as rows:
            stacks = {row["operator"] for row in csv.DictReader(rows) if row["kind"] == "allocate"}
        line = r"\(torch/nn/modules/linear\.py:\d+\) ← play \(gan\.py:5\) ← <module> \(gan\.py:8\)$"
        for begins in ("aten::linear ← forward ", "AddmmBackward0 ← forward "):
            self.assertTrue(any(re.match(re.escape(begins) + line, stack) for stack in stacks), stacks)
        self.assertIn("aten::relu ← play (gan.py:5) ← <module> (gan.py:8)", stacks)

    def test_exit_code_output_and_signals_are_the_programs_own(self):
        ran = tidemark("phantom", "--", PYTHON, TRAINING, "1", "exit", "7")
        self.assertEqual(ran.returncode, 7)
        self.assertIn("allocated", json.loads(ran.stdout))
        ran = tidemark("phantom", "--", PYTHON, "-c", "import os; os.kill(os.getpid(), 9)")
        self.assertEqual(ran.returncode, 128 + 9)
        self.assertIn("asked the phantom GPU for no memory", ran.stderr)
        code = "import os; print(input(), os.environ['HOW'])"
        ran = run(TIDEMARK, "phantom", "--", "env", "HOW=well", "timeout", "100", PYTHON, "-c", code, input="through\n")
        self.assertEqual(ran.stdout, "through well\n")

    def test_a_first_start_that_is_interrupted_ends_with_a_sentence_and_leaves_nothing(self):
        tools, cache = Path(self.folder.name) / "tools", Path(self.folder.name) / "cache"
        tools.mkdir()
        (tools / "cmake").write_text("#!/bin/sh\nmkdir -p \"$6\"; exec sleep 60\n")
        (tools / "cmake").chmod(0o755)
        environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", TIDEMARK_CACHE=str(cache))
        start = subprocess.Popen([TIDEMARK, "phantom", "--", PYTHON, "-c", "print('ran')"], env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # however we were started
        self.assertRegex(start.stderr.readline(), r"building the stand-ins for torch .*, once: configuring")
        while not list(cache.glob("phantom/*.building")):
            time.sleep(0.01)
        os.killpg(start.pid, signal.SIGINT)
        said, complained = start.communicate(timeout=60)
        self.assertEqual((start.returncode, said), (130, ""))
        self.assertIn("Stopped as asked, before the stand-ins", complained)
        self.assertEqual([file.suffix for file in (cache / "phantom").iterdir()], [".lock"])

    def test_a_start_that_is_interrupted_before_the_program_starts_it_no_more(self):
        python = Path(self.folder.name) / "python"
        python.write_text(f"#!/bin/sh\nkill -TERM $PPID\nexec '{PYTHON}' \"$@\"\n")  # when it is asked for its torch
        python.chmod(0o755)
        ran = tidemark("phantom", "--", str(python), "-c", "print('ran')")
        self.assertEqual((ran.returncode, ran.stdout), (130, ""))
        self.assertIn("Stopped as asked, before ", ran.stderr)

    def test_a_card_without_room_runs_out_of_memory_as_a_real_one_does(self):
        code = "import torch; torch.empty(3 << 30, dtype=torch.uint8, device='cuda')"
        ran = tidemark("phantom", "--memory", "2GiB", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("OutOfMemoryError", ran.stderr)
        self.assertIn("One request for more than the whole card has.", ran.stderr)
        self.assertIn("The program ended with exit code 1. What follows is what it needed until then.", ran.stderr)
        self.assertNotIn("would do", ran.stderr)
        info = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertTrue(info["out_of_memory"])
        self.assertEqual(info["shortages"][0]["requested_bytes"], 3 << 30)
        told = tidemark("info", self.recording).stdout
        self.assertIn("The program ended with exit code 1.", told)
        events = re.search(r", ([\d,]+) events, 0 lost", ran.stderr)[1]
        self.assertRegex(told, rf"\n  events  +{events}, 0 lost\n")

    def test_the_state_of_an_optimizer_and_a_workspace_count_as_such_where_they_are_the_peak(self):
        code = """
import torch
weight = torch.nn.Parameter(torch.zeros(32 << 20, device="cuda"))
optimizer = torch.optim.Adam([weight], fused=True)
weight.grad = torch.zeros_like(weight)
optimizer.step()
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        categories = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]["by_category_at_peak"]
        self.assertGreaterEqual(categories["optimizer_state"], 2 * (128 << 20))
        self.assertLess(categories["temporary"], 1 << 20)

    def test_doubts_are_kept_in_the_recording_and_the_smallest_card_is_named(self):
        code = """
import torch
print(torch.ones(1, device='cuda').item())
for dtype in (torch.bfloat16, torch.float64, torch.float16):
    torch.nn.LSTM(8, 8, device="cuda", dtype=dtype)(torch.ones(2, 3, 8, device="cuda", dtype=dtype))
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertIn("Note: ", ran.stderr)
        unknown = re.findall(r"Note: Not known, counted as 0: the workspaces .* \((.*)\)\.", ran.stderr)
        self.assertEqual(unknown, ["LSTM in bfloat16", "LSTM in float64"])  # 16 bits of the other kind were measured
        self.assertIn("By memory alone the NVIDIA GeForce GTX 1650", ran.stderr)
        info = tidemark("info", self.recording)
        notes = [line for line in ran.stderr.splitlines() if line.startswith("Note: ")]
        self.assertEqual([line for line in info.stdout.splitlines() if line.startswith("Note: ")], notes)
        told = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertEqual(["Note: " + note for note in told["notes"]], notes)
        self.assertEqual(told["card"]["smallest_card"], "gtx-1650")
        self.assertIn("python", told["command"])

    def test_memory_that_another_stream_had_used_is_told_to_come_back_later_on_a_card(self):
        code = """
import sys, torch
side = torch.cuda.Stream()
x = torch.empty(1 << 20, device="cuda")
if sys.argv[1] == "shared":
    x.record_stream(side)
del x
torch.empty(1 << 20, device="cuda")
"""
        for way, told in (("shared", 1), ("alone", 0)):
            ran = tidemark("phantom", "--", PYTHON, "-c", code, way)
            self.assertEqual(ran.stderr.count("Note: Memory was freed that another stream had used"), told, ran.stderr)

    def test_torch_answers_as_on_the_card(self):
        code = """
import json, torch
torch.cuda.memory._record_memory_history()
block = torch.ones(1 << 20, device="cuda")
segments = torch.cuda.memory._snapshot()["segments"]
card = torch.cuda.get_device_properties(0)
print(json.dumps([torch.cuda.is_available(), card.name, card.major, torch.cuda.memory_allocated(),
                  len(segments), sum(s["total_size"] for s in segments)]))
"""
        ran = tidemark("phantom", "--card", "h100", "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        available, name, major, allocated, segments, reserved = json.loads(ran.stdout)
        self.assertTrue(available)
        self.assertIn("H100", name)
        self.assertEqual((major, allocated, segments, reserved), (9, 4 << 20, 1, 20 << 20))

    def test_nvidia_smi_tells_of_the_phantom(self):
        code = """
import os, subprocess
for words in (["--query-gpu=name,memory.total,fan.speed", "--format=csv,noheader,nounits"], ["-L"], []):
    print(subprocess.run(["nvidia-smi", *words], capture_output=True, text=True, check=True).stdout)
os.environ["PATH"] = os.environ["PATH"].partition(":")[0]  # where there is no other Python
for words in (["-L", "-i", "0,0"], ["-L", "-i", "0,7"], ["--loop"]):
    ran = subprocess.run(["nvidia-smi", *words], capture_output=True, text=True)
    print("ended with", ran.returncode, ran.stdout.count("GPU 0"))
"""
        ran = tidemark("phantom", "--card", "h100", "--memory", "64GiB", "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        lines = ran.stdout.splitlines()
        self.assertRegex(lines[0], r"^NVIDIA H100.*, 65536, \[N/A\]$")
        self.assertRegex(lines[2], r"^GPU 0: NVIDIA H100.* \(UUID: GPU-.*\)$")
        self.assertIn("Driver Version", ran.stdout)
        self.assertIn("Note: nvidia-smi was asked", ran.stderr)
        self.assertEqual([line for line in lines if line.startswith("ended")], ["ended with 0 2", "ended with 6 0", "ended with 2 0"])
        self.assertIn("asked for --loop", ran.stderr)


def version_of_torch():
    code = "import torch; print(torch.__version__.split('+')[0] if torch.version.cuda else '')"
    asked = tidemark("phantom", "--", PYTHON, "-c", code) if torch_version() else None
    return asked.stdout.strip() if asked else ""


if __name__ == "__main__":
    main()
