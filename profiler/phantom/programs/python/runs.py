"""Runs a program several times, with other arguments or another environment, in processes forked from one that has imported what it needs.

The first run says what that is: an optimizer alone makes torch import a thousand modules, which takes ten times as long as
a run of a small network.

usage: runs.py {"script": FILE}

Instead of "script" it may be "module" (python -m) or "code" (python -c). Each line of standard input orders runs, until there is none:
`{"runs": [{"value": 8, "arguments": [...], "environment": ["NAME=value", ...]}, ...], "at_once": 2}`. A run's environment is what it has
beside what all have.

For each run one line on standard output, as soon as it is known: `tidemark ` and an object with its `value`, the peaks
(`allocated_peak_bytes`, `reserved_peak_bytes`), `process` (its number), `used_cuda`, `out_of_memory`, `sentence` (why it ended early; "" if it did not) and
`in_vain` (what of tidemark_techniques.py it was to use and could not).
"""

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import signal
import subprocess
import sys
import sysconfig
import threading
import traceback
import types

import torch

OWN = ("modules", "allocator", "said_why")  # of an answer: for this process alone
OWN_FOLDER = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, OWN_FOLDER)  # PYTHONSAFEPATH keeps a script's folder out
from tidemark_parent import die_with_parent  # noqa: E402


def run_program(task, arguments):
    """As Python would, had it been started with these words."""
    script, module = task.get("script"), task.get("module")
    sys.argv = [script or ("-c" if "code" in task else "-m"), *arguments]
    first = os.path.dirname(os.path.realpath(script)) if script else os.getcwd()
    sys.path[:] = [first, *(folder for folder in sys.path if os.path.abspath(folder) != OWN_FOLDER)]
    if script:
        runpy.run_path(script, run_name="__main__")
    elif module:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    else:
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(task["code"], "<string>", "exec"), main.__dict__)


def end_as_python_does():
    """Threads that the program left running go on to their end, and what it wanted called at its own is; its files hold all that was written."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for file in gc.get_objects():
        if issubclass(type(file), (io.BufferedRandom, io.BufferedWriter, io.TextIOWrapper)):
            with contextlib.suppress(Exception):  # closed; a pipe that nobody reads
                file.flush()


def techniques_in_vain():
    """Of the options that Python's end has told of."""
    techniques = getattr(sys.modules.get("sitecustomize"), "techniques", None)
    return techniques.tell_what_was_not_done() if techniques else []


