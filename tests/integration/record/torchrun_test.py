#!/usr/bin/env python3
"""Four ranks that torchrun starts, under `tidemark record` on phantom cards: each has a recording, told apart by rank and card, and
its peak is what torch counts itself. Trainings one after the other in one process, and memory that NCCL allocates.

torchrun_test.py TIDEMARK: with the torch of $TIDEMARK_TEST_PYTHON, or of python3; skipped (exit code 77) where that has none.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))
from programs import PYTHON, TIDEMARK, main  # what it says of a Python without torch is said there

PROGRAM = """
import json, os, torch
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
torch.distributed.init_process_group("gloo")
net = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10 + rank)).cuda()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    optimizer.zero_grad()
    net(torch.zeros(64, 256, device="cuda")).sum().backward()
    optimizer.step()
torch.distributed.barrier()
with open(f"peak.{rank}", "w") as peak:
    json.dump(torch.cuda.max_memory_allocated(), peak)
torch.distributed.destroy_process_group()
"""


def info_of(folder, recording):
    told = subprocess.run([TIDEMARK, "info", recording, "--json"], cwd=folder, capture_output=True, check=True)
    return json.loads(told.stdout)


def recorded(test, program, *under, recordings=("run.tide",)):
    """What each recording of a program says that runs in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "train.py").write_text(program)
        ran = subprocess.run((*under, PYTHON, "train.py"), cwd=folder, capture_output=True, text=True, check=False)
        test.assertEqual(ran.returncode, 0, ran.stderr)
        return [info_of(folder, recording) for recording in recordings]


RECORD = (TIDEMARK, "record", "-o", "run.tide", "--")


class Torchrun(unittest.TestCase):
    def test_four_ranks_have_a_recording_each(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "train.py").write_text(PROGRAM)
            launcher = (PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "4", "train.py")
            command = (TIDEMARK, "phantom", "--", TIDEMARK, "record", "-o", "run.tide", "--", *launcher)
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                                 env={**os.environ, "OMP_NUM_THREADS": "1"})
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(sorted(file.name for file in Path(folder).glob("*.tide")),
                             [f"run.rank{rank}.tide" for rank in range(4)])  # the launcher looked for cards, and has none
            peaks = set()
            for rank in range(4):
                info = info_of(folder, f"run.rank{rank}.tide")
                self.assertEqual(info["title"], f"train.py, rank {rank} of 4, local rank {rank}")
                self.assertEqual((info["steps"], info["events"]["lost"], info["warnings"]), (3, 0, []))
                peaks.add(info["measured"]["allocated_peak_bytes"])
                torch = json.loads((Path(folder) / f"peak.{rank}").read_text())
                self.assertEqual(info["measured"]["allocated_peak_bytes"], torch)
                card = [source["state"] for source in info["sources"] if source["source"] == "device"]
                self.assertTrue(card[0].endswith(f"-00000000000{rank})"), card)
            self.assertGreater(len(peaks), 1)  # their layers differ in size


class Trainings(unittest.TestCase):
    def test_three_short_trainings_in_one_process_have_all_their_steps(self):
        program = ("import torch\n"
                   "for width, steps in ((256, 3), (512, 4), (1024, 5)):\n"
                   "    net = torch.nn.Linear(256, width).cuda()\n"
                   "    optimizer = torch.optim.Adam(net.parameters())\n"
                   "    for _ in range(steps):\n"
                   "        net(torch.zeros(64, 256, device='cuda')).sum().backward()\n"
                   "        optimizer.step()\n")
        for info in recorded(self, program, TIDEMARK, "phantom", "-o", "phantom.tide", "--", *RECORD, recordings=("phantom.tide", "run.tide")):
            self.assertEqual((info["steps"], info["events"]["lost"], info["warnings"]), (12, 0, []), info["sources"])


class NcclMemory(unittest.TestCase):
    def test_what_nccl_allocates_is_the_drivers_and_its_librarys(self):
        program = ("import torch, torch.distributed as dist\n"
                   "dist.init_process_group('nccl', init_method='tcp://127.0.0.1:0', rank=0, world_size=1, device_id=torch.device('cuda:0'))\n"
                   "nccl = dist.distributed_c10d._get_default_group()._get_backend(torch.device('cuda:0'))\n"
                   "with torch.cuda.use_mem_pool(torch.cuda.MemPool(nccl.mem_allocator)):\n"
                   "    block = torch.empty(60 << 20, dtype=torch.uint8, device='cuda')\n")
        info, = recorded(self, program, TIDEMARK, "phantom", "--card", "h200", "--", *RECORD)
        held = {row["library"]: row["most_bytes"] for row in info["driver_by_library"]}
        self.assertEqual(held["libnccl.so.2"], 60 << 20)
        self.assertEqual(info["levels"]["driver_bytes"], info["levels"]["reserved_bytes"])


if __name__ == "__main__":
    main()
