"""The programs of the list: what each needs, and which of them are tried every time."""

import contextlib
import importlib.util

PROGRAMS = {}


class Program:
    def __init__(self, name, run, needs, since, world, rank, settings, quick, unlike_card):
        self.name = name
        self.run = run
        self.needs = needs  # packages beside torch
        self.since = since  # the first minor version of torch that can do it, on a card too
        self.world = world  # ranks, of which one runs
        self.rank = rank  # that one
        self.settings = settings  # of PyTorch's allocator
        self.quick = quick  # part of ./test
        self.unlike_card = unlike_card  # why its allocations are not all those of a card; "" if they have to be

    def lacks(self):
        import torch

        older = self.since > tuple(int(part) for part in torch.__version__.split(".")[:2])
        packages = [package for package in self.needs if importlib.util.find_spec(package) is None]
        return [f"torch {'.'.join(map(str, self.since))}"] * older + packages


def program(name, *, needs=(), since=(2, 0), world=1, rank=0, settings="", quick=False, unlike_card=""):
    def add(run):
        if name in PROGRAMS:
            raise ValueError(f"Two programs are called {name}.")
        PROGRAMS[name] = Program(name, run, needs, since, world, rank, settings, quick, unlike_card)
        return run

    return add


@contextlib.contextmanager
def weights_of_zero():
    """Drawing them takes longer than all else, and nobody sees them. Left empty they would overflow in 16 bits on a card."""
    from torch.nn import init

    names = [name for name in dir(init) if name.endswith("_") and not name.startswith("_")]
    filling = {name: getattr(init, name) for name in names}
    for name in names:
        setattr(init, name, lambda tensor, *_, **__: tensor.data.zero_())
    try:
        yield
    finally:
        for name in names:
            setattr(init, name, filling[name])


def train_once(model, loss_of, *, autocast=None, optimizer=None):
    """One training step, as most scripts write it."""
    import torch

    model = model.cuda().train()
    optimizer = optimizer or torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler("cuda", enabled=autocast == torch.float16)
    with torch.autocast("cuda", dtype=autocast, enabled=autocast is not None):
        loss = loss_of(model)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    return loss
