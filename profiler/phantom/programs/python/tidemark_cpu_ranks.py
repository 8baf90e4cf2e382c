"""Collectives on the CPU (gloo) among ranks that are only pretended, for tidemark_pretended_ranks.py. As NCCL's stand-in has it: the others hold what
this rank holds, and what they alone would send is zero.

torch's own FakeProcessGroup, which does nothing, stands in for gloo, and what would have been done is done beside it.
"""

import functools
import inspect

NAME = "pretended"


def stand_in_for_gloo(collectives):
    """torch.distributed.distributed_c10d: groups have that backend where they would have gloo."""
    from torch._C._distributed_c10d import FakeProcessGroup

    make = getattr(FakeProcessGroup, "_create_internal", FakeProcessGroup)
    collectives.Backend.register_backend(NAME, lambda group, options: make(group.group_rank, group.group_size), extended_api=True, devices="cpu")
    backends_of = collectives.BackendConfig.get_device_backend_map

    def get_device_backend_map(self):
        return {device: NAME if backend == "gloo" else backend for device, backend in backends_of(self).items()}

    collectives.BackendConfig.get_device_backend_map = get_device_backend_map
    if hasattr(collectives.Backend, "_ensure_backend_registered"):  # since PyTorch 2.15, when it is first asked for, with its own type
        collectives.Backend._ensure_backend_registered("gloo")
    collectives.Backend.backend_type_map["gloo"] = collectives.ProcessGroup.BackendType.CUSTOM


class Group:
    """How many ranks there are in it, which of them this is, and what they make together of what each of them has."""

    def __init__(self, collectives, given):
        self.size, self.rank = collectives.get_world_size(given.get("group")), collectives.get_rank(given.get("group"))
        operation = given.get("op", collectives.ReduceOp.SUM)
        self.adds_up, self.multiplies = operation == collectives.ReduceOp.SUM, operation == collectives.ReduceOp.PRODUCT
        self.sender = given.get("src", 0) if given.get("group_src") is None else None
        self.is_sender = self.rank == given["group_src"] if self.sender is None else collectives.get_rank() == self.sender

    def together(self, tensor):
        if self.multiplies:
            return tensor.pow_(self.size)
        return tensor.mul_(self.size) if self.adds_up else tensor


def give(to, tensor):
    """Zero where it cannot be what is sent."""
    if tensor is not None and to.numel() == tensor.numel():
        return to.copy_(tensor.view_as(to))
    return to.zero_()


def all_to_all_single(group, given):
    to, tensor = given["output"], given["input"]
    into, out_of = given.get("output_split_sizes"), given.get("input_split_sizes")
    own = (tensor.split(out_of) if out_of else tensor.chunk(group.size))[group.rank]
    for part in to.split(into) if into else to.chunk(group.size):
        give(part, own)


def gather(group, given):
    for to in given.get("gather_list") or []:
        to.copy_(given["tensor"])


def scatter(group, given):
    give(given["tensor"], given["scatter_list"][group.rank] if group.is_sender else None)


def all_to_all(group, given):
    for to in given["output_tensor_list"]:
        give(to, given["input_tensor_list"][group.rank])


# What each does to what it is given.
EFFECTS = {
    "all_reduce": lambda group, given: group.together(given["tensor"]),
    "reduce": lambda group, given: group.together(given["tensor"]),
    "reduce_scatter": lambda group, given: group.together(give(given["output"], given["input_list"][group.rank])),
    "reduce_scatter_tensor": lambda group, given: group.together(give(given["output"], given["input"].chunk(group.size)[group.rank])),
    "recv": lambda group, given: given["tensor"].zero_(),
    "irecv": lambda group, given: given["tensor"].zero_(),
    "gather": gather,
    "scatter": scatter,
    "all_to_all": all_to_all,
    "all_to_all_single": all_to_all_single,
}


def is_on_cpu(values):
    tensors = [value[0] if isinstance(value, (list, tuple)) and value else value for value in values]
    return any(getattr(tensor, "is_cpu", False) for tensor in tensors)


def below_autograd(value):
    """As gloo has what it reads and writes: nothing of it is recorded, and no tensor counts as changed."""
    if isinstance(value, (list, tuple)):
        return [below_autograd(each) for each in value]
    return value.data if getattr(value, "is_cpu", False) else value


def do_beside(collectives, name):
    """The collective of that name, and what it does on the CPU."""
    run, effect = getattr(collectives, name), EFFECTS[name]

    @functools.wraps(run)
    def run_and_do(*arguments, **named):
        work = run(*arguments, **named)
        given = inspect.signature(run).bind(*arguments, **named).arguments
        if is_on_cpu(given.values()) and collectives.get_rank(given.get("group")) >= 0:
            effect(Group(collectives, given), {name: below_autograd(value) for name, value in given.items()})
        return work

    setattr(collectives, name, run_and_do)


def receive_nothing(collectives, name, tell):
    """Of objects that another rank alone would send even the sizes are not known."""
    run = getattr(collectives, name)
    device_of = getattr(collectives, "_get_object_coll_device", None) or collectives._get_pg_default_device

    @functools.wraps(run)
    def run_if_own(*arguments, **named):
        given = inspect.signature(run).bind(*arguments, **named).arguments
        group = Group(collectives, given)
        device = given.get("device") or device_of(given.get("group"))
        if group.rank < 0 or group.is_sender or str(device) != "cpu":
            return run(*arguments, **named)
        tell()
        objects = next(iter(given.values()))
        objects[:] = [None] * len(objects)

    setattr(collectives, name, run_if_own)


def pretend_on_cpu(collectives, tell):
    stand_in_for_gloo(collectives)
    for name in EFFECTS:
        do_beside(collectives, name)
    for name in ("broadcast_object_list", "scatter_object_list"):
        receive_nothing(collectives, name, tell)
    collectives.monitored_barrier = lambda group=None, timeout=None, wait_all_ranks=False: collectives.barrier(group)
