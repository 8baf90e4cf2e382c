"""Kernels in Triton, which reads them from a file of their own."""

import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((128, 2), (256, 4))], key=["count"])
@triton.jit
def double(source, target, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, 2 * tl.load(source + at, mask=at < count), mask=at < count)


def doubled(x):
    result = torch.empty_like(x)
    double[lambda chosen: (triton.cdiv(x.numel(), chosen["BLOCK"]),)](x, result, x.numel())
    return result
