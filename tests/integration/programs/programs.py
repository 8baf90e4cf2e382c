"""What the tests of Python programs on the phantom share.

Each is called with the path of tidemark, and takes the torch that tests/support/python_with_torch.py finds; skipped (exit code 77) where
there is none.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from python_with_torch import PYTHON, SKIPPED, skip_without_torch, torch_version  # which the tests take from here

TIDEMARK = str(Path(sys.argv.pop(1)).resolve())
TRAINING = str(Path(__file__).with_name("training.py"))
os.environ["TIDEMARK_CUDNN"] = "none"  # the trainer's cuDNN and this torch's need not be the same


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def tidemark(*words):
    return run(TIDEMARK, *words)


class InFolder(unittest.TestCase):
    """With a folder of its own, which goes with it."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.recording = str(Path(self.folder.name) / "run.tide")

    def tearDown(self):
        self.folder.cleanup()


def main():
    skip_without_torch()
    unittest.main(verbosity=2)
