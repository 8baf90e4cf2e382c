"""A program of the tests' own on phantom GPUs: one that tidemark does not start as a trainer or with `phantom`."""

import os
from pathlib import Path


def phantom_environment(tidemark, cards=1):
    """The environment of a program on phantom H200s, as `tidemark` (its path) makes it for its trainer."""
    root = Path(tidemark).resolve().parent.parent
    stand_ins = sorted(str(file) for file in (root / "lib" / "phantom").iterdir() if ".so." in file.name)
    return {**os.environ, "LD_PRELOAD": ":".join(stand_ins), "TIDEMARK_CUDNN": "none",
            "TIDEMARK_PHANTOM_CARD": str(root / "share" / "tidemark" / "cards" / "h200.json"), "TIDEMARK_PHANTOM_DEVICES": str(cards)}
