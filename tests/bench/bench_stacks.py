#!/usr/bin/env python3
"""What Python stacks cost the recorded thread: bench_stacks.py TIDEMARK [PYTHON]. PYTHON has torch. Allocates tensors on the CPU, 30 calls
deep, as it is, under `record --cpu`, and with `--stacks python`; prints nanoseconds an allocation with its free, the best of some rounds.
Prints figures and judges nothing."""

import os
import subprocess
import sys
import tempfile

PROGRAM = """
import sys, time, torch
sys.setrecursionlimit(1000)
def deep(left):
    if left: return deep(left - 1)
    best = float("inf")
    for _ in range(40):
        begun = time.thread_time_ns()
        for _ in range(5000): torch.empty(64)
        best = min(best, (time.thread_time_ns() - begun) / 5000)
        time.sleep(0.02)  # the ring empties
    print(f"{best:.0f}")
deep(30)
"""


def main():
    tidemark, python = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else sys.executable
    with open("/proc/cpuinfo") as cpu:
        model = next((line.split(":", 1)[1].strip() for line in cpu if line.startswith("model name")), "unknown processor")
    print(f"{os.cpu_count()} cores of {model}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        record = [tidemark, "record", "--cpu", "-o", folder + "/run.tide"]
        for title, under in (("as it is", []), ("recorded", [*record, "--"]), ("with Python's stacks", [*record, "--stacks", "python", "--"])):
            ran = subprocess.run([*under, python, "-c", PROGRAM], check=True, capture_output=True, text=True)
            lost = "" if ", 0 lost" in ran.stderr or not under else "   (events were lost)"
            print(f"  {title:22} {int(ran.stdout):5} ns an allocation and free{lost}")


if __name__ == "__main__":
    main()
