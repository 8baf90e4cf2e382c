#!/usr/bin/env python3
"""What programs on the phantom reserve: the band over the orders of addresses, the allocator's settings, a driver that fails on purpose.

allocator_test.py TIDEMARK
"""

import json
import os
import unittest
from pathlib import Path

from programs import PYTHON, TIDEMARK, InFolder, main, run, tidemark, torch_version

ADDRESSES = str(Path(__file__).with_name("addresses.py"))

# By the rules of c10/cuda/CUDACachingAllocator.cpp, MiB: each segment, then its blocks, held or free. Up to 1 MiB share segments of 2,
# up to 10 MiB of 20; larger ones have their own, in whole 2 MiB.
SEGMENTS = {
    "": [[2, 0.25, 1.75], [16, 16], [20, 5, 9, 6], [70, 17, 53]],
    # What is larger is never split, and not taken for what is smaller.
    "max_split_size_mb:32": [[2, 0.25, 1.75], [16, 16], [18, 18], [20, 5, 9, 6], [70, 70]],
    # In quarters between powers of two: 5, 10, 16, 80 and 20.
    "roundup_power2_divisions:4": [[2, 0.25, 1.75], [16, 16], [20, 5, 10, 5], [80, 20, 60]],
    # Grow by 20 MiB (of small blocks by 2), as far as they have to.
    "expandable_segments:True": [[2, 0.25, 1.75], [100, 5, 9, 15, 17, 54]],
}


class Allocator(InFolder):
    def test_what_is_reserved_is_a_band_over_the_orders_of_addresses(self):
        code = """
import random, torch
random.seed(3)
live = []
for _ in range(3000):
    if live and random.random() < 0.5: live.pop(random.randrange(len(live)))
    else: live.append(torch.empty(random.choice([1, 2, 3, 5, 7, 9, 12, 15, 30]) << 20, dtype=torch.uint8, device="cuda"))
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertIn("by the order of the driver's addresses", ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        band = measured["reserved_peak_band"]
        self.assertLess(band["least_bytes"], band["most_bytes"])
        self.assertLessEqual(band["least_bytes"], measured["reserved_peak_bytes"])
        self.assertLessEqual(measured["reserved_peak_bytes"], band["most_bytes"])
        self.assertFalse(band["at_the_cliff"])
        # Of the free blocks some are too little larger than what is asked for to be split.
        self.assertIn("    and allocated from ", ran.stderr)
        band = measured["allocated_peak_band"]
        self.assertLess(band["least_bytes"], band["most_bytes"])
        self.assertLessEqual(band["least_bytes"], measured["allocated_peak_bytes"])
        self.assertLessEqual(measured["allocated_peak_bytes"], band["most_bytes"])
        beside_context = measured["reserved_peak_bytes"] + json.loads(tidemark("cards", "h200", "--json").stdout)["context_bytes"]
        ran = tidemark("phantom", "--memory", f"{beside_context + (20 << 20)}", "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("The card is nearly full", ran.stderr)
        ran = tidemark("phantom", "--memory", f"{beside_context - (200 << 20)}", "--", PYTHON, "-c", code)
        self.assertIn("Out of memory", ran.stderr)  # which tells as much
        self.assertNotIn("The card is nearly full", ran.stderr)

    def test_addresses_are_handed_out_in_the_order_that_is_asked_for(self):
        def measured(file, *order):
            ran = tidemark("phantom", *order, "-o", file, "--", PYTHON, ADDRESSES)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertNotIn("is not known for this run", ran.stderr)
            self.assertEqual("Note: Addresses were handed out in the order " in ran.stderr, bool(order))
            return json.loads(tidemark("info", file, "--json").stdout)["measured"]

        other = str(Path(self.folder.name) / "other.tide")
        own = measured(self.recording)
        scattered = measured(other, "--addresses", "scattered-4")
        self.assertNotEqual(scattered["reserved_peak_bytes"], own["reserved_peak_bytes"])
        self.assertEqual(scattered["reserved_peak_band"], own["reserved_peak_band"])
        beyond = measured(other, "--addresses", "scattered-99")["reserved_peak_band"]  # none of those that are likely
        self.assertLessEqual(beyond["least_bytes"], own["reserved_peak_band"]["least_bytes"])
        # A recording is asked what another order would have reserved, and one in another order what its own did.
        asked = json.loads(tidemark("what-if", self.recording, "--addresses", "scattered-4", "--json").stdout)
        self.assertEqual(asked["before"]["reserved_peak_bytes"], own["reserved_peak_bytes"])
        self.assertEqual(asked["after"]["reserved_peak_bytes"], scattered["reserved_peak_bytes"])
        self.assertIn("addresses scattered-4", tidemark("what-if", self.recording, "--addresses", "scattered-4").stdout)
        for card, derived in (("h200", False), ("l4", True)):  # on the first what the driver holds was measured
            ran = tidemark("phantom", "--card", card, "--addresses", "linux-580", "--", PYTHON, ADDRESSES)
            self.assertEqual("was measured on an H200; here it is derived" in ran.stderr, derived, ran.stderr)
        ran = tidemark("phantom", "--addresses", "sideways", "--", PYTHON, ADDRESSES)
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("not 'sideways'", ran.stderr)

    def test_memory_that_waits_for_another_stream_has_an_upper_end_too(self):
        code = """
