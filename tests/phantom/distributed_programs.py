"""One rank of distributed programs; `tidemark phantom --world N` pretends the others."""

import os

import torch
import torch.distributed as dist
from torch import nn

from catalogue import program


def join():
    dist.init_process_group("nccl")
    assert dist.get_world_size() == int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


@program("rank-among-others", since=(2, 6), world=8, rank=3, quick=True)
def rank_among_others():
    """As many scripts begin: they count the machine's GPUs, and take the one with their rank's number."""
    join()
    assert torch.cuda.device_count() == 8 and torch.cuda.current_device() == dist.get_rank() == 3
    assert len({torch.cuda.get_device_properties(number).uuid for number in range(8)}) == 8
    net = nn.parallel.DistributedDataParallel(nn.Linear(512, 512).to("cuda:3"), device_ids=[3])
    optimizer = torch.optim.AdamW(net.parameters(), fused=True)
    net(torch.ones(4, 512, device=torch.accelerator.current_accelerator())).sum().backward()
    optimizer.step()
    assert torch.cuda.memory_allocated("cuda:0") == 0 < torch.cuda.memory_allocated()
    dist.destroy_process_group()


def block():
    return nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)


def step(net, *parameters):
    optimizer = torch.optim.AdamW(net.parameters() if not parameters else parameters)
    net(torch.randn(4, 16, 64, device="cuda")).square().mean().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()


@program("ddp", world=8, quick=True)
def ddp():
    join()
    net = nn.parallel.DistributedDataParallel(nn.Sequential(block(), block()).cuda(), device_ids=[0])
    for _ in range(2):
        step(net)
    loss = torch.ones(1).cuda()  # filled on the host: the phantom computes nothing
    dist.all_reduce(loss)
    assert loss.item() == 8
    gathered = [None] * 8
    dist.all_gather_object(gathered, {"rank": 0})
    assert gathered[7] == {"rank": 0}
    names = ["a"]
    dist.broadcast_object_list(names)
    dist.barrier()
    dist.destroy_process_group()


@program("objects", world=8, rank=3, quick=True)
def objects():
    """Where this rank gives an object, the others give the same; what one of them alone would send is not known."""
    join()
    given, gathered = {"rank": dist.get_rank()}, [None] * 8
    dist.all_gather_object(gathered, given)
    assert gathered == [given] * 8
    gathered = [None] * 8
    dist.gather_object(given, gathered, dst=3)
    assert gathered == [given] * 8 and gathered[0] is not gathered[1]
    own, others, scattered = [given], [None], [None]
    dist.broadcast_object_list(own, src=3)
    dist.broadcast_object_list(others, src=0)
    assert own == [given] and others == [None]
    dist.scatter_object_list(scattered, list(range(8)), src=3)
    assert scattered == [3]
    if hasattr(dist, "send_object_list"):
        dist.send_object_list([given], dst=4)
        dist.recv_object_list(others, src=2)
        assert others == [given]
    dist.destroy_process_group()


@program("on-the-cpu-too", world=4, rank=2, quick=True)
def on_the_cpu_too():
    """Gloo beside NCCL: on the CPU, too, the others hold what this rank holds."""
    dist.init_process_group("cuda:nccl,cpu:gloo")
    x, y = torch.arange(8.0), torch.zeros(2)
    dist.all_reduce(y.add_(1))
    dist.reduce_scatter_tensor(part := torch.empty(2), x)
    assert y.tolist() == [4, 4] and part.tolist() == [16, 20]
    dist.all_to_all_single(exchanged := torch.empty(8), x)
    dist.all_gather_into_tensor(gathered := torch.empty(8), torch.tensor([1.0, 2.0]))
    assert exchanged.tolist() == [4, 5] * 4 and gathered.tolist() == [1, 2] * 4
    dist.all_to_all_single(exchanged := torch.empty(5), torch.arange(5.0), [1, 1, 2, 1], [1, 1, 2, 1])
    assert exchanged.tolist() == [0, 0, 2, 3, 0]  # of other sizes than this rank's own part: not known
    dist.all_gather(listed := [torch.empty(2) for _ in range(4)], y)
    dist.broadcast(y, 0), dist.recv(part, 1), dist.scatter(x, None, 1), dist.barrier(), dist.monitored_barrier()
    assert all(one.tolist() == [4, 4] for one in listed) and part.tolist() == [0, 0] and y.tolist() == [4, 4] and not x.any()
    dist.scatter(y, [torch.full((2,), float(rank)) for rank in range(4)], 2)
    dist.all_reduce(y, op=dist.ReduceOp.MAX)
    assert y.tolist() == [2, 2]
    on_cpu = dist.new_group(backend="gloo")
    objects, gathered = ["own"], [None] * 4
    dist.all_gather_object(gathered, {"a": 1}, group=on_cpu)
    dist.broadcast_object_list(objects, src=2, group=on_cpu)
    assert gathered == [{"a": 1}] * 4 and objects == ["own"]
    dist.broadcast_object_list(objects, src=0, group=on_cpu)
    assert objects == [None]
    x = torch.ones(2, device="cuda")
    dist.all_reduce(x)
    assert x.tolist() == [4, 4]
    dist.destroy_process_group()


