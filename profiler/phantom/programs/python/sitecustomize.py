"""One rank of a distributed program meets the others, who are only pretended.

Python imports this at its start, since `tidemark phantom --world N` puts its folder first in PYTHONPATH. It changes two things:
when torch.distributed asks for the store in which ranks meet, it gets one in which all have met, and Python objects that the
others would send are what this rank sends.
"""

import importlib.util
import os
import pickle
import sys

stores = []
FAILURES = ("exception_dump", "remote_error")  # ProcessGroupNCCL.cpp: kStoreDumpKey, kStoreErrorSignalKey
UNIQUE_ID_BYTES = 128  # of NCCL: what the others would have put into the store


def make_store(store_class, world):
    class PretendedStore(store_class):
        def __init__(self):
            super().__init__()
            self.values = {}
            self.sums = {}

        def set(self, key, value):
            self.values[key] = value.encode() if isinstance(value, str) else bytes(value)

        def get(self, key):
            return self.values.get(key, bytes(UNIQUE_ID_BYTES))

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

        def delete_key(self, key):
            return self.values.pop(key, None) is not None

        def num_keys(self):
            return len(self.values)

        def set_timeout(self, timeout):
            return None

    # C++ alone would not keep the Python half of it.
    stores.append(PretendedStore())
    return stores[-1]


def meet_at_once(rendezvous):
    """torch.distributed.rendezvous: the store is one in which all have met."""
    store_class, world = rendezvous.Store, int(os.environ["TIDEMARK_PHANTOM_WORLD"])
    rendezvous._create_c10d_store = lambda *arguments, **named: make_store(store_class, world)


def doubt(sentence):
    """The report tells it; each sentence once, however often it is written."""
    file = os.environ.get("TIDEMARK_PHANTOM_DOUBTS")
    if file:
        with open(file, "a") as doubts:
            doubts.write(sentence + "\n")


def share_objects(collectives):
    """torch.distributed.distributed_c10d: Python objects travel as their pickles' bytes, of which NCCL's stand-in has only this rank's.

    Where this rank gives an object, the others give the same. What they alone would send is not known: it is None, and of
    recv_object_list what this rank sent last, so that the stages of a pipeline learn the shapes that they hand on.
    """
    to_tensor, to_object, receive = collectives._object_to_tensor, collectives._tensor_to_object, collectives.recv_object_list
    given = []

    def object_to_tensor(given_object, *arguments):
        given[:] = [pickle.dumps(given_object)]
        return to_tensor(given_object, *arguments)

    def tensor_to_object(tensor, size, *arguments):
        is_pickle = int(size) > 0 and tensor.flatten()[0].item() == pickle.PROTO[0]
        if is_pickle:
            return to_object(tensor, size, *arguments)
        if int(size) > 0 and given:
            return pickle.loads(given[0])
        doubt("An object was waited for that another rank alone would send (torch.distributed's object collectives): it was None, or what this rank had sent.")
        return None

    def recv_object_list(objects, *arguments, **named):
        sender = receive(objects, *arguments, **named)
        if given:
            objects[:] = [pickle.loads(given[0]) if item is None else item for item in objects]
        return sender

    collectives._object_to_tensor, collectives._tensor_to_object = object_to_tensor, tensor_to_object
    collectives.recv_object_list = recv_object_list


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


def run_the_next():
    """The one that would have been imported without this."""
    own = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        file = os.path.join(folder, "sitecustomize.py")
        if os.path.abspath(folder) != own and os.path.isfile(file):
            spec = importlib.util.spec_from_file_location("sitecustomize", file)
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
            return


if "TIDEMARK_PHANTOM_WORLD" in os.environ:
    sys.meta_path.insert(0, Changes({"torch.distributed.rendezvous": meet_at_once, "torch.distributed.distributed_c10d": share_objects}))
run_the_next()
