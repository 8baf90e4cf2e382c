#!/usr/bin/env python3
"""Programs under `tidemark record`. record_test.py TIDEMARK REFERENCE_PROGRAM: the latter runs LibTorch on a phantom GPU."""

import csv
import functools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REFERENCE = sys.argv.pop()
TIDEMARK = sys.argv.pop()
ROOT = Path(TIDEMARK).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from phantom_environment import phantom_environment

phantom = functools.partial(phantom_environment, TIDEMARK)


def works(*command):
    """Whether a launcher is there and starts something. Slurm has to run, too: its commands wait for it."""
    try:
        return subprocess.run([*command, "true"], capture_output=True, timeout=10, check=False).returncode == 0
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False


MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4")
SRUN = ("srun", "--overcommit", "-n", "4")


class Record(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.recording = Path(self.folder.name) / "run.tide"

    def tearDown(self):
        self.folder.cleanup()

    def record(self, *program, environment=None, **options):
        return subprocess.run([TIDEMARK, "record", "-o", self.recording, *options.pop("flags", ()), "--", *program],
                              capture_output=True, text=True, env=environment, **options)

    def info(self, recording=None):
        said = subprocess.run([TIDEMARK, "info", recording or self.recording, "--json"], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        return json.loads(said.stdout)

    def states(self, recording=None):
        return {source["source"]: source["state"] for source in self.info(recording)["sources"]}

    def rows(self):
        table = self.recording.with_suffix(".csv")
        subprocess.run([TIDEMARK, "export", self.recording, "-o", table], check=True, capture_output=True)
        with open(table, newline="") as rows:
            return list(csv.DictReader(rows))

    def stacks(self, kind):
        return [row["operator"] for row in self.rows() if row["kind"] == kind]

    def test_libtorch_on_a_gpu_is_recorded_as_it_counts_itself(self):
        ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1", environment=phantom())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        peaks = [int(number) for number in re.findall(r"\d{6,}", ran.stdout)]
        info = self.info()
        self.assertIn(info["measured"]["allocated_peak_bytes"], peaks, ran.stdout)
        self.assertIn(info["measured"]["reserved_peak_bytes"], peaks, ran.stdout)
        self.assertEqual(info["events"]["lost"], 0)
        self.assertEqual(info["warnings"], [])
        levels = info["levels"]
        self.assertGreaterEqual(levels["driver_bytes"], levels["reserved_bytes"])
        self.assertGreater(levels["process_bytes"], levels["driver_bytes"])
        self.assertEqual(info["driver_by_library"][0]["library"], "libc10_cuda.so")  # PyTorch's allocator
        self.assertEqual(sum(one["most_bytes"] for one in info["driver_by_library"]), levels["driver_bytes"])
        states = self.states()
        self.assertTrue(states["allocator"].startswith("live (blocks as PyTorch sets them aside"), states)
        self.assertTrue(states["driver"].startswith("live (CUPTI 13.0, the phantom's stand-in)"), states)
        self.assertTrue(states["device"].startswith("live (NVML, the phantom's stand-in for driver"), states)
        self.assertIn("From tensors to the card", ran.stderr)

    def test_a_program_that_failed_has_failed_though_who_started_the_recorder_ignores_how_children_end(self):
        ran = subprocess.run(["env", "--ignore-signal=CHLD", TIDEMARK, "record", "--", "sh", "-c", "exit 3"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 3, ran.stderr)
        self.assertIn("The program ended with exit code 3.", ran.stderr)

    def test_a_recording_that_cannot_go_on_is_not_said_to_hold_all(self):
        code = ("import ctypes, os, resource\n"
                "cuda, context, address = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_uint64()\n"
                "assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0\n"
                "assert cuda.cuCtxSetCurrent(context) == 0\n"
                "resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (1, 1))\n"  # the recorder's files, from here on
                "assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(3 << 20)) == 0\n")
        ran = self.record(sys.executable, "-c", code, environment=phantom(), restore_signals=False)  # SIGXFSZ stays ignored
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("The recording keeps what it has until then; the run goes on.", ran.stderr)
        self.assertIn(f" lost, not all of them in {self.recording}", ran.stderr)

    def test_segments_that_go_and_come_between_blocks_are_told(self):
        """PyTorch reports what is reserved with its blocks only. Without CUPTI the sum is right, whatever the segments."""
        for flags, settings in (([], ""), ([], "expandable_segments:True"), (["--without", "driver"], "")):
            with self.subTest((flags, settings)):
                ran = self.record(REFERENCE, "segments", environment=phantom() | {"PYTORCH_CUDA_ALLOC_CONF": settings}, flags=flags)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                allocated, reserved, left, made = (int(number) for number in re.findall(r"\d+", ran.stdout))
                measured = self.info()["measured"]
                self.assertEqual((measured["allocated_peak_bytes"], measured["reserved_peak_bytes"]), (allocated, reserved))
                if not flags and not settings:  # mapped pieces are no segments of PyTorch's
                    kinds = [row["kind"] for row in self.rows()]
                    self.assertEqual((kinds.count("segment allocate"), kinds.count("segment free")), (made, made - left))

    def test_what_is_mapped_is_told_of_the_library_that_asked(self):
        ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1",
                          environment=phantom() | {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        info = self.info()
        self.assertEqual([(one["library"], one["most_bytes"]) for one in info["driver_by_library"]],
                         [("libc10_cuda.so", info["measured"]["reserved_peak_bytes"])])

    def test_an_allocator_that_tells_nothing_is_said_to_be_blocked_and_by_what(self):
        variable = "PYTORCH_NO_CUDA_MEMORY_CACHING"
        ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1", environment=phantom() | {variable: "1"})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        states, levels = self.states(), self.info()["levels"]
        self.assertTrue(states["allocator"].startswith("blocked: "), states)
        self.assertIn(variable, states["allocator"])
        self.assertNotIn("allocated_bytes", levels)
        self.assertGreater(levels["process_bytes"], 0)

    def test_blocks_of_cudaMallocAsync_are_seen_as_pytorch_asks_for_them(self):
        for flags in ((), ("--without", "driver")):
            with self.subTest(flags):
                asynchronous = {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64, backend:cudaMallocAsync"}
                ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1", environment=phantom() | asynchronous, flags=flags)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                info = self.info()
                # It counts what its pool uses since the process began, we each step's peak: the same from the second step on.
                self.assertIn(f"allocated {info['measured']['allocated_peak_bytes']} ", ran.stdout)
                self.assertLess(info["measured"]["requested_peak_bytes"], info["measured"]["allocated_peak_bytes"])
                self.assertTrue(self.states()["allocator"].startswith("live (cudaMallocAsync's blocks"), self.states())
                self.assertEqual(info["events"]["lost"], 0)
                rows = self.rows()
                made, gone = ([row["address"] for row in rows if row["kind"] == kind] for kind in ("allocate", "free completed"))
                self.assertGreater(len(made), 100)
                self.assertEqual(set(gone) - set(made), set())

    def test_where_cupti_does_not_serve_its_state_says_why_and_the_rest_is_recorded(self):
        step = REFERENCE, "step", "64", "128", "64", "0", "1"
        alone = subprocess.run(step, capture_output=True, text=True, env=phantom(), check=True).stdout
        peaks = [int(number) for number in re.findall(r"\d{6,}", alone)]
        for answer, state in (("held=Nsight Systems", "blocked by Nsight Systems: CUPTI serves one tool at a time."),
                              ("refuses=35", "refused: the driver lets only an administrator trace"),
                              ("refuses=14", "refused: this driver is too old for CUPTI 13.0."),
                              ("refuses=43", "not supported: CUPTI does not trace this slice of a card (MIG)."),
                              ("refuses=45", "not supported: CUPTI does not trace this card under WSL;")):
            with self.subTest(answer):
                ran = self.record(*step, environment=phantom() | {"TIDEMARK_PHANTOM_CUPTI": answer})
                self.assertEqual(ran.returncode, 0, ran.stderr)
                info, states = self.info(), self.states()
                self.assertTrue(states["driver"].startswith(state), states)
                self.assertIn(f"driver: {state}", ran.stderr)
                self.assertTrue(states["allocator"].startswith("live"), states)
                self.assertTrue(states["device"].startswith("live"), states)
                self.assertIn(info["measured"]["allocated_peak_bytes"], peaks)
                self.assertIn(info["measured"]["reserved_peak_bytes"], peaks)
                self.assertNotIn("driver_bytes", info["levels"])
                self.assertGreater(info["levels"]["process_bytes"], info["levels"]["reserved_bytes"])

    def test_a_program_that_asks_for_cupti_itself_gets_it(self):
        """As torch.profiler does, by its symbol; not where kernels are recorded, which is said with --kernels."""
        code = ("import ctypes\n"
                "cuda, context, address = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p(), ctypes.c_uint64()\n"
                "assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0\n"
                "assert cuda.cuCtxSetCurrent(context) == 0\n"
                "assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(3 << 20)) == 0\n"
                "seen = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)(lambda *_: None)\n"
                "print(ctypes.CDLL(None).cuptiSubscribe(ctypes.byref(ctypes.c_void_p()), seen, None))\n"
                "assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(3 << 20)) == 0\n")
        for flags, answer, state in (([], "0\n", "given up to the program's "), (["--kernels"], "39\n", "live (CUPTI 13.0")):
            with self.subTest(flags):
                ran = self.record(sys.executable, "-c", code, environment=phantom(), flags=flags)
                self.assertEqual((ran.returncode, ran.stdout), (0, answer), ran.stderr)
                self.assertTrue(self.states()["driver"].startswith(state), self.states())
                levels = [int(row["bytes"]) for row in self.rows() if row["level"] == "driver"]
                self.assertEqual(levels, [3 << 20, 6 << 20 if flags else 0])

    def test_a_source_that_is_left_out_says_so_and_the_others_tell(self):
        levels = {"allocator": "allocated_bytes", "driver": "driver_bytes", "device": "card_bytes"}
        for left_out in (["allocator"], ["driver"], ["device"], ["driver", "device"]):
            with self.subTest(left_out):
                ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1", environment=phantom(),
                                  flags=["--without", ",".join(left_out)])
                self.assertEqual(ran.returncode, 0, ran.stderr)
                info, states = self.info(), self.states()
                self.assertEqual({source for source, state in states.items() if state.startswith("left out")}, set(left_out), states)
                told = {source for source, level in levels.items() if info["levels"].get(level)}
                self.assertEqual(told, set(levels) - set(left_out), info["levels"])
                if "allocator" in left_out:
                    self.assertFalse([row for row in self.rows() if row["kind"] in ("phase", "step begin")])

    def test_of_cuptis_other_versions_callbacks_are_taken(self):
        for version, name in (("17", "of CUDA 11 or older"), ("140000", "14.0")):
            with self.subTest(version):
                ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1",
                                  environment=phantom() | {"TIDEMARK_PHANTOM_CUPTI": f"version={version}"})
                self.assertEqual(ran.returncode, 0, ran.stderr)
                state, levels = self.states()["driver"], self.info()["levels"]
                self.assertTrue(state.startswith(f"live (CUPTI {name}, the phantom's stand-in), but by callbacks only"), state)
                self.assertGreaterEqual(levels["driver_bytes"], levels["reserved_bytes"])

    def test_sizes_are_told_as_set_aside_and_what_blocks_hold_as_inferred(self):
        ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1", environment=phantom())
        info = self.info()
        self.assertIsNone(info["measured"]["requested_peak_bytes"])
        self.assertTrue(info["measured"]["categories_are_inferred"])
        self.assertNotIn("requested_bytes", info["levels"])
        self.assertNotIn("rounding to blocks", ran.stderr)
        self.assertIn("At the peak of the run (what blocks hold is inferred", ran.stderr)

    def test_memory_that_ran_out_is_told_as_info_tells_it_and_what_to_ask_next(self):
        small = {**phantom(), "TIDEMARK_PHANTOM_MEMORY": str(2 << 30)}
        ran = self.record(REFERENCE, "step", "64", "128", "4096", "0", "1", environment=small)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("\nOut of memory in step 0, forward\n", ran.stderr)
        self.assertIn("\nLargest owners of what was allocated then\n", ran.stderr)
        self.assertTrue(ran.stderr.endswith(f"tidemark info {self.recording} --ways-out searches what makes it fit.\n"),
                        ran.stderr)

    def test_a_program_without_pytorch_has_the_drivers_level_and_no_allocator(self):
        code = ("import ctypes\n"
                "cuda, address, context = ctypes.CDLL('libcuda.so.1'), ctypes.c_uint64(), ctypes.c_void_p()\n"
                "assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0\n"
                "assert cuda.cuCtxSetCurrent(context) == 0\n"
                "assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(3 << 20)) == 0\n"
                "assert cuda.cuMemFree_v2(address) == 0\n")
        ran = self.record(sys.executable, "-c", code, environment=phantom())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        states = self.states()
        self.assertTrue(states["allocator"].startswith("absent: there is no PyTorch in this process"), states)
        self.assertTrue(states["driver"].startswith("live"), states)
        self.assertIn("allocator: absent: there is no PyTorch", ran.stderr)
        info = self.info()
        self.assertEqual(info["levels"]["driver_bytes"], 3 << 20)
        self.assertIsNone(info["measured"]["allocated_peak_bytes"])
        self.assertIsNone(info["measured"]["requested_peak_bytes"])
        self.assertEqual(set(info["measured"]["by_category_at_peak"].values()), {None})
        self.assertTrue(info["measured"]["why_untold"].startswith("What is allocated is not known. There is no PyTorch in this process, "))

    def test_memory_that_could_not_be_released_or_unmapped_counts_on(self):
        """Virtual memory, with calls in between that the driver refuses."""
        code = ("import ctypes\n"
                "cuda, context = ctypes.CDLL('libcuda.so.1'), ctypes.c_void_p()\n"
                "assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0\n"
                "assert cuda.cuCtxSetCurrent(context) == 0\n"
                "piece, place, size = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t(4 << 20)\n"
                "half, none = ctypes.c_size_t(2 << 20), ctypes.c_uint64(1 << 40)\n"
                "about = (ctypes.c_int * 8)(1, 0, 1, 0)\n"  # CUmemAllocationProp: pinned, on card 0
                "assert cuda.cuMemCreate(ctypes.byref(piece), size, about, ctypes.c_uint64(0)) == 0\n"
                "assert cuda.cuMemAddressReserve(ctypes.byref(place), size, ctypes.c_size_t(0), ctypes.c_uint64(0), ctypes.c_uint64(0)) == 0\n"
                "assert cuda.cuMemMap(place, size, ctypes.c_size_t(0), piece, ctypes.c_uint64(0)) == 0\n"
                "assert cuda.cuMemUnmap(place, half) != 0 and cuda.cuMemRelease(none) != 0\n"
                "assert cuda.cuMemRelease(piece) == 0\n"
                "assert cuda.cuMemAlloc_v2(ctypes.byref(none), ctypes.c_size_t(1 << 20)) == 0\n"
                "assert cuda.cuMemUnmap(place, size) == 0\n")
        ran = self.record(sys.executable, "-c", code, environment=phantom())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        levels = [int(row["bytes"]) for row in self.rows() if row["level"] == "driver"]
        self.assertEqual(levels, [4 << 20, 5 << 20, 1 << 20])

    def check_ranks(self, ran):
        """Four recordings, each with its own rank and card, and with all that the rank did."""
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("not recorded", ran.stderr)
        self.assertEqual(len(list(self.recording.parent.glob("*.tide"))), 4)
        peaks = set()
        for rank in range(4):
            info = self.info(self.recording.with_name(f"run.rank{rank}.tide"))
            # Not by what started it: bash, mpirun or srun.
            self.assertEqual(info["title"], f"{Path(REFERENCE).name}, rank {rank} of 4, local rank {rank}")
            self.assertEqual(info["events"]["lost"], 0)
            self.assertEqual(info["warnings"], [])
            self.assertGreater(info["levels"]["process_bytes"], info["levels"]["driver_bytes"])
            states = self.states(self.recording.with_name(f"run.rank{rank}.tide"))
            self.assertIn(f"GPU-68323030-0000-0000-0000-00000000000{rank})", states["device"])
            peaks.add((info["measured"]["allocated_peak_bytes"], info["measured"]["reserved_peak_bytes"]))
        self.assertEqual(len(peaks), 1)
        self.assertGreater(peaks.pop()[0], 1 << 20)

    # What a launcher calls a rank's number on its machine, and a card for each.
    RANK = ("bash", "-c", 'CUDA_VISIBLE_DEVICES=${LOCAL_RANK:-${OMPI_COMM_WORLD_LOCAL_RANK:-$SLURM_LOCALID}} '
            f'exec {REFERENCE} step 64 128 64 0 1')

    def operators(self, torch, program=(REFERENCE, "step", "64", "128", "64", "0", "1")):
        """Records a program with the library that watches operators, said to be compiled for that LibTorch."""
        watch = {"TIDEMARK_PROBE_OPERATORS": str(ROOT / "lib" / "capture" / "libtidemark-operators.so"),
                 "TIDEMARK_PROBE_TORCH": str(torch)}
        ran = self.record(*program, environment=phantom() | watch)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return self.states()

    def test_operators_and_backward_nodes_are_told_and_name_memory(self):
        linked = subprocess.run(["ldd", REFERENCE], capture_output=True, text=True, check=True).stdout
        states = self.operators(re.search(r"(/\S*/libtorch_cuda\.so)", linked)[1])
        self.assertTrue(states["allocator"].startswith("live"), states)
        self.assertNotIn(", but", states["allocator"])
        scopes = self.stacks("scope begin")
        self.assertLessEqual({"aten::conv2d", "aten::addmm", "ConvolutionBackward0", "AccumulateGrad"}, set(scopes))
        self.assertEqual(len(scopes), len(self.stacks("scope end")))
        self.assertLessEqual({"aten::conv2d", "aten::addmm", "ConvolutionBackward0"}, set(self.stacks("allocate")))
        self.assertEqual(self.info()["events"]["lost"], 0)

    def test_another_torch_than_the_watching_library_was_compiled_for_is_left_alone(self):
        self.record(REFERENCE, "step", "64", "128", "64", "0", "1", environment=phantom())
        peak = self.info()["measured"]["allocated_peak_bytes"]
        states = self.operators("/lib/x86_64-linux-gnu/libc.so.6-of-another-torch")
        self.assertIn("operators are not known: the PyTorch of this process is another one", states["allocator"])
        self.assertEqual(self.info()["measured"]["allocated_peak_bytes"], peak)
        self.assertEqual(self.stacks("scope begin"), [])

    def test_operators_of_what_is_no_python_are_said_to_be_missing(self):
        ran = self.record("sh", "-c", "exit 4", flags=["--operators"])
        self.assertEqual(ran.returncode, 4)
        self.assertIn("Operators are not told: which Python will run is not known here", ran.stderr)

    def test_four_ranks_at_once_have_a_recording_each(self):
        script = ('for rank in 0 1 2 3; do '
                  'RANK=$rank WORLD_SIZE=4 LOCAL_RANK=$rank "$@" & done; wait')
        self.check_ranks(self.record("bash", "-c", script, "ranks", *self.RANK, environment=phantom(cards=4)))
        self.check_own_recorders("bash", "-c", script, "ranks")

    def check_own_recorders(self, *launcher):
        for recording in self.recording.parent.glob("*.tide"):
            recording.unlink()
        command = [*launcher, TIDEMARK, "record", "-o", self.recording, "--", *self.RANK]
        self.check_ranks(subprocess.run(command, capture_output=True, text=True, env=phantom(cards=4), check=False))

    def test_what_starts_ranks_and_only_looks_for_cards_leaves_no_recording(self):
        looks = f"{sys.executable} -c 'import ctypes; ctypes.CDLL(None).cuInit(0)'"
        ran = self.record("bash", "-c", f"{looks}; RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 {REFERENCE} bytes", environment=phantom())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual([file.name for file in self.recording.parent.glob("*.tide")], ["run.rank0.tide"])
        ran = self.record("bash", "-c", looks, environment=phantom())
        self.assertTrue(self.recording.exists(), ran.stderr)  # alone it is what was asked for

    def test_a_rank_that_is_not_heard_is_told(self):
        ran = self.record("bash", "-c", f"RANK=1 WORLD_SIZE=2 LOCAL_RANK=0 {REFERENCE} bytes", environment=phantom())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("1 of the launcher's ranks is not recorded", ran.stderr)
        # In a batch script, which has a rank's variables of its own.
        batch = {"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_LOCALID": "0"}
        ran = self.record("bash", "-c", f"SLURM_PROCID=1 {REFERENCE} bytes", environment=phantom() | batch)
        self.assertIn("1 of the launcher's ranks is not recorded", ran.stderr)

    def check_launcher(self, launcher):
        """In front of the recorder, and behind it."""
        if not works(*launcher):
            self.skipTest(f"{launcher[0]} starts nothing here")
        self.check_ranks(self.record(*launcher, *self.RANK, environment=phantom(cards=4)))
        self.check_own_recorders(*launcher)

    def test_mpirun_starts_ranks_that_have_a_recording_each(self):
        self.check_launcher(MPIRUN)

    def test_srun_starts_ranks_that_have_a_recording_each(self):
        self.check_launcher(SRUN)

    def test_a_rank_is_called_by_what_runs_behind_its_script(self):
        folder = Path(self.folder.name)
        (folder / "train.py").write_text(
            "import ctypes\n"
            "report = ctypes.CDLL(None)['_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE']\n"
            "report.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_ushort]\n"
            "report(0x1000, 512, 0, 0, 0)\n")
        (folder / "rank.sh").write_text(f"export RANK=$OMPI_COMM_WORLD_RANK\n{sys.executable} -u {folder}/train.py\necho done\n")
        launched = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1"}
        ran = self.record("env", *(f"{name}={value}" for name, value in launched.items()), "bash", str(folder / "rank.sh"), flags=["--cpu"])
        self.assertEqual((ran.returncode, ran.stdout), (0, "done\n"), ran.stderr)
        title = self.info(folder / "run.rank1.tide")["title"]
        self.assertTrue(title.startswith("train.py, rank 1"), title)

    def test_what_a_rank_starts_does_not_overwrite_its_recording(self):
        script = f'for i in 1 2; do OMPI_COMM_WORLD_RANK=0 {REFERENCE} bytes > /dev/null; done'
        ran = self.record("bash", "-c", script, environment=phantom())
        self.assertEqual(ran.returncode, 0, ran.stderr)
        recordings = sorted(self.recording.parent.glob("run.rank0*.tide"))
        self.assertEqual(len(recordings), 2)
        for recording in recordings:
            self.assertGreater(self.info(recording)["events"]["captured"], 0)

    def test_exit_code_output_and_signals_are_the_programs_own(self):
        ran = self.record("sh", "-c", "read line; echo got $line; echo said >&2; exit 7", input="this\n")
        self.assertEqual((ran.returncode, ran.stdout), (7, "got this\n"))
        self.assertTrue(ran.stderr.startswith("said\n"), ran.stderr)
        self.assertIn("used no CUDA", ran.stderr)
        self.assertFalse(self.recording.exists())
        self.assertEqual(self.record("sh", "-c", "kill -9 $$").returncode, 128 + signal.SIGKILL)

    def wait_for(self, condition, seconds=60):
        until = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), until, "it did not come true")
            time.sleep(0.05)

    def test_a_recorder_that_is_killed_leaves_the_program_alone(self):
        script = f'kill -9 $PPID; {REFERENCE} bytes > /dev/null; echo $? > "$1"'
        result = Path(self.folder.name) / "result"
        self.record("bash", "-c", script, "program", str(result), environment=phantom())
        self.wait_for(lambda: result.exists() and result.read_text())
        self.assertEqual(result.read_text().strip(), "0")

    def check_killed_recorder(self, program, environment, flags, expected):
        """Expected: the exit code, and the output as a pattern. Its recorder is killed in the middle; the program ends as it would, and what was recorded until then is there."""
        folder = Path(self.folder.name)
        result = folder / "result"
        with open(folder / "out", "wb") as out:
            recorder = subprocess.Popen([TIDEMARK, "record", "-o", self.recording, *flags, "--", "bash", "-c", '"$@"; echo $? > "$0"', str(result),
                                         *program], stdout=out, stderr=subprocess.DEVNULL, env=environment, cwd=folder)

        def captured():
            said = subprocess.run([TIDEMARK, "info", self.recording, "--json"], capture_output=True, text=True, check=False)
            return json.loads(said.stdout)["events"]["captured"] if said.returncode == 0 else 0

        self.wait_for(lambda: captured() > 50)
        before = captured()
        self.assertIsNone(recorder.poll())
        recorder.kill()
        recorder.wait()
        self.assertFalse(result.exists(), "the program had ended before its recorder was killed")
        (folder / "go").touch()
        self.wait_for(lambda: result.exists() and result.read_text())
        exit_code, output = expected
        self.assertEqual(result.read_text().strip(), exit_code)
        self.assertRegex((folder / "out").read_text(), f"^{output}$")
        info = self.info()
        self.assertGreaterEqual(info["events"]["captured"], before)
        self.assertEqual(info["ending"], "")  # nobody was there to see it
        self.assertTrue(info["warnings"], "that the recording has no end was not told")

    def test_a_recorder_that_is_killed_in_the_middle_leaves_the_program_alone_and_what_it_had(self):
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        reports = ("import ctypes, os, sys, time\n"
                   "report = ctypes.CDLL(None)['_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE']\n"
                   "report.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_ushort]\n"
                   "for i in range(1, 200): report(i * 512, 512, 0, 0, 0)\n"
                   "print('made', flush=True)\n"
                   "while not os.path.exists('go'): time.sleep(0.01)\n"
                   # More than its ring holds, which nobody empties any more.
                   "for i in range(200, 300_000): report(i * 512, 512, 0, 0, 0)\n"
                   "print('still here'); sys.exit(7)\n")
        self.check_killed_recorder([sys.executable, "-c", reports], environment, ["--cpu"], ("7", "made\nstill here\n"))

    def test_libtorch_goes_on_where_its_recorder_is_killed(self):
        step = ["step", "64", "128", "64", "0"]  # and how often it accumulates: what it prints of its peaks is the same
        alone = subprocess.run([REFERENCE, *step, "2"], capture_output=True, text=True, env=phantom(), check=True).stdout
        peaks = re.match(r"allocated \d+ reserved \d+ ", alone)[0]
        self.check_killed_recorder([REFERENCE, *step, "400"], phantom(), [], ("0", rf"{peaks}microseconds \d+\n"))

    def test_cpp_stacks_tell_what_made_pytorch_ask_for_a_segment(self):
        ran = self.record(REFERENCE, "step", "64", "128", "64", "0", "1", environment=phantom(), flags=["--stacks", "c++", "--kernels"])
        self.assertEqual(ran.returncode, 0, ran.stderr)
        work = self.info()["device_work"]
        self.assertGreater(work["kernels"], 10)
        self.assertGreater(work["memory_copies"], 0)
        self.assertEqual(work["duration_ns"], 0)  # on a phantom nothing computes
        self.assertTrue(any("at::native::" in longest["name"] for longest in work["longest"]), work)
        self.assertIn("What the GPU did: ", ran.stderr)
        segments, driver, blocks = self.stacks("segment allocate"), self.stacks("counter"), self.stacks("allocate")
        self.assertTrue(any("at::detail::empty_cuda (libtorch_cuda.so)" in stack for stack in segments), segments[:2])
        self.assertTrue(any("cudaMalloc (libcudart.so" in stack for stack in driver), driver[:2])
        self.assertRegex(segments[0], r"libc10_cuda\.so\+0x[0-9a-f]+")  # where no symbol is told
        self.assertEqual(set(blocks), {""})  # of blocks Python's are told, where they are asked for

    def test_python_stacks_lead_from_an_allocation_outwards(self):
        program = Path(self.folder.name) / "train.py"
        program.write_text(
            "import ctypes, sys, threading\n"
            "report = ctypes.CDLL(None)['_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE']\n"  # as LibTorch's CPU does
            "report.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_ushort]\n"
            "def make(address):\n    report(address, 512, 0, 0, 0)\n"
            "class Net:\n    def forward(self):\n        make(0x1000)\n"
            "Net().forward()\n"
            "for i in range(3): make(0x2000 + i * 0x1000)\n"
            "thread = threading.Thread(target=make, args=(0x9000,)); thread.start(); thread.join()\n"
            "print('made'); sys.exit(3)\n")
        ran = self.record(sys.executable, str(program), flags=["--cpu", "--stacks", "python"])
        self.assertEqual((ran.returncode, ran.stdout), (3, "made\n"), ran.stderr)
        self.assertIn("The program ended with exit code 3. What follows is what it needed until then.\n", ran.stderr)
        self.assertIn("At the peak of the run, by line of code\n  make (train.py:5) ", ran.stderr)
        self.assertEqual(self.info()["lines"], [{"line": "make (train.py:5)", "bytes": 5 * 512}])
        stacks = self.stacks("allocate")
        self.assertEqual(stacks[0], "make (train.py:5) ← forward (train.py:8) ← <module> (train.py:9)")
        self.assertEqual(stacks[1:4], ["make (train.py:5) ← <module> (train.py:10)"] * 3)
        self.assertTrue(stacks[4].startswith("make (train.py:5) ← run (python3."), stacks[4])

    def test_a_fork_in_the_middle_is_not_heard_and_the_parent_goes_on(self):
        code = ("import ctypes, os\n"
                "report = ctypes.CDLL(None)['_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE']\n"
                "report.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_ushort]\n"
                "def make(count, first):\n"
                "    for i in range(count): report(first + i * 512, 512, 0, 0, 0)\n"
                "make(100, 0x1000)\n"
                "child = os.fork()\n"
                "make(1000 if child == 0 else 10, 0x1000000)\n"
                "if child == 0: os._exit(5)\n"
                "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
                "make(10, 0x2000000)\n")
        ran = self.record(sys.executable, "-c", code, flags=["--cpu"])
        self.assertEqual((ran.returncode, ran.stdout), (0, "5\n"), ran.stderr)
        self.assertEqual([file.name for file in self.recording.parent.glob("*.tide")], ["run.tide"])
        info = self.info()
        self.assertEqual(info["measured"]["allocated_peak_bytes"], 120 * 512)
        self.assertEqual(self.states()["allocator"], "live (the CPU's tensors, as they were asked for)")
        self.assertEqual((info["events"]["lost"], info["warnings"]), (0, []))

    def test_another_tools_injection_stays_and_is_named(self):
        ran = self.record("sh", "-c", "echo $CUDA_INJECTION64_PATH",
                          environment={**os.environ, "CUDA_INJECTION64_PATH": "/opt/nsight.so"})
        self.assertEqual(ran.stdout, "/opt/nsight.so\n")
        self.assertIn("names another tool (/opt/nsight.so)", ran.stderr)


if __name__ == "__main__":
    unittest.main()
