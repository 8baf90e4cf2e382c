#!/usr/bin/env python3
"""What a process takes of the card's memory before and beside PyTorch's segments, step by step, by the driver's own count."""

import ctypes


def driver():
    library = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    for name, arguments in (
        ("cuInit", (0,)),
        ("cuDevicePrimaryCtxRetain", (ctypes.byref(context), 0)),
        ("cuCtxSetCurrent", (context,)),
    ):
        code = getattr(library, name)(*arguments)
        if code != 0:
            raise SystemExit(f"card_memory.py: {name} answered {code}.")
    return library


def report(library, what, reserved):
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    library.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
    outside = total.value - free.value - reserved
    print(f"{what:32} {outside:>16,} B outside of PyTorch, of {total.value:,} B", flush=True)


def steps(torch):
    """Each makes something come that a process has once."""
    square = lambda element: torch.randn(1024, 1024, device="cuda", dtype=element)
    yield "a tensor", lambda: torch.empty(1, device="cuda")
    yield "a kernel", lambda: torch.ones(1, device="cuda").add_(1)
    yield "a product in fp32", lambda: square(torch.float32) @ square(torch.float32)
    yield "a product in fp16", lambda: square(torch.float16) @ square(torch.float16)
    convolution = lambda: torch.nn.Conv2d(64, 64, 3, device="cuda")(torch.randn(8, 64, 56, 56, device="cuda")).sum().backward()
    yield "a convolution and its gradients", convolution
    yield "attention", lambda: torch.nn.functional.scaled_dot_product_attention(*torch.randn(3, 2, 4, 64, 32, device="cuda").half())
    yield "AdamW", lambda: torch.optim.AdamW([torch.nn.Parameter(square(torch.float32))]).step()
    yield "a decomposition", lambda: torch.linalg.svd(torch.randn(64, 64, device="cuda"))
    yield "an FFT", lambda: torch.fft.fft(torch.randn(1024, device="cuda"))


def main():
    library = driver()
    report(library, "the context", 0)
    import torch

    for what, do in steps(torch):
        do()
        torch.cuda.synchronize()
        report(library, what, torch.cuda.memory_reserved())


if __name__ == "__main__":
    main()
