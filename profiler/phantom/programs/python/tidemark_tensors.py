"""What blocks hold, as Python knows it: told to the libraries in the process that listen (profiler/capture/gates/layer_gate.h)."""

import ctypes
import weakref
from collections import defaultdict

PARAMETER, OPTIMIZER_STATE, GRADIENT, COMMUNICATION = 0, 1, 2, 9  # profiler/events/event.h, Category


def tensor_telling():
    """Tells a tensor's block: what it holds, and what that is called."""
    function = ctypes.PyDLL(None).TidemarkTensor  # which keeps Python's lock: nothing in there waits
    function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint8, ctypes.c_char_p], None

    def tell(tensor, category, name):
        if block := block_of(tensor):
            function(*block, category, name.encode())

    return tell


def local_of(tensor):
    """Of a DTensor what this rank has of it."""
    return tensor._local_tensor if type(tensor).__name__ == "DTensor" else tensor


def block_of(tensor):
    """Where it lies, and how large that is; none for what is not on a card. Other subclasses than a DTensor hide what they hold."""
    tensor = local_of(tensor)
    if type(tensor).__name__ not in ("Tensor", "Parameter") or not tensor.is_cuda:
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


def module_telling(tell, tracer):
    """Tells the blocks of a module's parameters and buffers, by their names. Several may share one, as those of an RNN do.

    `tracer`: torch._C. torch.jit.trace would record that somebody asked for a shape, and refuse the module since its check records less.
    """

    def tell_module(module, name):
        tracing = tracer._get_tracing_state()
        tracer._set_tracing_state(None)
        try:
            blocks = defaultdict(list)
            for own, tensor in tensors_of(module):
                if block := block_of(tensor):
                    blocks[block].append((own, tensor))
            for shared in blocks.values():
                own, tensor = shared[0]
                tell(tensor, PARAMETER, f"{name}.{own if len(shared) == 1 else 'flat_weights'}")
        finally:
            tracer._set_tracing_state(tracing)

    return tell_module


def optimizer_telling(tell, names, torch):
    """Hooks that run before and behind each optimizer's step. Before: sharded gradients, which autograd's own leaves know nothing of.
    Behind, once there is more of it: what the optimizer keeps for each parameter.

    A compiler takes what torch.compiler says of it for a constant, so that nothing of this is left in a compiled step.
    """
    told = weakref.WeakKeyDictionary()  # by optimizer: for how many parameters

    def tell_gradients(optimizer):
        sharded = [parameter for group in optimizer.param_groups for parameter in group["params"] if is_shard(parameter)]
        called = names.tensors() if sharded else {}
        for parameter in sharded:
            if parameter.grad is not None and (name := called.get(id(parameter))):
                tell(parameter.grad, GRADIENT, name + ".grad")

    def tell_states(optimizer):
        if told.get(optimizer) == len(optimizer.state):
            return
        told[optimizer] = len(optimizer.state)
        called = names.tensors()
        for parameter, state in optimizer.state.items():
            name = called.get(id(parameter))
            for key, tensor in state.items() if name and isinstance(state, dict) else ():
                tell(tensor, OPTIMIZER_STATE, f"{name} {key}")

    def unless_compiled(tell_all):
        def tell_what_can_be(optimizer, *_):
            if torch.compiler.is_compiling():
                return
            try:
                tell_all(optimizer)
            except Exception:  # of a class that is like no other: what it has goes by the kernels that make it, and nothing of ours may end the program
                return

        return tell_what_can_be

    return unless_compiled(tell_gradients), unless_compiled(tell_states)


def is_shard(parameter):
    """DTensor, or what FullyShardedDataParallel makes of all parameters of a module."""
    return type(parameter).__name__ == "DTensor" or getattr(parameter, "_is_flat_param", False)


def copy_telling(tell):
    """Hears of Parameter.__deepcopy__: what is copied (a model's moving average, say) is a parameter, whether or not its module is called."""

    def hear(here):
        copied = here.get("result")
        if copied is not None:
            tell(copied, PARAMETER, f"parameter {list(copied.shape)}, copied")

    return hear
