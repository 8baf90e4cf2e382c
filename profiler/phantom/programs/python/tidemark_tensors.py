"""What blocks hold, as Python knows it: told to the libraries in the process that listen (profiler/capture/gates/layer_gate.h)."""

import contextlib
import ctypes
import inspect
import itertools
import threading
import types
import weakref
from collections import UserDict, defaultdict, deque

PARAMETER, OPTIMIZER_STATE, GRADIENT, INPUT, ACTIVATION, COMMUNICATION = 0, 1, 2, 3, 4, 9  # profiler/events/event.h, Category


@contextlib.contextmanager
def reading(torch_c):
    """What we ask of tensors is none of the program's doing: torch.jit.trace would record that somebody asked for a shape, and refuse the
    module since its check records less; a TorchFunctionMode would hear of it. `torch_c`: torch._C.
    """
    tracing = torch_c._get_tracing_state()
    torch_c._set_tracing_state(None)
    try:
        with torch_c.DisableTorchFunction():
            yield
    finally:
        torch_c._set_tracing_state(tracing)


def block_telling():
    """Tells what a block holds, and what that is called (profiler/events/tensor_names.h)."""
    function = ctypes.PyDLL(None).TidemarkTensor  # which keeps Python's lock: nothing in there waits
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint8, ctypes.c_char_p], None
    return lambda block, category, name: function(*block, category, name.encode())


def tensor_telling(torch_c):
    """The same of each block of a tensor."""
    tell_block = block_telling()

    def tell(tensor, category, name):
        with reading(torch_c):
            blocks = blocks_of(tensor)
        for block, suffix, _ in blocks:
            tell_block(block, category, name + suffix)

    return tell


def is_own(tensor):
    """Whether it has memory of its own: a subclass that answers for operators itself may only look like a tensor."""
    answering = next(kind for kind in type(tensor).__mro__ if "__torch_dispatch__" in vars(kind))
    return answering.__name__ == "Tensor"


# What a tensor that is sparse consists of, by its layout.
COMPRESSED_ROWS, COMPRESSED_COLUMNS = ("crow_indices", "col_indices", "values"), ("ccol_indices", "row_indices", "values")
SPARSE = {
    "torch.sparse_coo": ("_indices", "_values"),
    "torch.sparse_csr": COMPRESSED_ROWS,
    "torch.sparse_bsr": COMPRESSED_ROWS,
    "torch.sparse_csc": COMPRESSED_COLUMNS,
    "torch.sparse_bsc": COMPRESSED_COLUMNS,
}


def parts_of(tensor, depth=2):
    """The tensors that it consists of, each with what is behind its name: of a DTensor what this rank has of it; of one that wraps others those,
    as it tells torch.compile, too; of a sparse one its indices and values; of a subclass with memory of its own (bitsandbytes' weights in 4 bits)
    it, and what its attributes hold.
    """
    if type(tensor).__name__ == "DTensor":
        return parts_of(tensor._local_tensor)
    if not is_own(tensor):
        names = tensor.__tensor_flatten__()[0] if depth and hasattr(tensor, "__tensor_flatten__") else ()
        inner = [(name, part) for name in names if (part := own_attribute(tensor, name)) is not None]
        return [(f".{name}{suffix}", part) for name, held in inner for suffix, part in parts_of(held, depth - 1)]
    if kinds := SPARSE.get(str(getattr(tensor, "layout", ""))):
        return [(f".{kind.lstrip('_')}", getattr(tensor.detach(), kind)()) for kind in kinds]
    return [("", tensor), *(() if type(tensor).__name__ in ("Tensor", "Parameter") else held_by(tensor))]


def blocks_of(tensor):
    """Those of its parts, each with what is behind its name, and the part; none of one of a class that is like no other: nothing of ours may end the program."""
    try:
        return [(block, suffix, part) for suffix, part in parts_of(tensor) if (block := block_of(part))]
    except Exception:
        return []


def library_of(thing):
    return type(thing).__module__.partition(".")[0]


def attributes_of(thing):
    """Asked of nothing that it could answer with code of its own."""
    try:
        return object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}


