#!/usr/bin/env python3
"""A training step in Python and in the trainer, on the phantom: the same network with the same kind of optimizer step asks for
the same at its peak, and has reserved the same for it. And what torch.distributed._tools.mem_tracker counts for that step with fake tensors is the same within its
own rounding, but for the libraries' workspaces, of which it knows nothing.

  peaks_test.py TIDEMARK NETWORKS

NETWORKS is the folder of network files. 77 (to CTest: skipped) if the Python of $TIDEMARK_TEST_PYTHON (or python3) has no torch.
"""

import json
import os
import subprocess
import sys

import counted_on_phantom

BATCH = 4
STEPS = 3
SCALARS = 2048  # steps that a fused optimizer counts on the device, a loss that is still held, seeds
IMPLEMENTATIONS = {"for-loop": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}
NETWORKS = ("simple-conv-net", "mlp", "gpt-mini")


# --- on the phantom ---


def make_step(network, optimizer):
    import torch
    import torch.nn.functional as F

    description = network.description
    tokens = description.get("vocabulary")
    kind = torch.long if tokens else torch.float32
    sizes = [BATCH] + description["input"]

    def learn():
        samples = torch.empty(sizes, dtype=kind, device="cuda")
        samples.copy_(torch.zeros(sizes, dtype=kind))
        labels = torch.empty(sizes if tokens else sizes[:1], dtype=torch.long, device="cuda")
        labels.copy_(torch.zeros_like(labels, device="cpu"))
        scores = network(samples)
        if tokens:
            scores, labels = scores.flatten(0, 1), labels.flatten()
        loss = F.cross_entropy(scores, labels).div(1)
        del scores
        loss.backward()

    def step():
        optimizer.zero_grad()
        learn()
        optimizer.step()

    return step


def trained(path, implementation):
    """What the last step had asked the allocator for at its peak, and what was reserved for all of them."""
    import torch
    from python_networks import Network

    torch._C._cuda_clearCublasWorkspaces()  # of the run before, which had other segments
    torch.cuda.empty_cache()
    network = Network(path, "cuda")
    optimizer = torch.optim.Adam(network.parameters(), **IMPLEMENTATIONS[implementation])
    step = make_step(network, optimizer)
    for _ in range(STEPS - 1):
        step()
    torch.cuda.reset_peak_memory_stats()
    step()
    statistics = torch.cuda.memory_stats()
    return statistics["requested_bytes.all.peak"], statistics["reserved_bytes.all.peak"]


def tracked(path):
    import torch
    from python_networks import Network
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    with FakeTensorMode():
        network = Network(path, "cuda")
        optimizer = torch.optim.Adam(network.parameters(), **IMPLEMENTATIONS["for-loop"])
        step = make_step(network, optimizer)
        tracker = MemTracker()
        tracker.track_external(network, optimizer)
        with tracker:
            step()
            tracker.reset_mod_stats()
            step()
        return max(peak["Total"] for peak in tracker.get_tracker_snapshot("peak").values())


def count_on_phantom(folder, answer):
    import gc

    counted = {}
    for name in NETWORKS:
        path = os.path.join(folder, name + ".json")
        counted[name] = {"reserved": {}}
        for implementation in IMPLEMENTATIONS:
            counted[name][implementation], counted[name]["reserved"][implementation] = trained(path, implementation)
            gc.collect()
        counted[name]["mem_tracker"] = tracked(path)
    with open(answer, "w", encoding="utf-8") as out:
        json.dump(counted, out)


# --- outside ---


def trainer(tidemark, network, implementation):
    command = [tidemark, "train", "--json", "--net", network, "--batch", str(BATCH), "--steps", str(STEPS)]
    command += ["--optimizer-implementation", implementation]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["measured"]


def wrong(counted, tidemark):
    """How many peaks differ by more than they may."""
    many = 0
    for network, peaks in counted.items():
        told = {name: trainer(tidemark, network, name) for name in IMPLEMENTATIONS}
        for name, reserved in peaks.pop("reserved").items():
            ours = told[name]["reserved_peak_bytes"]
            many += reserved != ours
            print(f"{network:<18}{name + ', reserved':<22}{reserved:>16,}{ours:>16,}{'' if reserved == ours else '  not the same'}")
        for name, peak in peaks.items():
            ours = told["for-loop" if name == "mem_tracker" else name]
            size = ours["requested_peak_bytes"]
            allowed = SCALARS
            if name == "mem_tracker":  # it rounds every tensor up, and gives the backward of attention two less
                size -= ours["by_category_at_peak"]["workspace"]
                allowed = size // 50
            agrees = abs(peak - size) <= allowed
            many += not agrees
            print(f"{network:<18}{name:<12}{peak:>16,}{size:>16,}  {peak - size:+,}{'' if agrees else '  too far apart'}")
    return many


if __name__ == "__main__":
    os.environ["TIDEMARK_CUDNN"] = "none"  # what no library tells is 0 to both
    sys.exit(counted_on_phantom.run(__file__, count_on_phantom, wrong))
