"""A model that no single card holds: what one rank of it asks for, and what the phantom itself takes for that."""

import resource

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F

from catalogue import program

LAYERS, WIDTH, INNER, HEADS, KEY_HEADS, VOCABULARY, SEQUENCE = 80, 8192, 28672, 64, 8, 128256, 4096
HEAD = WIDTH // HEADS
RESIDENT_LIMIT_BYTES = 1_500_000_000


def rotated(x, turns):
    return torch.view_as_real(torch.view_as_complex(x.float().unflatten(-1, (-1, 2))) * turns).flatten(-2).type_as(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.out = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.key, self.value = (nn.Linear(WIDTH, KEY_HEADS * HEAD, bias=False) for _ in range(2))

    def forward(self, x, turns):
        query, key, value = (layer(x).unflatten(-1, (-1, HEAD)).transpose(1, 2) for layer in (self.query, self.key, self.value))
        query, key = rotated(query, turns), rotated(key, turns)
        out = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        return self.out(out.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.attention, self.inner_norm = nn.RMSNorm(WIDTH), Attention(), nn.RMSNorm(WIDTH)
        self.gate, self.up = nn.Linear(WIDTH, INNER, bias=False), nn.Linear(WIDTH, INNER, bias=False)
        self.down = nn.Linear(INNER, WIDTH, bias=False)

    def forward(self, x, turns):
        x = x + self.attention(self.norm(x), turns)
        y = self.inner_norm(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = nn.RMSNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, turns):
        from torch.utils.checkpoint import checkpoint

        x = self.embed(tokens)
        for layer in self.layers:
            x = checkpoint(layer, x, turns, use_reentrant=False)
        return self.head(self.norm(x))


def sharded_llama():
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    with torch.device("meta"):
        net = Llama()
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, cast_forward_inputs=False)
    for layer in net.layers:
        fully_shard(layer, mp_policy=policy)
    fully_shard(net, mp_policy=policy)
    return net.to_empty(device="cuda")


def train_70b(rank):
    dist.init_process_group("nccl")
    assert (dist.get_rank(), dist.get_world_size()) == (rank, 8)
    net = sharded_llama()
    count = sum(parameter.numel() for parameter in net.parameters())
    held = sum(parameter.to_local().numel() for parameter in net.parameters())
    assert count == 70_553_706_496 and held == count // 8, (count, held)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)  # one by one: all at once does not fit on a card
    tokens = torch.zeros(1, SEQUENCE, dtype=torch.long, device="cuda")
    angles = torch.outer(torch.arange(SEQUENCE), 500000.0 ** -(torch.arange(0, HEAD, 2) / HEAD))
    turns = torch.polar(torch.ones_like(angles), angles).cuda()
    F.cross_entropy(net(tokens, turns).flatten(0, 1).float(), tokens.flatten()).backward()
    optimizer.step()
    optimizer.zero_grad()
    assert torch.cuda.max_memory_allocated() > 16 * held  # weights, gradients, and AdamW's two moments, four bytes each
    resident_bytes = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"A step of {count:,} parameters took {resident_bytes:,} B of this machine's memory.")
    assert resident_bytes < RESIDENT_LIMIT_BYTES
    dist.destroy_process_group()


for rank in (0, 7):

    @program(f"fsdp2-llama-70b-rank-{rank}", since=(2, 6), world=8, rank=rank)
    def llama_70b(rank=rank):
        train_70b(rank)