import torch
weight = torch.nn.Parameter(torch.ones(1))
loss = (weight * weight).sum()
other = torch.cuda.Stream()
for _ in range(3):
    block = torch.empty(30 << 20, dtype=torch.uint8, device="cuda")
    block.record_stream(other)
    with torch.cuda.stream(other): block.add_(1)
    del block
"""
        step = """
loss.backward()
torch.optim.SGD([weight], lr=0.1).step()
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code + step)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("    up to 94,371,840 B (90.0 MiB) if what other streams used comes back", ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        self.assertEqual(measured["reserved_peak_bytes"], 30 << 20)
        self.assertEqual(measured["reserved_peak_with_late_frees_bytes"], 90 << 20)
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)  # no step tells when it comes back
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("if what other streams used comes back", ran.stderr)

    def test_a_run_with_private_pools_is_replayed_with_them(self):
        code = """
import torch
def empty(mib): return torch.empty(mib << 20, dtype=torch.uint8, device="cuda")
weight = empty(30)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for mib in (12, 60, 12): empty(mib)
empty(60)  # not from the graph's, which keeps its own
graph.reset()
del graph
torch.cuda.empty_cache()
pool = torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    kept = empty(100)
del kept
empty(100)
print(torch.cuda.max_memory_reserved())
"""
        ran = tidemark("phantom", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("how far the order of addresses moves it is not known", ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        self.assertEqual(measured["reserved_peak_bytes"], int(ran.stdout))
        self.assertLessEqual(measured["reserved_peak_band"]["least_bytes"], int(ran.stdout))
        self.assertGreaterEqual(measured["reserved_peak_band"]["most_bytes"], int(ran.stdout))

    def test_replays_of_a_graph_and_what_it_keeps_for_them_are_told(self):
        code = """
import torch
def empty(mib): return torch.empty(mib << 20, dtype=torch.uint8, device="cuda")
weight = empty(30)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    kept = empty(20)
    empty(200)
for _ in range(5): graph.replay()
"""
        ran = tidemark("phantom", "--card", "gtx-1650", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        told = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertEqual(told["graph_replays"], 5)
        self.assertRegex(tidemark("info", self.recording).stdout, r"\n  graph replays +5\n")
        if (torch_version() or (0, 0)) < (2, 8):  # which tells no pools
            self.assertIsNone(told["measured"]["private_pools_bytes"])
            return
        found = [finding["bytes"] for finding in told["findings"] if finding["kind"] == "pool_memory"]
        self.assertEqual(found, [told["measured"]["private_pools_free_bytes"]])
        self.assertGreaterEqual(found[0], 200 << 20)

    @unittest.skipIf((torch_version() or (0, 0)) < (2, 10), "this torch's MemPool has not both")
    def test_a_run_with_a_pool_that_has_options_is_replayed_with_them(self):
        code = """
import torch
def empty(mib): return torch.empty(int(mib * 2**20), dtype=torch.uint8, device="cuda")
whole, lent = torch.cuda.MemPool(no_split=True), torch.cuda.MemPool(use_on_oom=True)
with torch.cuda.use_mem_pool(whole):
    pieces = [empty(mib) for mib in (0.25, 0.25, 3, 3, 12, 40)]
    del pieces[-1]
    pieces.append(empty(30))
with torch.cuda.use_mem_pool(lent):
    empty(200)
held = [empty(50) for _ in range(8)]
print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())
"""
        ran = tidemark("phantom", "--memory", "1200MiB", "-o", self.recording, "--", PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("how far the order of addresses moves it is not known", ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        allocated, reserved = map(int, ran.stdout.split())
        self.assertEqual((measured["allocated_peak_bytes"], measured["reserved_peak_bytes"]), (allocated, reserved))
        self.assertIn("reserved_peak_band", measured)

    def test_a_recording_is_replayed_with_the_allocator_settings_that_it_had(self):
        code = "import torch; torch.empty(5 << 20, dtype=torch.uint8, device='cuda')"
        rounding = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF="roundup_power2_divisions:2")
        ran = run(TIDEMARK, "phantom", "-o", self.recording, "--", PYTHON, "-c", code, env=rounding)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
        self.assertEqual(measured["allocated_peak_bytes"], 6 << 20)
        self.assertEqual(measured["reserved_peak_band"]["most_bytes"], measured["reserved_peak_bytes"])

    def test_settings_that_stand_in_the_program_or_before_it_are_those_that_it_had(self):
        allocate = "import torch; kept = torch.empty(5 << 20, dtype=torch.uint8, device='cuda')"
        inside = "import os; os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'roundup_power2_divisions:2'; " + allocate
        for words in ((PYTHON, "-c", inside), ("env", "PYTORCH_CUDA_ALLOC_CONF=roundup_power2_divisions:2", PYTHON, "-c", allocate)):
            ran = tidemark("phantom", "-o", self.recording, "--", *words)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertNotIn("how far the order of addresses moves it is not known", ran.stderr)
            measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
            self.assertEqual(measured["allocated_peak_bytes"], 6 << 20)
            self.assertEqual(measured["reserved_peak_band"]["most_bytes"], measured["reserved_peak_bytes"])

    def test_what_other_settings_would_do_is_what_they_do(self):
        code = (
            "import random, torch\n"
            "random.seed(1)\n"
            "held = []\n"
            "for _ in range(400):\n"
            "    held.append(torch.empty(random.randint(1, 90) << 20 >> random.choice([0, 0, 3, 9]), dtype=torch.uint8, device='cuda'))\n"
            "    if len(held) > 30: held.pop(random.randrange(len(held)))\n"
        )
        other = str(Path(self.folder.name) / "other.tide")

        def reserved(file, settings, program=code, memory="32GiB"):
            env = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=settings)
            run(TIDEMARK, "phantom", "--memory", memory, "-o", file, "--", PYTHON, "-c", program, env=env)
            return json.loads(tidemark("info", file, "--json").stdout)["measured"]["reserved_peak_bytes"]

        def what_if(*words):
            answer = json.loads(tidemark("what-if", self.recording, *words, "--json").stdout)
            self.assertEqual(answer["before"]["reserved_peak_bytes"], plain)
            return answer["after"]["reserved_peak_bytes"], answer["note"]

        plain = reserved(self.recording, "")
        split = what_if("--alloc-conf", "max_split_size_mb:32")[0]
        self.assertNotEqual(split, plain)
        self.assertEqual(split, reserved(other, "max_split_size_mb:32"))
        idle, note = what_if("--alloc-conf", "garbage_collection_threshold:0.5")
        self.assertEqual(idle, plain)
        self.assertIn("per_process_memory_fraction", note)
        self.assertGreaterEqual(what_if("--after", self.recording)[0], plain)  # so much is cached already
        # After an out of memory the settings that have room are told, and have: here half of each segment of 20 MiB is
        # free, and blocks of 10 MiB would have segments of their own.
        halves = (
            "import torch\n"
            "def empty(mib): return torch.empty(mib << 20, dtype=torch.uint8, device='cuda')\n"
            "pieces = [empty(9) for _ in range(80)]\n"
            "del pieces[::2]\n"
            "empty(400)\n"
        )
        reserved(other, "", halves, "1650MiB")
        info = json.loads(tidemark("info", other, "--ways-out", "--json").stdout)
        self.assertTrue(info["out_of_memory"])
        [way] = info["ways_out"]
        self.assertEqual(way["allocator"], "roundup_power2_divisions:4")
        self.assertEqual(reserved(other, way["allocator"], halves, "1650MiB"), way["reserved_peak_bytes"])
        self.assertFalse(json.loads(tidemark("info", other, "--json").stdout)["out_of_memory"])

    def test_segments_follow_the_rules_of_each_setting(self):
        code = (
            "import json, torch\n"
            "def empty(mib): return torch.empty(int(mib * 2**20), dtype=torch.uint8, device='cuda')\n"
            "held = [empty(mib) for mib in (0.25, 5, 9, 15, 70)]\n"
            "held[-1] = None\n"
            "held.append(empty(17))\n"
            "print(json.dumps(sorted([s['total_size'] / 2**20, *[b['size'] / 2**20 for b in s['blocks']]] for s in torch.cuda.memory_snapshot())))"
        )
        for settings, segments in SEGMENTS.items():
            with self.subTest(settings):
                env = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=settings)
                ran = run(TIDEMARK, "phantom", "-o", self.recording, "--", PYTHON, "-c", code, env=env)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertEqual(json.loads(ran.stdout), segments)
                measured = json.loads(tidemark("info", self.recording, "--json").stdout)["measured"]
                self.assertEqual(measured["reserved_peak_bytes"] >> 20, sum(total for total, *_ in segments))

    def test_an_allocator_that_tells_nothing_is_told_of_in_a_sentence(self):
        code = "import torch; torch.empty(1 << 20, device='cuda')"
        ran = run(TIDEMARK, "phantom", "--", PYTHON, "-c", code, env=dict(os.environ, PYTORCH_NO_CUDA_MEMORY_CACHING="1"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("memory is not recorded", ran.stderr)

    def test_blocks_of_cudaMallocAsync_are_what_its_pool_uses(self):
        """As `reserved` is the driver's own affair, it is not told."""
        code = """
import torch
net = torch.nn.Sequential(torch.nn.Linear(1000, 1500), torch.nn.ReLU(), torch.nn.Linear(1500, 10)).cuda()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    torch.cuda.reset_peak_memory_stats()
    optimizer.zero_grad()
    net(torch.ones(300, 1000, device="cuda")).sum().backward()
    optimizer.step()
print(torch.cuda.max_memory_allocated())
try: torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
except torch.OutOfMemoryError: pass
torch.backends.cudnn.benchmark = True  # tries how much there is room for, which is no block
torch.nn.Conv2d(3, 8, 3, device="cuda")(torch.ones(1, 3, 9, 9, device="cuda"))
"""
        measured = {}
        for backend in ("native", "cudaMallocAsync"):
            env = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=f"backend:{backend}")
            ran = run(TIDEMARK, "phantom", "-o", self.recording, "--", PYTHON, "-c", code, env=env)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            info = json.loads(tidemark("info", self.recording, "--json").stdout)
            measured[backend] = info["measured"]
            self.assertEqual(info["measured"]["allocated_peak_bytes"], int(ran.stdout), backend)
            self.assertEqual([one["requested_bytes"] for one in info["shortages"]], [1 << 40], backend)
            self.assertGreater(info["shortages"][0]["free_bytes"], 1 << 30)
            self.assertNotIn("outside of PyTorch's allocator", " ".join(info["notes"]))
        told = json.loads(tidemark("info", self.recording, "--json").stdout)
        self.assertIn("is the driver's affair", told["measured"]["reserved_peak_band_unknown"])
        self.assertTrue(told["card"]["taken_is_at_least"])
        fits = run(TIDEMARK, "fit", "--card", "l4", "--", PYTHON, "-c", code, env=env)
        self.assertEqual(fits.returncode, 1, fits.stdout)
        self.assertIn("is the driver's affair", fits.stderr)
        native, asynchronous = measured.values()
        self.assertEqual(native["requested_peak_bytes"], asynchronous["requested_peak_bytes"])
        self.assertEqual(native["by_category_at_peak"]["parameter"], asynchronous["by_category_at_peak"]["parameter"])

    def test_the_driver_fails_on_purpose(self):
        code = """
import torch
blocks = []
try:
    for _ in range(5): blocks.append(torch.empty(20 << 20, dtype=torch.uint8, device="cuda"))
except torch.OutOfMemoryError: pass
print(len(blocks), torch.cuda.memory_stats()["num_alloc_retries"], torch.cuda.mem_get_info()[0] >> 20)
"""
        free = 8192 - 620  # of H200's context, in whole 2 MiB
        for fault, expected in {
            "out-of-memory=3": (5, 1, free - 100),
            "out-of-memory=3..": (2, 1, free - 40),
            "fragmentation=16MiB": (0, 1, free),
            "other-process=4GiB@2": (5, 0, free - 100 - 4096),
            "slow-driver=1ms": (5, 0, free - 100),
        }.items():
            with self.subTest(fault):
                ran = tidemark("phantom", "--memory", "8GiB", "--fault", fault, "--", PYTHON, "-c", code)
                self.assertEqual(tuple(map(int, ran.stdout.split())), expected, ran.stderr)
                happens = expected[1] > 0 or fault.startswith(("other", "slow"))
                self.assertIn("struck: " if happens else "did not happen", ran.stderr)
                self.assertIn("Note: Faults were asked for", ran.stderr)
        ran = tidemark("phantom", "--fault", "out-of-memory=99", "--", PYTHON, "-c", code)
        self.assertIn("The fault out-of-memory did not happen", ran.stderr)
        ran = tidemark("phantom", "--fault", "rust", "--", PYTHON, "-c", code)
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("must be out-of-memory=37", ran.stderr)


if __name__ == "__main__":
    main()
