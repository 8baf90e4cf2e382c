#!/usr/bin/env python3
"""One rank of a pipeline on the phantom, whose shapes come from the other ranks: ranks_test.py TIDEMARK."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from programs import PYTHON, TIDEMARK, InFolder, main, run, torch_version

# Every stage widens what it is given, and none says what that is.
PIPELINE = """
import os, sys, torch, torch.distributed as dist
from torch.distributed.pipelining import PipelineStage, ScheduleInterleaved1F1B
open(sys.argv[1], "a").write(f"{os.environ['RANK']}\\n")
dist.init_process_group("nccl")
rank, world = dist.get_rank(), dist.get_world_size()
device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
count = 2 * world
def stage(number):
    return PipelineStage(torch.nn.Linear(64 * number + 64, 64 * number + 128).to(device), number, count, device)
stages = [stage(rank), stage(rank + world)]
schedule = ScheduleInterleaved1F1B(stages, 4, loss_fn=lambda out, target: (out - target).square().mean())
for _ in range(2):
    given = [torch.randn(32, 64, device=device)] if rank == 0 else []
    wanted = {"target": torch.randn(32, 64 * count + 64, device=device)} if rank == world - 1 else {}
    schedule.step(*given, **wanted)
print([tuple(one.shape) for stage in stages for one in stage.inputs_meta])
dist.destroy_process_group()
"""

RANKS = str(Path(__file__).with_name("ranks.py"))
LAYERS = 4
PARAMETERS = LAYERS * 2 * 512 * 2048 * 4  # bytes of ranks.py's net
SEGMENT = 20 << 20  # of blocks of its sizes, the largest that PyTorch shares among several
WAYS = (("ddp", 8, PARAMETERS), ("fsdp2", 8, PARAMETERS // 8), ("tp", 4, PARAMETERS // 4))  # and what a rank holds


# The store in which all have met, and what NCCL's monitor asks of it, which it would once a second; and gloo, of whose writing autograd does not know.
PRETENDED = """
import datetime, sys, time, torch, torch.distributed as dist
patience = datetime.timedelta(seconds=20)  # with which it would wait for the others
own = dist.TCPStore("127.0.0.1", 0, 2, True, timeout=patience)
met = own.check(["what another says"])
dist.init_process_group("nccl", f"file://{sys.argv[1]}/meet", timeout=patience, rank=1, world_size=2)
store = dist.PrefixStore("own", dist.distributed_c10d._get_default_store())
before = store.num_keys()
store.set("key", "value")
print(store.num_keys() - before, store.get("key"), store.delete_key("key"), store.delete_key("key"))
asked = []
type(sys.modules["tidemark_pretended_ranks"].stores[-1]).check = lambda self, keys: asked.extend(keys)
dist.all_reduce(torch.ones(1, device="cuda"))
time.sleep(2.5)
print(asked)
layer, x, gloo = torch.nn.Linear(3, 2), torch.ones(3, requires_grad=True), dist.new_group(backend="gloo")
doubled = x * 2
squares = (doubled * doubled).sum()
dist.reduce(layer.bias, 0, group=gloo)
dist.all_reduce(doubled, group=gloo)
dist.all_to_all([layer.weight], [torch.zeros(2, 3)], group=dist.new_group([dist.get_rank()], backend="gloo"))
squares.backward()
print(met)
print(doubled.tolist(), x.grad.tolist(), layer.weight.sum().item())
"""


class Pretended(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if torch_version() < (2, 6):
            raise unittest.SkipTest("not tried with a torch before 2.6")
        with tempfile.TemporaryDirectory() as folder:
            cls.ran = run(TIDEMARK, "phantom", "--world", "2", "--rank", "1", "--", PYTHON, "-c", PRETENDED, folder)

    def setUp(self):
        self.assertEqual((self.ran.returncode, len(self.ran.stdout.splitlines())), (0, 4), self.ran.stderr)

    def test_it_counts_and_forgets_keys(self):
        self.assertEqual(self.ran.stdout.splitlines()[0], "1 b'value' True False")

    def test_no_thread_asks_python_for_what_the_others_said_once_that_may_have_ended(self):
        self.assertEqual(self.ran.stdout.splitlines()[1], "[]")

    def test_all_have_met_in_a_file_and_in_a_store_of_the_programs_own(self):
        self.assertEqual(self.ran.stdout.splitlines()[2], "True")

    def test_gloo_writes_what_autograd_knows(self):
        self.assertEqual(self.ran.stdout.splitlines()[3], f"{[4.0] * 3} {[16.0] * 3} 0.0")


class Ranks(InFolder):
    @classmethod
    def setUpClass(cls):
        if torch_version() < (2, 6):
            raise unittest.SkipTest("the stages of this torch's pipelines have to be told what they are given")

    def test_the_ranks_before_are_asked_for_the_shapes_that_they_send(self):
        for rank, asked in ((0, {"0", "1"}), (1, {"0", "1"})):
            started = Path(self.folder.name) / f"started-{rank}"
            ran = run(TIDEMARK, "phantom", "--world", "2", "--rank", str(rank), "--", PYTHON, "-c", PIPELINE, str(started))
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stdout, f"{[(8, 64 * rank + 64), (8, 64 * rank + 192)]}\n")
            self.assertIn(f"rank {rank} of 2, local rank {rank}: 0 steps", ran.stderr)
            self.assertIn(f"Note: What rank {1 - rank} sends to this one was asked for", ran.stderr)
            self.assertNotIn("more of its processes used the phantom GPU", ran.stderr)
            self.assertEqual(set(started.read_text().split()), asked)

    def test_the_peaks_of_a_rank_are_those_that_its_way_of_training_has(self):
        for way, world, held in WAYS:
            with self.subTest(way):
                rank = ("--world", str(world), "--rank", str(world - 1))
                ran = run(TIDEMARK, "phantom", *rank, "-o", self.recording, "--", PYTHON, RANKS, way)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                torch = json.loads(ran.stdout.splitlines()[-1])
                measured = json.loads(run(TIDEMARK, "info", self.recording, "--json").stdout)["measured"]
                for what in ("allocated", "requested", "reserved"):
                    self.assertEqual(measured[f"{what}_peak_bytes"], torch[what], what)
                self.assertEqual(torch["parameters"], held)
                holds = measured["by_category_at_peak"]
                self.assertEqual(holds["optimizer_state"], 2 * held)
                self.assertLess(holds.get("unknown", 0), 4096)
                if way == "fsdp2":  # and what is gathered of a layer
                    self.assertGreater(min(holds["parameter"], holds["gradient"], holds["communication"]), held)
                else:
                    self.assertEqual((holds["parameter"], holds["gradient"]), (held, held))
                # Parameters, their gradients, Adam's two moments; then by the way.
                beside = torch["allocated"] - measured["by_category_at_peak"]["workspace"] - 4 * held
                largest = held // (2 * LAYERS)  # of the tensors that a rank holds: Adam's loop computes with three of the size
                layer = PARAMETERS // LAYERS
                if way == "ddp":  # buckets
                    self.assertEqual(beside, PARAMETERS + 3 * largest)
                elif way == "tp":
                    self.assertEqual(beside, 3 * largest)
                else:  # the layer that is gathered, and the next; and gradients to be scattered
                    self.assertTrue(2 * layer < beside < 4 * layer, beside)
                self.assertLess(torch["reserved"] - torch["allocated"], 3 * SEGMENT)

    def test_what_ranks_of_one_machine_tell_each_other_is_alike(self):
        ran = run(TIDEMARK, "phantom", "--world", "8", "--rank", "3", "--", PYTHON, RANKS, "ddp", env={**os.environ, "ENABLE_INTRA_NODE_COMM": "1"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("Note: ENABLE_INTRA_NODE_COMM: collectives go through NCCL here.", ran.stderr)

    def launch(self, code, *options):
        script = Path(self.folder.name) / "train.py"
        script.write_text("import os, torch, torch.distributed as dist\n"
                          "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n"
                          "dist.init_process_group('nccl')\n"
                          "rank, world = dist.get_rank(), dist.get_world_size()\n"
                          "def tell(what): open(f'{__file__}.{rank}', 'a').write(f'{what}\\n')\n" + code)
        ran = run(TIDEMARK, "phantom", *options, "--", PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "3", str(script),
                  env={**os.environ, "TMPDIR": self.folder.name})
        told = [file.read_text().splitlines() if file.exists() else [] for file in (Path(f"{script}.{rank}") for rank in range(3))]
        return ran, told

    def test_ranks_that_a_launcher_starts_get_what_the_others_send(self):
        ran, told = self.launch("""
