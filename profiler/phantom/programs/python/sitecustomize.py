"""One rank of a distributed program meets the others, who are only pretended.

Python imports this at its start, since `tidemark phantom --world N` puts its folder first in PYTHONPATH. It changes one thing:
when torch.distributed asks for the store in which ranks meet, it gets one in which all have met.
"""

import importlib.util
import os
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


class Rendezvous:
    """Finds torch.distributed.rendezvous as usual, and changes it once it has been executed."""

    name = "torch.distributed.rendezvous"

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            store_class, world = module.Store, int(os.environ["TIDEMARK_PHANTOM_WORLD"])
            module._create_c10d_store = lambda *arguments, **named: make_store(store_class, world)

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
    sys.meta_path.insert(0, Rendezvous())
run_the_next()
