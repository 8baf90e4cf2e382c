#!/usr/bin/env python3
"""A program for each of several values, forked from a warm one: sweeps_test.py TIDEMARK."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from programs import PYTHON, TIDEMARK, TRAINING, InFolder, main, run, tidemark


BLOCK = """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument("--mib", type=int)
mib = parser.parse_args().mib
torch.empty(mib << 20, dtype=torch.uint8, device="cuda")
"""


class Ends(unittest.TestCase):
    """How each run of one sweep ends: two as any, and the others as is said in the program."""

    PROGRAM = BLOCK + """
import os
if mib == 3: raise ValueError("three")
if mib == 5: raise SystemExit("five is unlucky")
if mib == 6:
    try: torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    except torch.cuda.OutOfMemoryError: pass
if mib == 8: os._exit(0)
if mib == 9: 1 / (torch.zeros(1, 4, device="cuda") @ torch.zeros(4, 1, device="cuda")).item()
"""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "train.py"
            script.write_text(cls.PROGRAM)
            cls.ran = tidemark("phantom", "--json", "--memory", "1GiB", "--sweep", "mib=2,3,2000,4,5,6,8,9", "--", PYTHON, str(script), "--mib=7")

    def setUp(self):
        self.assertEqual(self.ran.returncode, 0, self.ran.stderr)
        told = json.loads(self.ran.stdout)
        self.runs, self.notes = {run["mib"]: run for run in told["runs"]}, told["notes"]
        self.assertEqual(list(self.runs), [2, 3, 2000, 4, 5, 6, 8, 9])

    def test_what_does_not_fit_or_fails_is_told_of_its_value_alone(self):
        self.assertEqual([mib for mib, run in self.runs.items() if run["out_of_memory"]], [2000])
        self.assertEqual([mib for mib, run in self.runs.items() if run["sentence"] != ""], [3, 2000, 5, 9])
        self.assertEqual([mib for mib, run in self.runs.items() if run["reserved_peak_bytes"] is None], [3, 2000, 5, 9])
        self.assertGreater(self.runs[2]["taken_bytes"], self.runs[2]["reserved_peak_bytes"])
        self.assertIn("three", self.runs[3]["sentence"])

    def test_words_that_a_program_ends_with_are_no_code(self):
        self.assertEqual((self.runs[4]["sentence"], self.runs[5]["sentence"]), ("", "it ended: five is unlucky"))

    def test_one_that_ends_at_once_has_its_peaks(self):
        self.assertEqual((self.runs[8]["sentence"], self.runs[8]["allocated_peak_bytes"]), ("", 8 << 20))

    def test_what_was_read_before_one_failed_is_told(self):
        self.assertTrue(any("ZeroDivisionError ended the program" in note for note in self.notes), self.notes)

    def test_each_row_has_its_band(self):
        ended_well = [self.runs[mib] for mib in (2, 4, 6, 8)]
        self.assertEqual([run["reserved_peak_band"]["least_bytes"] for run in ended_well], [run["reserved_peak_bytes"] for run in ended_well])

    def test_a_row_that_survived_one_request_too_large_is_not_nearly_full(self):
        self.assertFalse(self.runs[6]["reserved_peak_band"]["at_the_cliff"])


class Sweeps(InFolder):
    def setUp(self):
        super().setUp()
        self.script = Path(self.folder.name) / "train.py"

    def sweep(self, code, values, *options):
        self.script.write_text(code)
        ran = tidemark("phantom", "--json", *options, "--sweep", f"mib={values}", "--", PYTHON, str(self.script), "--mib=7")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)["runs"]

    def test_each_value_gets_an_answer_in_their_order(self):
        runs = self.sweep(BLOCK, "1..20", "--memory", "1GiB")
        self.assertEqual([run["mib"] for run in runs], [1, 2, 4, 8, 16, 20])
        self.assertEqual([run["allocated_peak_bytes"] for run in runs], [run["mib"] << 20 for run in runs])

    def test_an_allocator_that_the_program_chooses_itself_is_its_own(self):
        chosen = 'import os\nos.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync"\n'
        runs = self.sweep(chosen + BLOCK + "open(f'{__file__}.told', 'a').write(torch.cuda.get_allocator_backend() + ' ')", "1,2")
        self.assertEqual([(run["mib"], run["sentence"]) for run in runs], [(1, ""), (2, "")])
        self.assertEqual(Path(f"{self.script}.told").read_text().split()[-2:], ["cudaMallocAsync"] * 2)

    def test_a_row_has_a_band_where_the_order_of_addresses_matters_and_none_under_faults(self):
        moving = Path(__file__).with_name("addresses.py").read_text()
        band = self.sweep(moving, "4")[0]["reserved_peak_band"]
        self.assertLess(band["least_bytes"], band["most_bytes"])
        runs = self.sweep(BLOCK, "1", "--fault", "slow-driver=1ms")
        self.assertIn("Faults", runs[0]["reserved_peak_band_unknown"])

    def test_ctrl_c_keeps_the_rows_and_leaves_no_process(self):
        self.script.write_text(BLOCK + "import time; time.sleep(600 if mib > 2 else 0)")
        command = [TIDEMARK, "phantom", "--sweep", "mib=1,2,3,4", "--", PYTHON, str(self.script)]
        for interrupt in (lambda pid: os.killpg(pid, signal.SIGINT), lambda pid: os.kill(pid, signal.SIGTERM)):
            sweep = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # however we were started
            for line in sweep.stderr:  # a line every ten seconds
                if "2 of 4 runs" in line:
                    break
            interrupt(sweep.pid)
            said, complained = sweep.communicate(timeout=60)
            self.assertEqual(sweep.returncode, 130)
            self.assertIn("Stopped as asked, after 2 of 4 runs.", complained)
            self.assertEqual([line.split()[0] for line in said.splitlines()[1:3]], ["1", "2"])
            end = time.monotonic() + 30  # a process that was killed goes when the system comes to it
            while run("pgrep", "-f", str(self.script)).stdout and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual(run("pgrep", "-f", str(self.script)).stdout, "")

    def test_doubts_are_told_of_a_sweep_too(self):
        self.script.write_text(BLOCK + """
