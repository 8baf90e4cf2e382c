"""One rank of eight: collectives, DDP, FSDP2, tensor parallel. Run with --world 8."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
assert dist.get_world_size() == 8
ones = torch.ones(4, device="cuda")
dist.all_reduce(ones)
dist.broadcast(ones, 0)
parts = [torch.empty(4, device="cuda") for _ in range(8)]
dist.all_gather(parts, ones)
dist.reduce_scatter_tensor(torch.empty(4, device="cuda"), torch.ones(32, device="cuda"))
dist.all_to_all_single(torch.empty(32, device="cuda"), torch.ones(32, device="cuda"))
dist.barrier()


def net():
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64)).cuda()


def step(model):
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        model(torch.randn(8, 64, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


step(DistributedDataParallel(net()))
sharded = net()
for layer in sharded:
    fully_shard(layer)
step(fully_shard(sharded))
mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("data", "tensor"))
step(parallelize_module(net(), mesh["tensor"], {"0": ColwiseParallel(), "2": RowwiseParallel()}))
dist.destroy_process_group()
