#!/usr/bin/env python3
"""Runs of the trainer on a GPU beside the same runs on its phantom: what was asked for has to be the same, request by request, outside of
what libraries take as workspaces (in half precision each size, for steps whose gradients overflow are left out on a card, and nothing
overflows where there are no numbers), and what was reserved within 1 %. NVML has to have told of the card in each. Blocks are larger than what
was asked for by what PyTorch does not split off, and that hangs on which of several free blocks is taken, and so on where the driver has put
its own memory between: by category the blocks may differ by 1 % of all. Where cuDNN itself asks for other workspaces than it tells of
without a GPU, a difference as large as what they differ by is told and is no failure.

  predicted.py --tidemark build/bin/tidemark MEASURED PREDICTED

Both are folders of recordings; those that are in both are compared. Ends with 1 if one differs by more, or if there is none.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

RESERVED_SHARE = BLOCKS_SHARE = 0.01
SEGMENT = 20 << 20


def peaks(tidemark, recording):
    """The blocks by category where most was allocated, without workspaces; the most that was reserved; beside the segments."""
    said = subprocess.run([tidemark, "info", recording, "--json"], capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"predicted.py: {recording}: {said.stderr.strip()}")
    info = json.loads(said.stdout)
    categories = {name: size for name, size in info["measured"]["by_category_at_peak"].items() if name != "workspace"}
    levels = info.get("levels", {})
    if not levels.get("card_bytes"):
        sys.exit(f"predicted.py: {recording}: NVML told nothing of the card; what it has are {levels}")
    outside = levels.get("process_bytes", 0) - levels.get("driver_bytes", 0)
    return categories, info["measured"]["reserved_peak_bytes"], outside


def requests(tidemark, recording):
    """What was asked for, in bytes and in order: of workspaces, and of all else."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "events.csv"
        subprocess.run([tidemark, "export", recording, "-o", table], check=True, capture_output=True)
        sizes, workspaces, lies_at = [], set(), {}
        with open(table, encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                if row["kind"] == "allocate":
                    lies_at[row["address"]] = len(sizes)
                    sizes.append(int(row["bytes"]))
                if row["category"] == "workspace" and row["address"] in lies_at:
                    workspaces.add(lies_at[row["address"]])
        return [sizes[i] for i in sorted(workspaces)], [size for i, size in enumerate(sizes) if i not in workspaces]


def differences(measured, predicted):
    """By how many bytes, of each category that is not the same."""
    apart = {name: measured.get(name, 0) - predicted.get(name, 0) for name in sorted(measured.keys() | predicted.keys())}
    return {name: size for name, size in apart.items() if size != 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidemark", default="tidemark")
    parser.add_argument("measured", type=Path)
    parser.add_argument("predicted", type=Path)
    options = parser.parse_args()
    names = sorted(file.name for file in options.predicted.glob("*.tide") if (options.measured / file.name).exists())
    failed = not names
    for name in names:
        measured, reserved, outside = peaks(options.tidemark, options.measured / name)
        predicted, reserved_predicted, _ = peaks(options.tidemark, options.predicted / name)
        differs = differences(measured, predicted)
        share = reserved_predicted / reserved - 1 if reserved else 0.0
        workspaces, others = zip(requests(options.tidemark, options.measured / name), requests(options.tidemark, options.predicted / name))
        told = []
        unlike = set(workspaces[0]) ^ set(workspaces[1])
        # As much as what is another's, and a segment beside it.
        allowed = sum(unlike) + SEGMENT if unlike else 0
        if others[0] != others[1] and not (".amp" in name and set(others[0]) <= set(others[1])):
            told.append("ASKED FOR SOMETHING ELSE")
        if max(map(abs, differs.values()), default=0) > max(BLOCKS_SHARE * sum(measured.values()), allowed):
            told.append("OTHER BLOCKS")
        if abs(reserved_predicted - reserved) > max(RESERVED_SHARE * reserved, allowed):
            told.append("RESERVED OTHERWISE")
        failed = failed or bool(told)
        if unlike:
            told.append(f"workspaces differ (in {len(unlike)} sizes)")
        explained = "".join("; " + words for words in told)
        words = ", ".join(f"{category} {size:+,} B" for category, size in differs.items()) or "the same"
        print(f"{name.removesuffix('.tide'):44} allocated {sum(measured.values()):>14,} B: {words}; reserved "
              f"{reserved:>14,} B, predicted {100 * share:+.2f} %; {outside:,} B beside what the driver gave{explained}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