print((torch.ones(1, 4, device='cuda') @ torch.ones(4, 1, device='cuda')).item())
from ctypes import CDLL, byref, c_size_t, c_uint64
runtime, driver, there, card = CDLL(None), CDLL("libcuda.so.1"), c_uint64(), (c_uint64 * 4)(1, 1)  # pinned there: CUmemAllocationProp
runtime.cudaMalloc(byref(there), c_size_t(1 << 30))
runtime.cudaMallocAsync(byref(there), c_size_t(1 << 30), None)
driver.cuMemCreate(byref(there), c_size_t(2 << 30), card, c_uint64())
""")
        ran = tidemark("phantom", "--sweep", "mib=1,2", "--", PYTHON, str(self.script))
        self.assertIn("read a result that no kernel had computed", ran.stderr)
        told = [line for line in ran.stderr.splitlines() if "outside of PyTorch's allocator" in line]
        self.assertEqual(len(told), 1, ran.stderr)
        self.assertIn(": 4.00 GiB at most, by ", told[0])

    def test_why_no_run_came_to_an_end_is_told_and_ends_with_1(self):
        self.script.write_text(BLOCK)
        ran = tidemark("phantom", "--sweep", "size=1", "--", PYTHON, str(self.script))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("unrecognized arguments: --size 1", ran.stdout)
        self.assertNotIn("CUDA context", ran.stdout)

    def test_a_report_that_nobody_reads_changes_no_exit_code(self):
        ran = run("bash", "-c", f"'{TIDEMARK}' phantom -- '{PYTHON}' '{TRAINING}' 1 exit 7 2>&1 | true; exit ${{PIPESTATUS[0]}}")
        self.assertIn(ran.returncode, (1, 7, 120, 141))  # what Python makes of output that cannot be written

    def test_a_package_that_starts_threads_or_cuda_when_imported_is_not_imported_early(self):
        packages = Path(run(PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
        if not os.access(packages, os.W_OK):
            self.skipTest(f"{packages} cannot be written")
        package = packages / "tidemark_test_starts_cuda.py"
        self.addCleanup(package.unlink)
        for on_import in ("torch.cuda.init()", "torch.cuda.is_available()"):  # to look for a card is enough for CUDA's driver
            package.write_text(f"import torch\n{on_import}\n")
            runs = self.sweep("import tidemark_test_starts_cuda\n" + BLOCK, "1,2,3")
            self.assertEqual([(run["allocated_peak_bytes"], run["sentence"]) for run in runs], [(n << 20, "") for n in (1, 2, 3)])

    def test_what_stands_beside_a_script_is_found_through_a_link_to_it(self):
        folder = Path(self.folder.name) / "linked"
        folder.mkdir()
        (folder / "neighbour.py").write_text("")
        self.script.symlink_to(folder / "train.py")
        runs = self.sweep("import neighbour\n" + BLOCK, "1")
        self.assertEqual([run["sentence"] for run in runs], [""])

    def test_a_run_ends_as_python_does(self):
        folder = Path(self.folder.name)
        runs = self.sweep(f"""
import atexit, tempfile, threading, time
own = tempfile.TemporaryDirectory(dir={self.folder.name!r}, prefix="left-")
{BLOCK}
def work():
    time.sleep(0.5)
    torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
thread = threading.Thread(target=work)
thread.start()  # and nobody waits for it
log = open(f"{self.folder.name}/log-{{mib}}", "w")
atexit.register(log.write, "ended")
if mib == 3: raise ValueError("three")
""", "1,2,3")
        self.assertEqual([run["allocated_peak_bytes"] for run in runs], [64 << 20, 64 << 20, None])
        self.assertEqual([(folder / f"log-{mib}").read_text() for mib in (1, 2, 3)], ["ended"] * 3)
        self.assertEqual(list(folder.glob("left-*")), [])

    def test_of_a_run_that_uses_no_card_itself_what_it_started_is_told(self):
        runs = self.sweep("import os\nif os.fork():\n    os.wait()\n    raise SystemExit\n" + BLOCK + "os._exit(0)", "1,2")
        self.assertEqual([run["allocated_peak_bytes"] for run in runs], [1 << 20, 2 << 20])

    def test_a_process_that_a_run_leaves_behind_is_not_waited_for(self):
        began = time.monotonic()
        self.sweep("import os, time\nif not os.fork():\n    time.sleep(60)\n    os._exit(0)\n" + BLOCK, "1,2")
        self.assertLess(time.monotonic() - began, 60)


if __name__ == "__main__":
    main()
