#!/usr/bin/env python3
"""Whether what the CUDA driver gave a process (CUPTI) changes as what the card says that it takes (NVML): while a program takes segments and
gives them back, with pauses that NVML samples, the difference of the two stays within 4 MiB once the context and the kernels are there.
What it is, beside "a kernel" in card.txt, which nobody records, is what CUPTI takes for itself: with memory alone, and with kernels.

levels.py --tidemark TIDEMARK [--under WORDS] --out FILE: with the torch of the Python that it runs under. WORDS are what stands before the
recorder, such as "tidemark phantom --" where there is no GPU. Ends with 1 where it does not stay so, or where one of the two tells nothing.
"""

import argparse
import csv
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_APART = 4 << 20
# A sample that comes while the driver gives may be told before what it gave.
TOGETHER_NS = 50_000_000
SAMPLES_APART_NS = 250_000_000  # more than two of NVML's samples: the later one is of a moment at which the driver's level had settled
PAUSE = 0.6
PROGRAM = f"""
import time, torch
(torch.ones(1, device="cuda") + 1).zero_().item()
time.sleep({PAUSE})
held = []
for mebibytes in (10, 100, 300, 700):
    held.append(torch.empty(mebibytes << 20, dtype=torch.uint8, device="cuda"))
    time.sleep({PAUSE})
while held:
    held.pop()
    torch.cuda.empty_cache()
    time.sleep({PAUSE})
"""


def plateaus(rows):
    """What the driver gave and what the process took at the last sample before each change of the former, from the first segment on:
    a pause after it the kernels are there, too."""
    driver, driver_since, samples = 0, 0, []
    told = []
    for row in rows:
        if row["kind"] != "counter" or row["level"] not in ("driver", "process"):
            continue
        time_ns, size = int(row["time_ns"]), int(row["bytes"])
        if row["level"] == "process":
            samples.append((time_ns, size))
            continue
        settled = [size_then for then, size_then in samples if then < time_ns - TOGETHER_NS]
        if driver > 0 and settled and time_ns - driver_since > SAMPLES_APART_NS:
            told.append((driver, settled[-1]))
        driver, driver_since = size, time_ns
    return told


def run(wanted, flags):
    """The plateaus of one run, recorded with these flags."""
    tidemark = str(Path(wanted.tidemark).resolve())
    with tempfile.TemporaryDirectory() as name:
        recording, table = Path(name) / "run.tide", Path(name) / "run.csv"
        ran = subprocess.run([*shlex.split(wanted.under), tidemark, "record", "-o", recording, *flags, "--", sys.executable, "-c", PROGRAM],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            sys.exit(f"levels.py: the program ended with exit code {ran.returncode}.\n{ran.stderr}")
        subprocess.run([tidemark, "export", recording, "-o", table], check=True, capture_output=True)
        with open(table, encoding="utf-8", newline="") as rows:
            told = plateaus(csv.DictReader(rows))
    if len(told) < 5:
        sys.exit(f"levels.py: {len(told)} of the program's pauses were told by both CUPTI and NVML, where there should be five at least.\n{ran.stderr}")
    return told


def report(title, told):
    """In words, and whether the levels stayed together."""
    beside = told[0][1] - told[0][0]
    lines = [f"{title}:"]
    lines += [f"  driver {driver:>14,} B, process {process:>14,} B: {process - driver - beside:+,} B apart" for driver, process in told]
    worst = max(abs(process - driver - beside) for driver, process in told)
    well = worst <= MOST_APART
    lines.append(f"  {beside:,} B beside what the driver gave; {worst:,} B apart at most{'' if well else ': MORE THAN 4 MiB'}")
    return lines, well


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tidemark", required=True)
    parser.add_argument("--under", default="")
    parser.add_argument("--out", required=True)
    wanted = parser.parse_args()
    reports = [report(title, run(wanted, flags)) for title, flags in (("as it is recorded", []), ("with kernels", ["--kernels"]))]
    text = "".join(line + "\n" for lines, _ in reports for line in lines)
    Path(wanted.out).write_text(text, encoding="utf-8")
    print(text, end="")
    return 0 if all(well for _, well in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
