"""Techniques that a program does not use, as if its author had: `tidemark phantom --amp bf16 --checkpoint blocks`.

TIDEMARK_AMP: each forward that is recorded for backward runs under torch.autocast, from the first module that is called until backward
begins, so that a loss which a function computes is within it; so does each call of an outermost module where nothing is recorded.

TIDEMARK_CHECKPOINT=blocks: modules that stand in a row, of one class, in a ModuleList, Sequential or ModuleDict, and are made of others, are
run again in backward (torch.utils.checkpoint, without reentry). Of blocks within blocks the outermost are; a row of containers is looked into. A
model that has its own way to do that (transformers, diffusers) is asked to.

Both are read when a module is called, since a sweep's runs have variables of their own. What the program does itself is left as it is.
"""

import atexit
import functools
import itertools
import os
import threading
import weakref

CONTAINERS = ("ModuleList", "Sequential", "ModuleDict")
OWN_WAYS = ("gradient_checkpointing_enable", "enable_gradient_checkpointing")
TYPES = {"bf16": "bfloat16", "fp16": "float16"}


def is_container(module):
    return any(kind.__name__ in CONTAINERS for kind in type(module).__mro__)


def rows_in(module, path=""):
    """Each row of blocks, as (its path, its blocks), outermost first."""
    rows = []
    if is_container(module):
        for kind, row in itertools.groupby(module.children(), type):
            blocks = [child for child in row if next(child.children(), None) is not None]
            if len(blocks) > 1 and not (is_container(blocks[0]) and any(map(rows_in, blocks))):
                rows.append((f"{path} ({kind.__name__})".strip(), blocks))
    found = {id(block) for _, blocks in rows for block in blocks}
    for name, child in module.named_children():
        if id(child) not in found:
            rows.extend(rows_in(child, f"{path}.{name}".lstrip(".")))
    return rows


def trains(module):
    """What torch.jit.freeze() made has no mode."""
    return getattr(module, "training", False)


def run_alike(function, arguments, named):
    """For checkpoint, which takes some names for its own. In backward it gets lists as they were: who calls it may have added to them since."""
    kept = [list(argument) if type(argument) is list else argument for argument in arguments]
    again = []

    def run(*given):
        told = kept if again else given
        again.append(True)
        return function(*told, **named)

    return run


class Here(threading.local):
    """Of one thread."""

    def __init__(self):
        self.depth = 0  # of modules that are called
        self.own_checkpoints = 0  # of the program, around what runs
        self.autocast = None  # that was entered, until backward begins


