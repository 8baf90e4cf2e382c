"""Runs a program once for each value of one of its arguments, in processes forked from one that has imported torch.

usage: sweep.py {"script": FILE, "arguments": [...], "name": "batch", "values": [...], "at_once": 2}

For each value one line on standard output, as soon as it is known: `tidemark ` and an object with `value`, the peaks
(`allocated_peak_bytes`, `reserved_peak_bytes`), `out_of_memory` and `sentence` (why it ended early; "" if it did not).
"""

import json
import os
import runpy
import sys
import traceback

import torch


def with_argument(arguments, name, value):
    """The argument list with --name VALUE, in the place of the one that is there."""
    kept, skip = [], False
    for argument in arguments:
        if skip or argument.startswith(f"--{name}="):
            skip = False
        elif argument == f"--{name}":
            skip = True
        else:
            kept.append(argument)
    return [*kept, f"--{name}", str(value)]


def run(task, value):
    """In a process of its own; what it found out."""
    answer = {"value": value, "out_of_memory": False, "sentence": ""}
    sys.argv = [task["script"], *with_argument(task["arguments"], task["name"], value)]
    sys.path.insert(0, os.path.dirname(os.path.abspath(task["script"])))
    try:
        runpy.run_path(task["script"], run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            answer["sentence"] = f"it ended with exit code {end.code}"
    except torch.OutOfMemoryError as error:
        answer["out_of_memory"], answer["sentence"] = True, str(error).partition(". ")[0] + "."
    except BaseException as error:
        answer["sentence"] = traceback.format_exception_only(error)[-1].strip()
    answer["allocated_peak_bytes"] = torch.cuda.max_memory_allocated()
    answer["reserved_peak_bytes"] = torch.cuda.max_memory_reserved()
    return answer


def start(task, value):
    """A child that runs the program with this value; the end of the pipe on which its answer comes."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid, ours
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    status = 1
    try:
        os.write(theirs, json.dumps(run(task, value)).encode())
        status = 0
    finally:
        os._exit(status)


def finish(value, pid, pipe):
    with os.fdopen(pipe, "rb") as file:
        text = file.read()
    _, status = os.waitpid(pid, 0)
    answer = json.loads(text) if text else {
        "value": value, "out_of_memory": False, "allocated_peak_bytes": 0, "reserved_peak_bytes": 0,
        "sentence": f"its process ended with status {os.waitstatus_to_exitcode(status)} and no answer"}
    print("tidemark " + json.dumps(answer), flush=True)


def main():
    task = json.loads(sys.argv[1])
    running = []
    for value in task["values"]:
        if len(running) == task["at_once"]:
            finish(*running.pop(0))
        running.append((value, *start(task, value)))
    for each in running:
        finish(*each)


main()
