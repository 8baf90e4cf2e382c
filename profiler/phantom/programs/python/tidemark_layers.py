"""Each call of a torch.nn.Module is told, with the name of the layer that it is: a scope of the thread that calls it. So are the
parameters as they are made, and those and the buffers of each as it is moved or converted (`cuda()`, `to()`, `half()`) and as it gets its name: before any of them is used,
and those, too, that no gradient is accumulated for; what the outermost is called with; and what an optimizer keeps for each, once it has made it.

PyTorch's own hooks (register_module_forward_hook) would change the program: torch.compile warns of them and leaves its shorter way, and a
traceback has a frame more for each module. So it is the code of Module.__call__ that tells, and that of Module._apply: the same function,
its lines where they were, within a try and a finally. What torch.compile makes of a module is one layer, since none is called inside of it.
"""

import ctypes
import functools
import importlib.util
import inspect
import os
import sys
import threading
import weakref

from tidemark_code import UNLIKE_KNOWN, code_that_tells, tell_what_is_left
from tidemark_tensors import block_telling, call_for_wrapped, input_telling, module_telling, optimizer_telling, parameter_telling, tensor_telling, tensors_of, wrapped_telling

TOLD = """
def told(self, args, kwargs):
    tidemark_told = not torch.compiler.is_compiling() and tidemark_begins(tidemark_names.get(id(self)) or tidemark_name(self))
    try:
        tidemark_told == 2 and tidemark_inputs(args, kwargs)
        pass
    finally:
        if tidemark_told:
            tidemark_ends()
"""
APPLIED = """
def told(self):
    tidemark_is_outermost = tidemark_apply_begins(self)
    try:
        pass
    finally:
        tidemark_apply_ends(self, tidemark_is_outermost)
"""
# What stands around a module is no part of its name. DistributedDataParallel and DataParallel keep it under a name that others may have, too.
WRAPPED = ("_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")
WRAPPERS = ("DistributedDataParallel", "DataParallel")


def is_wrapped(module, name):
    return name in WRAPPED or (name == "module" and any(kind.__name__ in WRAPPERS for kind in type(module).__mro__))


def children_of(module):
    return list((getattr(module, "_modules", None) or {}).items())


def paths_in(root):
    """Each module once, with its first path from there, as in named_modules()."""
    found, waiting = {}, [("", root)]
    while waiting:
        path, module = waiting.pop()
        if module is None or id(module) in found:
            continue
        found[id(module)] = (path, module)
        inner = [(path if is_wrapped(module, name) else f"{path}.{name}".lstrip("."), child) for name, child in children_of(module)]
        waiting.extend(reversed(inner))
    return found.values()


def class_of(module):
    """The name of its class, or of what it is a wrapper of."""
    for name, child in children_of(module):
        if child is not None and is_wrapped(module, name):
            return class_of(child)
    own, *around = type(module).__mro__  # of which fully_shard puts two before the module's
    return (around[1] if around[0].__name__ == "FSDPModule" else own).__name__


def holder_of(module, around):
    """The first of these modules that holds it, however deep; itself if none does."""
    seen = set()
    for outer in around:
        waiting = [outer]
        while waiting:
            inner = waiting.pop()
            if inner is module:
                return outer
            if id(inner) not in seen:
                seen.add(id(inner))
                waiting.extend(list((getattr(inner, "_modules", None) or {}).values()))
    return module