class Techniques:
    def __init__(self, doubt):
        self.write = doubt
        self.here = Here()
        self.told = set()
        self.seen = weakref.WeakSet()  # outermost modules
        self.blocks = weakref.WeakSet()
        self.sought_blocks = False
        self.found_blocks = False
        self.entered_autocast = False
        self.met_own_autocast = False
        atexit.register(self.tell_what_was_not_done)

    def tell(self, sentence):
        if sentence not in self.told:
            self.told.add(sentence)
            self.write(sentence)

    @property
    def amp(self):
        return TYPES.get(os.environ.get("TIDEMARK_AMP", ""))

    @property
    def checkpoints(self):
        return os.environ.get("TIDEMARK_CHECKPOINT", "") == "blocks"

    def call(self, torch, function, module, arguments, named):
        if torch._C._current_graph_task_id() != -1 or torch.compiler.is_compiling():  # run again in backward; compiled
            return function(module, *arguments, **named)
        if torch._C._get_tracing_state() is not None:  # torch.jit.trace takes neither a cast that is kept nor a block that runs twice
            self.tell("What torch.jit.trace follows is as the program has it: it ran with neither --amp nor --checkpoint.")
            return function(module, *arguments, **named)
        records = torch.is_grad_enabled()
        if self.here.depth == 0:
            if self.checkpoints and records and trains(module) and module not in self.seen:
                self.find_blocks(module)
            if self.amp and not torch.is_autocast_enabled():
                return self.call_under_autocast(torch, function, module, arguments, named)
            if self.amp and self.here.autocast is None:
                self.met_own_autocast = True
                self.tell("The program uses autocast itself: there --amp changes nothing.")
        return self.run(torch, function, module, arguments, named)

    def call_under_autocast(self, torch, function, module, arguments, named):
        autocast = torch.autocast("cuda", getattr(torch, self.amp))
        self.entered_autocast = True
        self.tell(f"As if the program itself did: what its modules compute forward ran under autocast to {self.amp}.")
        if torch.is_grad_enabled():
            autocast.__enter__()
            self.here.autocast = autocast
            return self.run(torch, function, module, arguments, named)
        with autocast:
            return self.run(torch, function, module, arguments, named)

    def run(self, torch, function, module, arguments, named):
        is_block = module in self.blocks and torch.is_grad_enabled() and trains(module) and self.here.own_checkpoints == 0
        self.here.depth += 1
        try:
            if not is_block:
                return function(module, *arguments, **named)
            run = run_alike(functools.partial(function, module), arguments, named)
            return torch.utils.checkpoint.checkpoint(run, *arguments, use_reentrant=False)
        finally:
            self.here.depth -= 1

    def find_blocks(self, root):
        self.seen.add(root)
        self.sought_blocks = True
        for module in root.modules():
            for name in OWN_WAYS:
                if callable(getattr(module, name, None)) and self.asks(module, name):
                    return
        for path, blocks in rows_in(root, type(root).__name__):
            self.blocks.update(blocks)
            self.found_blocks = True
            self.tell(f"As if the program itself did: the {len(blocks)} blocks of {path} were checkpointed.")

    def asks(self, module, name):
        """A model of a library that knows what goes with it, such as to keep no keys and values of attention."""
        try:
            getattr(module, name)()
        except Exception as error:  # one of its classes that cannot
            self.tell(f"{type(module).__name__}.{name}() failed ({error!r}); its blocks are looked for.")
            return False
        self.found_blocks = True
        self.tell(f"As if the program itself did: {type(module).__name__}.{name}() was called.")
        return True

    def end_autocast(self):
        """As backward begins, or what would not run under an autocast that is still open."""
        if self.here.depth > 0:  # a module's own, or torch.compile's as it looks at what backward will be
            return
        autocast, self.here.autocast = self.here.autocast, None
        if autocast is not None:
            autocast.__exit__(None, None, None)

    def tell_what_was_not_done(self):
        """Once the program has ended; returns the options that changed nothing."""
        in_vain = []
        if self.amp and self.met_own_autocast and not self.entered_autocast:
            in_vain.append("--amp " + os.environ["TIDEMARK_AMP"])
        if self.checkpoints and self.sought_blocks and not self.found_blocks:
            self.tell("--checkpoint blocks changed nothing: none of the program's modules has a row of blocks.")
            in_vain.append("--checkpoint blocks")
        return in_vain


def use_techniques(modules, techniques):
    """torch.nn.modules.module."""
    import torch  # of which more is there by the time that a module is called

    function = modules.Module.__call__

    @functools.wraps(function)
    def called(self, *arguments, **named):
        return techniques.call(torch, function, self, arguments, named)

    modules.Module.__call__ = called


def end_autocast_before(module, names, techniques):
    for name in names:
        setattr(module, name, after(techniques.end_autocast, getattr(module, name)))


def after(begins, function):
    @functools.wraps(function)
    def called(*arguments, **named):
        begins()
        return function(*arguments, **named)

    return called


def know_own_checkpoints(checkpointing, techniques):
    """torch.utils.checkpoint: what the program checkpoints itself."""
    function = checkpointing.checkpoint

    @functools.wraps(function)
    def checkpoint(*arguments, **named):
        techniques.here.own_checkpoints += 1
        try:
            return function(*arguments, **named)
        finally:
            techniques.here.own_checkpoints -= 1

    checkpointing.checkpoint = checkpoint
