"""A distributed program of which one rank runs and meets the others, who are only pretended (`--world N`), for sitecustomize.py.

What torch.distributed does is changed: the store in which ranks meet is one in which all have met, a group's size is told where NCCL would not be told it, Python objects that the others would
send are what this rank sends, or what they are asked for (tidemark_other_ranks.py), collectives on the CPU are as among equals (tidemark_cpu_ranks.py), checkpoints are planned by this rank alone,
and what ZeroRedundancyOptimizer consolidates is as this rank's state.
"""

import ctypes
import inspect
import os
import pickle
import re
import sys

from tidemark_cpu_ranks import pretend_on_cpu
from tidemark_doubts import doubt
from tidemark_other_ranks import OtherRanks

stores = []
FAILURES = ("exception_dump", "remote_error")  # ProcessGroupNCCL.cpp: kStoreDumpKey, kStoreErrorSignalKey
UNKNOWN_OBJECT = "An object was waited for that another rank alone would send (torch.distributed's object collectives): it was None, or what this rank had sent."
UNKNOWN_VALUE = "A value was asked for that another rank alone would put into the store (torch.distributed's Store.get): it was of zero bytes."
IN_ONE_MACHINE = "handshake-0"  # intra_node_comm.cpp: which card each rank of a group has. As all tell the same one here, PyTorch goes on without
WITHIN_A_MACHINE = "ENABLE_INTRA_NODE_COMM: collectives go through NCCL here. Where NVLink joins the cards, each group of up to eight ranks has a buffer of 10 MiB more on each card, outside of PyTorch's allocator, which is not counted."
UNIQUE_ID_BYTES = 128  # of NCCL: what the others would have put into the store
OF_UNIQUE_IDS = re.compile(r"(^|[/:])\d+$")  # ProcessGroupNCCL.cpp: under a communicator's number, two ranks' with ":" between, or a number of those after "UniqueNCCLID:"


def without_rank(key):
    return key.rstrip("0123456789")


def pretended_store(store_class, world):
    class PretendedStore(store_class):
        def __init__(self, *arguments, **named):  # whatever the one in whose place it is would be told
            super().__init__()
            stores.append(self)  # C++ alone would not keep the Python half of it
            self.values = {}
            self.others_values = {}  # what the others set under keys that end in their numbers: as this rank does
            self.sums = {}

        def set(self, key, value):
            self.values[key] = value.encode() if isinstance(value, str) else bytes(value)
            self.others_values[without_rank(key)] = self.values[key]

        def get(self, key):
            if key in self.sums:
                return str(self.sums[key]).encode()  # as every store keeps what is counted
            if key in self.values:
                return self.values[key]
            if IN_ONE_MACHINE in key:
                doubt(WITHIN_A_MACHINE)
            if without_rank(key) in self.others_values:
                return self.others_values[without_rank(key)]
            if not OF_UNIQUE_IDS.search(key):
                doubt(UNKNOWN_VALUE)
            return bytes(UNIQUE_ID_BYTES)

        def add(self, key, amount):
            self.sums[key] = self.sums.get(key, 0) + amount * world  # the others add as much
            return self.sums[key]

        def check(self, keys):
            # The others have set whatever they would have, but for what NCCL's watchdog asks every second: whether one has failed.
            return not any(failure in str(key) for key in keys for failure in FAILURES)

        def wait(self, keys, timeout=None):
            return None

        def compare_set(self, key, expected, desired):
            if self.values.get(key, b"") == bytes(expected):
                self.values[key] = bytes(desired)
            return self.values.get(key, bytes(expected))

        # PyTorch's C++ looks for these two by its own names.
        def deleteKey(self, key):
            return any([self.values.pop(key, None) is not None, self.sums.pop(key, None) is not None])

        def getNumKeys(self):
            return len(self.values.keys() | self.sums.keys())

        def set_timeout(self, timeout):
            return None

        def clone(self):  # for a group that is split from another: all groups meet here
            return self

    return PretendedStore