class Names:
    """What layers are called: as the outermost module that is called names those in it (`layer1.0.conv1`), itself by its class.

    Where a name is another living module's, all of that outermost one begin with its class, and the second of a class has a number:
    `Discriminator.main.0`, `Linear 2`.
    """

    def __init__(self, code, tell_tensors=lambda modules: None):
        self.code = code  # of Module.__call__
        self.tell_tensors = tell_tensors
        self.by_id = {}
        self.known = {}  # by id: what tells of the module's end
        self.used = {}  # by name: how many living modules have it
        self.by_tensor = {}  # by id: as tensors(), when it was asked for last
        self.make_lock()
        os.register_at_fork(after_in_child=self.make_lock)  # whoever held it in the parent is no thread of the child's

    def make_lock(self):
        self.lock = threading.RLock()  # modules may end, and are forgotten, while this thread names others

    def name(self, module):
        """Of one that is called and has no name yet."""
        with self.lock:
            known = self.by_id.get(id(module))  # since another thread that calls it has named it
            if known is not None:
                return known
            try:
                self.name_all(holder_of(module, reversed(self.called_now()[1:])))
                return self.by_id[id(module)]
            except Exception:  # of a class that is like no other; nothing of ours may end the program
                self.forget(id(module))
                return self.remember(module, type(module).__name__)

    def called_now(self):
        """Of this thread, the innermost first: the one that gets its name, and those whose forwards led there."""
        called, frame = [], sys._getframe(2)
        while frame is not None:
            if frame.f_code is self.code:
                called.append(frame.f_locals["self"])
            frame = frame.f_back
        return called

    def name_all(self, root):
        modules = [(path, module) for path, module in paths_in(root)]
        for _, module in modules:
            self.forget(id(module))
        title, number = class_of(root), 1
        is_replica = "_is_replica" in vars(root)  # DataParallel's, which are others in each step: layers of the same model
        while (label := title if number == 1 else f"{title} {number}") in self.used and not is_replica:
            number += 1
        prefix = label + "." if not is_replica and any(path in self.used for path, _ in modules) else ""
        for path, module in modules:
            self.remember(module, prefix + path if path else label)
        self.by_tensor = {}
        self.tell_tensors([(module, self.of(module)) for _, module in modules])

    def remember(self, module, name):
        identity = id(module)
        self.known[identity] = weakref.ref(module, lambda _: self.forget(identity))
        self.by_id[identity] = name.encode()
        self.used[name] = self.used.get(name, 0) + 1
        return self.by_id[identity]

    def forget(self, identity):
        with self.lock:
            name = self.by_id.pop(identity, None)
            self.known.pop(identity, None)
            if name is None:
                return
            left = self.used.get(name.decode(), 1) - 1
            if left > 0:
                self.used[name.decode()] = left
            else:
                self.used.pop(name.decode(), None)

    def of(self, module):
        """"" where it has none yet."""
        return self.by_id.get(id(module), b"").decode()

    def of_tensor(self, tensor):
        """As tensors() tells; "" of none."""
        if id(tensor) not in self.by_tensor:
            self.by_tensor = self.tensors()
        return self.by_tensor.get(id(tensor), "")

    def tensors(self):
        """Of all modules that have a name: what their parameters and buffers are called, by their ids."""
        with self.lock:
            named = [(known(), self.by_id[identity].decode()) for identity, known in self.known.copy().items()]
        return {id(tensor): f"{name}.{own}" for module, name in reversed(named) for own, tensor in tensors_of(module)}


def apply_telling(names):
    """What Module._apply calls before and after: each module's parameters are told once they are moved or converted.

    Modules that have no name yet are called as in the one that it was called for, until the outermost that holds them is called.
    """
    here = threading.local()

    def begins(module):
        is_outermost = not getattr(here, "modules", None)
        if is_outermost:
            here.modules = {id(inner): (inner, names.of(inner) or path or class_of(inner)) for path, inner in paths_in(module)}
        return is_outermost

    def ends(module, is_outermost):
        if id(module) in here.modules:
            names.tell_tensors([here.modules[id(module)]])
        if is_outermost:
            names.tell_tensors(here.modules.values())
            here.modules = None

    return begins, ends


def tells_of_compiling():
    """Whether this torch has torch.compiler.is_compiling (from 2.1 on), which is not imported yet."""
    compiler = importlib.util.find_spec("torch.compiler")
    return compiler is not None and "def is_compiling(" in compiler.loader.get_source(compiler.name)


