#!/usr/bin/env python3
"""Asks PyTorch's allocator for what a recorded memory history asked for, in its order, and records what comes of it.

  tidemark phantom --card NAME -- python replay_snapshot.py RECORDED REPLAYED [--device N]
  compare_snapshots.py RECORDED REPLAYED [--device N]

RECORDED is what torch.cuda.memory._dump_snapshot wrote on a card; the program that made it is not needed. What may differ then is
the driver alone: when memory is asked of it, its addresses, and where it has no more. PYTORCH_CUDA_ALLOC_CONF has to be the
recorded one, and the history has to begin with nothing reserved: what was there before is not replayed, only told.
"""

import argparse
import itertools

import compare_snapshots


def replay(trace, allocator):
    """`allocator` has allocate(size, stream), free(handle) and give_back(). Returns how many frees were of unknown blocks."""
    live = {}
    unknown = 0
    for action, entries in itertools.groupby(trace, key=lambda entry: entry["action"]):
        if action in compare_snapshots.LOST_SEGMENT:
            allocator.give_back()
        elif action == "alloc":
            live.update((entry["addr"], allocator.allocate(entry["size"], entry["stream"])) for entry in entries)
        elif action == "free_requested":
            for entry in entries:
                if entry["addr"] in live:
                    allocator.free(live.pop(entry["addr"]))
                else:
                    unknown += 1
    return unknown


def reserved_before(snapshot, device):
    """The bytes of segments that were there when the history began."""
    at_end = sum(segment["total_size"] for segment in snapshot["segments"] if segment["device"] == device)
    for entry in snapshot["device_traces"][device]:
        if entry["action"] in compare_snapshots.NEW_SEGMENT:
            at_end -= entry["size"]
        elif entry["action"] in compare_snapshots.LOST_SEGMENT:
            at_end += entry["size"]
    return at_end


class CudaAllocator:
    def __init__(self, torch):
        self.cuda = torch.cuda
        self.streams = {0: torch.cuda.default_stream()}

    def allocate(self, size, stream):
        if stream not in self.streams:
            self.streams[stream] = self.cuda.Stream()
        return self.cuda.caching_allocator_alloc(size, stream=self.streams[stream])

    def free(self, handle):
        self.cuda.caching_allocator_delete(handle)

    def give_back(self):
        self.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded")
    parser.add_argument("replayed")
    parser.add_argument("--device", type=int, default=0, help="whose history; it is replayed on the first device")
    options = parser.parse_args()
    snapshot = compare_snapshots.load(options.recorded)
    trace = snapshot["device_traces"][options.device]
    import torch  # only now: a file that is none should be told at once
    torch.cuda.init()
    torch.cuda.memory._record_memory_history(context=None, stacks="python", max_entries=10 * len(trace) + 1)
    unknown = replay(trace, CudaAllocator(torch))
    torch.cuda.memory._dump_snapshot(options.replayed)
    print(f"{sum(entry['action'] == 'alloc' for entry in trace):,} allocations; {unknown:,} frees of what lived before were left out")
    if before := reserved_before(snapshot, options.device):
        print(f"{before:,} B were reserved when the history began: segments and peaks are not comparable.")


if __name__ == "__main__":
    main()