def meet_at_once(rendezvous):
    """torch.distributed.rendezvous: the store is one in which all have met, and so is one that the program makes itself."""
    # Else a thread asks every second whether another rank wants a dump (ProcessGroupNCCL's HeartbeatMonitor), until the process
    # ends: when Python has ended it cannot answer, and that is a segmentation fault.
    os.environ["TORCH_NCCL_DUMP_ON_TIMEOUT"] = "0"
    os.environ["TORCH_FR_BUFFER_SIZE"] = "0"  # the flight recorder asks each group for its backend, and on the CPU a pretended one has none
    store_class, world = rendezvous.Store, int(os.environ["TIDEMARK_PHANTOM_WORLD"])
    pretended = rendezvous._create_c10d_store = pretended_store(store_class, world)
    for module in (rendezvous, sys.modules["torch.distributed"]):
        module.FileStore = module.TCPStore = pretended


def share_objects(collectives, others):
    """torch.distributed.distributed_c10d: Python objects travel as their pickles' bytes, of which NCCL's stand-in has only this rank's.

    Where this rank gives an object, the others give the same. What is sent to this rank alone its sender is asked for, so that the stages
    of a pipeline learn their shapes; where it cannot be, it is what this rank sent last. What else they alone would send is not known: None.
    """
    to_tensor, to_object = collectives._object_to_tensor, collectives._tensor_to_object
    send, receive = collectives.send_object_list, collectives.recv_object_list
    given, receiving = [], []

    def object_to_tensor(given_object, *arguments):
        given[:] = [pickle.dumps(given_object)]
        return to_tensor(given_object, *arguments)

    def tensor_to_object(tensor, size, *arguments):
        is_pickle = int(size) > 0 and tensor.flatten()[0].item() == pickle.PROTO[0]
        if is_pickle:
            return to_object(tensor, size, *arguments)
        if int(size) > 0 and given:
            return pickle.loads(given[0])
        if not receiving:
            doubt(UNKNOWN_OBJECT)
        return None

    def peer(function, rank, group_rank, *given, **named):
        """Whom it sends to or receives from, by its number among all ranks; None if that is anybody."""
        arguments = inspect.signature(function).bind(*given, **named).arguments
        if arguments.get(group_rank) is None:
            return arguments.get(rank)
        return collectives.get_global_rank(arguments.get("group") or collectives._get_default_group(), arguments[group_rank])

    def send_object_list(*arguments, **named):
        others.note_sent(arguments[0] if arguments else named["object_list"], peer(send, "dst", "group_dst", *arguments, **named))
        return send(*arguments, **named)

    def recv_object_list(objects, *arguments, **named):
        receiving.append(objects)
        try:
            sender = receive(objects, *arguments, **named)
        finally:
            receiving.pop()
        if sender == -1:  # nothing is received by who is not in the group
            return sender
        asked = peer(receive, "src", "group_src", objects, *arguments, **named)
        sent = others.sent_by(sender if asked is None else asked)
        if sent is None:
            doubt(UNKNOWN_OBJECT)
            sent = [pickle.loads(given[0]) for _ in objects] if given else objects
        objects[:] = sent
        return sender

    collectives._object_to_tensor, collectives._tensor_to_object = object_to_tensor, tensor_to_object
    collectives.send_object_list, collectives.recv_object_list = send_object_list, recv_object_list


def tell_sizes_of_groups(collectives):
    """torch.distributed.distributed_c10d: NCCL's stand-in learns how many ranks a group has that is split from another (groups.h).

    Such a group has a colour, made here of its ranks, or within a function that splits it off at once.
    """
    tell = ctypes.CDLL(None).TidemarkPhantomSplitHasRanks
    color_of = collectives._process_group_color

    def process_group_color(ranks):
        color = color_of(ranks)
        tell(color, len(ranks))
        return color

    def tell_while_it_splits(owner, name, argument):
        split = getattr(owner, name)

        def split_telling(self, *arguments, **named):
            tell(-1, len(named.get("ranks", arguments[argument] if argument < len(arguments) else ())))
            try:
                return split(self, *arguments, **named)
            finally:
                tell(-1, 0)

        setattr(owner, name, split_telling)

    collectives._process_group_color = process_group_color
    if hasattr(collectives.ProcessGroup, "split_group"):  # since PyTorch 2.9
        tell_while_it_splits(collectives.ProcessGroup, "split_group", 0)
    for backend in ("ProcessGroupNCCL2", "ProcessGroupNCCLLazy"):  # since PyTorch 2.15
        if hasattr(getattr(collectives, backend, None), "split"):
            tell_while_it_splits(getattr(collectives, backend), "split", 1)