def on_card(*numbers): return torch.tensor(numbers, device="cuda")
number = on_card(rank + 1.5); dist.all_reduce(number); tell(number.item())
number = on_card(rank + 1); dist.all_reduce(number, op=dist.ReduceOp.MAX); tell(number.item())
number = on_card(rank + 1); dist.reduce(number, 1); tell(number.item() if rank == 1 else 6)
sent = on_card(*(10 * rank + to for to in range(world)))
received = torch.empty_like(sent); dist.all_to_all_single(received, sent); tell(received.tolist())
one = torch.empty_like(sent[:1]); dist.reduce_scatter_tensor(one, sent); tell(one.item())
objects = [None] * world; dist.all_gather_object(objects, "x" * 40 * rank); tell([len(text) for text in objects])
objects = ["from 0" if rank == 0 else None]; dist.broadcast_object_list(objects, 0); tell(objects)
if rank == 0: dist.send(on_card(42), 2)
number = on_card(0)
if rank == 2: dist.recv(number, 0)
tell(number.item())
pair = dist.new_group([0, 2]); number = on_card(rank + 1)
if rank != 1: dist.all_reduce(number, group=pair)
tell(number.item())
half = torch.tensor([rank + 1.0], device="cuda", dtype=torch.bfloat16); dist.all_reduce(half); tell(half.item())
partly = torch.empty(2, device="cuda"); partly[0].fill_(rank); dist.all_reduce(partly); tell(partly[0].item())
graph, number = torch.cuda.CUDAGraph(), on_card(rank)
with torch.cuda.graph(graph): dist.all_reduce(number)
for _ in range(2): graph.replay(); tell(number.item())
dist.destroy_process_group()
""", "-o", self.recording)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for rank in range(3):
            self.assertEqual(told[rank], ["7.5", "3", "6", str([rank, 10 + rank, 20 + rank]), str(30 + 3 * rank), "[0, 40, 80]", "['from 0']",
                                          "42" if rank == 2 else "0", "2" if rank == 1 else "4", "6.0", "3.0", "3", "9"])
        self.assertIn("rank 0 of 3, local rank 0:", ran.stderr)
        self.assertEqual([file.name for file in Path(self.folder.name).iterdir() if file.name.startswith("tidemark-")], [])

    def test_ranks_that_are_there_hold_what_a_rank_beside_pretended_ones_does(self):
        launched = (PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", RANKS, "fsdp2")
        measured = []
        for program in (("--", *launched), ("--world", "2", "--", PYTHON, RANKS, "fsdp2")):
            ran = run(TIDEMARK, "phantom", "-o", self.recording, *program)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            measured.append(json.loads(run(TIDEMARK, "info", self.recording, "--json").stdout)["measured"])
        self.assertEqual(*measured)

    def test_ranks_that_a_program_starts_itself_meet_too(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text("""
