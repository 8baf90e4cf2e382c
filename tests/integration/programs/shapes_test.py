#!/usr/bin/env python3
"""What types and shapes the tensors of Python programs have on the phantom: shapes_test.py TIDEMARK."""

import csv
import math
import re
from pathlib import Path

from programs import PYTHON, TIDEMARK, InFolder, main, tidemark

TRAINS = """
import torch
net = torch.nn.Linear(96, 80).cuda()
optimizer = torch.optim.SGD(net.parameters())
x, y = torch.rand(32, 96).cuda(), torch.zeros(32, dtype=torch.int64, device="cuda")
for _ in range(2):
    with torch.autocast("cuda", torch.float16):
        out = torch.relu_(net(x)).view(16, 2, 80).flatten(0, 1)
        loss = torch.nn.functional.cross_entropy(out, y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""
MAKES = """
import torch
parts = torch._foreach_add([torch.zeros(3, 5, device="cuda"), torch.zeros(7, device="cuda")], 1)
part = torch.zeros(1000, device="cuda")[:10]
nothing = torch.empty(0, 4, device="cuda")
strided = torch.rand(2, 3, 4, 5, device="cuda").to(memory_format=torch.channels_last)
gaps = torch.empty_strided((5, 6), (8, 1), device="cuda")
sparse = torch.sparse_coo_tensor(torch.zeros(1, 2, dtype=torch.int64), torch.ones(2), (9,)).cuda()
jagged = torch.nested.nested_tensor([torch.ones(2, 3), torch.ones(4, 3)]).cuda() * 2
kinds = [torch.zeros(11, dtype=kind, device="cuda") for kind in (torch.bool, torch.uint8, torch.bfloat16, torch.complex64, torch.float8_e4m3fn, torch.float64)]
"""
BYTES = {"float16": 2, "float32": 4, "float64": 8, "int64": 8, "bool": 1, "uint8": 1, "bfloat16": 2, "complex64": 8, "float8_e4m3fn": 1}


def bytes_of(shape):
    kind, sizes = re.fullmatch(r"(\w+) \[(.*)\]", shape).groups()
    return BYTES[kind] * math.prod(int(size) for size in sizes.split(", ") if size)


class Shapes(InFolder):
    def shapes_of(self, code, *under):
        """Of each allocation, in order: what its block was made for ("" = not told), its operator and its bytes."""
        ran = tidemark("phantom", *([] if under else ["-o", self.recording]), "--", *under, PYTHON, "-c", code)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        table = Path(self.folder.name) / "run.csv"
        tidemark("export", self.recording, "-o", str(table))
        with table.open() as rows:
            return [(row["shape"], row["operator"], int(row["bytes"])) for row in csv.DictReader(rows) if row["kind"] == "allocate"]

    def test_a_training_under_autocast_has_the_shapes_of_its_tensors_backward_too(self):
        told = self.shapes_of(TRAINS)
        of_operator = lambda operator: {shape for shape, made_by, _ in told if made_by == operator}
        self.assertTrue({"float32 [80, 96]", "float32 [80]", "float32 [32, 96]"} <= of_operator("aten::to"))
        self.assertEqual(of_operator("aten::linear") - {""}, {"float16 [80, 96]", "float16 [80]", "float16 [32, 96]", "float16 [32, 80]"})  # and cuBLAS's workspaces
        self.assertEqual(of_operator("aten::cross_entropy_loss"), {"float16 [32, 80]", "float32 [32, 80]", "float32 []"})
        self.assertEqual(of_operator("ReluBackward0"), {"float16 [32, 80]"})
        self.assertIn("float16 [80, 96]", of_operator("AddmmBackward0"))
        self.assertIn("float32 [80, 96]", of_operator("ToCopyBackward0"))
        for shape, operator, size in told:
            if shape:
                self.assertEqual(bytes_of(shape), size, (shape, operator))

    def test_views_parts_of_blocks_and_tensors_of_other_kinds_do_no_harm(self):
        told = self.shapes_of(MAKES)
        shapes = {shape for shape, *_ in told}
        self.assertTrue({"float32 [3, 5]", "float32 [7]"} <= {shape for shape, operator, _ in told if operator == "aten::_foreach_add"})
        self.assertTrue({"float32 [1000]", "float32 [2, 3, 4, 5]"} | {f"{kind} [11]" for kind in BYTES if kind not in ("float16", "float32", "int64")} <= shapes, shapes)
        self.assertFalse({"float32 [10]", "float32 [0, 4]", "float32 [5, 6]"} & shapes, shapes)
        for shape, operator, size in told:
            if shape:
                self.assertEqual(bytes_of(shape), size, (shape, operator))

    def test_the_probe_tells_the_same_with_operators_and_nothing_without(self):
        """But for the first block: with it come those who watch operators."""
        for code in (TRAINS, MAKES):
            expected = [shape for shape, *_ in self.shapes_of(code) if shape][1:]
            self.assertTrue(expected)
            probed = self.shapes_of(code, TIDEMARK, "record", "--operators", "-o", self.recording, "--")
            self.assertEqual([shape for shape, *_ in probed if shape], expected)
        plain = self.shapes_of(TRAINS, TIDEMARK, "record", "-o", self.recording, "--")
        self.assertEqual({shape for shape, *_ in plain}, {""})


if __name__ == "__main__":
    main()
