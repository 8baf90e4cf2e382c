"""How fast a prediction is, beside PyTorch's own estimator in the same process: a step on the phantom, and the same step under
torch.distributed._tools.mem_tracker with fake tensors.

usage: tidemark phantom -- python tests/bench/phantom_speed.py [--check]

With --check it ends with 1 where a step takes more than its share of mem_tracker's time.
"""

import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from resnet_50 import make_resnet_50


def simple_conv_net():
    layers = [nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 128, 3), nn.ReLU(), nn.Flatten(), nn.Linear(128 * 28 * 28, 10)]
    return nn.Sequential(*layers), (64, 3, 32, 32), 10


def resnet_50():
    return make_resnet_50(), (32, 3, 224, 224), 1000


def make_step(build):
    with torch.device("cuda"):
        net, shape, classes = build()
    optimizer = torch.optim.Adam(net.parameters())
    images, labels = torch.randn(shape, device="cuda"), torch.randint(0, classes, shape[:1], device="cuda")

    def step():
        nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()
        optimizer.zero_grad()

    return net, optimizer, step


def median_ms(step, rounds, after=lambda: None):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        step()
        times.append((time.perf_counter() - begin) * 1e3)
        after()
    return statistics.median(times)


def on_the_phantom(build):
    _, _, step = make_step(build)
    median_ms(step, 5)  # the first steps make state and ask for workspaces
    torch.cuda.reset_peak_memory_stats()
    return median_ms(step, 30), torch.cuda.max_memory_allocated()


def with_mem_tracker(build):
    with FakeTensorMode():
        net, optimizer, step = make_step(build)
        tracker = MemTracker()
        tracker.track_external(net, optimizer)
        with tracker:
            step()
            tracker.reset_mod_stats()
            time_ms = median_ms(step, 5, tracker.reset_mod_stats)
        return time_ms, max(peak["Total"] for peak in tracker.get_tracker_snapshot("peak").values())


TARGETS = {simple_conv_net: 20, resnet_50: 50}  # so many times faster, at least
missed = []
print(f"{'':16} {'phantom':>12} {'mem_tracker':>12} {'ratio':>8} {'peak: phantom':>16} {'mem_tracker':>16}")
for build, target in TARGETS.items():
    ours, our_peak = on_the_phantom(build)
    theirs, their_peak = with_mem_tracker(build)
    print(f"{build.__name__:16} {ours:9.2f} ms {theirs:9.2f} ms 1/{theirs / ours:6.0f} {our_peak:16,} {their_peak:16,}")
    if theirs / ours < target:
        missed.append(f"{build.__name__} takes 1/{theirs / ours:.0f} of mem_tracker's time, more than 1/{target}.")
if "--check" in sys.argv and missed:
    sys.exit("\n".join(missed))
