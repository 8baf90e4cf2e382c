#!/usr/bin/env python3
"""What `tidemark record` costs a training step on this GPU: pairs of runs with and without it, in turns.

  overhead.py --tidemark build/bin/tidemark [--pairs 30] [--out FILE]

A run says the median of its steps; a pair's ratio is one sample. Printed are the mean of the ratios and its 95 % interval (Student's t).
"""

import argparse
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

STEPS = {"simple-conv-net": 1500, "resnet-50": 100}
WARM_UP = 20
# Student's t for 95 %, two-sided, by degrees of freedom; beyond them the normal distribution's.
T = {4: 2.776, 9: 2.262, 14: 2.145, 19: 2.093, 24: 2.064, 29: 2.045}


def network(name):
    import torch
    from torch import nn

    if name == "resnet-50":
        import torchvision

        return torchvision.models.resnet50(weights=None), torch.randn(32, 3, 224, 224)
    layers = nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 128, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    return nn.Sequential(*layers, nn.Linear(128 * 14 * 14, 10)), torch.randn(64, 3, 32, 32)


def train(name):
    """Prints the median of the steps, in milliseconds."""
    import torch

    model, images = network(name)
    model, images = model.cuda(), images.cuda()
    labels = torch.zeros(len(images), dtype=torch.long, device="cuda")
    optimizer = torch.optim.Adam(model.parameters())
    seconds = []
    for _ in range(WARM_UP + STEPS[name]):
        start = time.perf_counter()
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    print(statistics.median(seconds[WARM_UP:]) * 1e3)


def run(name, before):
    command = [*before, sys.executable, os.path.abspath(__file__), "--train", name]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"overhead.py: {' '.join(command)} failed:\n{done.stderr}")
    return float(done.stdout)


def measure(options, name, folder, out):
    recorded = [options.tidemark, "record", "-o", os.path.join(folder, "run.tide"), "--"]
    ratios, plain_ms = [], []
    for pair in range(options.pairs):
        order = [[], recorded] if pair % 2 == 0 else [recorded, []]
        times = {bool(before): run(name, before) for before in order}
        ratios.append(times[True] / times[False])
        plain_ms.append(times[False])
    mean = statistics.mean(ratios)
    half = T.get(len(ratios) - 1, 1.96) * statistics.stdev(ratios) / math.sqrt(len(ratios))
    print(f"{name}: {statistics.median(plain_ms):.3f} ms a step; recorded {100 * (mean - 1):+.2f} % ± {100 * half:.2f} %, {len(ratios)} pairs",
          file=out, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidemark", default="tidemark")
    parser.add_argument("--pairs", type=int, default=5, help="30 for figures that are told to others")
    parser.add_argument("--out")
    parser.add_argument("--train", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        return train(options.train)
    with tempfile.TemporaryDirectory() as folder, open(options.out, "w") if options.out else sys.stdout as out:
        for name in STEPS:
            if name == "resnet-50" and importlib.util.find_spec("torchvision") is None:
                print(f"{name}: left out, for this Python has no torchvision", file=out)
                continue
            measure(options, name, folder, out)


if __name__ == "__main__":
    main()