@program("ddp-fp16-hook", world=8)
def ddp_hook():
    from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import fp16_compress_hook

    join()
    net = nn.parallel.DistributedDataParallel(block().cuda(), device_ids=[0], gradient_as_bucket_view=True, find_unused_parameters=True)
    net.register_comm_hook(None, fp16_compress_hook)
    step(net)
    dist.destroy_process_group()


@program("ddp-sync-batch-norm", world=8)
def sync_batch_norm():
    join()
    net = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())).cuda()
    nn.parallel.DistributedDataParallel(net, device_ids=[0])(torch.randn(2, 3, 8, 8, device="cuda")).sum().backward()
    dist.destroy_process_group()


@program("zero-optimizer", world=8)
def zero_optimizer():
    from torch.distributed.optim import ZeroRedundancyOptimizer

    join()
    net = nn.parallel.DistributedDataParallel(block().cuda(), device_ids=[0])
    optimizer = ZeroRedundancyOptimizer(net.parameters(), torch.optim.AdamW)
    net(torch.randn(4, 16, 64, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.consolidate_state_dict(to=0)
    if dist.get_rank() == 0:
        state = optimizer.state_dict()["state"]
        assert len(state) == len(list(net.parameters()))
        for number, parameter in enumerate(net.parameters()):
            assert state[number]["exp_avg"].shape == parameter.shape
    dist.destroy_process_group()


@program("fsdp1", world=8)
def fsdp1():
    from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision

    join()
    precision = MixedPrecision(torch.bfloat16, torch.bfloat16)
    net = nn.Sequential(*(FullyShardedDataParallel(block().cuda(), mixed_precision=precision) for _ in range(2)))
    net = FullyShardedDataParallel(net, mixed_precision=precision, sync_module_states=True)
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.randn(4, 16, 64, device="cuda")).sum().backward()
    net.clip_grad_norm_(1.0)
    optimizer.step()
    dist.destroy_process_group()


@program("fsdp2", since=(2, 6), world=8, quick=True)
def fsdp2():
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    join()
    with torch.device("meta"):
        net = nn.Sequential(block(), block())
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for layer in net:
        fully_shard(layer, mp_policy=policy)
    fully_shard(net, mp_policy=policy)
    net.to_empty(device="cuda")
    for _ in range(2):
        step(net)
    dist.destroy_process_group()


def check_checkpoint():
    """What was saved is this rank's part, and comes back."""
    import tempfile

    import torch.distributed.checkpoint as checkpoint
    from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    from torch.distributed.fsdp import fully_shard

    join()
    net = nn.Linear(64, 64).cuda()
    with torch.no_grad():
        net.weight.copy_(torch.arange(64.0 * 64).view(64, 64))
    fully_shard(net)
    optimizer = torch.optim.AdamW(net.parameters())
    net(torch.ones(2, 64, device="cuda")).sum().backward()
    optimizer.step()
    with torch.no_grad():  # what the step made of them is not known
        net.weight.to_local().copy_(torch.arange(1.0, 1025).view(16, 64))
    kept = net.weight.to_local().tolist()
    assert kept[0][:2] == [1, 2]
    with tempfile.TemporaryDirectory() as folder:
        weights, state = get_state_dict(net, optimizer)
        checkpoint.save({"net": weights, "optimizer": state}, checkpoint_id=folder)
        with torch.no_grad():
            net.weight.to_local().copy_(torch.zeros_like(net.weight.to_local()))
        weights, state = get_state_dict(net, optimizer)
        checkpoint.load({"net": weights, "optimizer": state}, checkpoint_id=folder)
        set_state_dict(net, optimizer, model_state_dict=weights, optim_state_dict=state)
        try:
            checkpoint.load({"net": weights}, checkpoint_id=folder + "/nothing")
            raise AssertionError("A checkpoint that is not there was loaded.")
        except checkpoint.api.CheckpointException:
            pass
    assert net.weight.to_local().tolist() == kept
    dist.destroy_process_group()


@program("checkpoint", since=(2, 6), world=4, quick=True)
def checkpoint_of_the_first():
    check_checkpoint()


@program("checkpoint-of-another-rank", since=(2, 6), world=4, rank=2)
def checkpoint_of_another():
    check_checkpoint()


@program("hsdp", since=(2, 6), world=8)
def hsdp():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    join()
    mesh = init_device_mesh("cuda", (2, 4), mesh_dim_names=("replicate", "shard"))
    net = nn.Sequential(block(), block()).cuda()
    fully_shard(net, mesh=mesh)
    step(net)
    dist.destroy_process_group()


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(64, 256)
        self.down = nn.Linear(256, 64)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


@program("tensor-parallel", world=4, quick=True)
def tensor_parallel():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    join()
    mesh = init_device_mesh("cuda", (4,))
    net = parallelize_module(FeedForward().cuda(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    assert net.up.weight.to_local().shape == (64, 64)
    step(net)
    dist.destroy_process_group()


@program("graphs-and-collectives", world=4, quick=True)
def graphs_and_collectives():
    """A collective that a graph holds is done when the graph is launched, each time, and not when it is made."""
    join()
    summed, own, gathered = torch.tensor([1, 2]).cuda(), torch.tensor([5]).cuda(), torch.zeros(4, dtype=torch.int64).cuda()
    dist.all_reduce(own.clone())  # makes the communicator, which a capture would not let it do
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(summed)
        dist.all_gather_into_tensor(gathered, own)
    assert summed.tolist() == [1, 2] and gathered.tolist() == [0] * 4
    for times in (4, 16):
        graph.replay()
        assert summed.tolist() == [times, 2 * times] and gathered.tolist() == [5] * 4
    graph.reset()
    dist.destroy_process_group()


@program("split-groups", since=(2, 6), world=4, rank=1, quick=True)
def split_groups():
    """Where a process is bound to its card, groups are split from the whole; NCCL is told nothing of their size."""
    dist.init_process_group("nccl", device_id=torch.device("cuda:1"))
    torch.cuda.set_device(1)

    def sums_of(group, ranks):
        x = torch.tensor([1, 2]).cuda()
        dist.all_reduce(x, group=group)
        gathered = torch.zeros(2 * ranks, dtype=torch.int64).cuda()
        dist.all_gather_into_tensor(gathered, x, group=group)
        assert x.tolist() == [ranks, 2 * ranks] and gathered.tolist() == [ranks, 2 * ranks] * ranks
        dist.reduce_scatter_tensor(part := torch.zeros(2, dtype=torch.int64).cuda(), gathered, group=group)
        assert part.tolist() == [ranks * ranks, 2 * ranks * ranks]

    sums_of(None, 4)
    uneven = [torch.zeros(numbers, dtype=torch.int64, device="cuda") for numbers in (1, 1, 2, 1)]  # gathered by a broadcast from each
    dist.all_gather(uneven, torch.tensor([7]).cuda())
    assert [uneven[rank].tolist() for rank in (0, 1, 3)] == [[7]] * 3
    own, theirs = torch.tensor([1, 2]).cuda(), torch.tensor([7, 8]).cuda()
    with dist._coalescing_manager(device=torch.device("cuda:1")):  # which gathers nothing
        dist.broadcast(own, 1), dist.broadcast(theirs, 0)
    assert (own.tolist(), theirs.tolist()) == ([1, 2], [7, 8])
    for ranks in ([0, 1], [1, 2, 3], [1]):
        sums_of(dist.new_group(ranks), len(ranks))
    dist.new_group([0, 3])  # of others
    sums_of(dist.split_group(split_ranks=[[0, 1, 3], [2]]), 3)
    assert dist.split_group(split_ranks=[[0, 3]]) in (None, dist.GroupMember.NON_GROUP_MEMBER)  # since PyTorch 2.15
    dist.destroy_process_group()


@program("pipeline-and-all-to-all", world=4)
def messages():
    join()
    x = torch.ones(8, device="cuda")
    dist.all_to_all_single(torch.empty_like(x), x)
    dist.reduce_scatter_tensor(torch.empty(2, device="cuda"), x)
    dist.send(x, 1), dist.recv(torch.empty_like(x), 1)
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, 1), dist.P2POp(dist.irecv, torch.empty_like(x), 3)]):
        work.wait()
    group = dist.new_group([0, 1])
    dist.all_reduce(x, group=group)
    dist.gather(x, [torch.empty_like(x) for _ in range(4)]), dist.scatter(x, [x] * 4), dist.reduce(x, 0)
    dist.destroy_process_group()
