#!/usr/bin/env python3
"""Compares the memory histories of two runs of one program: on a card and on the phantom, say.

  compare_snapshots.py RECORDED PREDICTED [--device N]

Both are what torch.cuda.memory._dump_snapshot wrote. Ends with 1 if an allocation or a new segment differs, in size or in order.
Sizes of allocations are those asked for; `allocated` rounds them to whole 512 bytes, as the allocator does at least. Where a
history was begun late, or its oldest entries were dropped, what lived before is known from the snapshot's end.
"""

import argparse
import dataclasses
import gzip
import itertools
import pickle
import sys

ROUNDING_BYTES = 512
NEW_SEGMENT = ("segment_alloc", "segment_map")
LOST_SEGMENT = ("segment_free", "segment_unmap")
LONGEST_GAP = 200  # how many entries one history may have that the other lacks, at one place
SAME_AFTER_GAP = 4  # so many sizes have to agree before two histories count as being at the same place again
SHOWN_FRAMES = 8


class PlainUnpickler(pickle.Unpickler):
    """A snapshot is made of lists, dictionaries, numbers and texts. Anything else could run code."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"it holds a {module}.{name}, which no snapshot of memory does")


@dataclasses.dataclass
class History:
    allocations: list  # the trace's entries
    segments: list
    requested_peak: int
    allocated_peak: int
    reserved_peak: int


@dataclasses.dataclass
class Gap:
    """From `recorded` and `predicted` on, so many entries have no counterpart."""

    recorded: int
    predicted: int
    only_recorded: int
    only_predicted: int


def plain(history):
    """What is compared of a history, to be kept as JSON (tests/gpu/fixtures)."""
    kept = dataclasses.asdict(history)
    return kept | {part: [entry["size"] for entry in kept[part]] for part in ("allocations", "segments")}


def from_plain(kept):
    return History(**kept | {part: [{"size": size} for size in kept[part]] for part in ("allocations", "segments")})


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        try:
            snapshot = PlainUnpickler(file).load()
        except (pickle.UnpicklingError, EOFError, ValueError) as error:
            sys.exit(f"compare_snapshots.py: {path} is no snapshot: {error}.")
    if not isinstance(snapshot, dict) or "device_traces" not in snapshot:
        sys.exit(f"compare_snapshots.py: {path} has no memory history; call _record_memory_history before the program.")
    return snapshot


def rounded(size):
    return -(-size // ROUNDING_BYTES) * ROUNDING_BYTES


def peak(changes, at_end):
    """The highest level on the way, given the changes in order and the level that they led to."""
    levels = list(itertools.accumulate(changes, initial=0))
    return max(levels) - levels[-1] + at_end


def history_of(snapshot, device):
    trace = snapshot["device_traces"][device]
    segments = [segment for segment in snapshot["segments"] if segment["device"] == device]
    live = [block.get("requested_size", block["size"]) for segment in segments for block in segment["blocks"]
            if block["state"] != "inactive"]
    requested, allocated, reserved = [], [], []
    for entry in trace:
        action, size = entry["action"], entry["size"]
        if action in ("alloc", "free_completed"):
            sign = 1 if action == "alloc" else -1
            requested.append(sign * size)
            allocated.append(sign * rounded(size))
        elif action in NEW_SEGMENT + LOST_SEGMENT:
            reserved.append(size if action in NEW_SEGMENT else -size)
    return History(
        allocations=[entry for entry in trace if entry["action"] == "alloc"],
        segments=[entry for entry in trace if entry["action"] in NEW_SEGMENT],
        requested_peak=peak(requested, sum(live)),
        allocated_peak=peak(allocated, sum(map(rounded, live))),
        reserved_peak=peak(reserved, sum(segment["total_size"] for segment in segments)))


def next_common(recorded, predicted, i, j):
    """The nearest place after i and j from which the next sizes agree again; the ends of both if there is none near."""
    for skipped in range(1, LONGEST_GAP + 1):
        for left in range(skipped + 1):
            a = recorded[i + left:i + left + SAME_AFTER_GAP]
            b = predicted[j + skipped - left:j + skipped - left + SAME_AFTER_GAP]
            if a and a == b:
                return i + left, j + skipped - left
    return len(recorded), len(predicted)


def align(recorded, predicted):
    """How many sizes agree in order, and where not. Linear but for the gaps."""
    i = j = agreed = 0
    gaps = []
    while i < len(recorded) and j < len(predicted):
        if recorded[i] == predicted[j]:
            agreed, i, j = agreed + 1, i + 1, j + 1
            continue
        next_i, next_j = next_common(recorded, predicted, i, j)
        gaps.append(Gap(i, j, next_i - i, next_j - j))
        i, j = next_i, next_j
    if i < len(recorded) or j < len(predicted):
        gaps.append(Gap(i, j, len(recorded) - i, len(predicted) - j))
    return agreed, gaps


def stack_of(entry):
    frames = [frame for frame in entry.get("frames", []) if frame["filename"].endswith(".py")]
    frames = frames or entry.get("frames", [])
    return [f"      {frame['name']} {frame['filename']}:{frame['line']}" for frame in frames[:SHOWN_FRAMES]]


def print_place(title, entries, position, count):
    if position >= len(entries):
        print(f"    {title}: ended")
        return
    sizes = ", ".join(f"{entry['size']:,} B" for entry in entries[position:position + max(1, min(count, 6))])
    print(f"    {title}, number {position + 1:,}: {sizes}")
    print("\n".join(stack_of(entries[position])))


def compare_entries(what, recorded, predicted):
    agreed, gaps = align([entry["size"] for entry in recorded], [entry["size"] for entry in predicted])
    counts = f"of {len(recorded):,} recorded and {len(predicted):,} predicted"
    print(f"  {what}: {agreed:,} agree, {counts}; {len(gaps):,} differences")
    if gaps:
        first = gaps[0]
        print(f"  first difference, {first.only_recorded:,} recorded against {first.only_predicted:,} predicted:")
        print_place("recorded", recorded, first.recorded, first.only_recorded)
        print_place("predicted", predicted, first.predicted, first.only_predicted)
    return not gaps


def compare_peaks(recorded, predicted):
    for what in ("requested", "allocated", "reserved"):
        card, phantom = getattr(recorded, f"{what}_peak"), getattr(predicted, f"{what}_peak")
        off = f"{100 * (phantom - card) / card:+.3f} %" if card else "not comparable"
        print(f"  {what} at its peak: {card:,} B recorded, {phantom:,} B predicted, {off}")


def devices_of(options, snapshot):
    if options.device is not None:
        return [options.device]
    return [device for device, trace in enumerate(snapshot["device_traces"]) if trace]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded")
    parser.add_argument("predicted")
    parser.add_argument("--device", type=int, help="only this one; else each that the recorded history has entries of")
    options = parser.parse_args()
    recorded, predicted = load(options.recorded), load(options.predicted)
    devices = devices_of(options, recorded)
    if not devices:
        sys.exit(f"compare_snapshots.py: {options.recorded} has an empty memory history.")
    same = True
    for device in devices:
        if max(device, 0) >= min(len(recorded["device_traces"]), len(predicted["device_traces"])):
            sys.exit(f"compare_snapshots.py: there is no history of device {device} in both.")
        print(f"device {device}")
        card, phantom = history_of(recorded, device), history_of(predicted, device)
        same &= compare_entries("allocations", card.allocations, phantom.allocations)
        same &= compare_entries("new segments", card.segments, phantom.segments)
        compare_peaks(card, phantom)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
