#!/usr/bin/env python3
"""What `tidemark record` counts beside what PyTorch counts itself, while as many ranks as are wanted do nothing but make and free
tensors: every allocation is recorded, or counted as lost and told.

losses.py --tidemark TIDEMARK [--under WORDS] [--ranks 4] [--seconds 60] --out FILE: with the torch of the Python that it runs under.
WORDS are what stands before the recorder, such as "tidemark phantom --" where there is no GPU. Ends with 1 where a rank's events do not
add up, or what it lost was not told.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import json, os, sys, time, torch
rank, seconds = int(os.environ["LOCAL_RANK"]), float(sys.argv[1])
torch.cuda.set_device(rank % torch.cuda.device_count())
until, left = time.monotonic() + seconds, int(sys.argv[2])
while time.monotonic() < until and left > 0:
    for _ in range(1000):
        torch.empty(4096, device="cuda")
    left -= 1000
told = torch.cuda.memory_stats()
with open(f"told.{rank}", "w") as file:
    json.dump({"allocated": told["allocation.all.allocated"], "freed": told["allocation.all.freed"]}, file)
"""


# A rank makes no more tensors than that: of a longer recording the last 48 million events are opened.
MOST_TENSORS = 20_000_000


def rows_of(tidemark, recording, folder):
    """How many allocations and frees of PyTorch's blocks a recording has, together."""
    table = folder / "rows.csv"
    subprocess.run([tidemark, "export", recording, "-o", table], check=True, capture_output=True)
    with open(table, encoding="utf-8") as rows:
        kind = next(rows).rstrip("\n").split(",").index("kind")
        count = sum(row.split(",", kind + 1)[kind] in ("allocate", "free requested", "free completed") for row in rows)
    table.unlink()
    return count


def check(rank, told, recorded, info, said):
    """A sentence about the rank, and whether its events add up."""
    lost = info["events"]["lost"]
    attempted = told["allocated"] + told["freed"]
    of_allocator = sum(source["lost"] for source in info["sources"] if source["source"] == "allocator")
    whole = recorded == attempted if lost == 0 else recorded <= attempted <= recorded + of_allocator
    is_told = f" {lost:,} lost" in said
    sentence = (f"rank {rank}: PyTorch counts {attempted:,} allocations and frees, {recorded:,} are recorded, {lost:,} events lost"
                f"{'' if whole else ': THEY DO NOT ADD UP'}{'' if is_told else ': WHAT IS LOST WAS NOT TOLD'}")
    return sentence, whole and is_told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--under", default="")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--out", required=True)
    wanted = parser.parse_args()
    tidemark = str(Path(wanted.tidemark).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "churn.py").write_text(PROGRAM)
        ran = subprocess.run([*shlex.split(wanted.under), tidemark, "record", "-o", "run.tide", "--", sys.executable, "-m",
                              "torch.distributed.run", "--nproc-per-node", str(wanted.ranks), "churn.py", str(wanted.seconds), str(MOST_TENSORS)],
                             cwd=folder, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if ran.returncode != 0:
            sys.exit(f"It ended with exit code {ran.returncode}.\n{ran.stderr}")
        sentences, all_well = [], True
        for rank in range(wanted.ranks):
            recording = folder / f"run.rank{rank}.tide"
            info = json.loads(subprocess.run([tidemark, "info", recording, "--json"], capture_output=True, check=True).stdout)
            told = json.loads((folder / f"told.{rank}").read_text())
            sentence, is_well = check(rank, told, rows_of(tidemark, recording, folder), info, ran.stderr)
            sentences.append(sentence)
            all_well = all_well and is_well
    text = f"{wanted.ranks} ranks, {wanted.seconds:g} s, {os.cpu_count()} cores\n" + "\n".join(sentences) + "\n"
    Path(wanted.out).write_text(text)
    print(text, end="")
    sys.exit(0 if all_well else 1)


if __name__ == "__main__":
    main()
