#!/usr/bin/env python3
"""A snapshot that Tidemark exports, opened by PyTorch's own reading code (torch/cuda/_memory_viz.py).

memory_viz_test.py TIDEMARK: takes that one file from the torch that tests/support/python_with_torch.py finds, without loading torch;
skipped (exit code 77) where there is none."""
import importlib.util
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from python_with_torch import skip_without_torch, torch_folder

TIDEMARK = os.path.abspath(sys.argv[1])
BASE = 0x7F00_0000_0000


def viewer():
    skip_without_torch()
    spec = importlib.util.spec_from_file_location("memory_viz", torch_folder() / "cuda" / "_memory_viz.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made_up_snapshot():
    """Two blocks, one of which is freed, and one that was there before; the frames are shared, as PyTorch shares them."""
    frame = {"filename": "train.py", "line": 12, "name": "forward"}

    def entry(action, address, size, at):
        return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": 1_790_857_026_000_000 + at, "frames": [frame]}

    def block(address, size, requested, state):
        return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": [frame]}
    blocks = [block(BASE, 1024, 1000, "active_allocated"), block(BASE + 1024, 2048, 2000, "active_allocated"),
              block(BASE + 3072, (2 << 20) - 3072, 0, "inactive")]
    segment = {"address": BASE, "total_size": 2 << 20, "stream": 0, "segment_type": "small", "device": 0, "segment_pool_id": (0, 0),
               "allocated_size": 3072, "active_size": 3072, "requested_size": 3000, "blocks": blocks, "frames": [frame], "is_expandable": False}
    trace = [entry("alloc", BASE + 1024, 2000, 1), entry("alloc", BASE + 3072, 4000, 2), entry("free_requested", BASE + 3072, 4000, 3),
             entry("free_completed", BASE + 3072, 4000, 4)]
    return {"segments": [segment], "device_traces": [trace], "allocator_settings": {"max_split_size": -1}, "external_annotations": []}


def converted(folder, source, name):
    target = os.path.join(folder, name)
    subprocess.run([TIDEMARK, "convert", source, target], check=True)
    return target


def main():
    memory_viz = viewer()
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "made.pickle")
        with open(source, "wb") as file:
            pickle.dump(made_up_snapshot(), file)
        recording = converted(folder, source, "made.tide")
        with open(converted(folder, recording, "again.pickle"), "rb") as file:
            snapshot = pickle.load(file)

    told = [(entry["action"], entry["addr"] - BASE, entry["size"]) for entry in snapshot["device_traces"][0]]
    for wanted in [("alloc", 1024, 2000), ("alloc", 3072, 4000), ("free_requested", 3072, 4000), ("free_completed", 3072, 4000)]:
        assert told.count(wanted) == 1, (wanted, told)
    (segment,) = snapshot["segments"]
    assert (segment["address"], segment["total_size"], segment["allocated_size"]) == (BASE, 2 << 20, 3072), segment
    frames = [frame for entry in snapshot["device_traces"][0] for frame in entry["frames"]]
    assert {"filename": "train.py", "line": 12, "name": "forward"} in frames, frames

    for draw in (memory_viz.trace_plot, memory_viz.segment_plot):
        assert "<script" in draw(snapshot), draw
    assert "alloc" in memory_viz.trace(snapshot), memory_viz.trace(snapshot)
    assert "2.0MiB" in memory_viz.segsum(snapshot), memory_viz.segsum(snapshot)
    print("opened by", memory_viz.__file__)


main()
