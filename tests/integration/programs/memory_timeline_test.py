#!/usr/bin/env python3
"""What blocks hold as `record` infers it, against torch.profiler's memory timeline of the same run: memory_timeline_test.py TIDEMARK.
Both see the same blocks, by the same allocator's reports, and tell by themselves what they hold."""

import json
from pathlib import Path

from programs import PYTHON, TIDEMARK, InFolder, main, tidemark

# At one moment the program holds most, and prints what the timeline says of that: bytes by category.
PROGRAM = """
import json, sys, torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.profiler._memory_profiler import Action

moment, device = sys.argv[1:]
MARK = 1 << 30
net = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 512)).to(device)
optimizer = torch.optim.Adam(net.parameters())

def step(is_last):
    def here(name):
        if is_last and name == moment: torch.empty(MARK, dtype=torch.uint8, device=device)
    loss = net(torch.ones(2048, 1024, device=device).mul(2)).relu().sum()
    here("forward")
    loss.backward()
    here("backward")
    optimizer.step()
    here("optimizer")
    optimizer.zero_grad()

step(False)
with profile(activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True) as seen:
    step(False)
    step(True)
told = seen._memory_profile()
held = {}
def name_of(key, version):
    category = told._categories.get(key, version)
    return category.name if category else "UNKNOWN"
def add(name, size): held[name] = held.get(name, 0) + size
for _, action, (key, version), size in told.timeline:
    if key.device.type != device: continue
    if size == MARK and action == Action.CREATE: break
    if action not in (Action.PREEXISTING, Action.CREATE): add(name_of(key, version), -size)
    if action != Action.DESTROY: add(name_of(key, version + (action == Action.INCREMENT_VERSION)), size)
print(json.dumps(held))
"""
BLOCK = 512  # the loss, which autograd does not keep


class MemoryTimeline(InFolder):
    def check(self, moment, device="cuda"):
        probed = str(Path(self.folder.name) / "probed.tide")
        flags = ["--cpu"] if device == "cpu" else []
        ran = tidemark("phantom", "--", TIDEMARK, "record", *flags, "-o", probed, "--", PYTHON, "-c", PROGRAM, moment, device)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        timeline = json.loads(ran.stdout)
        info = json.loads(tidemark("info", probed, "--json").stdout)
        self.assertEqual(info["steps"], 3)
        ours = info["measured"]["by_category_at_peak"]
        for category in ("parameter", "optimizer_state", "gradient"):
            self.assertEqual(ours[category], timeline.get(category.upper(), 0), (category, ours, timeline))
        # What the model is called with is told on the card only; on the CPU it counts as an activation.
        self.assertEqual(ours["input"], timeline.get("INPUT", 0) if device == "cuda" else 0, (ours, timeline))
        saved = timeline.get("ACTIVATION", 0) + timeline.get("INPUT", 0)
        self.assertLessEqual(abs(ours["activation"] + ours["input"] - saved), BLOCK, (ours, timeline))
        return ours

    def test_at_the_end_of_a_forward(self):
        holds = self.check("forward")
        self.assertGreater(holds["activation"], 8 << 20)
        self.assertGreaterEqual(holds["input"], 8 << 20)

    def test_at_the_end_of_a_backward(self):
        self.assertGreater(self.check("backward")["gradient"], 6 << 20)

    def test_after_an_optimizer(self):
        self.assertGreater(self.check("optimizer")["optimizer_state"], 12 << 20)

    def test_on_the_cpu(self):
        self.assertGreater(self.check("backward", "cpu")["gradient"], 6 << 20)


if __name__ == "__main__":
    main()
