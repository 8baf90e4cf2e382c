"""What the tests of Python programs on the phantom share.

Each is called with the path of tidemark, and takes the torch of $TIDEMARK_TEST_PYTHON, or of python3; skipped (exit code 77) where that
has none.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TIDEMARK = str(Path(sys.argv.pop(1)).resolve())
PYTHON = os.environ.get("TIDEMARK_TEST_PYTHON") or shutil.which("python3")
TRAINING = str(Path(__file__).with_name("training.py"))
os.environ["TIDEMARK_CUDNN"] = "none"  # the trainer's cuDNN and this torch's need not be the same
SKIPPED = 77


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


def torch_version():
    """(2, 11), or None where that Python has no torch."""
    code = "import importlib.metadata; print(*importlib.metadata.version('torch').split('.')[:2])"
    asked = run(PYTHON, "-c", code) if PYTHON else None
    return tuple(int(part) for part in asked.stdout.split()) if asked and asked.returncode == 0 else None


def main():
    if not torch_version():
        print(f"skipped: {PYTHON} has no torch; name one that has in TIDEMARK_TEST_PYTHON")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
