"""The Python whose torch the tests of Python programs try: that of $TIDEMARK_TEST_PYTHON, or python3. It is asked without importing
torch, which may need the stand-ins to be imported at all. A test that needs one begins with skip_without_torch().
"""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77  # to CTest


def _path_of(python):
    """Links are not followed: the one in a virtual environment is that environment."""
    found = shutil.which(python)
    return os.path.abspath(found) if found else python


PYTHON = _path_of(os.environ.get("TIDEMARK_TEST_PYTHON") or "python3")

_QUESTION = """
import importlib.metadata, importlib.util, os
found = importlib.util.find_spec("torch")
if found and found.origin:
    print(importlib.metadata.version("torch"), os.path.dirname(found.origin), sep="\\n")
"""


@functools.cache
def _asked(python):
    """The version and the folder of its torch; nothing where it has none, or is no Python."""
    try:
        ran = subprocess.run([_path_of(python), "-c", _QUESTION], cwd=tempfile.gettempdir(), capture_output=True, text=True)
    except OSError:
        return []
    return ran.stdout.splitlines()[-2:] if ran.returncode == 0 else []


def torch_version(python=PYTHON):
    """(2, 11), or None without torch."""
    said = _asked(python)
    return tuple(int(part) for part in said[0].split(".")[:2]) if said else None


def torch_folder(python=PYTHON):
    """Where torch/__init__.py is, or None without torch."""
    said = _asked(python)
    return Path(said[1]) if said else None


def skip_without_torch(python=PYTHON):
    if torch_folder(python) is None:
        print(f"skipped: {python} has no torch; name one that has in TIDEMARK_TEST_PYTHON")
        sys.exit(SKIPPED)
