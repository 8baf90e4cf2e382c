#!/usr/bin/env python3
"""How long it takes to open files of others, beside what Python takes to load them: ratios of times in one run.

usage: bench_import.py --tidemark build/bin/tidemark [--megabytes 100] [FILE...]
Without files, makes its own: one trace and one snapshot of that size. Prints, for each, our time (`tidemark info`, everything
included), Python's (json.load or pickle.load alone), their ratio, and the most memory that we held as a multiple of the file."""
import argparse
import gzip
import json
import os
import pickle
import random
import resource
import sys
import tempfile
import time


def made_up_trace(path, size):
    """As torch.profiler writes it: an operator, a kernel with its call, and memory now and then."""
    random.seed(1)
    alive, total, at = [], 0, 0
    with open(path, "w") as file:
        file.write('{"schemaVersion": 1, "baseTimeNanoseconds": 1790857026000000000, "traceEvents": [\n')
        while file.tell() < size:
            at += 10
            shapes = [[random.randint(1, 64), 256], [512, 256]]
            events = [{"ph": "X", "cat": "cpu_op", "name": f"aten::op{at % 37}", "pid": 1, "tid": 1, "ts": at + 0.125, "dur": 8.5,
                       "args": {"External id": at, "Record function id": 0, "Sequence number": at, "Concrete Inputs": ["", ""],
                                "Input type": ["float", "float"], "Input Dims": shapes, "Ev Idx": at}},
                      {"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, float>", "pid": 0,
                       "tid": 7, "ts": at + 3, "dur": 2.5, "args": {"External id": at, "queued": 0, "device": 0, "stream": 7,
                                                                    "correlation": at, "grid": [16, 1, 1], "block": [128, 1, 1]}}]
            if len(alive) > 1000 or alive and random.random() < 0.5:
                address, size_of = alive.pop(random.randrange(len(alive)))
                change = -size_of
            else:
                address, change = at * 4096, 512 * random.randint(1, 2000)
                alive.append((address, change))
            total += change
            events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": at + 2,
                           "args": {"Total Reserved": 1 << 31, "Total Allocated": total, "Bytes": change, "Device Id": 0,
                                    "Device Type": 1, "Addr": address, "finished": False, "Ev Idx": at}})
            file.write("".join(("" if at == 10 and i == 0 else ",\n") + json.dumps(event) for i, event in enumerate(events)))
        file.write("]}\n")


def made_up_snapshot(path, size):
    """As torch 2.11 dumps it: each entry has a list of frames of its own (40 in a small training program), and frames are shared."""
    frames = [{"name": f"forward{i}", "filename": f"model{i % 7}.py", "line": i} for i in range(280)]
    stacks = [random.Random(j).choices(frames, k=40) for j in range(60)]
    trace, bytes_each = [], 202
    for i in range(size // bytes_each):
        trace.append({"action": "alloc" if i % 2 == 0 else "free_completed", "addr": (1 << 47) + 4096 * (i // 2), "size": 512, "stream": 0,
                      "time_us": 1_790_857_026_000_000 + i, "compile_context": "N/A", "user_metadata": "", "frames": list(stacks[i % 60])})
    with open(path, "wb") as file:
        pickle.dump({"segments": [], "device_traces": [trace]}, file, protocol=4)


def in_a_child(work):
    """Seconds and the most resident bytes of what `work` does in a process of its own."""
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as failure:  # told, and then the process ends
            print(failure, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit("A measurement failed; its message is above.")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def load(path):
    opened = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        json.load(file) if ".json" in path else pickle.load(file)


def info(tidemark, path):
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.execv(tidemark, [tidemark, "info", path])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = options.files
        if not files:
            files = [f"{folder}/trace.json", f"{folder}/snapshot.pickle"]
            made_up_trace(files[0], options.megabytes * 1_000_000)
            made_up_snapshot(files[1], options.megabytes * 1_000_000)
        for path in files:
            size = os.path.getsize(path)
            ours, resident = in_a_child(lambda: info(options.tidemark, path))
            python, python_resident = in_a_child(lambda: load(path))
            print(f"{os.path.basename(path)}: {size / 1e6:.0f} MB, ours {ours:.2f} s, Python {python:.2f} s, ratio "
                  f"{ours / python:.2f}; resident {resident / size:.2f} of the file, Python {python_resident / size:.2f}")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