def tell_layers(modules, doubt):
    """torch.nn.modules.module: where the libraries that listen are in the process. Why layers are not told is a doubt.

    What layers are called, for whoever tells more of them; none where they are not told.
    """
    process = ctypes.PyDLL(None)  # which keeps Python's lock: nothing in there waits
    if not hasattr(process, "TidemarkLayerBegins"):
        return None
    begins, ends = process.TidemarkLayerBegins, process.TidemarkLayerEnds
    begins.argtypes, begins.restype, ends.restype = [ctypes.c_char_p], ctypes.c_int, None
    call, apply = modules.Module.__call__, modules.Module._apply
    try:
        if not tells_of_compiling():
            doubt("Layers are not told: that takes a PyTorch from 2.1 on.")
            return None
        if list(inspect.signature(call).parameters) != ["self", "args", "kwargs"]:
            raise TypeError("it has other arguments")
        code, apply_code = code_that_tells(call, TOLD), code_that_tells(apply, APPLIED)
        tell_block = block_telling()
        names = Names(code, module_telling(tell_block, modules.torch._C))
        apply_begins, apply_ends = apply_telling(names)
        call_for_wrapped(wrapped_telling(tell_block, names, modules.torch._C))
        vars(modules).update(tidemark_begins=begins, tidemark_ends=ends, tidemark_names=names.by_id, tidemark_name=names.name,
                             tidemark_inputs=input_telling(tell_block, modules.torch._C), tidemark_apply_begins=apply_begins, tidemark_apply_ends=apply_ends)
        call.__code__, apply.__code__ = code, apply_code
    except UNLIKE_KNOWN as error:
        doubt(f"Layers are not told: the source of PyTorch's Module.__call__ or Module._apply is missing, or unlike any that is known ({error!r}).")
        return None
    tell_what_is_left(modules.Parameter.__new__, "tidemark_made", parameter_telling(tell_block, modules.torch._C), doubt)
    skip_in_compiler(doubt)
    return names


def tell_optimizers(optimizers, names):
    """torch.optim.optimizer: what all optimizers keep, of parameters with these names, and gradients that nobody else tells."""
    before, behind = optimizer_telling(tensor_telling(optimizers.torch._C), names, optimizers.torch)
    optimizers.register_optimizer_step_pre_hook(before)
    optimizers.register_optimizer_step_post_hook(behind)
    if made := getattr(ctypes.PyDLL(None), "TidemarkOptimizerMade", None):
        begin = optimizers.Optimizer.__init__

        @functools.wraps(begin)
        def begin_and_tell(optimizer, *arguments, **named):
            made()
            begin(optimizer, *arguments, **named)

        optimizers.Optimizer.__init__ = begin_and_tell


def functions_in(holder):
    """Of a module of ours, with those of its classes."""
    for thing in vars(holder).values():
        if inspect.isfunction(thing):
            yield thing
        elif inspect.isclass(thing) and thing.__module__ == holder.__name__:
            yield from functions_in(thing)


def codes_in(code):
    """It, and those of the functions that are made in it."""
    yield code
    for inner in filter(inspect.iscode, code.co_consts):
        yield from codes_in(inner)


def compiler_skipping():
    """What has torch.compile leave a function's code alone, and what that calls; PyTorch's own is in what takes long to import."""
    from torch._C._dynamo import eval_frame

    if hasattr(eval_frame, "skip_code"):  # up to 2.6
        return eval_frame.skip_code
    left_alone = eval_frame._FrameExecStrategy(eval_frame._FrameAction.SKIP, eval_frame._FrameAction.SKIP)
    return lambda code: eval_frame.set_code_exec_strategy(code, left_alone)


def skip_in_compiler(doubt):
    """What finds and tells names is no code of the program's, which torch.compile would look into where it runs within it."""
    own = [function for name in ("code", "tensors", "layers", "shards") for function in functions_in(sys.modules[f"tidemark_{name}"])]
    try:
        skip = compiler_skipping()
        for function in own:
            for code in codes_in(inspect.unwrap(function).__code__):
                skip(code)
    except UNLIKE_KNOWN as error:
        doubt(f"What tells of layers may be compiled with them: PyTorch's compiler is unlike any that is known ({error!r}).")
