#!/usr/bin/env python3
"""What `tidemark record` costs a training step on this GPU: pairs of processes, one of each recorded, that train in turns.

  overhead.py --tidemark build/bin/tidemark [--pairs 24] [--turns 15] [--without SOURCES ...] [--out FILE]

A turn is some steps, of which the median counts; the two turns of a pair follow each other at once, and begin with the other process each
time: a machine that has other guests is slower or faster by a tenth from one second to the next. One process is also faster than another of
the same program by some hundredths, for as long as it lives. So a pair of processes is one sample, the median of its turns' ratios, both
have the same two cores, and several pairs wait at once while one of them trains. Printed are the mean of the samples and its 95 % interval
(Student's t). With --without driver, say, a third process is beside each pair, recorded without that source: what it adds is the difference.
Ends with 1 where even the interval's lower end is above what recording may cost: 2 % of SimpleConvNet's steps, 1 % of
ResNet-50's.
"""

import argparse
import contextlib
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

STEPS = {"simple-conv-net": 30, "resnet-50": 3}  # of a turn
WARM_UP = 20
PROCESSES_AT_ONCE = {"simple-conv-net": 24, "resnet-50": 12}  # as many as fit on a card of 80 GB
MOST = {"simple-conv-net": 0.02, "resnet-50": 0.01}  # of a step's time
# Student's t for 95 %, two-sided, by degrees of freedom; between them that of fewer.
T = {1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 11: 2.201, 14: 2.145, 19: 2.093, 23: 2.069, 29: 2.045, 59: 2.001, 119: 1.980}


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
    """For each line that it reads, takes a turn and prints the median of its steps, in milliseconds."""
    import torch

    model, images = network(name)
    model, images = model.cuda(), images.cuda()
    labels = torch.zeros(len(images), dtype=torch.long, device="cuda")
    optimizer = torch.optim.Adam(model.parameters())

    def turn(steps):
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - start)
        return statistics.median(seconds) * 1e3

    turn(WARM_UP)
    print("ready", flush=True)
    for _ in sys.stdin:
        print(turn(steps), flush=True)


class Training:
    """A process that trains when it is told to; `recorder` are the words before its own."""

    def __init__(self, options, name, cores, recorder):
        command = [*recorder, sys.executable, os.path.abspath(__file__), "--train", name, "--steps", str(options.steps or STEPS[name]),
                   "--cores", cores]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _line(self):
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"overhead.py: {' '.join(self._process.args)} ended with exit code {self._process.wait()}.")
        return line

    def wait_until_ready(self):
        while self._line() != "ready\n":
            pass

    def turn_ms(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._line())


def recorders(options, folder):
    """What stands before the processes that train in turns: nothing, a recorder, and recorders that leave something out."""
    yield []
    for number, left_out in enumerate([[], *(["--without", sources] for sources in options.without)]):
        yield [options.tidemark, "record", "-o", os.path.join(folder, f"{number}.tide"), *left_out, "--"]


def cores_of(pair):
    """The two that all processes of a pair may use; what records them may use all."""
    all_of_them = sorted(os.sched_getaffinity(0))
    return ",".join(str(all_of_them[(2 * pair + i) % len(all_of_them)]) for i in range(2))


def train_in_turns(options, name, folder, count):
    """Of so many pairs of processes, what a step took in each turn, in milliseconds: as it is, recorded, and recorded in part."""
    with contextlib.ExitStack() as running:
        pairs = []
        for pair in range(count):
            of_pair = Path(folder, str(pair))
            of_pair.mkdir(exist_ok=True)
            pairs.append([running.enter_context(Training(options, name, cores_of(pair), words)) for words in recorders(options, of_pair)])
        for training in (training for pair in pairs for training in pair):
            training.wait_until_ready()
        times = [[] for _ in pairs]
        for turn in range(options.turns):
            for pair, of_pair in zip(pairs, times):
                in_order = pair if turn % 2 == 0 else pair[::-1]
                taken = {training: training.turn_ms() for training in in_order}
                of_pair.append([taken[training] for training in pair])
        return times


def told(options, name, times):
    """What so many pairs say, in words, and the lower end of the interval of what is recorded whole."""
    step_ms = statistics.median(taken[0] for of_pair in times for taken in of_pair)
    words, least = [f"{name}: {step_ms:.3f} ms a step"], []
    for place, title in enumerate(["recorded", *(f"without {sources}" for sources in options.without)], start=1):
        ratios = [statistics.median(taken[place] / taken[0] for taken in of_pair) for of_pair in times]
        mean = statistics.mean(ratios)
        half = t_of(len(ratios) - 1) * statistics.stdev(ratios) / math.sqrt(len(ratios))
        words.append(f"{title} {100 * (mean - 1):+.2f} % ± {100 * half:.2f} %")
        least.append(mean - half)
    return "; ".join(words) + f", {len(times)} pairs of processes, {options.turns} turns each", least[0]


def measure(options, name, folder, out):
    times = []
    at_once = PROCESSES_AT_ONCE[name] // (2 + len(options.without))
    while len(times) < options.pairs:
        times += train_in_turns(options, name, folder, min(at_once, options.pairs - len(times)))
        if 2 < len(times) < options.pairs:
            print("So far " + told(options, name, times)[0], file=sys.stderr, flush=True)
    words, least = told(options, name, times)
    most = MOST[name]
    well = least <= 1 + most
    print(words if well else f"{words}: MORE THAN {100 * most:g} %", file=out, flush=True)
    return well


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidemark", default="tidemark")
    parser.add_argument("--pairs", type=int, default=24, help="of processes, two at least")
    parser.add_argument("--turns", type=int, default=15, help="of each pair")
    parser.add_argument("--network", choices=STEPS, help="else all of them")
    parser.add_argument("--steps", type=int, help="of a turn; else as many as a median takes")
    parser.add_argument("--without", action="append", default=[], metavar="SOURCES", help="as of record; again for another process")
    parser.add_argument("--tell-only", action="store_true", help="judge nothing, as where there is no GPU")
    parser.add_argument("--out")
    parser.add_argument("--train", help=argparse.SUPPRESS)
    parser.add_argument("--cores", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        os.sched_setaffinity(0, map(int, options.cores.split(",")))
        return train(options.train, options.steps or STEPS[options.train])
    if options.pairs < 2:
        parser.error("--pairs: an interval takes two at least")
    with tempfile.TemporaryDirectory() as folder, open(options.out, "w") if options.out else sys.stdout as out:
        well = [measure(options, name, folder, out) for name in ([options.network] if options.network else STEPS)]
    return 0 if all(well) or options.tell_only else 1


if __name__ == "__main__":
    sys.exit(main())
