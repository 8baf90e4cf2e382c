#!/usr/bin/env python3
"""How many predictions a second a sweep answers, and what a model that no card holds takes of this machine: phantom_sweep.py TIDEMARK

PYTHON (--python; without it this one) has torch. Sweeps SimpleConvNet's training over many batch sizes, and over two: the difference is
what a prediction costs once torch is loaded. Then one rank of eight of a model with 70 billion parameters takes a step
(tests/phantom/large_programs.py; torch 2.6 or later). --check ends with 1 where a figure misses its target, which is for 2 free cores.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """
import argparse, torch
from torch import nn
parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int)
batch = parser.parse_args().batch
net = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 128, 3), nn.ReLU(), nn.Flatten(), nn.Linear(128 * 28 * 28, 10)).cuda()
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    images, labels = torch.zeros(batch, 3, 32, 32).cuda(), torch.zeros(batch, dtype=torch.long).cuda()
    nn.functional.cross_entropy(net(images), labels).backward()
    optimizer.step()
    optimizer.zero_grad()
"""
FEW, MANY, ROUNDS = 2, 66, 3
FEWEST_A_SECOND, MOST_BYTES = 8, 1_500_000_000


def seconds_of(tidemark, python, script, count):
    """Of a sweep over so many batch sizes, each of which has to come to its end."""
    values = ",".join(str(8 + 4 * number) for number in range(count))
    begun = time.perf_counter()
    swept = subprocess.run([tidemark, "phantom", "--sweep", f"batch={values}", "--", python, script], capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    rows = re.findall(r"^ +\d+ .*%.*$", swept.stdout, re.MULTILINE)
    if swept.returncode != 0 or len(rows) != count:
        sys.exit(f"phantom_sweep.py: {len(rows)} of {count} runs came to an end.\n{swept.stdout}{swept.stderr}")
    return seconds


def predictions_a_second(tidemark, python):
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "train.py")
        Path(script).write_text(PROGRAM)
        seconds_of(tidemark, python, script, FEW)  # builds the stand-ins, where they have to be built
        few = statistics.median(seconds_of(tidemark, python, script, FEW) for _ in range(ROUNDS))
        many = statistics.median(seconds_of(tidemark, python, script, MANY) for _ in range(ROUNDS))
    return (MANY - FEW) / (many - few), few


def resident_bytes(tidemark, python):
    """Of the step of 70 billion parameters; None where this torch cannot take it."""
    runner = Path(__file__).resolve().parents[1] / "phantom" / "run.py"
    ran = subprocess.run([sys.executable, runner, "--tidemark", tidemark, "--python", python, "fsdp2-llama-70b-rank-0"], capture_output=True, text=True)
    if "Left out: " in ran.stdout:
        return None
    told = re.search(r"parameters took ([\d,]+) B of this machine's memory", ran.stdout)
    if not told:
        sys.exit(f"phantom_sweep.py: the step of 70 billion parameters did not come to its end.\n{ran.stdout}{ran.stderr}")
    return int(told[1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tidemark")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    rate, first = predictions_a_second(options.tidemark, options.python)
    print(f"  sweep of SimpleConvNet      {rate:6.1f} predictions a second ({FEWEST_A_SECOND} at least); {first:.1f} s for the first {FEW}")
    took = resident_bytes(options.tidemark, options.python)
    of_large = "not tried: needs torch 2.6" if took is None else f"{took:,} B ({MOST_BYTES:,} at most)"
    print(f"  70 billion parameters, a rank of eight: {of_large}")
    missed = rate < FEWEST_A_SECOND or (took or 0) > MOST_BYTES
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
