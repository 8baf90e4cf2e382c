#!/usr/bin/env python3
"""Parts of a run: `tidemark record --last` and `--steps`. kept_test.py TIDEMARK REFERENCE_PROGRAM, as record_test.py."""

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REFERENCE = sys.argv.pop()
TIDEMARK = sys.argv.pop()
sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from phantom_environment import phantom_environment

phantom = functools.partial(phantom_environment, TIDEMARK)


class Kept(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.recording = Path(self.folder.name) / "run.tide"

    def tearDown(self):
        self.folder.cleanup()

    def record(self, flags, *program):
        return subprocess.run([TIDEMARK, "record", "-o", self.recording, *flags, "--", *program], capture_output=True, text=True,
                              env=phantom())

    def start(self, flags, *program):
        return subprocess.Popen([TIDEMARK, "record", "-o", self.recording, *flags, "--", *program], env=phantom(), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, restore_signals=False)  # SIGXFSZ stays ignored

    def info(self, recording=None):
        said = subprocess.run([TIDEMARK, "info", recording or self.recording, "--json"], capture_output=True, text=True)
        self.assertEqual(said.returncode, 0, said.stderr)
        return json.loads(said.stdout)

    # From the start its name leads to a recording of nothing.
    def is_saved(self):
        said = subprocess.run([TIDEMARK, "info", self.recording, "--json"], capture_output=True, text=True)
        return said.returncode == 0 and json.loads(said.stdout)["steps"] > 0

    def wait_for(self, condition, seconds=60):
        until = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), until, "it did not come true")
            time.sleep(0.05)

    def test_the_last_steps_are_recorded_as_in_a_recording_of_all(self):
        whole = Path(self.folder.name) / "whole.tide"
        subprocess.run([TIDEMARK, "record", "-o", whole, "--", REFERENCE, "train", "60"], capture_output=True, env=phantom(), check=True)
        ran = self.record(["--last", "20"], REFERENCE, "train", "60")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("At the peak of what is kept (", ran.stderr)
        self.assertIn("Note: Only a part of the run is in it: steps 40 to 59 of 60, and what followed. The ", ran.stderr)
        info, of_whole = self.info(), self.info(whole)
        self.assertEqual(info["steps"], 20)
        self.assertEqual(info["warnings"], [])
        self.assertEqual(info["events"]["lost"], 0)
        self.assertLess(info["events"]["captured"], of_whole["events"]["captured"] / 2)
        for figure in ("allocated_peak_bytes", "reserved_peak_bytes"):
            self.assertEqual(info["measured"][figure], of_whole["measured"][figure])
        self.assertEqual(os.listdir(self.folder.name).count("run.tide"), 1)
        self.assertEqual(len(os.listdir(self.folder.name)), 2)

    def test_a_run_that_is_no_longer_is_recorded_as_ever(self):
        ran = self.record(["--last", "20"], REFERENCE, "train", "10")
        self.assertNotIn("Only a part", ran.stderr)
        self.assertEqual((self.info()["steps"], self.info()["notes"]), (10, []))

    def test_a_program_without_steps_keeps_what_a_size_takes(self):
        for last in ("5", "1MB"):
            with self.subTest(last):
                ran = self.record(["--last", last], REFERENCE, "segments")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertEqual((self.info()["steps"], self.info()["warnings"]), (0, []))

    def test_some_steps_are_recorded_and_no_others(self):
        ran = self.record(["--steps", "30-39"], REFERENCE, "train", "60")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("Note: Only a part of the run is in it: steps 30 to 39.\n", ran.stderr)
        self.assertEqual((self.info()["steps"], self.info()["warnings"]), (10, []))

    def test_a_file_that_is_closed_long_before_the_end_knows_its_card(self):
        ran = self.record(["--steps", "20-22"], REFERENCE, "train", "6000")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(self.info()["device_name"], "NVIDIA H200")

    def test_a_run_that_ends_before_the_steps_leaves_no_file(self):
        ran = self.record(["--steps", "100-110"], REFERENCE, "train", "20")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("It ended after step 19, so steps 100 to 110 could not be recorded, and no file was written.", ran.stderr)
        self.assertNotIn("At the peak", ran.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_what_starts_ranks_and_does_no_step_is_not_told(self):
        looks = f"{sys.executable} -c 'import ctypes; ctypes.CDLL(None).cuInit(0)'"
        ran = self.record(["--steps", "5-9"], "bash", "-c", f'{looks}; RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 "{REFERENCE}" train 20')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("could not be recorded", ran.stderr)
        self.assertEqual(os.listdir(self.folder.name), ["run.rank0.tide"])

    def test_what_held_memory_beside_ranks_and_does_no_step_is_told(self):
        ran = self.record(["--steps", "5-9"], "bash", "-c", f'"{REFERENCE}" bytes; RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 "{REFERENCE}" train 20')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("It came to no step, so steps 5 to 9 could not be recorded", ran.stderr)

    def test_when_memory_runs_out_a_recorder_that_is_killed_leaves_the_last_steps(self):
        recorder = self.start(["--last", "5"], REFERENCE, "runs-out", "60")
        self.assertEqual(recorder.stdout.readline(), "went on\n")
        self.wait_for(self.is_saved)
        recorder.kill()
        recorder.communicate()  # and the program's input ends
        info = self.info()
        self.assertEqual(info["steps"], 5)
        self.assertEqual(len(info["shortages"]), 1)
        self.assertEqual(info["warnings"], [])
        self.assertIn("Saved while the program went on, in step 59: what came later is not in it.", info["notes"])

    def test_a_program_that_is_stopped_or_killed_leaves_the_last_steps(self):
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                recorder = self.start(["--last", "5"], "bash", "-c", f'echo $$; exec "{REFERENCE}" train 1000000')
                program = int(recorder.stdout.readline())
                time.sleep(5)
                os.kill(program, number)
                recorder.communicate()
                info = self.info()
                self.assertIn(info["steps"], (5, 6))  # the last may not have ended
                self.assertIn(f"signal {int(number)}", info["ending"])
                self.assertEqual(info["warnings"], [])

    def test_each_process_keeps_its_own(self):
        ran = self.record(["--last", "5"], "bash", "-c", f'for rank in 0 1; do RANK=$rank WORLD_SIZE=2 "{REFERENCE}" train 2$rank & done; wait')
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for rank in range(2):
            self.assertEqual(self.info(self.recording.with_name(f"run.rank{rank}.tide"))["steps"], 5)
            self.assertIn(f"steps {15 + rank} to {19 + rank} of {20 + rank},", ran.stderr)

    def test_what_cannot_be_written_is_told_and_the_run_is_shown(self):
        recorder = self.start(["--last", "5"], REFERENCE, "runs-out", "60")
        recorder.stdout.readline()
        self.wait_for(self.is_saved)
        subprocess.run(["prlimit", "--pid", str(recorder.pid), "--fsize=1:1"], check=True)
        said = recorder.communicate()[1]
        self.assertIn(f" {self.recording} holds what was saved of the run before its end. ", said)
        self.assertIn(f" lost, not all of them in {self.recording}\n", said)
        self.assertIn("At the peak of what is kept", said)
        self.assertEqual(self.info()["steps"], 5)
        self.assertEqual(len(os.listdir(self.folder.name)), 1)


if __name__ == "__main__":
    unittest.main()
