#!/usr/bin/env python3
"""Where no Python has torch, each of the tests beside this one is skipped, none fails: without_torch_test.py TIDEMARK."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

TIDEMARK = sys.argv.pop(1)
SKIPPED = 77


class WithoutTorch(unittest.TestCase):
    def test_all_others_are_skipped(self):
        others = sorted(path for path in Path(__file__).parent.glob("*_test.py") if path.name != Path(__file__).name)
        self.assertGreater(len(others), 3)
        for other in others:
            with self.subTest(other.name):
                # A Python that can do nothing has no torch, either.
                environment = {**os.environ, "TIDEMARK_TEST_PYTHON": "false"}
                ran = subprocess.run([sys.executable, "-B", str(other), TIDEMARK], env=environment, capture_output=True, text=True)
                self.assertEqual(ran.returncode, SKIPPED, ran.stderr)
                self.assertIn("has no torch", ran.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
