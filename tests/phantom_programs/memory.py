"""What torch.cuda says of memory, values that come back, pinned memory, streams, events, graphs."""
import pickle
import tempfile

import torch

assert torch.cuda.is_available() and torch.cuda.device_count() == 1
torch.cuda.memory._record_memory_history()
block = torch.empty(1 << 20, dtype=torch.uint8, device="cuda")
assert torch.cuda.memory_allocated() == 1 << 20 and torch.cuda.memory_reserved() == 2 << 20
free, total = torch.cuda.mem_get_info()
assert total == torch.cuda.get_device_properties(0).total_memory and 0 < free < total
with tempfile.NamedTemporaryFile() as file:
    torch.cuda.memory._dump_snapshot(file.name)
    snapshot = pickle.load(file)
assert [entry["action"] for entry in snapshot["device_traces"][0]][:2] == ["segment_alloc", "alloc"]
torch.cuda.memory_summary()

# Real bytes behind small buffers.
numbers = torch.arange(1000, dtype=torch.float32)
there = numbers.cuda()
assert torch.equal(there.cpu(), numbers)
assert torch.equal(there.clone().cpu(), numbers)
assert torch.equal(numbers.pin_memory().to("cuda", non_blocking=True).cpu(), numbers)
assert torch.zeros(8, device="cuda").tolist() == [0] * 8

side = torch.cuda.Stream()
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
begin.record()
with torch.cuda.stream(side):
    side.wait_stream(torch.cuda.current_stream())
    used_there = block.float()
    used_there.record_stream(side)
torch.cuda.current_stream().wait_stream(side)
end.record()
end.synchronize()
assert begin.elapsed_time(end) >= 0 and end.query()

net = torch.nn.Linear(64, 64).cuda()
still = torch.zeros(8, 64, device="cuda")
warm = torch.cuda.Stream()
with torch.cuda.stream(warm):
    net(still).sum().backward()
torch.cuda.current_stream().wait_stream(warm)
graph = torch.cuda.CUDAGraph()
net.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    net(still).sum().backward()
before = torch.cuda.memory_allocated()
graph.replay()
assert torch.cuda.memory_allocated() == before
pool = torch.cuda.MemPool()
with torch.cuda.use_mem_pool(pool):
    torch.empty(100, device="cuda")
try:
    torch.empty(1 << 50, dtype=torch.uint8, device="cuda")
    raise AssertionError("a petabyte fitted")
except torch.OutOfMemoryError:
    pass
torch.cuda.empty_cache()
