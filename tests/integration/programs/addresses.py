"""Blocks that come and go at random, of sizes that share segments: what is reserved depends on the order of addresses."""

import random

import torch

random.seed(3)
live = []
for _ in range(3000):
    if live and random.random() < 0.5:
        live.pop(random.randrange(len(live)))
    else:
        live.append(torch.empty(random.choice([1, 2, 3, 5, 7, 9, 12, 15, 30]) << 20, dtype=torch.uint8, device="cuda"))
