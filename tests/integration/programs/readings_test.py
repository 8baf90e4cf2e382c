#!/usr/bin/env python3
"""How readings of what no kernel computed are told, each by its line of one program: readings_test.py TIDEMARK."""

import re
import tempfile
import unittest
from pathlib import Path

from programs import PYTHON, main, tidemark

COMPILED = "c6jojbhpkd3ir3ge26ay4amswhz44q2gg3qgp6rgfr4fhhvyzxqj"  # as torch.compile calls what it writes

# Each case on lines of its own, which its name ends.
PROGRAM = f"""
import _thread, sys, time, torch
from torch import _utils
from torch.utils import checkpoint
sys.path[:0] = sys.argv[1:]
import {COMPILED} as compiled
from helper import inner
def unknown(rows=1, columns=1): return torch.ones(rows, 4, device="cuda") @ torch.ones(4, columns, device="cuda")
inner.read(unknown())  # of a package
compiled.call(unknown())  # of what torch.compile wrote
def read(): return unknown(4, 4).sum().item()  # of a function
read()
x, steps = unknown(4, 4), 0
for _ in range(20):
    steps += 1
    if (x >= 0).all(): break  # of a loop
x = torch.ones(9, 9, device="cuda") @ torch.ones(9, device="cuda")
x[x > .5].sum(), torch.nonzero(x > .5)  # of a choice
str([x, x.softmax(0), x > 1, f"{{x}}", torch.ones(99, 99, device="cuda") @ x.new_ones(99, 99)])  # of a text
print(steps, (x.sum() + 1).item(), len(x[x < .5]))  # of what follows
there = {{}}
exec(compile("def read(x): return (x + 1).item()", _utils.__file__, "exec"), there)
exec(compile("def call(x): return read(x)", checkpoint.__file__, "exec"), there)
_thread.start_new_thread(there["call"], (unknown(),))
time.sleep(1)
scaler = torch.amp.GradScaler("cuda", init_scale=4.)
weight = torch.ones(4, device="cuda", requires_grad=True)
scaler.scale((weight * 2).sum()).backward()
scaler.step(torch.optim.SGD([weight]))  # of a scaler
"""


def line(of):
    return next(number for number, text in enumerate(PROGRAM.splitlines(), 1) if text.endswith(f"  # of {of}"))


class Readings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            script, package, written = (Path(folder) / path for path in ("torch/train.py", "site-packages/helper", "6j"))
            for made in (script.parent, package, written):
                made.mkdir(parents=True)
            script.write_text(PROGRAM)
            (package / "inner.py").write_text("def read(x):\n    return x.item()\n")
            (written / f"{COMPILED}.py").write_text("def call(x):\n    return x.item()\n")
            cls.ran = tidemark("phantom", "--", PYTHON, str(script), str(package.parent), str(written))

    def setUp(self):
        self.assertEqual(self.ran.returncode, 0, self.ran.stderr)
        self.assertNotIn("more place", self.ran.stderr)  # a note names three: all are named

    def told(self, place):
        """What notes say that a place did."""
        notes = re.findall("^Note: (.*?)( (?:read|chose|asked|compared) .*)", self.ran.stderr, re.MULTILINE)
        return [did for places, did in notes if place in re.split(", (?=[^ ]*:)", places)]

    def assert_told(self, place, *beginnings):
        told = self.told(place)
        self.assertEqual(len(told), len(beginnings), self.ran.stderr)
        for did, beginning in zip(told, beginnings):
            self.assertTrue(did.startswith(" " + beginning), self.ran.stderr)

    def test_one_in_a_package_is_told_with_the_line_that_led_there(self):
        self.assert_told(f"helper/inner.py:2 (called from train.py:{line('a package')})", "read a result")

    def test_a_program_in_a_folder_that_is_called_as_pytorch_is_none_of_pytorchs(self):
        self.assert_told(f"train.py:{line('a function')}", "read a result")
        self.assertTrue(self.ran.stdout.startswith("20 "), self.ran.stdout)  # the loop went on, as a program's own does

    def test_one_in_pytorch_alone_is_told_with_its_innermost_line(self):
        self.assert_told("torch/_utils.py:1", "read what was computed of results")

    def test_one_in_what_torch_compile_wrote_is_told_with_the_programs_own_line(self):
        self.assert_told(f"train.py:{line('what torch.compile wrote')}", "read a result")

    def test_a_choice_by_what_is_not_known_is_told_as_such(self):
        self.assert_told(f"train.py:{line('a choice')}", "chose elements by values that no kernel had computed: none here")

    def test_a_scaler_whose_gradients_do_not_overflow_is_no_cause_for_alarm(self):
        self.assert_told(f"train.py:{line('a scaler')}", "read what GradScaler keeps: its scale and its steps are those of a run in which no")

    def test_what_the_text_of_a_tensor_is_made_of_is_not_told(self):
        self.assertNotRegex(self.ran.stderr, rf"train\.py:{line('a text')}\b|_tensor_str")

    def test_what_follows_from_what_is_not_known_is_told_as_such(self):
        self.assertEqual(self.ran.stdout.split()[1:], ["1.0", "9"])
        self.assert_told(f"train.py:{line('what follows')}", "read what was computed of results that no kernel had computed: as if these were zero.",
                         "chose elements by values that no kernel had computed: as if these were zero, so")


if __name__ == "__main__":
    main()
