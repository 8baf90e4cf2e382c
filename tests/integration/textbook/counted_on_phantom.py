"""What a script of this folder counts inside of a Python with torch, on the phantom: it starts itself there, once more."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from python_with_torch import PYTHON, skip_without_torch


def run(script, count, judge):
    """The exit code of a script: SCRIPT TIDEMARK NETWORKS asks for count(networks, answer) in there, and judge(counted, tidemark)
    out here how many figures are wrong."""
    if sys.argv[1] == "--inside":
        return count(*sys.argv[2:])
    tidemark, networks = sys.argv[1:]
    skip_without_torch()
    with tempfile.TemporaryDirectory() as scratch:
        answer = os.path.join(scratch, "counted.json")
        command = [tidemark, "phantom", "--", PYTHON, "-B", os.path.abspath(script), "--inside", networks, answer]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            print(ran.stdout + ran.stderr)
            return 1
        with open(answer, encoding="utf-8") as file:
            counted = json.load(file)
    return 1 if judge(counted, tidemark) or not counted else 0