import sys, torch, torch.distributed as dist
def train(rank, folder):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", f"file://{folder}/meet", rank=rank, world_size=2, device_id=torch.device("cuda", rank))
    pair = dist.new_group([1, 0])  # split from the first
    number = torch.tensor([rank + 1], device="cuda")
    dist.all_reduce(number, group=pair)
    open(f"{folder}/{rank}", "w").write(str(number.item()))
    dist.destroy_process_group()
if __name__ == "__main__":
    torch.multiprocessing.spawn(train, (sys.argv[1],), 2)
""")
        ran = run(TIDEMARK, "phantom", "--gpus", "2", "--", PYTHON, str(script), self.folder.name)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual([(Path(self.folder.name) / rank).read_text() for rank in "01"], ["3", "3"])

    def test_a_rank_with_a_phantom_of_its_own_is_recorded(self):
        code = "import torch; print(torch.ones(1, device='cuda:1').item())"
        place = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "1", "TIDEMARK_PHANTOM_RANKS": self.folder.name}
        ran = run(TIDEMARK, "phantom", "--gpus", "2", "--", PYTHON, "-c", code, env={**os.environ, **place})
        self.assertEqual((ran.returncode, ran.stdout), (0, "1.0\n"), ran.stderr)
        self.assertIn("rank 0 of 1, local rank 1: 0 steps", ran.stderr)

    def test_a_first_rank_that_uses_no_card_is_said_to_be_the_one_that_is_recorded(self):
        script = Path(self.folder.name) / "train.py"
        script.write_text("import os, torch\nif os.environ['RANK'] != '0': torch.ones(1, device='cuda')\n")
        ran = run(TIDEMARK, "phantom", "--", PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", str(script))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("asked the phantom GPU for no memory; 1 of the others used it.", ran.stderr)

    def test_a_rank_that_another_cannot_hear_is_told_so(self):
        ran, told = self.launch("""
number = torch.ones(1 + rank % 2, device="cuda")
dist.all_reduce(number)
""")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("they take part in different collectives", ran.stderr)
        ran, told = self.launch("""
dist.destroy_process_group()
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
if rank == 0: dist.all_reduce(torch.ones(1, device="cuda"))
else: dist.new_group([0, 1, 2])
""")
        self.assertNotEqual(ran.returncode, 0)
        self.assertRegex(ran.stderr, "they take part in different collectives|Rank 0 does not split the group that this one splits")

    def test_what_cannot_be_asked_for_is_told(self):
        code = """
import torch, torch.distributed as dist
dist.init_process_group("nccl")
received = [None]
if dist.get_rank() == 0:
    raise SystemExit("no data here")
dist.recv_object_list(received, src=0)
print(received)
"""
        ran = run(TIDEMARK, "phantom", "--world", "2", "--rank", "1", "--", PYTHON, "-c", code, env={**os.environ, "TMPDIR": self.folder.name})
        self.assertEqual((ran.returncode, ran.stdout), (0, "[None]\n"), ran.stderr)
        self.assertIn("Note: Rank 0 was asked for what it sends to this one", ran.stderr)
        self.assertIn("did not send it (no data here)", ran.stderr)
        self.assertEqual(list(Path(self.folder.name).iterdir()), [])


if __name__ == "__main__":
    main()
