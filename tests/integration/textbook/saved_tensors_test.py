#!/usr/bin/env python3
"""The textbook's saved bytes beside what torch.autograd.graph.saved_tensors_hooks counts, network by network, to the byte.

  saved_tensors_test.py TIDEMARK NETWORKS

NETWORKS is the folder of network files. The Python of $TIDEMARK_TEST_PYTHON (or python3) builds each network from its file and
runs its forward on the phantom, where operators are those of a GPU; 77 (to CTest: skipped) if that Python has no torch.
"""

import json
import os
import subprocess
import sys

import counted_on_phantom

BATCH = 2
PRECISIONS = ("off", "fp16", "bf16")


# --- on the phantom ---


def is_copy_of_weight(tensor):
    """Autocast's: a cast, and views of it, of a leaf."""
    node = tensor.grad_fn
    while node is not None and node.name() in ("TBackward0", "ToCopyBackward0", "TransposeBackward0", "ViewBackward0"):
        node = node.next_functions[0][0]
    return node is not None and node.name() == "torch::autograd::AccumulateGrad"


def saved_bytes(network, precision):
    import torch

    sizes = [BATCH] + network.description["input"]
    tokens = network.description.get("vocabulary")
    batch = torch.zeros(sizes, dtype=torch.long if tokens else torch.float32, device="cuda")
    known = [batch, *network.parameters(), *(tensor for pair in network.running.values() for tensor in pair)]
    left_out = {tensor.untyped_storage().data_ptr() for tensor in known}
    blocks = {}
    kept = []  # alive, so that no address comes twice

    def pack(tensor):
        storage = tensor.untyped_storage()
        attention_seed = not tensor.is_floating_point() and tensor.numel() <= 2
        if tensor.is_cuda and storage.data_ptr() not in left_out and not is_copy_of_weight(tensor) and not attention_seed:
            blocks[storage.data_ptr()] = storage.nbytes()
            kept.append(storage)
        return tensor

    types = {"fp16": torch.float16, "bf16": torch.bfloat16}
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        with torch.autocast("cuda", dtype=types.get(precision), enabled=precision != "off"):
            network(batch)
    return sum(blocks.values())


def count_on_phantom(folder, answer):
    from python_networks import Network

    counted = {}
    for file in sorted(os.listdir(folder)):
        network = Network(os.path.join(folder, file), "cuda")
        counted[file[: -len(".json")]] = [saved_bytes(network, precision) for precision in PRECISIONS]
        del network
    with open(answer, "w", encoding="utf-8") as out:
        json.dump(counted, out)


# --- outside ---


def textbook(tidemark, network, precision):
    command = [tidemark, "estimate", "--textbook", "--json", "--net", network, "--batch", str(BATCH), "--amp", precision]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["textbook"]["activations_bytes"]


def wrong(counted, tidemark):
    """How many sizes the textbook tells otherwise."""
    many = 0
    for network, sizes in counted.items():
        for precision, size in zip(PRECISIONS, sizes):
            told = textbook(tidemark, network, precision)
            many += told != size
            print(f"{network:<18}{precision:<6}{size:>16,} {'is' if told == size else f'but the textbook says {told:,}'}")
    return many


if __name__ == "__main__":
    sys.exit(counted_on_phantom.run(__file__, count_on_phantom, wrong))