def plan_alone(checkpoint):
    """torch.distributed.checkpoint.utils: plans to save and to load are this rank's alone, since those of the others would be the same.

    The collectives run as they would, for what they take of the card.
    """
    from torch.distributed.checkpoint.api import CheckpointException, _wrap_exception

    wrapper = checkpoint._DistWrapper
    told = "torch.distributed.checkpoint: the others' parts are not known here, so a checkpoint has this rank's part only."

    def attempt(self, step, function, *arguments):
        try:
            return function(*arguments)
        except BaseException as error:  # as torch's own: whatever it is, all ranks are told
            raise CheckpointException(step, {self.rank: _wrap_exception(error)}) from error

    def reduce_scatter(self, step, map_fun, reduce_fun):
        doubt(told)
        local = attempt(self, step, map_fun)
        self.gather_object(local)
        result = attempt(self, step, reduce_fun, [local])[0]
        if self.use_dist:
            self.scatter_object([result] * self.get_world_size() if self.is_coordinator else None)
        return result

    def all_reduce(self, step, map_fun, reduce_fun):
        local = attempt(self, step, map_fun)
        self.gather_object(local)
        result = attempt(self, step, reduce_fun, [local])
        self.broadcast_object(result if self.is_coordinator else None)
        return result

    def broadcast(self, step, map_fun):
        result = attempt(self, step, map_fun)
        self.broadcast_object(result if self.is_coordinator else None)
        return result

    wrapper.reduce_scatter, wrapper.all_reduce, wrapper.broadcast = reduce_scatter, all_reduce, broadcast


def accept_a_part(planner):
    """torch.distributed.checkpoint.default_planner: a plan of one rank's part does not cover the whole."""
    validate = planner._validate_global_plan
    well = True if validate.__annotations__.get("return") in (bool, "bool") else []  # since PyTorch 2.12 it lists what is wrong
    planner._validate_global_plan = lambda *plan: well


def consolidate_alike(optim):
    """torch.distributed.optim.zero_redundancy_optimizer: the state that another rank sends is as this rank's, for that rank's parameters."""
    import torch

    send, consolidate = optim._broadcast_object, optim.ZeroRedundancyOptimizer.consolidate_state_dict
    consolidating = []

    def state_of(optimizer, rank):
        own = optimizer.optim.state_dict()
        example = next(iter(own["state"].values()), {})
        groups, state = [], {}
        for own_group, group in zip(own["param_groups"], optimizer._partition_parameters()[rank]):
            first = sum(len(earlier["params"]) for earlier in groups)
            groups.append({**own_group, "params": list(range(first, first + len(group["params"])))})
            for number, parameter in enumerate(group["params"], first):
                state[number] = {
                    name: torch.zeros_like(parameter) if isinstance(value, torch.Tensor) and value.dim() > 0 else value for name, value in example.items()
                }
        return {"state": state, "param_groups": groups}

    def broadcast_object(given, src_rank, *arguments, **named):
        own = torch.distributed.get_rank()
        if src_rank == own or not consolidating:
            return send(given, src_rank, *arguments, **named)
        # As large as what comes.
        state = state_of(consolidating[-1], torch.distributed.get_group_rank(consolidating[-1].process_group, src_rank))
        send(state, own, *arguments, **named)
        return state

    def consolidate_state_dict(self, *arguments, **named):
        doubt("ZeroRedundancyOptimizer.consolidate_state_dict: the other ranks' state is not known here; it has its size, and is zero.")
        consolidating.append(self)
        try:
            return consolidate(self, *arguments, **named)
        finally:
            consolidating.pop()

    optim._broadcast_object = broadcast_object
    optim.ZeroRedundancyOptimizer.consolidate_state_dict = consolidate_state_dict


def changes():
    """Of which module what is done to it, once it has been imported."""
    others = OtherRanks(doubt)

    def change_collectives(collectives):
        share_objects(collectives, others)
        tell_sizes_of_groups(collectives)
        pretend_on_cpu(collectives, lambda: doubt(UNKNOWN_OBJECT))

    return {
        "torch.distributed.rendezvous": meet_at_once,
        "torch.distributed.distributed_c10d": change_collectives,
        "torch.distributed.checkpoint.utils": plan_alone,
        "torch.distributed.checkpoint.default_planner": accept_a_part,
        "torch.distributed.optim.zero_redundancy_optimizer": consolidate_alike,
    }
