#!/usr/bin/env python3
"""What `tidemark record` costs a training step on this GPU: pairs of runs with and without it, in turns.

  overhead.py --tidemark build/bin/tidemark [--pairs 30] [--out FILE]

A run says the median of its steps; a pair's ratio is one sample. Printed are the mean of the ratios and its 95 % interval (Student's t).
Ends with 1 where even the interval's lower end is above what recording may cost: 2 % of SimpleConvNet's steps, 1 % of ResNet-50's.
"""

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

STEPS = {"simple-conv-net": 1500, "resnet-50": 100}
WARM_UP = 20
MOST = {"simple-conv-net": 0.02, "resnet-50": 0.01}  # of a step's time
# Student's t for 95 %, two-sided, by degrees of freedom; between them that of fewer.
T = {1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 14: 2.145, 19: 2.093, 24: 2.064, 29: 2.045}


def t_of(degrees):
    return T[max(fewer for fewer in T if fewer <= degrees)]


def network(name):
    import torch
    from torch import nn

    if name == "resnet-50":
        from resnet_50 import make_resnet_50

        return make_resnet_50(), torch.randn(32, 3, 224, 224)
    layers = nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 128, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    return nn.Sequential(*layers, nn.Linear(128 * 14 * 14, 10)), torch.randn(64, 3, 32, 32)


def train(name, steps):
    """Prints the median of the steps, in milliseconds."""
    import torch

    model, images = network(name)
    model, images = model.cuda(), images.cuda()
    labels = torch.zeros(len(images), dtype=torch.long, device="cuda")
    optimizer = torch.optim.Adam(model.parameters())
    seconds = []
    for _ in range(WARM_UP + steps):
        start = time.perf_counter()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    print(statistics.median(seconds[WARM_UP:]) * 1e3)


def run(name, steps, before):
    command = [*before, sys.executable, os.path.abspath(__file__), "--train", name, "--steps", str(steps)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"overhead.py: {' '.join(command)} failed:\n{done.stderr}")
    return float(done.stdout)


def measure(options, name, folder, out):
    recorded = [options.tidemark, "record", "-o", os.path.join(folder, "run.tide"), "--"]
    ratios, plain_ms = [], []
    for pair in range(options.pairs):
        order = [[], recorded] if pair % 2 == 0 else [recorded, []]
        times = {bool(before): run(name, options.steps or STEPS[name], before) for before in order}
        ratios.append(times[True] / times[False])
        plain_ms.append(times[False])
    mean = statistics.mean(ratios)
    half = t_of(len(ratios) - 1) * statistics.stdev(ratios) / math.sqrt(len(ratios))
    most = MOST[name]
    said = "" if mean - half <= 1 + most else f": MORE THAN {100 * most:g} %"
    print(f"{name}: {statistics.median(plain_ms):.3f} ms a step; recorded {100 * (mean - 1):+.2f} % ± {100 * half:.2f} %, {len(ratios)} pairs{said}",
          file=out, flush=True)
    return not said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidemark", default="tidemark")
    parser.add_argument("--pairs", type=int, default=5, help="two at least; 30 for figures that are told to others")
    parser.add_argument("--network", choices=STEPS, help="else all of them")
    parser.add_argument("--steps", type=int, help="of a run; else as many as a median takes")
    parser.add_argument("--tell-only", action="store_true", help="judge nothing, as where there is no GPU")
    parser.add_argument("--out")
    parser.add_argument("--train", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        return train(options.train, options.steps or STEPS[options.train])
    with tempfile.TemporaryDirectory() as folder, open(options.out, "w") if options.out else sys.stdout as out:
        well = [measure(options, name, folder, out) for name in ([options.network] if options.network else STEPS)]
    return 0 if all(well) or options.tell_only else 1


if __name__ == "__main__":
    sys.exit(main())