def allocator_choice():
    """Which one PyTorch uses it reads as it is loaded, and its other settings not before CUDA is."""
    return {name: text for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF") if "backend" in (text := os.environ.get(name, ""))}


def run(task, order):
    """In a process of its own; what it found out."""
    answer = {"value": order["value"], "out_of_memory": False, "sentence": "", "said_why": False}
    os.environ.update(entry.split("=", 1) for entry in order["environment"])
    try:
        run_program(task, order["arguments"])
    except SystemExit as end:
        if end.code not in (None, 0):
            answer["said_why"] = True
            answer["sentence"] = f"it ended with exit code {end.code}" if isinstance(end.code, int) else f"it ended: {end.code}"
    except torch.OutOfMemoryError as error:
        answer["out_of_memory"], answer["sentence"] = True, str(error).removeprefix("CUDA out of memory. ").partition(". ")[0] + "."
    except BaseException as error:
        answer["sentence"] = traceback.format_exception_only(type(error), error)[-1].strip()
        sys.last_type, sys.last_value = type(error), error  # as Python has it, for what is called at its end
    end_as_python_does()
    answer["used_cuda"] = torch.cuda.is_initialized()
    answer["allocated_peak_bytes"] = torch.cuda.max_memory_allocated()
    answer["reserved_peak_bytes"] = torch.cuda.max_memory_reserved()
    answer["in_vain"] = techniques_in_vain()
    answer["modules"] = installed_modules()
    answer["allocator"] = allocator_choice()
    return answer


def start(task, order):
    """A child that runs the program so; the end of the pipe on which its answer comes; its standard error."""
    ours, theirs = os.pipe()
    words = os.memfd_create("words")
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid, ours, words
    die_with_parent()
    if os.getppid() != parent:
        os._exit(1)  # it went before that was asked for
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream, file in ((0, nothing), (1, nothing), (2, words)):
        os.dup2(file, stream)
    status = 1
    try:
        with os.fdopen(theirs, "wb") as pipe:
            pipe.write(json.dumps(run(task, order)).encode() + b"\n")
        status = 0
    finally:
        os._exit(status)


def last_line(file):
    with os.fdopen(file, "rb") as words:
        words.seek(-min(words.seek(0, os.SEEK_END), 4096), os.SEEK_END)
        lines = words.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def answer_of(value, pid, pipe, words):
    """Once its process has ended."""
    with os.fdopen(pipe, "rb") as file:
        text = file.readline()  # not to the end: what the program left running holds the pipe, too
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    answer = json.loads(text) if text else {
        "value": value, "out_of_memory": False, "used_cuda": False, "allocated_peak_bytes": 0, "reserved_peak_bytes": 0, "in_vain": [], "modules": [], "allocator": {}, "said_why": status != 0,
        "sentence": f"its process ended with status {status} and no answer" if status != 0 else ""}  # os._exit(0): its recording has what it used
    said = last_line(words)
    if answer["said_why"] and said:
        answer["sentence"] += ": " + said
    return {**answer, "process": pid}


def tell(answer):
    print("tidemark " + json.dumps({name: told for name, told in answer.items() if name not in OWN}), flush=True)


def installed_modules():
    """Those of Python and its packages: the program's own may do anything when they are imported."""
    folders = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
    files = ((name, getattr(module, "__file__", None)) for name, module in list(sys.modules.items()))
    return [name for name, file in files if file and file.startswith(folders)]


def forks_use_cuda():
    """Whether a process that is forked now can: CUDA's driver cannot where it was already asked for its cards."""
    pid = os.fork()
    if not pid:
        os._exit(int(torch.cuda._is_in_bad_fork()))
    return os.waitpid(pid, 0)[1] == 0


def import_all(names):
    """So that no later run has to, in the order of the first: packages that import each other may refuse another.

    False if a process cannot be forked any more: one of them started threads or CUDA.
    """
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(Exception):  # the run that needs it will meet the same, and say so
                importlib.import_module(name)
    # The runs share these objects' pages for as long as nothing touches them.
    gc.collect()
    gc.freeze()
    return threading.active_count() == 1 and forks_use_cuda()


def start_anew(task):
    """With what was ordered and not answered; what has not been read of standard input is the new one's."""
    flags = subprocess._args_from_interpreter_flags()
    os.execv(sys.executable, [sys.executable, *flags, "-u", __file__, json.dumps(task)])


def warm_up(task, ordered):
    """Answers the first of the runs, which says what the others need, and imports that; the others, and whether that was all: not of a run that ended early."""
    first, *others = ordered["runs"]
    answer = answer_of(first["value"], *start(task, first))
    if not answer["allocator"].items() <= allocator_choice().items() and not task.get("chosen"):
        os.environ.update(answer["allocator"])  # for this process's own torch, before that is loaded
        start_anew({**task, "ordered": ordered, "chosen": True})
    tell(answer)
    ordered = {**ordered, "runs": others}
    if not import_all(answer["modules"]):
        start_anew({**task, "ordered": ordered, "warm": False})
    return ordered, not answer["sentence"]


def run_all(task, ordered):
    running = []
    for order in ordered["runs"]:
        if len(running) == ordered["at_once"]:
            tell(answer_of(*running.pop(0)))
        running.append((order["value"], *start(task, order)))
    for each in running:
        tell(answer_of(*each))


def main():
    task = json.loads(sys.argv[1])
    die_with_parent()  # nobody would take the answers of runs whose owner was killed
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a terminal's Ctrl-C ends it and, by that, its runs
    ordered, is_warm = task.pop("ordered", None), not task.get("warm", True)
    with open(0, "rb", buffering=0, closefd=False) as lines:  # no more is read than is used: start_anew
        while ordered or (line := lines.readline()):
            ordered = ordered or json.loads(line)
            if not is_warm:
                ordered, is_warm = warm_up(task, ordered)
            run_all(task, ordered)
            ordered = None


if __name__ == "__main__":
    main()
