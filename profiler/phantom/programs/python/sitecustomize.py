"""What a program's Python is changed in: its layers are told (tidemark_layers.py), with what their tensors' blocks hold (tidemark_tensors.py), where FSDP shards them, too (tidemark_shards.py): around
torch.nn.Module.__call__ and _apply, behind each optimizer's step and before it, and as some of PyTorch's own functions end. On a phantom, what it read last before it failed is told, it runs as if it used mixed
precision or checkpointing where that is asked for (tidemark_techniques.py), and one rank of a distributed program meets the others, who are only pretended (tidemark_pretended_ranks.py).

Python imports this at its start, since `tidemark phantom`, and `tidemark record --operators`, put its folder first in PYTHONPATH.
"""

import atexit
import ctypes
import importlib.util
import os
import sys

from tidemark_doubts import doubt


class Changes:
    """Finds these modules as usual, and changes each once it has been executed."""

    def __init__(self, changes):
        self.changes = changes

    def find_spec(self, name, path=None, target=None):
        change = self.changes.pop(name, None)
        if change is None:
            return None
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            change(module)

        spec.loader.exec_module = exec_module
        return spec


OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))


def execute(name, folder):
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_the_next():
    """The one that would have been imported without this. No file of ours is found in place of one of the program's."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != OWN_FOLDER]
    for folder in sys.path:
        if os.path.isfile(os.path.join(folder, "sitecustomize.py")):
            execute("sitecustomize", folder)
            return


def own(name):
    """One of our files, which others of them import."""
    module = sys.modules[name] = execute(name, OWN_FOLDER)
    return module


def change_modules(modules):
    _, tensors, layers, shards = (own(f"tidemark_{name}") for name in ("code", "tensors", "layers", "shards"))
    if names := layers.tell_layers(modules, doubt):
        changes["torch.optim.optimizer"] = lambda optimizers: layers.tell_optimizers(optimizers, names)
        changes.update(shards.shard_changes(names, tensors.tensor_telling(modules.torch._C), doubt))


# Of such kinds are those that a value may raise which is zero instead of what a card computes.
OF_VALUES = (ArithmeticError, AssertionError, LookupError, RuntimeError, ValueError)
NO_BACKEND = "No backend type associated with device type"  # ProcessGroup.hpp: of a device that the program chose none for, whatever values are


def tell_failure():
    """An exception that nobody caught ends the program: the phantom tells what was read last that no kernel had computed."""
    kind = getattr(sys, "last_type", None)
    tell = getattr(ctypes.CDLL(None), "TidemarkPhantomProgramFails", None)
    if tell and kind and issubclass(kind, OF_VALUES) and kind.__name__ != "OutOfMemoryError" and NO_BACKEND not in str(sys.last_value):
        tell(kind.__name__.encode())


atexit.register(tell_failure)
changes = {"torch.nn.modules.module": change_modules} if "TIDEMARK_LAYERS" in os.environ else {}
if "TIDEMARK_PHANTOM_WORLD" in os.environ:
    import tidemark_pretended_ranks

    changes.update(tidemark_pretended_ranks.changes())
if "TIDEMARK_AMP" in os.environ or "TIDEMARK_CHECKPOINT" in os.environ:
    from tidemark_techniques import Techniques, end_autocast_before, know_own_checkpoints, use_techniques

    techniques = Techniques(doubt)
    change_layers = changes.get("torch.nn.modules.module", lambda modules: None)

    def change_calls(modules):
        change_layers(modules)
        use_techniques(modules, techniques)

    changes.update({
        "torch.nn.modules.module": change_calls,
        "torch.autograd": lambda autograd: end_autocast_before(autograd, ("backward", "grad"), techniques),
        "torch.jit._trace": lambda jit: end_autocast_before(jit, ("trace", "trace_module"), techniques),
        "torch.cuda.graphs": lambda graphs: end_autocast_before(graphs, ("make_graphed_callables",), techniques),
        "torch.utils.checkpoint": lambda checkpointing: know_own_checkpoints(checkpointing, techniques),
    })
if changes:
    sys.meta_path.insert(0, Changes(changes))
run_the_next()