def own_attribute(thing, name):
    """Likewise what it has by that name, in a slot or not; None where that is nothing, or made as it is asked for."""
    slot = inspect.getattr_static(type(thing), name, None)
    return slot.__get__(thing) if isinstance(slot, types.MemberDescriptorType) else attributes_of(thing).get(name)


def held_by(thing, depth=3, around=()):
    """Tensors among what it has, and what objects of its library's among that have: none of a script's, which has its whole program in one place,
    nor what the module has that it lies in.
    """
    held = []
    for name, value in attributes_of(thing).items() if depth else ():
        if type(value).__name__ == "Tensor":
            held.append((f".{name}", value))
        elif library_of(value) == library_of(thing) != "__main__" and "_parameters" not in attributes_of(value) and id(value) not in around:
            held += [(f".{name}{suffix}", tensor) for suffix, tensor in held_by(value, depth - 1, (*around, id(value)))]
    return held


def block_of(tensor):
    """Where it lies, and how large that is; none for what is not on a card, or has no memory of its own."""
    if not is_own(tensor) or not tensor.is_cuda:
        return None
    try:
        storage = tensor.untyped_storage()
        return (storage.data_ptr(), storage.nbytes()) if storage.data_ptr() else None
    except (NotImplementedError, RuntimeError):  # one without memory of its own
        return None


def tensors_of(module):
    """Its own parameters and buffers, by their names there."""
    own = ((getattr(module, kind, None) or {}).items() for kind in ("_parameters", "_buffers"))
    return [(name, tensor) for named in own for name, tensor in named if tensor is not None]


def shared_path(names):
    """The path of the module that holds all of them: `layers.0` of `layers.0.up.weight` and `layers.0.norm.weight`."""
    paths = [name.split(".")[:-1] for name in names]
    shared = []
    for parts in zip(*paths):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return ".".join(shared)


def name_of_all(named):
    """Of what lies in one block: tensors, by their names. Tied ones are one, called as the first; an RNN's, or those of a whole model in one
    buffer, are of the module that holds all."""
    tensors = {tensor.data_ptr() for _, tensor in named}
    return named[0][0] if len(tensors) == 1 else f"{shared_path(name for name, _ in named)}.flat_weights".lstrip(".")


def module_telling(tell_block, torch_c):
    """Tells the blocks of modules' parameters and buffers, by the modules' names."""

    def tell_modules(modules):
        blocks = defaultdict(list)
        with reading(torch_c):
            for module, name in modules:
                for own, tensor in tensors_of(module):
                    for block, suffix, part in blocks_of(tensor):
                        blocks[block].append((f"{name}.{own}{suffix}", part))
            told = [(block, name_of_all(named)) for block, named in blocks.items()]
        for block, name in told:
            tell_block(block, PARAMETER, name)

    def tell_what_can_be(modules):
        try:
            tell_modules(modules)
        except Exception:  # of a class that is like no other: its blocks go by what autograd does with them, and nothing of ours may end the program
            return

    return tell_what_can_be


def optimizer_telling(tell, names, torch):
    """Hooks that run before and behind each optimizer's step. Before: sharded gradients, which autograd's own leaves know nothing of. Both, once
    there is more of it or it was loaded: what the optimizer keeps for each parameter.

    A compiler takes what torch.compiler says of it for a constant, so that nothing of this is left in a compiled step.
    """
    told = weakref.WeakKeyDictionary()  # by optimizer: which state, and of how many parameters

    def tell_gradients(optimizer):
        sharded = [parameter for group in optimizer.param_groups for parameter in group["params"] if is_shard(parameter)]
        called = names.tensors() if sharded else {}
        for parameter in sharded:
            if parameter.grad is not None and (name := called.get(id(parameter))):
                tell(parameter.grad, GRADIENT, name + ".grad")

    def tell_states(optimizer):
        state_now = (id(optimizer.state), len(optimizer.state))
        if told.get(optimizer, state_now[:1] + (0,)) == state_now:
            return
        called = names.tensors()
        for parameter, state in optimizer.state.items():
            name = called.get(id(parameter))
            for key, tensor in state.items() if name and isinstance(state, dict) else ():
                tell(tensor, OPTIMIZER_STATE, f"{name} {key}")
        told[optimizer] = state_now

    def tell_before(optimizer):
        tell_gradients(optimizer)
        tell_states(optimizer)

    def unless_compiled(tell_all):
        def tell_what_can_be(optimizer, *_):
            if torch.compiler.is_compiling():
                return
            try:
                tell_all(optimizer)
            except Exception:  # of a class that is like no other: what it has goes by the kernels that make it, and nothing of ours may end the program
                return

        return tell_what_can_be

    return unless_compiled(tell_before), unless_compiled(tell_states)


