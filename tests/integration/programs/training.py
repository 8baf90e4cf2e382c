"""SimpleConvNet as the trainer trains it, with plain SGD; prints what torch itself knows of its memory, as JSON.

training.py STEPS [amp] [workers] [exit CODE]
"""

import json
import sys

import torch
from torch import nn

steps = int(sys.argv[1])
amp, workers = "amp" in sys.argv, "workers" in sys.argv


class Batches(torch.utils.data.Dataset):
    def __len__(self):
        return 64 * steps

    def __getitem__(self, index):
        # Operators in a forked process, which must not be heard.
        return torch.zeros(3, 32, 32).add(1).mul(2), 0


net = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 128, 3), nn.ReLU(), nn.Flatten(), nn.Linear(100352, 10))
net.cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, foreach=False)
for images, labels in torch.utils.data.DataLoader(Batches(), 64, num_workers=2 if workers else 0):
    optimizer.zero_grad()
    images, labels = images.cuda(), labels.cuda()
    with torch.autocast("cuda", torch.bfloat16, enabled=amp):
        loss = nn.functional.cross_entropy(net(images), labels).div(1)
    loss.backward()
    loss.item()
    optimizer.step()
    del images, labels, loss

statistics = torch.cuda.memory_stats()
print(json.dumps({
    "allocated": statistics["allocated_bytes.all.peak"],
    "requested": statistics["requested_bytes.all.peak"],
    "reserved": statistics["reserved_bytes.all.peak"],
    "allocations": statistics["allocation.all.allocated"],
    "parameters": sum((p.numel() * 4 + 511) // 512 * 512 for p in net.parameters()),
}))
if "exit" in sys.argv:
    sys.exit(int(sys.argv[sys.argv.index("exit") + 1]))
