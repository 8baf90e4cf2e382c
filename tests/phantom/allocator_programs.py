"""PyTorch's caching allocator, with each of its settings."""

import torch
from torch import nn

from catalogue import program, train_once


@program("out-of-memory", quick=True)
def out_of_memory():
    _, total = torch.cuda.mem_get_info()
    try:
        torch.empty(2 * total, dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError as error:
        assert "Tried to allocate" in str(error)
    else:
        raise AssertionError("More memory was given than there is.")


def churn():
    """Sizes of all of the allocator's classes, freed out of order."""
    blocks = [torch.empty(int(n), dtype=torch.uint8, device="cuda") for n in (500, 3e5, 2e6, 7e6, 1.5e7, 3e7, 7e7, 3e8)]
    del blocks[::2]
    x = torch.empty(int(1.2e7), dtype=torch.uint8, device="cuda")
    del blocks
    torch.cuda.empty_cache()
    del x
    train_once(nn.Linear(512, 512), lambda net: net(torch.ones(64, 512, device="cuda")).sum())
    return torch.cuda.memory_snapshot()


for setting in (
    "expandable_segments:True",
    "max_split_size_mb:32",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "garbage_collection_threshold:0.6",
    "backend:cudaMallocAsync",
    "pinned_use_cuda_host_register:True,pinned_num_register_threads:2",
    "pinned_use_background_threads:True",
):

    # Before 2.8 PyTorch's thread outlives the allocator that it works for, and the process ends with a fault (pytorch#152008).
    since = (2, 8) if "background_threads" in setting else (2, 0)

    @program("allocator-" + setting.replace(":True", "").replace(":", "-"), settings=setting, since=since, quick=True)
    def allocator(setting=setting):
        torch.ones(1000).pin_memory()
        if "cudaMallocAsync" in setting:
            train_once(nn.Linear(512, 512), lambda net: net(torch.ones(64, 512, device="cuda")).sum())
            torch.cuda.empty_cache()
            return
        segments = churn()
        if "expandable" in setting:
            assert segments and all(segment["is_expandable"] for segment in segments)
        torch.cuda.empty_cache()
