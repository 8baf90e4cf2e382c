"""One rank of a small distributed training, and what torch itself counts of its memory, as JSON.

ranks.py ddp|fsdp2|tp
"""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn

WIDTH, INNER, LAYERS, TOKENS = 512, 2048, 4, 64


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x):
        return x + self.down(self.up(x).relu())


def replicated(net):
    return nn.parallel.DistributedDataParallel(net, device_ids=[torch.cuda.current_device()])


def fully_sharded(net):
    from torch.distributed.fsdp import fully_shard

    for layer in net:
        fully_shard(layer)
    return fully_shard(net)


def tensor_parallel(net):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    for layer in net:
        parallelize_module(layer, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    return net


def held(parameter):
    return (parameter.to_local() if hasattr(parameter, "to_local") else parameter).numel() * 4


WAYS = {"ddp": replicated, "fsdp2": fully_sharded, "tp": tensor_parallel}
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group("nccl")
net = WAYS[sys.argv[1]](nn.Sequential(*(Block() for _ in range(LAYERS))).cuda())
optimizer = torch.optim.Adam(net.parameters(), foreach=False)
torch.cuda.reset_peak_memory_stats()
for step in range(3):
    net(torch.ones(TOKENS, WIDTH, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    # What was reduced is held until NCCL's watchdog looks, ten times a second. DDP makes its buckets anew in the second step: those
    # from before would be there still on a fast machine only.
    if step == 0:
        time.sleep(1)
print(json.dumps({
    "allocated": torch.cuda.max_memory_allocated(),
    "requested": torch.cuda.memory_stats()["requested_bytes.all.peak"],
    "reserved": torch.cuda.max_memory_reserved(),
    "parameters": sum(map(held, net.parameters())),
}))
dist.destroy_process_group()
