"""Each call of a torch.nn.Module is told, with the name of the layer that it is: a scope of the thread that calls it. So are the
parameters of each, as it is moved or converted (`cuda()`, `to()`, `half()`) and as it gets its name: before any of them is used, and
those, too, that no gradient is accumulated for; and what an optimizer keeps for each, once it has made it.

PyTorch's own hooks (register_module_forward_hook) would change the program: torch.compile warns of them and leaves its shorter way, and a
traceback has a frame more for each module. So it is the code of Module.__call__ that tells, and that of Module._apply: the same function,
its lines where they were, within a try and a finally. What torch.compile makes of a module is one layer, since none is called inside of it.
"""

import ast
import ctypes
import importlib.util
import inspect
import os
import sys
import threading
import weakref
from collections import defaultdict

TOLD = """
def told(self):
    tidemark_told = not torch.compiler.is_compiling() and tidemark_begins(tidemark_names.get(id(self)) or tidemark_name(self))
    try:
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
    return type(module).__name__


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

    def __init__(self, code, tell_parameters=lambda module, name: None):
        self.code = code  # of Module.__call__
        self.tell_parameters = tell_parameters
        self.by_id = {}
        self.known = {}  # by id: what tells of the module's end
        self.used = {}  # by name: how many living modules have it
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
        while (label := title if number == 1 else f"{title} {number}") in self.used:
            number += 1
        prefix = label + "." if any(path in self.used for path, _ in modules) else ""
        for path, module in modules:
            self.remember(module, prefix + path if path else label)
        self.tell_all_parameters((module, self.by_id[id(module)].decode()) for _, module in modules)

    def tell_all_parameters(self, named):
        """What several share is called as the first of them has it, since the name that is told last holds."""
        for module, name in reversed(list(named)):
            self.tell_parameters(module, name)

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

    def parameters(self):
        """Of all modules that have a name: each with its own, by its id."""
        with self.lock:
            named = [(known(), self.by_id[identity].decode()) for identity, known in self.known.items()]
        return {id(parameter): f"{name}.{own}" for module, name in reversed(named) for own, parameter in parameters_of(module)}


def parameters_of(module):
    return [(name, parameter) for name, parameter in (getattr(module, "_parameters", None) or {}).items() if parameter is not None]


def block_of(tensor, kind):
    """Where it lies, and how large that is; none for what is not on a card. Subclasses (DTensor) hide what they hold."""
    if type(tensor) is not kind or not tensor.is_cuda:
        return None
    try:
        storage = tensor.untyped_storage()
        return (storage.data_ptr(), storage.nbytes()) if storage.data_ptr() else None
    except (NotImplementedError, RuntimeError):  # one without memory of its own
        return None


def parameter_telling(tell, kind, tracer):
    """Tells the blocks of a module's parameters, by their names. Several may share one, as those of an RNN do.

    `tracer`: torch._C. torch.jit.trace would record that somebody asked for a shape, and refuse the module since its check records less.
    """

    def tell_parameters(module, name):
        tracing = tracer._get_tracing_state()
        tracer._set_tracing_state(None)
        try:
            blocks = defaultdict(list)
            for own, parameter in parameters_of(module):
                if block := block_of(parameter, kind):
                    blocks[block].append(own)
            for (block, size), own in blocks.items():
                tell(block, size, f"{name}.{own[0] if len(own) == 1 else 'flat_weights'}".encode())
        finally:
            tracer._set_tracing_state(tracing)

    return tell_parameters


def apply_telling(names):
    """What Module._apply calls before and after: each module's parameters are told once they are moved or converted.

    Modules that have no name yet are called as in the one that it was called for, until the outermost that holds them is called.
    """
    here = threading.local()

    def begins(module):
        is_outermost = not getattr(here, "modules", None)
        if is_outermost:
            here.modules = {id(inner): (inner, names.by_id.get(id(inner), b"").decode() or path or class_of(inner)) for path, inner in paths_in(module)}
        return is_outermost

    def ends(module, is_outermost):
        if id(module) in here.modules:
            names.tell_parameters(*here.modules[id(module)])
        if is_outermost:
            names.tell_all_parameters(here.modules.values())
            here.modules = None

    return begins, ends


def state_telling(tell, names, torch):
    """A hook that runs behind each optimizer's step, and tells, once there is more of it, what the optimizer keeps for each parameter.

    A compiler takes what torch.compiler says of it for a constant, so that nothing of this is left in a compiled step.
    """
    told = weakref.WeakKeyDictionary()  # by optimizer: for how many parameters

    def tell_state(optimizer, *_):
        if torch.compiler.is_compiling():
            return
        try:
            tell_what_is_new(optimizer)
        except Exception:  # of a class that is like no other: what it keeps goes by its name, and nothing of ours may end the program
            return

    def tell_what_is_new(optimizer):
        if told.get(optimizer) == len(optimizer.state):
            return
        told[optimizer] = len(optimizer.state)
        called = names.parameters()
        for parameter, state in optimizer.state.items():
            name = called.get(id(parameter))
            for key, tensor in state.items() if name and isinstance(state, dict) else ():
                if block := block_of(tensor, torch.Tensor):
                    tell(*block, f"{name} {key}".encode())

    return tell_state


def code_that_tells(function, telling):
    """Its own code within what is told, each of its lines and columns where it was."""
    lines, first = inspect.getsourcelines(function)
    whole = ast.parse("class Module:\n" + "".join(lines))
    ast.increment_lineno(whole, first - 2)
    own = whole.body[0].body[0]
    begins, told = ast.parse(telling).body[0].body
    told.body = own.body
    own.body = [begins, told]
    for added in (begins, *told.finalbody):
        for node in ast.walk(added):
            node.lineno = node.end_lineno = own.lineno
            node.col_offset = node.end_col_offset = own.col_offset
    ast.copy_location(told, own)
    code = compile(whole, function.__code__.co_filename, "exec")
    for name in ("Module", function.__name__):
        code = next(inner for inner in code.co_consts if inspect.iscode(inner) and inner.co_name == name)
    return code


def tells_of_compiling():
    """Whether this torch has torch.compiler.is_compiling (from 2.1 on), which is not imported yet."""
    compiler = importlib.util.find_spec("torch.compiler")
    return compiler is not None and "def is_compiling(" in compiler.loader.get_source(compiler.name)


def tell_layers(modules, doubt):
    """torch.nn.modules.module: where the libraries that listen are in the process. Why layers are not told is a doubt.

    What layers are called, for tell_state; none where they are not told.
    """
    process = ctypes.PyDLL(None)  # which keeps Python's lock: nothing in there waits
    if not hasattr(process, "TidemarkLayerBegins"):
        return None
    begins, ends = process.TidemarkLayerBegins, process.TidemarkLayerEnds
    begins.argtypes, begins.restype, ends.restype = [ctypes.c_char_p], ctypes.c_bool, None
    parameter = tensor_teller(process.TidemarkParameter)
    call, apply = modules.Module.__call__, modules.Module._apply
    try:
        if not tells_of_compiling():
            doubt("Layers are not told: that takes a PyTorch from 2.1 on.")
            return None
        code, apply_code = code_that_tells(call, TOLD), code_that_tells(apply, APPLIED)
        names = Names(code, parameter_telling(parameter, modules.Parameter, modules.torch._C))
        apply_begins, apply_ends = apply_telling(names)
        vars(modules).update(tidemark_begins=begins, tidemark_ends=ends, tidemark_names=names.by_id, tidemark_name=names.name,
                             tidemark_apply_begins=apply_begins, tidemark_apply_ends=apply_ends)
        call.__code__, apply.__code__ = code, apply_code
    except (AttributeError, ImportError, OSError, StopIteration, SyntaxError, TypeError, ValueError) as error:
        doubt(f"Layers are not told: the source of PyTorch's Module.__call__ or Module._apply is missing, or unlike any that is known ({error!r}).")
        return None
    skip_in_compiler(names.tell_parameters, apply_begins, apply_ends)
    return names


def tensor_teller(function):
    """A function of ours that is told a block, its size and the name of what lies in it."""
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p], None
    return function


def tell_states(optimizers, names):
    """torch.optim.optimizer: what all optimizers keep, of parameters with these names."""
    tell = tensor_teller(ctypes.PyDLL(None).TidemarkOptimizerState)
    optimizers.register_optimizer_step_post_hook(state_telling(tell, names, optimizers.torch))


def skip_in_compiler(*made):
    """What finds names is no code of the program's, which torch.compile would look into where it runs within it."""
    try:
        from torch._C._dynamo.eval_frame import skip_code
    except ImportError:
        return
    for function in (is_wrapped, children_of, paths_in, class_of, holder_of, parameters_of, block_of, Names.name, Names.called_now, Names.name_all, Names.tell_all_parameters, Names.remember, Names.forget, *made):
        skip_code(function.__code__)
