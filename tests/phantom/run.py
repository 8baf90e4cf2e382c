#!/usr/bin/env python3
"""Runs training programs of the usual kinds on the phantom GPU, and says what each of them met there.

  run.py --tidemark build/bin/tidemark [--python PYTHON] [--card NAME] [--quick] [--list] [PATTERN ...]
  run.py --on-gpu [--parallel 8] ...   the same programs on the GPU of this machine, to compare with

With --histories FOLDER each program leaves its memory history there, for compare_snapshots.py; --keep FILE makes one small file of
them, and --compare FILE says how far those agree that were kept from a GPU (tests/gpu/fixtures). A program that has to do
what it did there, allocation by allocation, and does not, counts as failed.

PYTHON (without it what tests/support/python_with_torch.py finds) has the torch that is tried; programs that need a package that it lacks
are left out, by name. Ends with 1 if a program failed, and with 77 (to CTest: skipped) if PYTHON has no torch.
"""

import argparse
import faulthandler
import fnmatch
import gzip
import importlib
import json
import lzma
import os
import pickle
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import compare_snapshots
from catalogue import PROGRAMS
from python_with_torch import PYTHON, skip_without_torch

MODULES = ("torch_programs", "training_programs", "algebra_programs", "value_programs", "allocator_programs", "vision_programs", "language_programs", "diffusion_programs", "distributed_programs", "large_programs")
PASSED, LEFT_OUT = "passed", "left out"
MUST_AGREE = "as on a card"
LIMIT_SECONDS = 120


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidemark", default="tidemark")
    parser.add_argument("--python", default=PYTHON)
    parser.add_argument("--card", default="h200")
    parser.add_argument("--on-gpu", action="store_true", help="on this machine's GPU instead of a phantom; programs of one rank only")
    parser.add_argument("--histories", metavar="FOLDER", help="keep each program's memory history, NAME.pickle.gz")
    parser.add_argument("--keep", metavar="FILE", help="the sizes in the histories, as .json.xz")
    parser.add_argument("--compare", metavar="FILE", help="histories that were kept from a GPU")
    parser.add_argument("--parallel", type=int, default=1, metavar="N", help="so many programs at a time")
    parser.add_argument("--quick", action="store_true", help="only those that are part of ./test")
    parser.add_argument("--list", action="store_true", help="only their names")
    parser.add_argument("--inside", help=argparse.SUPPRESS)  # on the phantom already: where to write the results
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", default=["*"])
    return parser.parse_args()


def chosen(options):
    if options.inside:
        return [PROGRAMS[name] for name in options.patterns]
    programs = [program for program in PROGRAMS.values() if program.quick or not options.quick]
    found = [program for program in programs if any(program.name == p or fnmatch.fnmatchcase(program.name, p) for p in options.patterns or ["*"])]
    if not found:
        sys.exit(f"run.py: no program is called {' or '.join(options.patterns)}; --list lists them.")
    return found


# --- outside: one phantom for all programs of the same rank of the same world and the same allocator settings ---


def run_group(options, world, rank, settings, names, results):
    environment = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=settings)
    command = []
    if not options.on_gpu:
        command = [options.tidemark, "phantom", "--card", options.card]
        if world > 1:
            command += ["--world", str(world), "--rank", str(rank)]
        command.append("--")
    command += [options.python, os.path.abspath(__file__), "--inside", results, "--parallel", str(options.parallel)]
    if options.histories:
        command += ["--histories", os.path.abspath(options.histories)]
    subprocess.run(command + names, env=environment)