def is_shard(parameter):
    """DTensor, or what FullyShardedDataParallel makes of all parameters of a module."""
    return type(parameter).__name__ == "DTensor" or getattr(parameter, "_is_flat_param", False)


def parameter_telling(tell_block, torch_c):
    """Hears of Parameter.__new__: what is made one is a parameter before its module is called, and whether or not it ever is, as while a model is
    loaded, or copied for a moving average.
    """

    def hear(here):
        with reading(torch_c):
            for block, _, part in blocks_of(here["data"]):
                tell_block(block, PARAMETER, f"parameter {'×'.join(map(str, part.shape)) or 'scalar'}")

    return hear


def wrapped_telling(tell_block, names, torch_c):
    """What is called for a tensor that wraps others (a DTensor, a jagged one), as autograd saves it, or accumulates it for a parameter."""
    here = threading.local()

    def tell(tensor, category, parameter):
        name = names.of_tensor(parameter) if category == GRADIENT else ""
        with reading(torch_c):
            for block, *_ in blocks_of(tensor):
                tell_block(block, category, name and name + ".grad")

    def tell_what_can_be(tensor, category, parameter):
        if getattr(here, "tells", False):  # what a class of the program's answers with saves others
            return
        here.tells = True
        try:
            tell(tensor, category, parameter)
        except Exception:  # of a class that is like no other; nothing of ours may end the program
            return
        except BaseException as error:  # Ctrl-C, or an exit by a handler of signals: autograd lets nothing through
            raise_later(type(error))
        finally:
            here.tells = False

    return tell_what_can_be


def raise_later(kind, seconds=0.05):
    """In this thread, once it is likely back in code of the program's."""
    thread = ctypes.c_ulong(threading.get_ident())
    timer = threading.Timer(seconds, ctypes.pythonapi.PyThreadState_SetAsyncExc, (thread, ctypes.py_object(kind)))
    timer.daemon = True
    timer.start()


def call_for_wrapped(tell):
    """Has the libraries that listen call it, for as long as the process lives."""
    called = ctypes.PYFUNCTYPE(None, ctypes.py_object, ctypes.c_uint8, ctypes.py_object)(tell)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(called))
    ctypes.PyDLL(None).TidemarkTellWrappedBy(called)


def input_telling(tell_block, torch_c):
    """Tells what a model is called with, if no gradients flow into it: a batch, wherever it was made."""

    def tell_input(tensor):
        try:
            if tensor.requires_grad:
                return
        except Exception:  # of a class that is like no other; nothing of ours may end the program
            return
        for block, *_ in blocks_of(tensor):
            tell_block(block, INPUT, "")

    def tell_inputs(*arguments):
        with reading(torch_c):
            for tensor in tensors_in(arguments):
                tell_input(tensor)

    return tell_inputs


def tensors_in(thing, most=1000):
    """Tensors in lists, tuples and dicts (a tokenizer's batch is one), among as many things as that. Asks nothing that a class of the program's
    could answer with code of its own: what it has may be made as it is asked for.
    """
    waiting = deque([thing])
    for _ in range(most):
        if not waiting:
            return
        here = waiting.popleft()
        if type(here) in (int, float, str, bool):
            continue
        if isinstance(here, UserDict):
            here = attributes_of(here).get("data")
        if isinstance(here, (list, tuple, dict)):
            inner = dict.values(here) if isinstance(here, dict) else list.__iter__(here) if isinstance(here, list) else tuple.__iter__(here)
            waiting.extend(itertools.islice(inner, most - len(waiting)))
        elif hasattr(type(here), "__torch_dispatch__"):
            yield here