def run_all(options):
    skip_without_torch(options.python)
    # The names of the list come from the packages that PYTHON has; torch may need the stand-ins to be imported at all.
    listing = [os.path.abspath(__file__), "--list", *(["--quick"] if options.quick else []), *options.patterns]
    on_phantom = [] if options.on_gpu else [options.tidemark, "phantom", "--"]
    listed = subprocess.run([*on_phantom, options.python, *listing], capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(listed.stderr.strip())
    groups, exact = {}, set()
    for line in listed.stdout.splitlines():
        name, world, rank, settings, agreement = line.split("\t")
        if agreement == MUST_AGREE:
            exact.add(name)
        if options.on_gpu and int(world) > 1:
            continue
        groups.setdefault((int(world), int(rank), settings), []).append(name)
    failed, left_out, histories = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        if options.keep or options.compare:
            options.histories = options.histories or os.path.join(folder, "histories")
        if options.histories:
            os.makedirs(options.histories, exist_ok=True)
        for number, ((world, rank, settings), names) in enumerate(groups.items()):
            results = os.path.join(folder, str(number))
            run_group(options, world, rank, settings, names, results)
            written = open(results).read() if os.path.exists(results) else ""
            done = dict(line.split("\t", 1) for line in written.splitlines())
            left_out += [name for name in names if done.get(name) == LEFT_OUT]
            failed += [name for name in names if done.get(name) not in (PASSED, LEFT_OUT)]
        if options.keep or options.compare:
            histories = histories_in(options.histories)
    count = sum(map(len, groups.values())) - len(left_out)
    print(f"{count - len(failed)} of {count} programs ran on {'the GPU' if options.on_gpu else f'the phantom {options.card}'}.")
    if left_out:
        print("Left out: " + ", ".join(left_out))
    if failed:
        print("Failed: " + ", ".join(failed))
    if options.keep:
        with lzma.open(options.keep, "wt") as file:
            json.dump({name: compare_snapshots.plain(history) for name, history in histories.items()}, file)
    if options.compare:
        failed += compare(histories, options.compare, exact)
    return 1 if failed else 0


# --- what a GPU's histories say of the phantom's ---


def histories_in(folder):
    found = {}
    for file in sorted(os.listdir(folder)):
        snapshot = compare_snapshots.load(os.path.join(folder, file))
        if any(snapshot["device_traces"]):
            found[file.removesuffix(".pickle.gz")] = compare_snapshots.history_of(snapshot, 0)
    return found


def compare(histories, path, exact):
    """Prints how far each agrees, and answers with those that do not and have to."""
    with lzma.open(path, "rt") as file:
        kept = {name: compare_snapshots.from_plain(plain) for name, plain in json.load(file).items()}
    unlike, close, names = [], 0, sorted(histories.keys() & kept.keys())
    for name in names:
        card, phantom = kept[name], histories[name]
        sizes = [[entry["size"] for entry in history.allocations] for history in (card, phantom)]
        agreed, _ = compare_snapshots.align(*sizes)
        off = 100 * (phantom.allocated_peak - card.allocated_peak) / max(card.allocated_peak, 1)
        reserved_off = 100 * (phantom.reserved_peak - card.reserved_peak) / max(card.reserved_peak, 1)
        print(f"{name:45} {agreed:6,} of {len(sizes[0]):6,} allocations, allocated {off:+.3f} %, reserved {reserved_off:+.3f} %")
        close += abs(off) <= 0.01
        same = sizes[0] == sizes[1] and card.reserved_peak == phantom.reserved_peak
        if not same and name in exact:
            unlike.append(name)
    print(f"{close} of {len(names)} programs allocate at their peak what they did on the GPU, within 0.01 %.")
    if unlike:
        print("Unlike on the GPU, and should not be: " + ", ".join(unlike))
    lacking = sorted(exact & histories.keys() - kept.keys())
    if lacking:
        print("To be as on the GPU, but not recorded there: " + ", ".join(lacking))
    return unlike + lacking


# --- inside: each program in a process of its own, forked when everything is imported ---


def keep_history(program, folder):
    """Without stacks and names: what is compared is sizes, and their order."""
    import torch

    snapshot = torch.cuda.memory._snapshot()
    with gzip.open(os.path.join(folder, f"{program.name}.pickle.gz"), "wb") as file:
        pickle.dump({part: snapshot[part] for part in ("segments", "device_traces", "allocator_settings")}, file)


def run_one(program, histories):
    import torch

    histories = histories if "cudaMallocAsync" not in program.settings else None  # it keeps none
    if histories:
        torch.cuda.memory._record_memory_history(context=None)
    began = time.monotonic()
    program.run()
    torch.cuda.synchronize()
    if histories:
        keep_history(program, histories)
    seconds = time.monotonic() - began
    allocated, reserved = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
    print(f"{program.name:45} {allocated:>15,} B {reserved:>15,} B {seconds:6.2f} s", flush=True)


def child(program, doubts, histories):
    os.environ["TIDEMARK_PHANTOM_DOUBTS"] = doubts
    faulthandler.dump_traceback_later(LIMIT_SECONDS, exit=True)  # says where a program hangs
    try:
        run_one(program, histories)
    except Exception:
        print(f"{program.name} failed:", file=sys.stderr)
        traceback.print_exc()
        sys.stderr.flush()
        return 1
    return 0


def note(options, program, result):
    with open(options.inside, "a") as results:
        results.write(f"{program.name}\t{result}\n")


def wait_for_one(options, running):
    pid, status = os.wait()
    program = running.pop(pid)
    note(options, program, PASSED if status == 0 else "failed")
    if status != 0:
        print(f"{program.name:45} FAILED ({os.waitstatus_to_exitcode(status)})", flush=True)


def run_inside(options, programs):
    """Nothing of a program reaches the next one: not its memory, not its threads, not the settings that it changes."""
    import torch  # noqa: F401

    doubted = os.environ.get("TIDEMARK_PHANTOM_DOUBTS", os.devnull)
    running = {}
    for program in programs:
        lacks = program.lacks()
        if lacks:
            print(f"{program.name:45} left out: there is no {' and no '.join(lacks)}", flush=True)
            note(options, program, LEFT_OUT)
            continue
        while len(running) == max(1, options.parallel):
            wait_for_one(options, running)
        pid = os.fork()
        if pid == 0:
            code = child(program, doubted, options.histories)
            sys.exit(code)
        running[pid] = program
    while running:
        wait_for_one(options, running)
    return 0


def main():
    options = parse_arguments()
    if not options.inside and not options.list:
        return run_all(options)
    for module in MODULES:
        importlib.import_module(module)
    programs = chosen(options)
    if options.list:
        for program in programs:
            agreement = program.unlike_card or (MUST_AGREE if program.quick and program.world == 1 else "")
            print(f"{program.name}\t{program.world}\t{program.rank}\t{program.settings}\t{agreement}")
        return 0
    return run_inside(options, programs)


if __name__ == "__main__":
    sys.exit(main())
